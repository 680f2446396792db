import type { Command } from 'commander';
import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { formatMoney } from '../../lib/money.ts';
import { findMovement } from '../../movements/find-movement.ts';
import { isBankReference, type Movement } from '../../movements/movement.ts';
import type { ListedMovement } from '../../movements/movement-queries.ts';
import { selectMovements } from '../../movements/movement-queries.ts';
import { type MovementWish, type Recording, recordMovement } from '../../movements/record-movement.ts';
import { returnPayout } from '../../movements/return-movement.ts';
import type { Environment } from '../../payment-services/payment-service.ts';
import { type DepositReturn, returnDeposit } from '../../statements/return-deposit.ts';
import { confirm, yesOption } from '../confirm.ts';
import { checkMethod, environmentOption, readAmount, readLimit, readReason } from '../options.ts';
import {
  alreadyDone,
  CommandError,
  invalidOption,
  listTable,
  missingOption,
  noteCut,
  notFound,
  print,
  time,
  unknownPaymentService,
} from '../print.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';
import { withApp } from '../with-app.ts';

type CreateOptions = ActingOptions & {
  paymentService: string;
  environment?: Environment;
  amount: string;
  currency: string;
  reference: string;
  method?: string;
  fromMerchant?: boolean;
  commission?: string;
  yes?: boolean;
};

type ReturnOptions = ActingOptions & {
  paymentService: string;
  environment?: Environment;
  reason: string;
  yes?: boolean;
};

/**
 * `payout create | return`, `deposit create | return | list`. Returns the group `payout`, which gets further commands.
 */
export function addMovementCommands(program: Command): Command {
  const payout = program.command('payout').description('pay recipients and merchants');
  addCreate(payout, 'record money sent to a merchant; never more than is available').action((options: CreateOptions) =>
    create('payout', options),
  );
  addReturn(payout, 'reverse a payout that the bank returned or that was recorded by mistake; whole, once').action(
    (reference: string, options: ReturnOptions) => takeBack('payout', reference, options),
  );
  const deposit = program.command('deposit').description('record money received from payment methods and merchants');
  addCreate(deposit, 'record a deposit; never more than the payment method owes')
    .option('--method <code>', 'payment method that paid, such as webpay')
    .option('--from-merchant', 'the merchant paid it in, to cover refunds and payouts')
    .option('--commission <amount>', 'commission that the acquirer kept, not part of the amount', '0')
    .action((options: CreateOptions) => create('deposit', options));
  addReturn(deposit, 'reverse a deposit that never came or that was recorded by mistake; whole, once').action(
    (reference: string, options: ReturnOptions) => takeBack('deposit', reference, options),
  );
  deposit
    .command('list')
    .description('list the newest deposits')
    .option('--limit <number>', 'maximum number of rows', '50')
    .option('--json', 'print one JSON object; amounts in minor units')
    .action(listDeposits);
  return payout;
}

function addCreate(group: Command, description: string): Command {
  return acting(group.command('create'))
    .description(description)
    .requiredOption('--payment-service <id>', 'payment service')
    .addOption(environmentOption())
    .requiredOption('--amount <amount>', 'amount: CLP such as 15000, without points; USD such as 10.55')
    .requiredOption('--currency <currency>', 'currency, such as CLP')
    .requiredOption('--reference <reference>', 'reference of the bank; repeating it records nothing twice')
    .addOption(yesOption())
    .option('--json', 'print one JSON object; amounts in minor units');
}

function addReturn(group: Command, description: string): Command {
  return acting(group.command('return'))
    .description(description)
    .argument('<reference>', 'reference under which it was recorded')
    .requiredOption('--payment-service <id>', 'payment service')
    .addOption(environmentOption())
    .requiredOption('--reason <text>', 'reason; do not name people')
    .addOption(yesOption())
    .option('--json', 'print one JSON object; amounts in minor units');
}

const NAMES = { payout: 'Payout', deposit: 'Deposit' };

async function create(kind: 'payout' | 'deposit', options: CreateOptions): Promise<void> {
  const { environment, recording } = await withActor(options, async (app, by) => {
    const target = { paymentServiceId: options.paymentService, environment: options.environment ?? app.config.mode };
    const wish = readWish(app, kind, options, by);
    await confirm(`Record a ${kind} of ${amountOf(wish)} in ${target.environment}?`, options);
    return { environment: target.environment, recording: await recordMovement(app, target, wish) };
  });
  const movement = recordedOf(recording, options);
  print(options, { [kind]: movement, replayed: recording.kind === 'replayed' }, [
    `${NAMES[kind]} ${movement.id} of ${amountOf(movement)} in ${environment} ${recording.kind === 'replayed' ? 'was recorded before' : 'is in the books'}.`,
  ]);
}

function readWish(app: App, kind: 'payout' | 'deposit', options: CreateOptions, by: Actor): MovementWish {
  const { currency, reference, method, fromMerchant = false, commission = '0' } = options;
  if (kind === 'deposit' && (method === undefined) !== fromMerchant) {
    throw missingOption('Say where it came from: --method, or --from-merchant.');
  }
  if (fromMerchant && commission !== '0')
    throw invalidOption('--commission is for --method: nobody keeps a commission on money that a merchant pays in.');
  if (!isBankReference(reference)) {
    throw invalidOption('A reference is 1 to 100 visible ASCII characters.');
  }
  if (method !== undefined) checkMethod(app, method);
  const amount = readAmount(options.amount, currency);
  if (amount === 0) throw invalidOption('The amount is above 0.');
  return {
    kind,
    reference,
    amount,
    commission: readAmount(commission, currency),
    currency,
    paymentMethod: method ?? null,
    by,
  };
}

function recordedOf(recording: Recording, { paymentService, currency, reference, method }: CreateOptions): Movement {
  switch (recording.kind) {
    case 'unknown':
      throw unknownPaymentService(paymentService);
    case 'different':
      throw alreadyDone(`${reference} was recorded before, as ${amountOf(recording.movement)}: nothing was changed.`);
    case 'returned':
      throw alreadyDone(
        `${reference} was recorded before, and taken back: record the new one under another reference.`,
      );
    case 'refused': {
      const most = formatMoney(recording.most, currency);
      const what = method === undefined ? `Only ${most} are available for a payout` : `${method} owes only ${most}`;
      throw new CommandError(`${what}: nothing was recorded.`, 1, 'INSUFFICIENT_BALANCE');
    }
    case 'recorded':
    case 'replayed':
      return recording.movement;
  }
}

function amountOf({ amount, commission, currency }: Pick<Movement, 'amount' | 'commission' | 'currency'>): string {
  const kept = commission === 0 ? '' : ` beside a commission of ${formatMoney(commission, currency)}`;
  return `${formatMoney(amount, currency)}${kept}`;
}

async function takeBack(kind: 'payout' | 'deposit', reference: string, options: ReturnOptions): Promise<void> {
  const wish = { reference, reason: readReason(options.reason) };
  const { environment, taken } = await withActor(options, async (app, by) => {
    const target = { paymentServiceId: options.paymentService, environment: options.environment ?? app.config.mode };
    const known = await findMovement(app, target, { kind, reference });
    if (known !== null) {
      await confirm(`Take back ${kind} ${reference} of ${amountOf(known)} in ${target.environment}?`, options);
    }
    const back = kind === 'payout' ? returnPayout : returnDeposit;
    return { environment: target.environment, taken: await back(app, target, { ...wish, by }) };
  });
  const movement = returnedOf(taken, kind, options.paymentService, `${reference} in ${environment}`);
  const said = taken.kind === 'already' ? 'was taken back before' : 'is taken back';
  const line =
    'line' in taken &&
    taken.line !== undefined &&
    `${taken.line.statement_id} --line ${taken.line.file_line} --use USE --reason TEXT`;
  print(options, { [kind]: movement, already: taken.kind === 'already' }, [
    `${NAMES[kind]} ${movement.id} of ${amountOf(movement)} in ${environment} ${said}.`,
    ...(line === false ? [] : [`Its line is in suspense again: bin/rubrica statement resolve ${line}`]),
  ]);
}

function returnedOf(taken: DepositReturn, kind: string, paymentService: string, which: string): Movement {
  switch (taken.kind) {
    case 'unknown':
      throw unknownPaymentService(paymentService);
    case 'nothing':
      throw notFound(`There is no ${kind} ${which}: bin/rubrica ${kind} list`);
    case 'arrived': {
      const { statement_id, file_line } = taken.line;
      const line = `line ${file_line} of bank statement ${statement_id}`;
      const undo = `bin/rubrica statement resolve ${statement_id} --line ${file_line} --use suspense --reason TEXT`;
      const how = `If the line is of something else, put it in suspense and repeat: ${undo}`;
      throw new CommandError(`An import matched ${line}, so it came. Nothing was changed. ${how}`, 1, 'PAYOUT_STATE');
    }
    case 'refused':
      throw new CommandError(
        'The merchant has used it: less than its amount is available. Nothing was changed.',
        1,
        'INSUFFICIENT_BALANCE',
      );
    case 'returned':
    case 'already':
      return taken.movement;
  }
}

async function listDeposits(options: { limit: string; json?: boolean }): Promise<void> {
  const limit = readLimit(options.limit);
  const deposits = await withApp((app) => selectMovements(app.db, 'deposit', limit));
  print(options, { deposits }, movementLines('deposit', deposits));
  noteCut(options, deposits.length, limit);
}

/** Returns payouts or deposits as a table. */
export function movementLines(kind: 'payout' | 'deposit', movements: readonly ListedMovement[]): string[] {
  const rows = movements.map((movement) => ({
    ID: movement.id,
    'WHEN (CHILE)': time(movement.created_at),
    'PAYMENT SERVICE': movement.name,
    ENVIRONMENT: movement.environment,
    METHOD: movement.payment_method ?? '—',
    AMOUNT: formatMoney(movement.amount, movement.currency),
    COMMISSION: formatMoney(movement.commission, movement.currency),
    REFERENCE: movement.reference,
    BY: movement.recorded_by,
    'TAKEN BACK (CHILE)': time(movement.returned_at),
    WHY: movement.return_reason ?? '—',
  }));
  return listTable(rows, ...(kind === 'deposit' ? ['No deposit yet.'] : []));
}
