import type { Reader, Tx } from '../db/database.ts';
import type { Recall } from '../lib/recall.ts';
import type { Payout } from './payout.ts';
import { OPEN } from './payout-queries.ts';

const DUE = 'next_look_at <= $1 and not (environment_id {among $2})';

/** Returns whether any payout is due for its sender, except in the `slow` environments. */
export async function hasDuePayouts(db: Reader, now: number, slow: readonly number[]): Promise<boolean> {
  return (await db.query(`select id from payouts where ${DUE} limit 1`, [now, slow])).length > 0;
}

/** Approved payouts that have not left. `leave`: how many a sender gets without another act; the others wait for a file. */
export type ApprovedPayouts = { count: number; amount: number; leave: number };

/** Counts and sums the approved payouts that have not left, except in the `elsewhere` environments. */
export async function sumApproved(db: Reader, elsewhere: ReadonlySet<number>): Promise<ApprovedPayouts> {
  const [row] = await db.query<ApprovedPayouts>(
    `select count(*) as count, cast(coalesce(sum(amount), 0) as bigint) as amount, count(next_look_at) as leave
     from payouts where state = 'approved' and ${OPEN} and not (environment_id {among $1})`,
    [[...elsewhere]],
  );
  return row ?? { count: 0, amount: 0, leave: 0 };
}

type Claim = { now: number; until: number; limit: number; slow: readonly number[] };

/**
 * Claims due payouts, except in the `slow` environments, and moves their next look to `until`. No other worker claims
 * them before then; if the worker dies, they are due again. The outer condition repeats the inner one, because
 * PostgreSQL checks it again after waiting for another worker's claim of the same row.
 */
export function claimPayouts(tx: Tx, { now, until, limit, slow }: Claim): Promise<Payout[]> {
  return tx.query<Payout>(
    `update payouts set next_look_at = $3, looks = looks + 1
     where next_look_at <= $1 and id in (select id from payouts where ${DUE} order by next_look_at limit $4)
     returning *`,
    [now, slow, until, limit],
  );
}

/** Makes payouts without an end due at `now` that would be looked up after `furthest`. */
export async function recallPayouts(tx: Tx, { now, furthest, elsewhere }: Recall): Promise<void> {
  await tx.query(
    `update payouts set next_look_at = $1
     where next_look_at > $2 and state in ('approved', 'sent', 'unknown') and not (environment_id {among $3})`,
    [now, furthest, elsewhere],
  );
}

/**
 * Sets the time of the next look if this claim is still the last one and nobody has ended the looks meanwhile; null: no
 * further look.
 */
export async function postponePayout(tx: Tx, claimed: Payout, nextLookAt: number | null): Promise<void> {
  await tx.query(
    `update payouts set next_look_at = $4
     where id = $1 and environment_id = $2 and looks = $3 and next_look_at is not null`,
    [claimed.id, claimed.environment_id, claimed.looks, nextLookAt],
  );
}

/**
 * Makes approved payouts due at a sender from `dueAt`; null: no sender, so they wait for a file. Ends the claims of
 * workers that ask the former sender. Returns those payouts.
 */
export async function updateApprovedDue(
  tx: Tx,
  environmentId: number,
  dueAt: number | null,
): Promise<Pick<Payout, 'id' | 'amount'>[]> {
  return tx.query(
    `update payouts set next_look_at = $2, looks = looks + 1 where environment_id = $1 and state = 'approved' and ${OPEN}
     returning id, amount`,
    [environmentId, dueAt],
  );
}
