import type { Tx } from '../db/database.ts';
import type { Epoch } from './epoch.ts';
import { selectHeld } from './epoch-queries.ts';

/** The epoch whose release is awaited; null where nothing is held. */
export function findHeld({ db }: { db: Pick<Tx, 'query'> }): Promise<Epoch | null> {
  return selectHeld(db);
}

/**
 * Whether nothing may be decided now about what began at `since`: it is from before a restore, and what happened to it
 * afterwards, at a payment method or a shop, has not been compared yet.
 */
export async function isHeldBack(db: Pick<Tx, 'query'>, since: number): Promise<boolean> {
  const held = await selectHeld(db);
  return held !== null && since < held.began_at;
}
