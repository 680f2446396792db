import { hash } from 'node:crypto';
import type { SqlValue } from '../db/database.ts';

/** Every column of `movements`, in the order in which they are hashed. */
export const MOVEMENT_COLUMNS = [
  'id',
  'environment_id',
  'kind',
  'reference',
  'amount',
  'commission',
  'currency',
  'created_at',
  'recorded_by',
  'payment_method',
  'transaction_id',
  'decision',
  'reason',
] as const;

export type MovementColumn = (typeof MOVEMENT_COLUMNS)[number];

/**
 * Computes the hash of a movement, which its entries carry into the chain: SHA-256, in lower-case hexadecimal, of the
 * JSON array of its columns. docs/finance.md describes it, so that another program can check the books.
 */
export function movementHash(valueOf: (column: MovementColumn) => SqlValue): string {
  return hash('sha256', JSON.stringify(MOVEMENT_COLUMNS.map(valueOf)));
}
