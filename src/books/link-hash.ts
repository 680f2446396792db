import { chainHash } from '../lib/hash-chain.ts';
import type { JournalEntry } from './journal-entry.ts';

/**
 * Computes the hash of a link: SHA-256, in lower-case hexadecimal, of the previous hash and one line of JSON for each
 * entry. This is all that another program needs to check the books; docs/finance.md describes it.
 */
export function linkHash(previous: string, entries: readonly Omit<JournalEntry, 'hash'>[]): string {
  return chainHash(previous, entries.map(valuesOf));
}

/** The last columns were added later. Trailing nulls of these are left out, so that older links keep their hash. */
function valuesOf(entry: Omit<JournalEntry, 'hash'>) {
  const values = LINKED_COLUMNS.map((column) => entry[column] ?? null);
  while (values.length > FIRST_COLUMNS && values.at(-1) === null) values.pop();
  return values;
}

/**
 * The columns of an entry that the hash of its link covers, in the order in which they are hashed. A new column comes
 * last.
 */
export const LINKED_COLUMNS = [
  'environment_id',
  'link',
  'line',
  'created_at',
  'kind',
  'debit_account',
  'credit_account',
  'amount',
  'currency',
  'transaction_id',
  'payment_attempt_id',
  'refund_id',
  'movement_id',
  'movement_hash',
  'owner_hash',
  'record_hash',
  'payout_id',
] as const;

const FIRST_COLUMNS = LINKED_COLUMNS.indexOf('movement_id');
