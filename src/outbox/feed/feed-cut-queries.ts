import type { InsertTarget, Reader, Tx } from '../../db/database.ts';
import type { FeedCut } from './feed-cut.ts';
import type { FeedLink } from './feed-link.ts';
import type { PlaceInFeed } from './feed-queries.ts';

const FEED_CUTS: InsertTarget = {
  name: 'feed_cuts',
  columns: ['number', 'made_at', 'link', 'until', 'commit_id', 'position', 'hash', 'mac'],
};

/** Inserts a cut. Does nothing if another process has inserted the cut with this number. */
export async function insertFeedCut(tx: Tx, cut: FeedCut): Promise<void> {
  await tx.insertRows(FEED_CUTS, [cut], 'on conflict (number) do nothing');
}

/** Returns the newest cut; null if nothing was ever deleted. */
export async function selectLastCut(db: Reader): Promise<FeedCut | null> {
  const [row] = await db.query<FeedCut>('select * from feed_cuts order by number desc limit 1');
  return row ?? null;
}

/** Returns the last link made before a time, except the newest link. */
export async function selectLinkBefore(db: Reader, time: number): Promise<FeedLink | null> {
  const [row] = await db.query<FeedLink>(
    `select * from feed_links where made_at < $1 and link < (select max(link) from feed_links)
     order by made_at desc, link desc limit 1`,
    [time],
  );
  return row ?? null;
}

/** Returns the place of the event that ends the next `count` events up to `place`; null if there are fewer. */
export async function selectPlaceOfNext(db: Reader, place: PlaceInFeed, count: number): Promise<PlaceInFeed | null> {
  const [row] = await db.query<PlaceInFeed>(
    `select commit_id, position from events where {up_to_place} order by {feed_order} limit 1 offset $3`,
    [place.commit_id, place.position, count - 1],
  );
  return row ?? null;
}

/** Deletes the events up to a place. Returns how many. */
export async function deleteEventsUpTo(tx: Tx, place: PlaceInFeed): Promise<number> {
  const rows = await tx.query('delete from events where {up_to_place} returning position', [
    place.commit_id,
    place.position,
  ]);
  return rows.length;
}
