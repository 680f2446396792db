import { hash } from 'node:crypto';
import type { SqlValue } from '../db/database.ts';

/** The columns of a payout that never change, in the order in which they are hashed. */
export const PAYOUT_COLUMNS = [
  'id',
  'environment_id',
  'reference',
  'amount',
  'currency',
  'created_at',
  'proposed_by',
  'recipient_id',
  'recipient_version',
  'account_hash',
] as const;

type HashedColumn = Exclude<(typeof PAYOUT_COLUMNS)[number], 'id'>;

/** The columns of a payout, with the names that they have in the queries of entries. */
export type PayoutValues = Record<`payout_${Exclude<HashedColumn, 'reference'>}`, SqlValue> & {
  payout_reference: string | null;
};

/**
 * Computes the hash of a payout, which its entries carry into the chain as their `record_hash`: SHA-256, in lower-case
 * hexadecimal, of the JSON array of its columns. docs/finance.md describes it.
 */
export function payoutHash(id: string | null, values: PayoutValues): string {
  const hashed = PAYOUT_COLUMNS.map((column) => (column === 'id' ? id : values[`payout_${column}`]));
  return hash('sha256', JSON.stringify(hashed));
}
