import { addUp, type Sum, subtract } from '../lib/exact-sum.ts';
import type { Comparison, ComparisonKind } from './compare-settlement.ts';
import { signedAmount } from './settled-line.ts';

/** Why the sum of a file differs from the sum of the books. */
export const DIFFERENCE_CAUSES = [
  'payment_missing_in_books',
  'refund_missing_in_books',
  'repeated_in_settlement',
  'payment_missing_in_settlement',
  'refund_missing_in_settlement',
  'instalments_to_come',
  'other_amount',
  'other_currency',
  'other_date',
  'other_authorization_code',
] as const;

export type DifferenceCause = (typeof DIFFERENCE_CAUSES)[number];

/** `amount`: the file's amount minus the books' amount for this cause, in minor units. */
export type CauseSum = { cause: DifferenceCause; lines: number; amount: Sum };

/**
 * The totals of one currency: `difference` is `settled` (the file) minus `booked` (the books), and the sum of the
 * causes.
 */
export type SettlementTotal = {
  currency: string;
  settled: Sum;
  booked: Sum;
  difference: Sum;
  causes: CauseSum[];
};

type Share = { currency: string; settled: number; booked: number; cause: DifferenceCause | null };

/**
 * Sums a comparison by currency, and explains the difference by cause. The causes with the largest amounts come first.
 */
export function explainDifference(compared: readonly Comparison[]): SettlementTotal[] {
  const counted = new Set<object>();
  const shares = compared.flatMap((one) => sharesOf(one, counted));
  return [...Map.groupBy(shares, ({ currency }) => currency)].map(([currency, ofCurrency]) => {
    const settled = addUp(ofCurrency.map((share) => share.settled));
    const booked = addUp(ofCurrency.map((share) => share.booked));
    const causes = [...Map.groupBy(ofCurrency, ({ cause }) => cause)].flatMap(([cause, of]): CauseSum[] =>
      cause === null
        ? []
        : [{ cause, lines: of.length, amount: addUp(of.map((share) => share.settled - share.booked)) }],
    );
    const byMoney = (one: CauseSum, other: CauseSum) =>
      Math.sign(Number(subtract(size(other.amount), size(one.amount))));
    return { currency, settled, booked, difference: subtract(settled, booked), causes: causes.sort(byMoney) };
  });
}

/**
 * Returns the amounts that one comparison adds to each side. A booked line settled in instalments counts once, with its
 * first row.
 */
function sharesOf(one: Comparison, counted: Set<object>): Share[] {
  const { row, line, instalments } = one;
  const isFirst = line !== null && !counted.has(line);
  if (line !== null) counted.add(line);
  const booked = line !== null && isFirst ? signedAmount(line) : 0;
  // If every instalment's row has the amount of the whole sale, that amount counts once.
  const settled = row === null || (instalments === row.amount && !isFirst) ? 0 : row.amount;
  const cause = causeOf(one);
  if (row !== null && line !== null && row.currency !== line.currency) {
    return [
      { currency: row.currency, settled, booked: 0, cause },
      { currency: line.currency, settled: 0, booked, cause },
    ];
  }
  return [{ currency: row?.currency ?? line?.currency ?? '', settled, booked, cause }];
}

/** Returns why a line differs; null if it matches. */
export function causeOf({ kind, row, line, differs, repeated }: Comparison): DifferenceCause | null {
  if (repeated === true) return 'repeated_in_settlement';
  const isRefund = (row?.amount ?? (line === null ? 0 : signedAmount(line))) < 0;
  const missing: Partial<Record<ComparisonKind, DifferenceCause>> = {
    missing_in_books: isRefund ? 'refund_missing_in_books' : 'payment_missing_in_books',
    missing_in_settlement: isRefund ? 'refund_missing_in_settlement' : 'payment_missing_in_settlement',
  };
  if (kind !== 'different') return missing[kind] ?? null;
  if (differs.includes('currency')) return 'other_currency';
  if (differs.includes('instalments')) return 'instalments_to_come';
  if (differs.includes('amount')) return 'other_amount';
  return differs.includes('date') ? 'other_date' : 'other_authorization_code';
}

function size(amount: Sum): Sum {
  return amount < 0 ? -amount : amount;
}
