import type { Reader, SqlRow } from '../db/database.ts';
import type { Environment } from '../payment-services/payment-service.ts';

export type PaidHour = SqlRow & {
  environment: Environment;
  hour: number;
  currency: string;
  payments: number;
  amount: number;
};

/**
 * Sums the payments since a time, by hour since then, by currency, with test money apart; in these environments, or in
 * all (null). Amounts are minor units. For given environments, the payments are found by their books, so no other
 * merchant is read.
 */
export function selectPaidHours(
  db: Reader,
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

/** Returns a text that changes as soon as a payment or a callback does. Each number in it is the end of an index. */
export async function selectNewestChange(db: Reader): Promise<string> {
  const [row] = await db.query(
    `select (select max(id) from transactions) as created, (select max(id) from delivery_attempts) as delivery,
       (select link from audit_head where id = 1) as act, (select max(settled_at) from transactions where state = 'completed') as settled`,
  );
  return JSON.stringify(row);
}

/**
 * The outcome of an attempt to pay. `took_ms`: the response time of the method; null for an aborted attempt without a
 * commit.
 */
export type MethodOutcome = SqlRow & {
  payment_method: string;
  state: 'approved' | 'declined' | 'aborted';
  took_ms: number | null;
};

/**
 * Lists the outcomes of finished attempts for the newest `orders` transactions of the store. An attempt that a person
 * ended has none: the method did not say it. For a method with a separate commit, the time runs from the commit; for
 * any other, from the start of the attempt.
 */
export function selectMethodOutcomes(db: Reader, orders: number): Promise<MethodOutcome[]> {
  return db.query<MethodOutcome>(
    `select a.payment_method, a.state, case
       when a.commit_sent_at is not null then a.commit_answered_at - a.commit_sent_at
       when a.state <> 'aborted' then a.settled_at - a.created_at end as took_ms
     from payment_attempts a
     where (a.transaction_id, a.environment_id) in (select id, environment_id from transactions order by id desc limit $1)
       and a.state in ('approved', 'declined', 'aborted') and coalesce(a.detail, '') not like '%"decision":"pd_%'`,
    [orders],
  );
}

/** `url`: where the callback was posted. */
export type DeliverySample = SqlRow & {
  duration_ms: number;
  status: number | null;
  location: string | null;
  url: string;
};

/** Lists the newest delivery attempts. */
export function selectDeliverySample(db: Reader, limit: number): Promise<DeliverySample[]> {
  return db.query<DeliverySample>(
    `select d.duration_ms, d.status, d.location,
       (select c.url from callbacks c where c.id = d.callback_id and c.environment_id = d.environment_id) as url
     from delivery_attempts d order by d.id desc limit $1`,
    [limit],
  );
}
