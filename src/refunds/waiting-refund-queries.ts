import type { Reader, SqlRow } from '../db/database.ts';
import type { RefundState } from './refund.ts';

/** A refund that is open for longer than usual, or that its method contradicts, with its owner. */
export type WaitingRefund = SqlRow & {
  id: string;
  payment_service: string;
  name: string;
  environment: string;
  transaction_id: number;
  since: number;
  amount: number;
  currency: string;
  payment_method: string;
  state: RefundState;
  asked_at: number | null;
  /** JSON text. */
  contradiction: string | null;
};

/** The times, in UTC milliseconds, at or before which an open refund was accepted or was requested from its method. */
export type WaitingSince = { accepted: number; asked: number };

const WAITING = `select id, environment_id, contradicted_at as since from refunds where contradicted_at is not null
  union all
  select id, environment_id, created_at from refunds
  where state = 'processing' and contradicted_at is null and (created_at <= $1 or asked_at <= $2)`;

/** Counts the waiting refunds, and returns since when the oldest waits. */
export async function measureWaitingRefunds(
  db: Reader,
  { accepted, asked }: WaitingSince,
): Promise<{ count: number; oldest: number | null }> {
  const [row] = await db.query<{ count: number; oldest: number | null }>(
    `select count(*) as count, min(since) as oldest from (${WAITING}) as waiting`,
    [accepted, asked],
  );
  return row ?? { count: 0, oldest: null };
}

export function selectWaitingRefunds(
  db: Reader,
  { accepted, asked }: WaitingSince,
  limit: number,
): Promise<WaitingRefund[]> {
  return db.query<WaitingRefund>(
    `select r.id, e.payment_service_id as payment_service, p.name, e.environment, r.transaction_id, w.since, r.amount,
       t.currency, t.payment_method, r.state, r.asked_at,
       case when r.contradicted_at is not null then r.contradiction end as contradiction
     from (${WAITING}) as w
     join refunds r on r.id = w.id and r.environment_id = w.environment_id
     join transactions t on t.id = r.transaction_id and t.environment_id = r.environment_id
     join environments e on e.id = r.environment_id
     join payment_services p on p.id = e.payment_service_id
     order by w.since, r.id limit $3`,
    [accepted, asked, limit],
  );
}
