import type { App } from '../../app.ts';
import { selectFeedHold, selectFirstHiddenEvent } from './feed-hold-queries.ts';

/** The transaction that holds the feed. `pid` 0: it has no process. */
export type FeedHold = { pid: number; application: string; database: string; ageMs: number };

/** Shorter holds are normal. */
const LEAST_MS = 5_000;

/**
 * Returns the transaction that holds the feed, if it has been writing for at least five seconds, and sets its age in
 * the metrics. On PostgreSQL the feed shows nothing committed after the start of the oldest transaction that is still
 * writing, in any database of the server.
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
  // Without pg_read_all_stats a role sees the process but not the start time; the first hidden event is slightly
  // younger.
  const ageMs = row.age_ms ?? app.now() - ((await selectFirstHiddenEvent(app.db)) ?? app.now());
  if (ageMs < LEAST_MS) return null;
  return { pid: row.pid ?? 0, application: row.application ?? '', database: row.database ?? '', ageMs };
}
