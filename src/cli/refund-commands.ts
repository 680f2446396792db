import { type Command, Option } from 'commander';
import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { formatMoney, formatPlain } from '../lib/money.ts';
import { createRefund, type RefundCreation } from '../refunds/create-refund.ts';
import { listRefunds } from '../refunds/find-refund.ts';
import type { Refund, RefundType } from '../refunds/refund.ts';
import { REFUND_REFUSALS, type RefundRefusalCode } from '../refunds/refund-refusal.ts';
import { findTransaction } from '../transactions/find-transaction.ts';
import { confirm, yesOption } from './confirm.ts';
import { readAmount, readLimit } from './options.ts';
import {
  CommandError,
  invalidOption,
  missingOption,
  print,
  table,
  time,
  timeInChile,
  unknownTransaction,
} from './print.ts';
import { addRefundDecisionCommands } from './refund-decision-commands.ts';
import { type ActingOptions, acting, withActor } from './with-actor.ts';
import { withApp } from './with-app.ts';

type CreateOptions = ActingOptions & {
  amount?: string;
  type: RefundType;
  idempotencyKey?: string;
  yes?: boolean;
  json?: boolean;
};

/** `refund create | list | settle | retry | decisions`. */
export function addRefundCommands(program: Command): void {
  const group = program.command('refund').description('refund payments');
  acting(group.command('create'))
    .description('refund a payment or a part of it; the running service carries it out')
    .argument('<transaction>', 'its id')
    .option('--amount <amount>', 'in CLP such as 15000, without points; in USD such as 10.55')
    .addOption(
      new Option('--type <type>', 'total: all that is left, without --amount')
        .choices(['total', 'parcial'])
        .default('parcial'),
    )
    .option('--idempotency-key <key>', 'such as the number of your case; the same again refunds nothing twice')
    .addOption(yesOption())
    .option('--json', 'print one JSON object')
    .action(create);
  group
    .command('list')
    .description('the newest refunds')
    .option('--limit <number>', 'how many', '50')
    .option('--json', 'print one JSON object; amounts in minor units')
    .action(list);
  addRefundDecisionCommands(group);
}

async function create(id: string, options: CreateOptions): Promise<void> {
  const { refund, currency, replayed } = await withActor(options, (app, by) => accept(app, id, options, by));
  print(options, { refund: refund.id, transaction: refund.transaction_id, state: refund.state }, [
    `Refund ${refund.id} of ${formatMoney(refund.amount, currency)} is ${refund.state}.`,
  ]);
  // With a key the same again has the same answer. Without one a person may have meant another.
  if (replayed && options.idempotencyKey === undefined) {
    process.stderr.write(
      'It is the refund of a moment ago. For another one of the same amount give each an --idempotency-key.\n',
    );
  }
}

type Accepted = { refund: Refund; currency: string; replayed: boolean };

async function accept(app: App, id: string, options: CreateOptions, by: Actor): Promise<Accepted> {
  const transaction = await findTransaction(app, id, null);
  if (transaction === null) throw unknownTransaction(id);
  const { currency } = transaction;
  const amount = readAsked(options, currency);
  const paid = formatMoney(transaction.amount, currency);
  const asked = amount === null ? `all that is left of ${paid}` : `${formatMoney(amount, currency)} of ${paid}`;
  await confirm(`Refund ${asked} to the payer of transaction ${id}?`, options);
  const creation = await createRefund(app, transaction, {
    amount,
    type: options.type,
    idempotencyKey: options.idempotencyKey ?? null,
    by,
  });
  return { refund: acceptedOf(creation), currency, replayed: creation.kind === 'replayed' };
}

/** In minor units; null: all that is left. */
function readAsked({ amount, type }: CreateOptions, currency: string): number | null {
  if (amount === undefined) {
    if (type === 'total') return null;
    throw missingOption('Say how much: --amount 1000, or --type total for all that is left.');
  }
  const asked = readAmount(amount, currency);
  if (asked === 0) throw invalidOption('The amount is above 0.');
  return asked;
}

/** The command that shows more, or does it otherwise. */
const HINTS: Partial<Record<RefundRefusalCode, string>> = {
  ALREADY_REFUNDED: ' See bin/rubrica refund list',
  PARTIAL_REFUND_NOT_ALLOWED: ' Use --type total',
  REFUND_AMOUNT_TOO_HIGH: ' See bin/rubrica refund list',
  REFUND_AMOUNT_NOT_TOTAL: ' --type total refunds all of it: leave out --amount, or --type for a part.',
  INSUFFICIENT_BALANCE: ' See bin/rubrica books balance and payout list.',
};

function refused(code: RefundRefusalCode): CommandError {
  return new CommandError(REFUND_REFUSALS[code].en + (HINTS[code] ?? ''), 1, code);
}

function acceptedOf(creation: RefundCreation): Refund {
  switch (creation.kind) {
    case 'refused':
      throw refused(creation.refusal.code);
    case 'reused':
      throw invalidOption('The idempotency key belongs to another refund: give a new one.');
    case 'accepted':
    case 'replayed':
      return creation.refund;
  }
}

async function list(options: { limit: string; json?: boolean }): Promise<void> {
  const limit = readLimit(options.limit);
  const refunds = await withApp((app) => listRefunds(app, limit));
  const rows = refunds.map((refund) => [
    refund.id,
    String(refund.transaction_id),
    refund.name,
    refund.environment,
    refund.state,
    refund.type,
    `${formatPlain(refund.amount, refund.currency)} ${refund.currency}`,
    time(refund.created_at),
    time(refund.settled_at),
    refund.requested_by,
    timeInChile(refund.created_at),
    timeInChile(refund.settled_at),
  ]);
  const head = [
    'ID',
    'TRANSACTION',
    'PAYMENT SERVICE',
    'ENVIRONMENT',
    'STATE',
    'TYPE',
    'AMOUNT',
    'SINCE (UTC)',
    'END (UTC)',
    'BY',
    'SINCE (CHILE)',
    'END (CHILE)',
  ];
  print(options, { refunds }, rows.length === 0 ? ['No refund yet.'] : table([head, ...rows]));
}
