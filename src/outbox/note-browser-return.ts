import type { App } from '../app.ts';
import type { RowKey } from '../db/row-key.ts';
import { selectUnreturned, updateReturned } from './outbox-queries.ts';

/**
 * Keeps that the payer's browser was given what the callback of a transaction says, to bring it to the shop. `settledAt` is
 * the time that both are signed with, which tells this event from any other of the transaction. Of a callback that is
 * delivered nothing needs to be known. Answers whether it was given this for the first time.
 */
export async function noteBrowserReturn(app: App, transaction: RowKey<number>, settledAt: number): Promise<boolean> {
  const ids = await selectUnreturned(app.db, transaction, settledAt);
  if (ids.length === 0) return false;
  await app.db.transaction((tx) => updateReturned(tx, ids, transaction.environment_id, app.now()));
  return true;
}
