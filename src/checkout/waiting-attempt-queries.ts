import type { Reader, SqlRow } from '../db/database.ts';
import type { AttemptState } from './payment-attempt.ts';

/** An attempt that is open for longer than usual, or that its method contradicts, with its owner. */
export type WaitingAttempt = SqlRow & {
  id: string;
  payment_service: string;
  name: string;
  environment: string;
  transaction_id: number;
  payment_method: string;
  state: AttemptState;
  commit_sent_at: number | null;
  contradiction: string | null;
  /** When the attempt was opened or first contradicted. */
  since: number;
  amount: number;
  currency: string;
};

/** Each half has its own index. */
const WAITING = `select id, environment_id, created_at as since from payment_attempts
    where state in ('started', 'pending', 'unknown') and created_at <= $1 and contradicted_at is null
  union all
  select id, environment_id, contradicted_at from payment_attempts where contradicted_at is not null`;

/** Measures the open attempts opened at or before `openedBy`, and all contradicted attempts. */
export async function measureWaitingAttempts(
  db: Reader,
  openedBy: number,
): Promise<{ count: number; oldest: number | null }> {
  const [row] = await db.query<{ count: number; oldest: number | null }>(
    `select count(*) as count, min(since) as oldest from (${WAITING}) as waiting`,
    [openedBy],
  );
  return row ?? { count: 0, oldest: null };
}

/** Lists the same attempts, the oldest first. */
export function selectWaitingAttempts(db: Reader, openedBy: number, limit: number): Promise<WaitingAttempt[]> {
  return db.query<WaitingAttempt>(
    `select a.id, e.payment_service_id as payment_service, p.name, e.environment, a.transaction_id, a.payment_method,
       a.state, a.commit_sent_at, a.contradiction, w.since, t.amount, t.currency
     from (${WAITING}) as w
     join payment_attempts a on a.id = w.id and a.environment_id = w.environment_id
     join transactions t on t.id = a.transaction_id and t.environment_id = a.environment_id
     join environments e on e.id = a.environment_id
     join payment_services p on p.id = e.payment_service_id
     order by w.since, a.id limit $2`,
    [openedBy, limit],
  );
}
