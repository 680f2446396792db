import type { Database, SqlRow } from '../db/database.ts';

export type PaidHour = SqlRow & { hour: number; currency: string; payments: number; amount: number };

/**
 * What was paid since a time, by hours counted from it, and by currency; of these environments, or of all (null). Amounts are
 * minor units.
 */
export function selectPaidHours(
  db: Pick<Database, 'query'>,
  since: number,
  environmentIds: readonly number[] | null,
): Promise<PaidHour[]> {
  const own = environmentIds === null ? '' : 'and environment_id {among $2}';
  return db.query<PaidHour>(
    `select cast((settled_at - $1) / 3600000 as bigint) as hour, currency, count(*) as payments,
       cast(sum(amount) as bigint) as amount
     from transactions where state = 'completed' and settled_at >= $1 ${own}
     group by 1, currency order by 1, currency`,
    environmentIds === null ? [since] : [since, environmentIds],
  );
}

/** A text that is another one as soon as something happened to a payment or a callback. Each number is the end of an index. */
export async function selectNewestChange(db: Pick<Database, 'query'>): Promise<string> {
  const [row] = await db.query(
    `select (select max(id) from transactions) as created, (select max(id) from delivery_attempts) as delivery,
       (select link from audit_head where id = 1) as act, (select max(settled_at) from transactions where state = 'completed') as settled`,
  );
  return JSON.stringify(row);
}
