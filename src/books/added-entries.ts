import type { Tx } from '../db/database.ts';
import type { RowKey } from '../db/row-key.ts';
import type { JournalEntry } from './journal-entry.ts';
import { selectEntriesOf } from './journal-queries.ts';

/** More entries than a payment's books ever have. */
const MOST_ENTRIES = 1_000;

/** Runs an act. Returns its result, and the entries that it added to the books of a transaction, in their order. */
export async function addedEntries<Result>(
  tx: Tx,
  transaction: RowKey<number>,
  act: () => Promise<Result>,
): Promise<{ result: Result; entries: JournalEntry[] }> {
  const before = new Set((await selectEntriesOf(tx, transaction, MOST_ENTRIES)).map(({ link }) => link));
  const result = await act();
  const after = await selectEntriesOf(tx, transaction, MOST_ENTRIES);
  return { result, entries: after.filter(({ link }) => !before.has(link)).toReversed() };
}

/** Returns a text that is the same for the same entries. Leaves out their place in the books. */
export function sayEntries(entries: readonly JournalEntry[]): string {
  return entries
    .map(({ kind, debit_account, credit_account, amount }) => `${kind} ${debit_account} ${credit_account} ${amount}`)
    .join(', ');
}
