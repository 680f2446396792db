import { setTimeout } from 'node:timers/promises';
import type { App } from '../../src/app.ts';

/**
 * Resolves when the feed shows all that was committed. On PostgreSQL an event appears when every transaction that began
 * before it has ended, in whatever database of the server; here those are other tests.
 */
export async function untilVisible({ db }: Pick<App, 'db'>): Promise<void> {
  const hidden = `select 1 as one from events where commit_id >=
    (select before from feed_offset) + pg_snapshot_xmin(pg_current_snapshot())::text::bigint`;
  while (db.engine === 'postgres' && (await db.query(hidden)).length > 0) await setTimeout(5);
}
