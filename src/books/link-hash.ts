import { chainHash } from '../lib/hash-chain.ts';
import type { JournalEntry } from './journal-entry.ts';

/**
 * The hash of a link: SHA-256, in lower-case hexadecimal, of the hash before it and its entries, one line of JSON each.
 * To check the books without this program one needs no more than this; docs/finance.md says it in words.
 */
export function linkHash(previous: string, entries: readonly Omit<JournalEntry, 'hash'>[]): string {
  return chainHash(previous, entries.map(valuesOf));
}

/** The last columns came later: where they are null at the end they are left out, so older links keep their hash. */
function valuesOf(entry: Omit<JournalEntry, 'hash'>) {
  const values = LINKED_COLUMNS.map((column) => entry[column] ?? null);
  while (values.length > FIRST_COLUMNS && values.at(-1) === null) values.pop();
  return values;
}

/** The columns of an entry that its link holds, in the order in which they are hashed: a new one comes last. */
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
