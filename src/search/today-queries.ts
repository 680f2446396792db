import type { Database, SqlRow } from '../db/database.ts';

export type PaidHour = SqlRow & { hour: number; currency: string; payments: number; amount: number };

/**
 * Sums the payments since a time, by hours counted from it, and by currency; of these environments, or of all (null). Amounts
 * are minor units.
 */
export function selectPaidHours(
  db: Pick<Database, 'query'>,
  since: number,
  environmentIds: readonly number[] | null,
): Promise<PaidHour[]> {
  const own = environmentIds === null ? '' : 'and {filter_by} environment_id {among $2}';
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

export type MethodOutcomes = SqlRow & { payment_method: string; attempts: number; approved: number };

/** How attempts to pay ended, by payment method, for the newest `orders` transactions of the store. Those that are under way count in neither. */
export function selectMethodOutcomes(db: Pick<Database, 'query'>, orders: number): Promise<MethodOutcomes[]> {
  return db.query<MethodOutcomes>(
    `select a.payment_method, count(*) as attempts, cast(sum(case when a.state = 'approved' then 1 else 0 end) as bigint) as approved
     from (select id, environment_id from transactions order by id desc limit $1) t
     join payment_attempts a on a.transaction_id = t.id and a.environment_id = t.environment_id
     where a.state in ('approved', 'declined', 'aborted')
     group by a.payment_method order by attempts desc`,
    [orders],
  );
}

export type DeliverySample = SqlRow & { duration_ms: number; status: number | null };

/** The newest attempts to deliver callbacks. */
export function selectDeliverySample(db: Pick<Database, 'query'>, limit: number): Promise<DeliverySample[]> {
  return db.query<DeliverySample>('select duration_ms, status from delivery_attempts order by id desc limit $1', [
    limit,
  ]);
}
