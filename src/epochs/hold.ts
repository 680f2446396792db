import type { Reader } from '../db/database.ts';
import type { Epoch } from './epoch.ts';
import { selectHeld } from './epoch-queries.ts';

/** Returns the epoch that waits for its release; null if nothing is held. */
export function findHeld({ db }: { db: Reader }): Promise<Epoch | null> {
  return selectHeld(db);
}

/**
 * Something about which decisions may wait. `created_at`: when it began, UTC milliseconds. `transactionId`: the
 * transaction that it is or belongs to; null: none.
 */
export type MaybeHeld = { readonly created_at: number; readonly transactionId: number | null };

/**
 * Returns whether decisions about something must wait: it is from before a restore, and its later state at a payment
 * method or a shop has not been compared yet.
 *
 * The time alone does not decide: the clock of the machine on which the backup was restored may have been behind.
 */
export async function isHeldBack(db: Reader, { created_at, transactionId }: MaybeHeld): Promise<boolean> {
  const held = await selectHeld(db);
  if (held === null) return false;
  const { began_at, known_until, first_transaction_id } = held;
  if (created_at < began_at) return true;
  return transactionId === null ? created_at <= (known_until ?? 0) : transactionId < first_transaction_id;
}
