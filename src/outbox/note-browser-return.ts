import type { App } from '../app.ts';
import type { RowKey } from '../db/row-key.ts';
import { selectUnreturned, updateReturned } from './outbox-queries.ts';

/**
 * Records that the payer's browser got the content of a transaction's callback to bring to the shop. `settledAt`: the
 * time in both signatures, which identifies the event. Ignores delivered callbacks. Returns whether this is the first
 * time.
 */
export async function noteBrowserReturn(app: App, transaction: RowKey<number>, settledAt: number): Promise<boolean> {
  const ids = await selectUnreturned(app.db, transaction, settledAt);
  if (ids.length === 0) return false;
  await app.db.transaction((tx) => updateReturned(tx, ids, transaction.environment_id, app.now()));
  return true;
}
