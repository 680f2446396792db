import { type Command, Option } from 'commander';
import type { App } from '../../app.ts';
import { formatPlain } from '../../lib/money.ts';
import { lastEqualRefund } from '../../refunds/find-refund.ts';
import type { RefundType } from '../../refunds/refund.ts';
import { sumGone } from '../../refunds/refund-queries.ts';
import { REFUND_REFUSALS, type RefundRefusalCode } from '../../refunds/refund-refusal.ts';
import type { Transaction, TransactionKey } from '../../transactions/transaction.ts';
import { confirm } from '../confirm.ts';
import { readAmount } from '../options.ts';
import { CommandError, invalidOption, missingOption, time } from '../print.ts';

/** The part of a payment to refund, as typed. */
export type PartOptions = { amount?: string; type: RefundType };

/** Adds the payment argument, `--amount` and `--type` to a command. */
export function withPart(command: Command): Command {
  return command
    .argument('<transaction>', 'idTrx')
    .option('--amount <amount>', 'amount: CLP such as 15000, without points; USD such as 10.55')
    .addOption(
      new Option('--type <type>', 'total: everything that is left; used without --amount')
        .choices(['total', 'parcial'])
        .default('parcial'),
    );
}

/** Returns the amount in minor units; null for everything that is left. */
export function readPart({ amount, type }: PartOptions, currency: string): number | null {
  if (amount === undefined) {
    if (type === 'total') return null;
    throw missingOption('Say how much: --amount 1000, or --type total for all that is left.');
  }
  const asked = readAmount(amount, currency);
  if (asked === 0) throw invalidOption('The amount is above 0.');
  return asked;
}

/** Returns the options as text, for a command in a message. */
export function partWords({ amount, type }: PartOptions): string {
  const words = [
    ...(amount === undefined ? [] : [`--amount ${amount}`]),
    ...(type === 'total' ? ['--type total'] : []),
  ];
  return words.join(' ');
}

/**
 * Asks for confirmation of a refund of this amount, in minor units; null: all that is left. The question names the last
 * equal refund of the payment. Returns what was seen, for `unseenEqualRefund`.
 */
export async function confirmRefund(
  app: App,
  transaction: TransactionKey,
  { amount, question }: { amount: number | null; question: string },
  options: { yes?: boolean },
): Promise<{ equalSeen?: string }> {
  const equal = amount === null ? undefined : await lastEqualRefund(app.db, transaction, amount);
  const named =
    equal === undefined
      ? ''
      : `${equal.requested_by} asked for an equal refund at ${time(equal.created_at)} (${equal.id}, ${equal.state}). `;
  const isAsked = await confirm(named + question, options);
  return isAsked ? { equalSeen: equal?.id ?? '' } : {};
}

/** A command or option that helps after a refusal. */
const HINTS: Partial<Record<RefundRefusalCode, string>> = {
  ALREADY_REFUNDED: ' See bin/rubrica refund list',
  PARTIAL_REFUND_NOT_ALLOWED: ' Use --type total',
  REFUND_AMOUNT_NOT_TOTAL: ' --type total refunds all of it: leave out --amount, or --type for a part.',
  INSUFFICIENT_BALANCE: ' See bin/rubrica books balance and payout list.',
};

/**
 * Returns the error of a refused part of a payment. One that is too high gets the amount that is left, as it is typed.
 */
export async function refusedPart(app: App, transaction: Transaction, code: RefundRefusalCode): Promise<CommandError> {
  if (code !== 'REFUND_AMOUNT_TOO_HIGH') return refusedRefund(code);
  const left = transaction.amount - (await sumGone(app.db, transaction)).gone;
  return refusedRefund(code, ` At most --amount ${formatPlain(left, transaction.currency)}`);
}

/** Returns the error of a refused refund. `hint` replaces the usual hint. */
export function refusedRefund(code: RefundRefusalCode, hint = HINTS[code] ?? ''): CommandError {
  return new CommandError(REFUND_REFUSALS[code].en + hint, 1, code);
}
