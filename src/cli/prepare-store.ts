import type { App } from '../app.ts';
import { anchorClock } from '../db/anchor-clock.ts';
import { migrate } from '../db/migrate.ts';
import { continueFeed } from '../outbox/continue-feed.ts';

/** Brings the store to what this version needs. Answers the migrations that ran. */
export async function prepareStore(app: App): Promise<string[]> {
  await anchorClock(app.db, app.now);
  const applied = await migrate(app.db);
  if (await continueFeed(app))
    app.log.warn('the database came from another server; the feed goes on above what it holds');
  return applied;
}
