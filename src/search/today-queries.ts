import type { Database, SqlRow } from '../db/database.ts';
import type { Environment } from '../payment-services/payment-service.ts';

export type PaidHour = SqlRow & {
  environment: Environment;
  hour: number;
  currency: string;
  payments: number;
  amount: number;
};

/**
 * Sums the payments since a time, by hours counted from it, by currency, and test money apart; of these environments, or of all (null). Amounts
 * are minor units. The payments of some environments are found by the entries of their books, so that no other merchant is read.
 */
export function selectPaidHours(
  db: Pick<Database, 'query'>,
  since: number,
  environmentIds: readonly number[] | null,
): Promise<PaidHour[]> {
  const own = `journal_entries j cross join transactions t cross join environments e
     where j.environment_id {among $2} and j.created_at >= $1 and j.kind = 'payment'
       and t.id = j.transaction_id and t.environment_id = j.environment_id and`;
  return db.query<PaidHour>(
    `select e.environment, cast((t.settled_at - $1) / 3600000 as bigint) as hour, t.currency, count(*) as payments,
       cast(sum(t.amount) as bigint) as amount
     from ${environmentIds === null ? 'transactions t cross join environments e where' : own} t.state = 'completed' and t.settled_at >= $1
       and e.id = t.environment_id
     group by 1, 2, t.currency order by 2, t.currency, 1`,
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

/** How one attempt to pay ended. `took_ms`: how long its method took to answer; null where only the payer was waited for. */
export type MethodOutcome = SqlRow & {
  payment_method: string;
  state: 'approved' | 'declined' | 'aborted';
  took_ms: number | null;
};

/**
 * How attempts to pay ended, for the newest `orders` transactions of the store; those that are under way are left out. A method that is
 * told to take the money has taken its time from then on; any other one from the beginning of the attempt.
 */
export function selectMethodOutcomes(db: Pick<Database, 'query'>, orders: number): Promise<MethodOutcome[]> {
  return db.query<MethodOutcome>(
    `select a.payment_method, a.state, case
       when a.commit_sent_at is not null then a.commit_answered_at - a.commit_sent_at
       when a.state <> 'aborted' then a.settled_at - a.created_at end as took_ms
     from payment_attempts a
     where (a.transaction_id, a.environment_id) in (select id, environment_id from transactions order by id desc limit $1)
       and a.state in ('approved', 'declined', 'aborted')`,
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
