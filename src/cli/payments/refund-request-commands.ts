import type { Command } from 'commander';
import type { App } from '../../app.ts';
import { type Actor, accountOf } from '../../audit/actor.ts';
import { formatMoney } from '../../lib/money.ts';
import { formatAge } from '../../lib/time-text.ts';
import {
  approveRefundRequest,
  type RefundRequestApproval,
  rejectRefundRequest,
} from '../../refunds/decide-refund-request.ts';
import { findRefundRequest, listRefundRequests } from '../../refunds/find-refund-request.ts';
import type { RefundRequest } from '../../refunds/refund-request.ts';
import { type RefundRequestMaking, requestRefund, TOO_MANY } from '../../refunds/request-refund.ts';
import { findTransaction } from '../../transactions/find-transaction.ts';
import { transactionKeyOf } from '../../transactions/transaction.ts';
import { yesOption } from '../confirm.ts';
import { readLimit, readReason } from '../options.ts';
import {
  alreadyDone,
  type CommandError,
  invalidOption,
  listTable,
  noteCut,
  print,
  time,
  unknownTransaction,
} from '../print.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';
import { withApp } from '../with-app.ts';
import {
  confirmRefund,
  type PartOptions,
  partWords,
  readPart,
  refusedPart,
  refusedRefund,
  withPart,
} from './refund-options.ts';

type RequestOptions = ActingOptions & PartOptions & { reason: string };
type ApproveOptions = ActingOptions & { reason?: string; yes?: boolean };
type RejectOptions = ActingOptions & { reason: string };
type ListOptions = { all?: boolean; limit: string; json?: boolean };

const WHY = 'reason for the audit log; do not name people';

/** `refund request | requests | approve | reject`. */
export function addRefundRequestCommands(group: Command): void {
  withPart(acting(group.command('request')))
    .description('request a refund above your limit; another person must approve it first')
    .requiredOption('--reason <text>', WHY)
    .option('--json', 'print one JSON object; amounts in minor units')
    .action(request);
  group
    .command('requests')
    .description('list refund requests that wait for approval, oldest first')
    .option('--all', 'also approved and rejected ones, newest first')
    .option('--limit <number>', 'maximum number of rows', '50')
    .option('--json', 'print one JSON object; amounts in minor units')
    .action(list);
  acting(group.command('approve'))
    .description('approve and carry out a refund that another person requested; never your own')
    .argument('<request>', 'ID from `refund requests`')
    .option('--reason <text>', WHY)
    .addOption(yesOption())
    .option('--json', 'print one JSON object; amounts in minor units')
    .action(approve);
  acting(group.command('reject'))
    .description('reject a refund that another person requested, or withdraw your own request')
    .argument('<request>', 'ID from `refund requests`')
    .requiredOption('--reason <text>', WHY)
    .option('--json', 'print one JSON object; amounts in minor units')
    .action(reject);
}

async function request(id: string, options: RequestOptions): Promise<void> {
  const reason = readReason(options.reason);
  const { made, currency } = await withActor(options, async (app, by) => {
    const transaction = await findTransaction(app, id, null);
    if (transaction === null) throw unknownTransaction(id);
    const wish = { amount: readPart(options, transaction.currency), type: options.type, reason, by };
    const making = await requestRefund(app, transaction, wish);
    if (making.kind === 'refused') throw await refusedPart(app, transaction, making.refusal.code);
    return { made: requestOf(making, id, options, by), currency: transaction.currency };
  });
  print(options, described(made), [
    `Request ${made.id} of ${formatMoney(made.amount, currency)} waits for another person: bin/rubrica refund approve ${made.id} --as EMAIL`,
  ]);
}

function requestOf(
  making: Exclude<RefundRequestMaking, { kind: 'refused' }>,
  id: string,
  options: RequestOptions,
  by: Actor,
): RefundRequest {
  switch (making.kind) {
    case 'too_many':
      throw invalidOption(TOO_MANY.en);
    case 'within_limit':
      throw invalidOption(
        `It is within the limit of ${accountOf(by.name)} and needs nobody else: bin/rubrica refund create ${id} ${partWords(options)} --as ${accountOf(by.name)}`,
      );
    case 'made':
    case 'replayed':
      return making.request;
  }
}

async function approve(id: string, options: ApproveOptions): Promise<void> {
  const reason = options.reason === undefined ? null : readReason(options.reason);
  const { approved, amount } = await withActor(options, (app, by) => approveIn(app, id, { by, reason }, options));
  const { request: decided, refund } = approved;
  print(options, { ...described(decided), refund: refund.id }, [
    `Refund ${refund.id} of ${amount} is ${refund.state}: request ${id} of ${decided.requested_by} is approved.`,
  ]);
}

async function approveIn(
  app: App,
  id: string,
  decision: { by: Actor; reason: string | null },
  options: { yes?: boolean },
): Promise<{ approved: RefundRequestApproval & { kind: 'approved' }; amount: string }> {
  const { request: asked, currency } = await findRefundRequest(app, id);
  const { transaction_id, requested_by, reason } = asked;
  const amount = formatMoney(asked.amount, currency);
  const question = `Refund ${amount} to the payer of transaction ${transaction_id}, as ${requested_by} asks (${reason})?`;
  const seen = await confirmRefund(app, transactionKeyOf(asked), { amount: asked.amount, question }, options);
  const approval = await approveRefundRequest(app, asked, { ...decision, ...seen });
  if (approval.kind === 'equal_made') return approveIn(app, id, decision, options);
  if (approval.kind === 'already') throw decidedAlready(approval.request);
  if (approval.kind === 'refused') {
    const waits = ` Request ${id} goes on waiting: bin/rubrica refund reject ${id} --reason TEXT --as EMAIL ends it.`;
    throw refusedRefund(approval.refusal.code, waits);
  }
  return { approved: approval, amount };
}

async function reject(id: string, options: RejectOptions): Promise<void> {
  const reason = readReason(options.reason);
  const { rejected, currency } = await withActor(options, async (app, by) => {
    const found = await findRefundRequest(app, id);
    const { kind, request: ended } = await rejectRefundRequest(app, found.request, { by, reason });
    if (kind === 'already') throw decidedAlready(ended);
    return { rejected: ended, currency: found.currency };
  });
  print(options, described(rejected), [
    `Request ${id} of ${formatMoney(rejected.amount, currency)} is rejected. Nothing goes back by it.`,
  ]);
}

function decidedAlready({ id, state, decided_by }: RefundRequest): CommandError {
  return alreadyDone(`Request ${id} is ${state} by ${decided_by}: bin/rubrica refund requests --all`);
}

function described({ id, transaction_id, amount, type, state, requested_by, decided_by }: RefundRequest) {
  return { request: id, transaction: transaction_id, amount, type, state, requested_by, decided_by };
}

async function list(options: ListOptions): Promise<void> {
  const limit = readLimit(options.limit);
  const { requests, now } = await withApp(async (app) => ({
    requests: await listRefundRequests(app, options.all === true, limit),
    now: app.now(),
  }));
  const nothing = options.all === true ? 'Nothing was asked for yet.' : 'No refund waits for another person.';
  const shown = requests.map((one) => ({ ...one, age: Math.max(0, now - one.requested_at) }));
  const rows = shown.map((one) => ({
    ID: one.id,
    TRANSACTION: String(one.transaction_id),
    'PAYMENT SERVICE': one.name,
    ENVIRONMENT: one.environment,
    STATE: one.state,
    AMOUNT: formatMoney(one.amount, one.currency),
    'SINCE (CHILE)': time(one.requested_at),
    AGE: formatAge(one.age),
    BY: one.asker_disabled === 1 ? `${one.requested_by} (disabled)` : one.requested_by,
    WHY: one.reason,
    'DECIDED BY': one.decided_by ?? '—',
    REFUND: one.refund_id ?? '—',
  }));
  print(options, { requests: shown }, listTable(rows, nothing));
  noteCut(options, rows.length, limit);
}
