import { setTimeout } from 'node:timers/promises';
import type { App } from '../../src/app.ts';

/**
 * Resolves when the feed shows everything committed. On PostgreSQL an event becomes visible when every earlier
 * transaction of the server has ended, in any database; here other tests run some of those.
 */
export async function untilVisible({ db }: Pick<App, 'db'>): Promise<void> {
  const hidden = `select 1 as one from events where commit_id >=
    (select before from feed_offset) + pg_snapshot_xmin(pg_current_snapshot())::text::bigint`;
  while (db.engine === 'postgres' && (await db.query(hidden)).length > 0) await setTimeout(5);
}
