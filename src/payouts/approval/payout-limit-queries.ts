import type { InsertTarget, Reader, Tx } from '../../db/database.ts';
import { PAYOUT_CURRENCY } from '../payout.ts';

/** A row of `payout_limits`, in minor units. Null: no limit; `automatic_per_payout` null: no automatic approval. */
export type PayoutLimits = {
  per_payout: number | null;
  per_batch: number | null;
  per_day: number | null;
  automatic_per_payout: number | null;
  automatic_per_day: number | null;
  automatic_count_per_hour: number | null;
};

export const NO_LIMITS: PayoutLimits = {
  per_payout: null,
  per_batch: null,
  per_day: null,
  automatic_per_payout: null,
  automatic_per_day: null,
  automatic_count_per_hour: null,
};

const LIMITS = Object.keys(NO_LIMITS);

const PAYOUT_LIMITS: InsertTarget = { name: 'payout_limits', columns: ['environment_id', 'currency', ...LIMITS] };

export async function selectPayoutLimits(db: Reader, environmentId: number): Promise<PayoutLimits> {
  const [row] = await db.query<PayoutLimits>(
    `select ${LIMITS.join(', ')} from payout_limits where environment_id = $1 and currency = $2`,
    [environmentId, PAYOUT_CURRENCY],
  );
  return row ?? NO_LIMITS;
}

export async function upsertPayoutLimits(tx: Tx, environmentId: number, limits: PayoutLimits): Promise<void> {
  const of = [environmentId, PAYOUT_CURRENCY];
  await tx.query('delete from payout_limits where environment_id = $1 and currency = $2', of);
  await tx.insertRows(PAYOUT_LIMITS, [{ environment_id: environmentId, currency: PAYOUT_CURRENCY, ...limits }]);
}

/**
 * Returns how much one person may approve in a day; null: no personal limit. Locks the row until the commit, so that
 * other approvals by this person wait, in any environment.
 */
export async function lockPersonLimit(tx: Tx, userId: string): Promise<number | null> {
  const [row] = await tx.query<{ per_day: number }>(
    'select per_day from user_payout_limits where user_id = $1 and currency = $2 {for_update}',
    [userId, PAYOUT_CURRENCY],
  );
  return row?.per_day ?? null;
}

/**
 * Sets a person's limit; null removes it. Uses one statement: between a delete and an insert, `lockPersonLimit` would
 * find no row and so no limit.
 */
export async function upsertPersonLimit(tx: Tx, userId: string, perDay: number | null): Promise<void> {
  const of = [userId, PAYOUT_CURRENCY];
  if (perDay === null) {
    await tx.query('delete from user_payout_limits where user_id = $1 and currency = $2', of);
    return;
  }
  await tx.query(
    `insert into user_payout_limits (user_id, currency, per_day) values ($1, $2, $3)
     on conflict (user_id, currency) do update set per_day = excluded.per_day`,
    [...of, perDay],
  );
}
