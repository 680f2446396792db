import type { Reader } from '../db/database.ts';
import type { PlaceInFeed } from './feed-link.ts';

/** Returns the place up to which cursors contain their place in plain text. */
export async function selectPlainCursorsEnd(db: Reader): Promise<PlaceInFeed> {
  const [end] = await db.query<PlaceInFeed>('select commit_id, position from plain_cursors');
  return end as PlaceInFeed;
}
