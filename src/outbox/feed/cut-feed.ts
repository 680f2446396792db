import { setTimeout as pause } from 'node:timers/promises';
import type { App } from '../../app.ts';
import { type FeedCut, sealCut } from './feed-cut.ts';
import {
  deleteEventsUpTo,
  insertFeedCut,
  selectLastCut,
  selectLinkBefore,
  selectPlaceOfNext,
} from './feed-cut-queries.ts';
import type { PlaceInFeed } from './feed-queries.ts';

const DAY_MS = 86_400_000;
/** The pause between two batches, so that a payment's commit waits for one batch at most. */
const REST_MS = 20;

/**
 * Deletes events older than RETENTION_EVENTS, at most `limit` in one commit, and returns how many. First stores a
 * sealed record of the last link it deletes up to; the proof of the chain starts there. `readUpTo` returns how far the
 * consumers of the feed have read; later events are not deleted, and neither is the newest link.
 */
export async function cutFeed(app: App, readUpTo: () => Promise<PlaceInFeed>, limit: number): Promise<number> {
  const { events: days } = app.config.retentionDays;
  if (days === null) return 0;
  const cut = await findCut(app, readUpTo, days);
  const deleted = cut === null ? 0 : await deleteNext(app, cut, limit);
  if (deleted > 0) await pause(REST_MS);
  return deleted;
}

/** Returns the cut to delete up to. Makes a new one at most once a day, if there is something to delete. */
async function findCut(app: App, readUpTo: () => Promise<PlaceInFeed>, days: number): Promise<FeedCut | null> {
  const now = app.now();
  const last = await selectLastCut(app.db);
  if (last !== null && now - last.made_at < DAY_MS) return last;
  const link = await selectLinkBefore(app.db, now - days * DAY_MS);
  if (link === null || link.link <= (last?.link ?? 0)) return last;
  const { link: number, made_at: until, commit_id, position, hash } = link;
  const read = await readUpTo();
  const isRead = commit_id === read.commit_id ? position <= read.position : commit_id < read.commit_id;
  if (!isRead) return last;
  const cut = await sealCut(app, {
    number: (last?.number ?? 0) + 1,
    made_at: now,
    link: number,
    until,
    commit_id,
    position,
    hash,
  });
  await app.db.transaction((tx) => insertFeedCut(tx, cut));
  return selectLastCut(app.db);
}

async function deleteNext(app: App, cut: FeedCut, limit: number): Promise<number> {
  const place = (await selectPlaceOfNext(app.db, cut, limit)) ?? cut;
  return app.db.transaction((tx) => deleteEventsUpTo(tx, place));
}
