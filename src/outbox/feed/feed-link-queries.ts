import type { InsertTarget, Reader, Tx } from '../../db/database.ts';
import type { FeedLink } from './feed-link.ts';
import type { PlaceInFeed } from './feed-queries.ts';

const FEED_LINKS: InsertTarget = {
  name: 'feed_links',
  columns: ['link', 'made_at', 'commit_id', 'position', 'events', 'hash'],
};

/** Inserts a link. Returns false if another process has already made it. */
export async function insertFeedLink(tx: Tx, link: FeedLink): Promise<boolean> {
  const rows = await tx.insertRows(FEED_LINKS, [link], 'on conflict (link) do nothing returning link');
  return rows.length === 1;
}

export async function selectLastFeedLink(db: Reader): Promise<FeedLink | null> {
  const [row] = await db.query<FeedLink>('select * from feed_links order by link desc limit 1');
  return row ?? null;
}

/** Returns the next links in order. */
export function selectFeedLinksAfter(db: Reader, link: number, limit: number): Promise<FeedLink[]> {
  return db.query<FeedLink>('select * from feed_links where link > $1 order by link limit $2', [link, limit]);
}

/** Returns the place up to which cursors contain their place in plain text. */
export async function selectPlainCursorsEnd(db: Reader): Promise<PlaceInFeed> {
  const [end] = await db.query<PlaceInFeed>('select commit_id, position from plain_cursors');
  return end as PlaceInFeed;
}
