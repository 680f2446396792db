import type { Clock } from '../lib/clock.ts';
import type { Database } from './database.ts';

/**
 * Sets the clock by the database server's, so that replicas agree on what is due and on which lease has ended, however
 * far the clocks of their machines are apart. SQLite has no server: there the clock stays this machine's.
 *
 * Asked before anything else has read the clock, it corrects any difference at once; later ones without going back.
 */
export async function anchorClock(db: Database, clock: Clock): Promise<void> {
  if (db.engine === 'postgres') clock.anchor(await readServerTime(db));
}

/** The time of a PostgreSQL server, UTC milliseconds, as it is when this answers. */
export async function readServerTime(db: Database): Promise<number> {
  const askedAt = performance.now();
  const [row] = await db.query<{ time: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::bigint as time',
  );
  // The server looked at its clock about half-way between question and answer.
  return (row as { time: number }).time + Math.round((performance.now() - askedAt) / 2);
}
