import type { App } from '../app.ts';
import { selectFeedHold, selectFirstHiddenEvent } from './feed-hold-queries.ts';

/** The transaction behind which the feed stands still. `pid` is 0 where it has no process. */
export type FeedHold = { pid: number; application: string; database: string; ageMs: number };

/** Below this it is the ordinary work of a moment. */
const LEAST_MS = 5_000;

/**
 * The feed on PostgreSQL shows nothing that was committed after the oldest transaction still writing began, in any database
 * of the server. Finds that one, if it has written for five seconds or longer, and keeps its age in the metrics.
 */
export async function measureFeedHold(app: App): Promise<FeedHold | null> {
  const hold = app.db.engine === 'postgres' ? await findFeedHold(app) : null;
  const { feedHeldSeconds } = app.metrics;
  feedHeldSeconds.reset();
  if (hold === null) feedHeldSeconds.set({ pid: '', application: '', database: '' }, 0);
  else {
    const { pid, application, database, ageMs } = hold;
    feedHeldSeconds.set({ pid: String(pid), application, database }, ageMs / 1000);
  }
  return hold;
}

async function findFeedHold(app: App): Promise<FeedHold | null> {
  const row = await selectFeedHold(app.db);
  if (row === undefined) return null;
  // A role without pg_read_all_stats sees who it is, not since when; the first event that waits is a little younger.
  const ageMs = row.age_ms ?? app.now() - ((await selectFirstHiddenEvent(app.db)) ?? app.now());
  if (ageMs < LEAST_MS) return null;
  return { pid: row.pid ?? 0, application: row.application ?? '', database: row.database ?? '', ageMs };
}
