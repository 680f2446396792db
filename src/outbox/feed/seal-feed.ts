import { setImmediate } from 'node:timers/promises';
import type { App } from '../../app.ts';
import { addEvents, beginLinkHash, FEED_GENESIS } from './feed-link.ts';
import { insertFeedLink, selectLastFeedLink } from './feed-link-queries.ts';
import { type PlaceInFeed, selectFeed } from './feed-queries.ts';

/** Other work runs between two pages. */
const PAGE = 500;
/** With one link a second this is little more than 1 % of a core. Events beyond this wait for the next link. */
const MOST_EVENTS = 3000;

/**
 * Adds a link to the chain over the feed, for at most 3,000 events since the last one. Returns how many. For the
 * worker. If several processes try, one inserts the link.
 */
export async function sealFeed(app: App): Promise<number> {
  const last = await selectLastFeedLink(app.db);
  const hash = beginLinkHash(last?.hash ?? FEED_GENESIS);
  let place: PlaceInFeed = { commit_id: last?.commit_id ?? 0, position: last?.position ?? 0 };
  let events = 0;
  for (let page = PAGE; page === PAGE && events < MOST_EVENTS; ) {
    const rows = await selectFeed(app.db, place, PAGE);
    addEvents(hash, rows);
    place = rows.at(-1) ?? place;
    events += rows.length;
    page = rows.length;
    await setImmediate();
  }
  if (events === 0) return 0;
  const link = {
    link: (last?.link ?? 0) + 1,
    made_at: app.now(),
    commit_id: place.commit_id,
    position: place.position,
    events,
    hash: hash.digest('hex'),
  };
  await app.db.transaction((tx) => insertFeedLink(tx, link));
  return events;
}
