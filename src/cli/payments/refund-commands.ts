import type { Command } from 'commander';
import { holdsCardNumber } from '../../../protocol/card-number.ts';
import type { App } from '../../app.ts';
import { type Actor, accountOf } from '../../audit/actor.ts';
import { Problem } from '../../error-catalogue.ts';
import { formatMoney } from '../../lib/money.ts';
import { createRefund, type RefundCreation } from '../../refunds/create-refund.ts';
import type { Refund } from '../../refunds/refund.ts';
import { selectRefunds } from '../../refunds/refund-queries.ts';
import { findTransaction } from '../../transactions/find-transaction.ts';
import type { Transaction } from '../../transactions/transaction.ts';
import { yesOption } from '../confirm.ts';
import { readLimit, readReason } from '../options.ts';
import { invalidOption, listTable, noteCut, print, time, unknownTransaction } from '../print.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';
import { withApp } from '../with-app.ts';
import { addRefundDecisionCommands } from './refund-decision-commands.ts';
import { confirmRefund, type PartOptions, partWords, readPart, refusedPart, withPart } from './refund-options.ts';
import { addRefundRequestCommands } from './refund-request-commands.ts';

type CreateOptions = ActingOptions &
  PartOptions & { idempotencyKey?: string; reason?: string; yes?: boolean; json?: boolean };

/** `refund create | list | settle | retry | decisions | request | requests | approve | reject`. */
export function addRefundCommands(program: Command): void {
  const group = program.command('refund').description('manage refunds');
  withPart(acting(group.command('create')))
    .description('refund a payment, whole or in part; the running service carries it out')
    .option('--idempotency-key <key>', 'your key, such as a case number; repeating it never refunds twice')
    .option('--reason <text>', 'reason for the audit log; do not name people')
    .addOption(yesOption())
    .option('--json', 'print one JSON object')
    .action(create);
  group
    .command('list')
    .description('list the newest refunds')
    .option('--limit <number>', 'maximum number of rows', '50')
    .option('--json', 'print one JSON object; amounts in minor units')
    .action(list);
  addRefundDecisionCommands(group);
  addRefundRequestCommands(group);
}

async function create(id: string, options: CreateOptions): Promise<void> {
  const { refund, currency, replayed } = await withActor(options, (app, by) => accept(app, id, options, by));
  print(options, { refund: refund.id, transaction: refund.transaction_id, state: refund.state }, [
    `Refund ${refund.id} of ${formatMoney(refund.amount, currency)} is ${refund.state}.`,
  ]);
  // A repeated request without a key may be meant as another refund. With a key it gets the same refund, as intended.
  if (replayed && options.idempotencyKey === undefined) {
    process.stderr.write(
      'It is the refund of a moment ago. For another one of the same amount give each an --idempotency-key.\n',
    );
  }
}

type Accepted = { refund: Refund; currency: string; replayed: boolean };

async function accept(app: App, id: string, options: CreateOptions, by: Actor): Promise<Accepted> {
  const { idempotencyKey = null } = options;
  if (idempotencyKey !== null && (!/^\P{Cc}{1,200}$/u.test(idempotencyKey.trim()) || holdsCardNumber(idempotencyKey)))
    throw invalidOption('--idempotency-key is 1 to 200 characters of one line, without a card number.');
  const transaction = await findTransaction(app, id, null);
  if (transaction === null) throw unknownTransaction(id);
  const { currency } = transaction;
  const amount = readPart(options, currency);
  const reason = options.reason === undefined ? undefined : readReason(options.reason);
  const paid = formatMoney(transaction.amount, currency);
  const asked = amount === null ? `all that is left of ${paid}` : `${formatMoney(amount, currency)} of ${paid}`;
  const question = `Refund ${asked} to the payer of transaction ${id}?`;
  const seen = await confirmRefund(app, transaction, { amount, question }, options);
  const creation = await createRefund(app, transaction, {
    amount,
    type: options.type,
    idempotencyKey,
    by,
    ...(reason !== undefined && { reason }),
    ...seen,
  }).catch((error: unknown) => {
    throw error instanceof Problem && error.code === 'REFUND_LIMIT_REACHED'
      ? aboveLimit(error, id, options, by)
      : error;
  });
  if (creation.kind === 'equal_made') return accept(app, id, options, by);
  return { refund: await acceptedOf(app, transaction, creation), currency, replayed: creation.kind === 'replayed' };
}

/** Adds the command that asks another person for approval to the refusal. */
function aboveLimit({ code, extras }: Problem, id: string, options: CreateOptions, by: Actor): Problem {
  const { en = '', es = '' } = extras.detail ?? {};
  const command = `bin/rubrica refund request ${id} ${partWords(options)} --reason TEXT --as ${accountOf(by.name)}`;
  return new Problem(code, {
    ...extras,
    detail: {
      en: `${en} Ask that another person approve it: ${command}`,
      es: `${es} Pide que otra persona la apruebe: ${command}`,
    },
  });
}

async function acceptedOf(
  app: App,
  transaction: Transaction,
  creation: Exclude<RefundCreation, { kind: 'equal_made' }>,
): Promise<Refund> {
  switch (creation.kind) {
    case 'refused':
      throw await refusedPart(app, transaction, creation.refusal.code);
    case 'reused':
      throw invalidOption('The idempotency key belongs to another refund: give a new one.');
    case 'accepted':
    case 'replayed':
      return creation.refund;
  }
}

async function list(options: { limit: string; json?: boolean }): Promise<void> {
  const limit = readLimit(options.limit);
  const refunds = await withApp((app) => selectRefunds(app.db, limit));
  const rows = refunds.map((refund) => ({
    ID: refund.id,
    TRANSACTION: String(refund.transaction_id),
    'PAYMENT SERVICE': refund.name,
    ENVIRONMENT: refund.environment,
    STATE: refund.state,
    TYPE: refund.type,
    AMOUNT: formatMoney(refund.amount, refund.currency),
    'SINCE (CHILE)': time(refund.created_at),
    'END (CHILE)': time(refund.settled_at),
    BY: refund.requested_by,
  }));
  print(options, { refunds }, listTable(rows, 'No refund yet.'));
  noteCut(options, rows.length, limit);
}
