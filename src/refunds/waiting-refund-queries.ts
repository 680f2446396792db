import type { Database, SqlRow } from '../db/database.ts';

type Reader = Pick<Database, 'query'>;

/** A refund that has no end for longer than usual, with whose it is. */
export type WaitingRefund = SqlRow & {
  id: string;
  payment_service: string;
  name: string;
  environment: string;
  transaction_id: number;
  since: number;
  amount: number;
  currency: string;
};

const WAITING = `select id, created_at as since from refunds where state = 'processing' and created_at <= $1`;

/** Refunds accepted at or before `acceptedBy` that have no end yet. */
export async function measureWaitingRefunds(
  db: Reader,
  acceptedBy: number,
): Promise<{ count: number; oldest: number | null }> {
  const [row] = await db.query<{ count: number; oldest: number | null }>(
    `select count(*) as count, min(since) as oldest from (${WAITING}) as waiting`,
    [acceptedBy],
  );
  return row ?? { count: 0, oldest: null };
}

/** The same, the oldest first. */
export function selectWaitingRefunds(db: Reader, acceptedBy: number, limit: number): Promise<WaitingRefund[]> {
  return db.query<WaitingRefund>(
    `select r.id, e.payment_service_id as payment_service, p.name, e.environment, r.transaction_id, w.since, r.amount,
       t.currency
     from (${WAITING}) as w
     join refunds r on r.id = w.id
     join transactions t on t.id = r.transaction_id
     join environments e on e.id = t.environment_id
     join payment_services p on p.id = e.payment_service_id
     order by w.since, r.id limit $2`,
    [acceptedBy, limit],
  );
}
