import type { SettlementRow } from '../books/settlement-row.ts';
import type { Reader } from '../db/database.ts';
import { type ImportedPayment, tookBack } from './imported-payment.ts';
import { selectImportedNamed } from './imported-payment-queries.ts';

/** The names that a file may have for the payment of a line: its buy order, its attempt and its transaction. */
export function namesOf(
  row: SettlementRow,
  { attemptId, transactionId }: { attemptId: string | null; transactionId: number | null },
): string[] {
  const names = [row.buyOrder, attemptId, transactionId === null ? null : String(transactionId)];
  return [...new Set(names.filter((name) => name !== null))];
}

/**
 * Returns whether a line may be an imported one that another export has with another day or another name of its
 * payment. `inFile`: the lines of the file itself. Each stands for one imported line of its day and name.
 */
export async function isPerhapsElsewhere(
  db: Reader,
  {
    environmentIds,
    method,
    ownId = null,
  }: { environmentIds: readonly number[]; method: string; ownId?: string | null },
  { row, names, inFile }: { row: SettlementRow; names: readonly string[]; inFile: readonly SettlementRow[] },
): Promise<boolean> {
  const { amount, currency } = row;
  const named = await selectImportedNamed(db, environmentIds, method, names);
  const isEqual = (one: ImportedPayment) =>
    one.amount === Math.abs(amount) && one.currency === currency && tookBack(one) === amount < 0;
  const equal = named.filter((one) => one.id !== ownId && isEqual(one));
  const places = Map.groupBy(equal, (one) => placeOf(one.settled_on, one.buy_order));
  const own = placeOf(row.date, row.buyOrder);
  return [...places].some(([place, { length }]) => {
    const isThere = (one: SettlementRow) =>
      one.amount === amount && one.currency === currency && placeOf(one.date, one.buyOrder) === place;
    return place !== own && length > inFile.filter(isThere).length;
  });
}

function placeOf(day: string, buyOrder: string | null): string {
  return `${day} ${buyOrder ?? ''}`;
}
