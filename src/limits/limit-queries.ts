import type { Reader, SqlRow, Tx } from '../db/database.ts';

export type CountRow = SqlRow & { used: number; ends_at: number };

/**
 * The last time at which a count of this window may end. A clock that was far ahead has made a later end, which would
 * refuse everybody until that time; the clocks of two processes may differ by a window.
 */
function latestEnd(now: number, endsAt: number): number {
  return 2 * endsAt - now;
}

/** Reads a count that has not ended. `endsAt`: when a count that starts at `now` ends. */
export async function selectCount(
  db: Reader,
  key: string,
  { now, endsAt }: { now: number; endsAt: number },
): Promise<CountRow | null> {
  const [row] = await db.query<CountRow>(
    'select used, ends_at from limit_counts where key = $1 and ends_at > $2 and ends_at <= $3',
    [key, now, latestEnd(now, endsAt)],
  );
  return row ?? null;
}

/** Adds `times` to the count, or starts it again if the window has ended. Returns the new count. */
export async function incrementCount(
  tx: Tx,
  use: { key: string; now: number; endsAt: number; renews: boolean; times: number },
): Promise<CountRow> {
  const [row] = await tx.query<CountRow>(
    `insert into limit_counts (key, used, ends_at) values ($1, $5, $2)
     on conflict (key) do update set
       used = case when limit_counts.ends_at <= $3 or limit_counts.ends_at > $6 then excluded.used
         else limit_counts.used + excluded.used end,
       ends_at = case when limit_counts.ends_at <= $3 or limit_counts.ends_at > $6 or $4 = 1 then excluded.ends_at
         else limit_counts.ends_at end
     returning used, ends_at`,
    [use.key, use.endsAt, use.now, use.renews ? 1 : 0, use.times, latestEnd(use.now, use.endsAt)],
  );
  return row as CountRow;
}

/** Takes back a use that turned out not to count. */
export async function decrementCount(tx: Tx, key: string): Promise<void> {
  await tx.query('update limit_counts set used = used - 1 where key = $1 and used > 0', [key]);
}

/** Deletes a count, which ends a refusal. */
export async function deleteCount(tx: Tx, key: string): Promise<void> {
  await tx.query('delete from limit_counts where key = $1', [key]);
}

export async function hasEndedCounts(db: Reader, now: number): Promise<boolean> {
  return (await db.query('select 1 as ended from limit_counts where ends_at <= $1 limit 1', [now])).length > 0;
}

/** Deletes expired counts. The expiry is checked twice, because a count may start again in between. */
export async function deleteEndedCounts(tx: Tx, now: number, limit: number): Promise<number> {
  const rows = await tx.query(
    `delete from limit_counts where ends_at <= $1
       and key in (select key from limit_counts where ends_at <= $1 order by ends_at limit $2)
     returning key`,
    [now, limit],
  );
  return rows.length;
}
