import type { Reader, SqlRow, Tx } from '../db/database.ts';
import type { DoneDuty, Duty } from './upkeep.ts';

/** Returns when a duty was last done; null if never. */
export async function selectUpkeep(db: Reader, duty: Duty): Promise<DoneDuty | null> {
  const [row] = await db.query<SqlRow & { done_at: number; ok: number }>(
    'select done_at, ok from upkeep where duty = $1',
    [duty],
  );
  return row === undefined ? null : { duty, done_at: row.done_at, ok: row.ok === 1 };
}

/** Replaces the previous time. */
export async function upsertUpkeep(tx: Tx, { duty, done_at, ok }: DoneDuty): Promise<void> {
  await tx.query(
    `insert into upkeep (duty, done_at, ok) values ($1, $2, $3)
     on conflict (duty) do update set done_at = excluded.done_at, ok = excluded.ok`,
    [duty, done_at, ok ? 1 : 0],
  );
}
