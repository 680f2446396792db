import { addUp, type Sum, subtract } from '../lib/exact-sum.ts';
import type { Comparison, ComparisonKind } from './compare-settlement.ts';
import { signedAmount } from './settled-line.ts';

/** Why a file and the books do not have the same sum. */
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

/** In minor units; `amount` is what the file has more than the books for this cause, below 0 for less. */
export type CauseSum = { cause: DifferenceCause; lines: number; amount: Sum };

/** Of one currency: what the file settles, what the books have of it, and the causes whose sum is the difference. */
export type SettlementTotal = {
  currency: string;
  settled: Sum;
  booked: Sum;
  difference: Sum;
  causes: CauseSum[];
};

type Share = { currency: string; settled: number; booked: number; cause: DifferenceCause | null };

/** Adds up a comparison: a sum for each currency, and why the two sides differ, with the money of each cause. */
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

/** Lists what a line adds to either side. A booked line that several instalments settle is counted with the first of them. */
function sharesOf(one: Comparison, counted: Set<object>): Share[] {
  const { row, line, instalments } = one;
  const isFirst = line !== null && !counted.has(line);
  if (line !== null) counted.add(line);
  const booked = line !== null && isFirst ? signedAmount(line) : 0;
  // The amount of the whole sale on each of its lines is settled once.
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

/** Why a line differs; null where it fits. */
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
