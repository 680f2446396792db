import type { Clock } from '../lib/clock.ts';
import type { Database } from './database.ts';

/**
 * Anchors the clock to the database server's, so replicas agree on what is due and which leases have ended, even if the
 * clocks of their machines differ. With SQLite the clock stays the machine's.
 *
 * The first call, before anything reads the clock, corrects any difference at once. Later calls never set the clock
 * back.
 */
export async function anchorClock(db: Database, clock: Clock): Promise<void> {
  if (db.engine === 'postgres') clock.anchor(await readServerTime(db));
}

/** Returns the current time of the PostgreSQL server in UTC milliseconds. */
export async function readServerTime(db: Database): Promise<number> {
  const askedAt = performance.now();
  const [row] = await db.query<{ time: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::bigint as time',
  );
  // The server read its clock about half-way between query and result.
  return (row as { time: number }).time + Math.round((performance.now() - askedAt) / 2);
}
