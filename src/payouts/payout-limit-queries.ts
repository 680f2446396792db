import type { Reader, Tx } from '../db/database.ts';

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

export async function selectPayoutLimits(db: Reader, environmentId: number, currency: string): Promise<PayoutLimits> {
  const [row] = await db.query<PayoutLimits>(
    `select per_payout, per_batch, per_day, automatic_per_payout, automatic_per_day, automatic_count_per_hour
     from payout_limits where environment_id = $1 and currency = $2`,
    [environmentId, currency],
  );
  return row ?? NO_LIMITS;
}

export async function upsertPayoutLimits(
  tx: Tx,
  environmentId: number,
  currency: string,
  limits: PayoutLimits,
): Promise<void> {
  await tx.query('delete from payout_limits where environment_id = $1 and currency = $2', [environmentId, currency]);
  await tx.query(
    `insert into payout_limits (environment_id, currency, per_payout, per_batch, per_day, automatic_per_payout,
       automatic_per_day, automatic_count_per_hour) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      environmentId,
      currency,
      limits.per_payout,
      limits.per_batch,
      limits.per_day,
      limits.automatic_per_payout,
      limits.automatic_per_day,
      limits.automatic_count_per_hour,
    ],
  );
}

/** Returns how much one person may approve in a day; null: no personal limit. */
export async function selectPersonLimit(db: Reader, userId: string, currency: string): Promise<number | null> {
  const [row] = await db.query<{ per_day: number }>(
    'select per_day from user_payout_limits where user_id = $1 and currency = $2',
    [userId, currency],
  );
  return row?.per_day ?? null;
}

/**
 * Returns the same and locks the row until the commit, so that other approvals by this person wait, in any environment.
 */
export async function lockPersonLimit(tx: Tx, userId: string, currency: string): Promise<number | null> {
  const [row] = await tx.query<{ per_day: number }>(
    'select per_day from user_payout_limits where user_id = $1 and currency = $2 {for_update}',
    [userId, currency],
  );
  return row?.per_day ?? null;
}

/**
 * Sets a person's limit; null removes it. Uses one statement: between a delete and an insert, `lockPersonLimit` would
 * find no row and so no limit.
 */
export async function upsertPersonLimit(
  tx: Tx,
  userId: string,
  currency: string,
  perDay: number | null,
): Promise<void> {
  if (perDay === null) {
    await tx.query('delete from user_payout_limits where user_id = $1 and currency = $2', [userId, currency]);
    return;
  }
  await tx.query(
    `insert into user_payout_limits (user_id, currency, per_day) values ($1, $2, $3)
     on conflict (user_id, currency) do update set per_day = excluded.per_day`,
    [userId, currency, perDay],
  );
}
