import type { App } from '../app.ts';
import { selectFeedPlace, updateFeedOffset } from './outbox-queries.ts';

/**
 * Makes sure that what happens from now on stands in the feed after all that is in it.
 *
 * On PostgreSQL the feed is ordered by transaction ids. A dump that is restored into a new server brings events with
 * higher ids than the server has reached; without this, new events would hide below every cursor that readers hold.
 * Answers whether anything had to be done.
 */
export async function continueFeed(app: App): Promise<boolean> {
  if (app.db.engine === 'sqlite') return false;
  return app.db.transaction(async (tx) => {
    const { newest, current, before } = await selectFeedPlace(tx);
    if (newest < before + current) return false;
    await updateFeedOffset(tx, newest);
    return true;
  });
}
