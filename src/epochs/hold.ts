import type { Tx } from '../db/database.ts';
import type { Epoch } from './epoch.ts';
import { selectHeld } from './epoch-queries.ts';

/** Returns the epoch that waits for its release; null if nothing is held. */
export function findHeld({ db }: { db: Pick<Tx, 'query'> }): Promise<Epoch | null> {
  return selectHeld(db);
}

/**
 * Returns whether decisions about something that began at `since` must wait: it is from before a restore, and its later
 * state at a payment method or a shop has not been compared yet.
 */
export async function isHeldBack(db: Pick<Tx, 'query'>, since: number): Promise<boolean> {
  const held = await selectHeld(db);
  return held !== null && since < held.began_at;
}
