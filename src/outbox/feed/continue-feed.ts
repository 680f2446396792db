import type { App } from '../../app.ts';
import { selectFeedPlace, updateFeedOffset } from './feed-queries.ts';

/**
 * Ensures that new events come after all existing events in the feed.
 *
 * On PostgreSQL the feed is ordered by transaction ids. A dump restored into a new server has events with higher ids
 * than the server has reached. Without this step, new events would sort before the readers' cursors, so nobody would
 * read them. Returns whether the offset had to change.
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
