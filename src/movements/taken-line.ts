import type { BookedLine } from '../books/reconciliation-queries.ts';
import type { SettlementRow } from '../books/settlement-row.ts';
import {
  compareNames,
  type EqualBefore,
  groupImported,
  hasSameCode,
  type ImportedPayment,
  isChargeback,
  isSameCode,
  moneyKey,
  tookBack,
} from './imported-payment.ts';

/** A line that took money back. `earlier`: whether it was imported before, as `compareImported`. */
export type TakenLine = { readonly earlier: 'same' | 'unclear' | 'new'; readonly equalBefore: EqualBefore };

const NONE_BEFORE: EqualBefore = { all: 0, sameCode: 0 };

/**
 * Compares the lines of a file that took money back with the imported ones. Equal refunds in one file are several
 * refunds: each imported one stands for one of them, and the others are new. Equal chargebacks may be one that the file
 * has twice, so a person looks at the others. An equal chargeback and an equal refund may be one, because not every
 * export has a type.
 */
export function compareTakenLines(
  rows: readonly SettlementRow[],
  imported: readonly ImportedPayment[],
): ReadonlyMap<SettlementRow, TakenLine> {
  const taken = groupImported(imported.filter(tookBack));
  const compared = new Map<SettlementRow, TakenLine>();
  const groups = Map.groupBy(
    rows.filter(({ amount }) => amount < 0),
    ({ date, buyOrder, amount, currency, chargeback }) =>
      JSON.stringify([date, buyOrder, amount, currency, chargeback === true]),
  );
  for (const group of groups.values()) {
    const [first] = group as [SettlementRow];
    const { equal, others } = divide(first, taken.get(moneyKey(first.date, -first.amount, first.currency)) ?? []);
    const set = (row: SettlementRow, found: TakenLine['earlier'], equalBefore = NONE_BEFORE) => {
      const earlier = found === 'new' && compareNames(row, others) !== 'new' ? 'unclear' : found;
      compared.set(row, { earlier, equalBefore });
    };
    const { known, left, unused } = matchCodes(group, equal);
    for (const row of known) set(row, 'same');
    if (first.chargeback === true) {
      for (const row of left) set(row, compareNames(row, equal) === 'new' ? 'new' : 'unclear');
      continue;
    }
    // An imported one with another code may be any of these.
    for (const row of left.slice(0, unused)) set(row, 'unclear');
    const fresh = left.slice(unused);
    for (const [at, row] of fresh.entries()) {
      const isAlike = (one: SettlementRow) => isSameCode(row.authorizationCode, one.authorizationCode);
      const sameCode = countSameCode(row, equal) + fresh.slice(0, at).filter(isAlike).length;
      set(row, 'new', { all: equal.length + at, sameCode });
    }
  }
  return compared;
}

/**
 * Compares a line again with the imported ones of its day before it is booked. More equal ones than `equalBefore` came
 * from another import.
 */
export function compareTaken(
  row: SettlementRow,
  equalBefore: EqualBefore = NONE_BEFORE,
  imported: readonly ImportedPayment[],
): TakenLine['earlier'] {
  const { equal, others } = divide(row, alikeOf(row, imported));
  if (countSameCode(row, equal) > equalBefore.sameCode) return 'same';
  if (equal.length > equalBefore.all) return equalBefore.all === 0 ? compareNames(row, equal) : 'unclear';
  return compareNames(row, others) === 'new' ? 'new' : 'unclear';
}

/** Counts the imported refunds that equal a line. */
export function countEqual(row: SettlementRow, imported: readonly ImportedPayment[]): number {
  return divide(row, alikeOf(row, imported)).equal.length;
}

function countSameCode(row: SettlementRow, equal: readonly ImportedPayment[]): number {
  return equal.filter((one) => hasSameCode(row, one)).length;
}

function alikeOf({ date, amount, currency }: SettlementRow, imported: readonly ImportedPayment[]) {
  return imported.filter(
    (one) => tookBack(one) && one.settled_on === date && one.amount === -amount && one.currency === currency,
  );
}

/** Divides imported lines of the day and the amount of a line: first the lines of its order and kind. */
function divide(row: SettlementRow, alike: readonly ImportedPayment[]) {
  const isEqual = (one: ImportedPayment) =>
    one.buy_order === row.buyOrder && isChargeback(one) === (row.chargeback === true);
  return { equal: alike.filter(isEqual), others: alike.filter((one) => !isEqual(one)) };
}

/** Finds the lines for which an imported one stands: first by an equal code, then by a missing code. */
function matchCodes(rows: readonly SettlementRow[], equal: readonly ImportedPayment[]) {
  const unused = new Set(equal);
  const left = new Set(rows);
  const matches = [hasSameCode, (row: SettlementRow, one: ImportedPayment) => compareNames(row, [one]) === 'same'];
  for (const isMatch of matches)
    for (const row of left)
      for (const one of unused) {
        if (!isMatch(row, one)) continue;
        unused.delete(one);
        left.delete(row);
        break;
      }
  return { known: rows.filter((row) => !left.has(row)), left: [...left], unused: unused.size };
}

/**
 * Leaves out the lines that took money back and that earlier imports booked, and their entries, so that they do not
 * hide another line of the same payment. An entry whose line is not in the file stays if the file has another line of
 * the same amount, which may be the same one with the day of another export.
 */
export function leaveOutTaken(
  rows: readonly SettlementRow[],
  lines: readonly BookedLine[],
  taken: ReadonlyMap<SettlementRow, TakenLine>,
): { rows: SettlementRow[]; lines: BookedLine[] } {
  const isKnown = (row: SettlementRow) => taken.get(row)?.earlier === 'same';
  const explained = new Map<string, Set<unknown>>();
  const others = new Set<string>();
  for (const row of rows) {
    const key = `${row.buyOrder} ${-row.amount}`;
    const one = row.chargeback === true ? row.date : row;
    if (isKnown(row)) explained.getOrInsertComputed(key, () => new Set()).add(one);
    else if (row.amount < 0) others.add(key);
  }
  const unexplained = lines.filter(({ kind, imported_buy_order, imported_amount }) => {
    if (kind !== 'unasked_refund' || imported_amount === null) return true;
    const key = `${imported_buy_order} ${imported_amount}`;
    const [own] = explained.get(key) ?? [];
    if (own !== undefined) explained.get(key)?.delete(own);
    return own === undefined && others.has(key);
  });
  return { rows: rows.filter((row) => !isKnown(row)), lines: unexplained };
}
