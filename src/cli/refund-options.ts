import { type Command, Option } from 'commander';
import type { RefundType } from '../refunds/refund.ts';
import { REFUND_REFUSALS, type RefundRefusalCode } from '../refunds/refund-refusal.ts';
import { readAmount } from './options.ts';
import { CommandError, invalidOption, missingOption } from './print.ts';

/** How much of a payment is to go back, as it was typed. */
export type PartOptions = { amount?: string; type: RefundType };

/** Gives a command its payment, `--amount` and `--type`. */
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

/** In minor units; null: all that is left. */
export function readPart({ amount, type }: PartOptions, currency: string): number | null {
  if (amount === undefined) {
    if (type === 'total') return null;
    throw missingOption('Say how much: --amount 1000, or --type total for all that is left.');
  }
  const asked = readAmount(amount, currency);
  if (asked === 0) throw invalidOption('The amount is above 0.');
  return asked;
}

/** The same options again, for a command that a message names. */
export function partWords({ amount, type }: PartOptions): string {
  const words = [
    ...(amount === undefined ? [] : [`--amount ${amount}`]),
    ...(type === 'total' ? ['--type total'] : []),
  ];
  return words.join(' ');
}

/** The command that shows more, or does it otherwise. */
const HINTS: Partial<Record<RefundRefusalCode, string>> = {
  ALREADY_REFUNDED: ' See bin/rubrica refund list',
  PARTIAL_REFUND_NOT_ALLOWED: ' Use --type total',
  REFUND_AMOUNT_TOO_HIGH: ' See bin/rubrica refund list',
  REFUND_AMOUNT_NOT_TOTAL: ' --type total refunds all of it: leave out --amount, or --type for a part.',
  INSUFFICIENT_BALANCE: ' See bin/rubrica books balance and payout list.',
};

/** A refund that cannot be made; `hint` in place of the usual one. */
export function refusedRefund(code: RefundRefusalCode, hint = HINTS[code] ?? ''): CommandError {
  return new CommandError(REFUND_REFUSALS[code].en + hint, 1, code);
}
