import type { Reader, Tx } from '../db/database.ts';

export type RefundLimitRow = { user_id: string; currency: string; most: number };

/** Returns the limits set for one user; null: for all users. */
export function selectRefundLimits(db: Reader, userId: string | null): Promise<RefundLimitRow[]> {
  return db.query<RefundLimitRow>(
    "select * from user_refund_limits where $1 in ('', user_id) order by user_id, currency",
    [userId ?? ''],
  );
}

export async function insertRefundLimit(tx: Tx, { user_id, currency, most }: RefundLimitRow): Promise<void> {
  await tx.query('insert into user_refund_limits (user_id, currency, most) values ($1, $2, $3)', [
    user_id,
    currency,
    most,
  ]);
}

export async function deleteRefundLimits(tx: Tx, userId: string): Promise<void> {
  await tx.query('delete from user_refund_limits where user_id = $1', [userId]);
}

type Day = { userId: string; currency: string; day: string };

/**
 * Adds an amount to the day's sum, unless the new sum exceeds `most`; the amount alone must not. Returns the new sum;
 * null: nothing was added. Locks the row, so that concurrent requests see each other.
 */
export async function addToRefundDay(tx: Tx, at: Day, amount: number, most: number): Promise<number | null> {
  const [row] = await tx.query<{ refunded: number }>(
    `insert into user_refund_days (user_id, currency, day, refunded) values ($1, $2, $3, $4)
     on conflict (user_id, currency, day) do update set refunded = user_refund_days.refunded + excluded.refunded
       where user_refund_days.refunded + excluded.refunded <= $5
     returning refunded`,
    [at.userId, at.currency, at.day, amount, most],
  );
  return row?.refunded ?? null;
}

export async function selectRefundDay(db: Reader, { userId, currency, day }: Day): Promise<number> {
  const [row] = await db.query<{ refunded: number }>(
    'select refunded from user_refund_days where user_id = $1 and currency = $2 and day = $3',
    [userId, currency, day],
  );
  return row?.refunded ?? 0;
}
