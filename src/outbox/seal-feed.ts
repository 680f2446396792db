import { setImmediate } from 'node:timers/promises';
import type { App } from '../app.ts';
import { addEvents, beginLinkHash, FEED_GENESIS } from './feed-link.ts';
import { insertFeedLink, selectLastFeedLink } from './feed-link-queries.ts';
import { selectFeed } from './outbox-queries.ts';

/** Between two pages others have their turn. */
const PAGE = 500;
/** With one link a second this is little more than 1 % of a core: what is created faster waits, and is sealed when there is time. */
const MOST_EVENTS = 3000;

/**
 * Adds a link to the chain over the feed, for at most 3,000 events that were committed since the last one, and answers how
 * many there were. For the worker; of several processes one makes the link, and the others find it.
 */
export async function sealFeed(app: App): Promise<number> {
  const last = await selectLastFeedLink(app.db);
  const hash = beginLinkHash(last?.hash ?? FEED_GENESIS);
  let place = { commitId: last?.commit_id ?? 0, position: last?.position ?? 0 };
  let events = 0;
  for (let page = PAGE; page === PAGE && events < MOST_EVENTS; ) {
    const rows = await selectFeed(app.db, place, PAGE);
    addEvents(hash, rows);
    const end = rows.at(-1);
    if (end !== undefined) place = { commitId: end.commit_id, position: end.position };
    events += rows.length;
    page = rows.length;
    await setImmediate();
  }
  if (events === 0) return 0;
  const link = {
    link: (last?.link ?? 0) + 1,
    made_at: app.now(),
    commit_id: place.commitId,
    position: place.position,
    events,
    hash: hash.digest('hex'),
  };
  await app.db.transaction((tx) => insertFeedLink(tx, link));
  return events;
}
