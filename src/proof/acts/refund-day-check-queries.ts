import type { Reader, SqlRow } from '../../db/database.ts';

export type RefundDayRow = SqlRow & { user_id: string; currency: string; day: string; refunded: number };

/** An act with which a user requested a refund. */
export type RefundAct = SqlRow & { user_id: string; link: number; created_at: number; said_after: string | null };

export type RefundPlace = Pick<RefundAct, 'user_id' | 'link'>;

/** Lists the next refunds of users by user, in the order of the audit log, by the index of users. */
export function selectRefundActs(db: Reader, { user_id, link }: RefundPlace, limit: number): Promise<RefundAct[]> {
  return db.query<RefundAct>(
    `select user_id, link, created_at, said_after from audit_log
     where (user_id, link) > ($1, $2) and '' || action = 'refund.requested' order by user_id, link limit $3`,
    [user_id, link, limit],
  );
}

/** Returns the sums of these users on these days. */
export function selectRefundDays(
  db: Reader,
  userIds: readonly string[],
  days: readonly string[],
): Promise<RefundDayRow[]> {
  return db.query<RefundDayRow>('select * from user_refund_days where user_id {named $1} and day {named $2}', [
    userIds,
    days,
  ]);
}

/** Lists sums that are not above 0: no refund makes one. */
export function selectImpossibleDays(db: Reader, limit: number): Promise<RefundDayRow[]> {
  return db.query<RefundDayRow>(
    'select * from user_refund_days where refunded <= 0 order by user_id, currency, day limit $1',
    [limit],
  );
}

/**
 * Returns the sum of a user's day with the next refund that was counted in it, in one statement and so at one moment.
 */
export async function selectDayWithNext(
  db: Reader,
  { user_id, currency, day, link }: Pick<RefundDayRow, 'user_id' | 'currency' | 'day'> & { link: number },
): Promise<{ refunded: number | null; next: number | null }> {
  const [row] = await db.query<{ refunded: number | null; next: number | null }>(
    `select
       (select refunded from user_refund_days where user_id = $1 and currency = $2 and day = $3) as refunded,
       (select min(b.link) from audit_log b where b.user_id = $1 and b.link > $4 and {filter_by}b.action = 'refund.requested'
         and b.said_after like '%"currency":"' || $2 || '"%' and b.said_after like '%"day":"' || $3 || '"%') as next`,
    [user_id, currency, day, link],
  );
  return row ?? { refunded: null, next: null };
}
