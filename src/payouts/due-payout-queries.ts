import type { Database, Tx } from '../db/database.ts';
import type { Payout } from './payout.ts';

type Reader = Pick<Database, 'query'>;

/** Whether a sender has something to do. */
export async function hasDuePayouts(db: Reader, now: number): Promise<boolean> {
  return (await db.query('select id from payouts where next_look_at <= $1 limit 1', [now])).length > 0;
}

/**
 * Takes payouts that are due and moves their time to `until`, so that no other worker takes them meanwhile and those whose worker
 * died come back by themselves. The outer condition repeats the inner one: PostgreSQL checks it again after waiting for another
 * worker's claim of the same row.
 */
export function claimPayouts(tx: Tx, claim: { now: number; until: number; limit: number }): Promise<Payout[]> {
  return tx.query<Payout>(
    `update payouts set next_look_at = $2, looks = looks + 1
     where next_look_at <= $1 and id in (
       select id from payouts where next_look_at <= $1 order by next_look_at limit $3)
     returning *`,
    [claim.now, claim.until, claim.limit],
  );
}

/** When it is looked at next, if the claim is still this one; null: no more by itself. */
export async function postponePayout(tx: Tx, claimed: Payout, nextLookAt: number | null): Promise<void> {
  await tx.query('update payouts set next_look_at = $4 where id = $1 and environment_id = $2 and looks = $3', [
    claimed.id,
    claimed.environment_id,
    claimed.looks,
    nextLookAt,
  ]);
}

/** Makes approved payouts due at a sender from now on; null: at none, and they wait for a file. Answers how much that is. */
export async function updateApprovedDue(
  tx: Tx,
  environmentId: number,
  dueAt: number | null,
): Promise<Pick<Payout, 'id' | 'amount'>[]> {
  return tx.query(
    `update payouts set next_look_at = $2 where environment_id = $1 and state = 'approved' returning id, amount`,
    [environmentId, dueAt],
  );
}
