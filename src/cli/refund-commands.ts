import { type Command, Option } from 'commander';
import type { App } from '../app.ts';
import { formatDecimal, parseDecimal } from '../lib/money.ts';
import { createRefund, type RefundCreation } from '../refunds/create-refund.ts';
import { listRefunds } from '../refunds/find-refund.ts';
import type { Refund, RefundType } from '../refunds/refund.ts';
import { findTransaction } from '../transactions/find-transaction.ts';
import { CommandError, print, table, time } from './print.ts';
import { withApp } from './with-app.ts';

type CreateOptions = { amount: string; type: RefundType; idempotencyKey?: string; json?: boolean };

/** `refund create | list`. */
export function addRefundCommands(program: Command): void {
  const group = program.command('refund').description('give payments back');
  group
    .command('create')
    .description('give back a payment or a part of it; the running service carries it out')
    .argument('<transaction>', 'its id')
    .requiredOption('--amount <amount>', 'such as 1000 or 10.55')
    .addOption(new Option('--type <type>', 'total: all that is left').choices(['total', 'parcial']).default('parcial'))
    .option('--idempotency-key <key>', 'the same key again gives nothing back twice')
    .option('--json', 'print one JSON object')
    .action(create);
  group
    .command('list')
    .description('the newest refunds')
    .option('--limit <number>', 'how many', '50')
    .option('--json', 'print one JSON object; amounts in minor units')
    .action(list);
}

async function create(id: string, options: CreateOptions): Promise<void> {
  const { refund, currency } = await withApp((app) => accept(app, id, options));
  print(options, { refund: refund.id, transaction: refund.transaction_id, state: refund.state }, [
    `Refund ${refund.id} of ${formatDecimal(refund.amount, currency)} ${currency} is ${refund.state}.`,
  ]);
}

async function accept(app: App, id: string, options: CreateOptions): Promise<{ refund: Refund; currency: string }> {
  const transaction = await findTransaction(app, id, null);
  if (transaction === null) throw new CommandError(`There is no transaction ${id}.`);
  const { currency } = transaction;
  const amount = parseDecimal(options.amount, currency);
  if (amount === null || amount === 0) throw new CommandError(`${options.amount} is no amount of ${currency}.`);
  const creation = await createRefund(app, transaction, {
    amount,
    type: options.type,
    idempotencyKey: options.idempotencyKey ?? null,
    requestedBy: 'command line',
  });
  return { refund: acceptedOf(creation), currency };
}

function acceptedOf(creation: RefundCreation): Refund {
  switch (creation.kind) {
    case 'refused':
      throw new CommandError(`${creation.refusal.code}: ${creation.refusal.message}`);
    case 'reused':
      throw new CommandError('The idempotency key belongs to another refund.');
    case 'accepted':
    case 'replayed':
      return creation.refund;
  }
}

async function list(options: { limit: string; json?: boolean }): Promise<void> {
  const limit = Number(options.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > 10_000)
    throw new CommandError('--limit is a number from 1 to 10000.');
  const refunds = await withApp((app) => listRefunds(app, limit));
  const rows = refunds.map((refund) => [
    refund.id,
    String(refund.transaction_id),
    refund.name,
    refund.environment,
    refund.state,
    refund.type,
    `${formatDecimal(refund.amount, refund.currency)} ${refund.currency}`,
    time(refund.created_at),
    time(refund.settled_at),
    refund.requested_by,
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
  ];
  print(options, { refunds }, rows.length === 0 ? ['No refund yet.'] : table([head, ...rows]));
}
