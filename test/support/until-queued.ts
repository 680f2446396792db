import assert from 'node:assert/strict';
import type { Database } from '../../src/db/database.ts';
import { comesTrue } from './comes-true.ts';

/**
 * Waits until `count` transactions wait for a lock. On SQLite commits queue in the process, so there is nothing to wait
 * for.
 */
export async function untilQueued(db: Database, count = 1): Promise<void> {
  if (db.engine === 'sqlite') return;
  const waiting = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  assert.ok(await comesTrue(async () => (await db.query(waiting)).length >= count));
}
