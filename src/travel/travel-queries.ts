import type { Reader, SqlRow } from '../db/database.ts';

/** Returns when the next row becomes due after `now`, in UTC milliseconds; null if no row does. */
export async function selectNextDue(db: Reader, now: number): Promise<number | null> {
  const [row] = await db.query<{ due: number | null }>(
    `select min(due) as due from (
       select min(next_attempt_at) as due from callbacks where state = 'queued' and next_attempt_at > $1
       union all select min(next_lookup_at) from payment_attempts where next_lookup_at > $1
       union all select min(next_lookup_at) from refunds where next_lookup_at > $1
       union all select min(next_look_at) from payouts where next_look_at > $1
       union all select min(next_ask_at) from bank_account_validations where state = 'pending' and next_ask_at > $1
       union all select min(expires_at) from transactions where state = 'pending' and expires_at > $1
     ) waiting`,
    [now],
  );
  return row?.due ?? null;
}

/** Something that happened, its time and its subject; `subject` is a transaction's id, if there is one. */
export type Trace = { at: number; what: string; subject: number | null };

type Span = { from: number; to: number };

/** Lists the events of a span of time, the end included. */
export function selectEventTraces(db: Reader, { from, to }: Span): Promise<Trace[]> {
  return db.query<SqlRow & Trace>(
    `select created_at as at, type as what, transaction_id as subject from events
     where created_at > $1 and created_at <= $2`,
    [from, to],
  );
}

/** Lists the payment attempts that ended in the span. */
export function selectAttemptTraces(db: Reader, { from, to }: Span): Promise<Trace[]> {
  return db.query<SqlRow & Trace>(
    `select settled_at as at, 'payment attempt ' || state as what, transaction_id as subject from payment_attempts
     where settled_at > $1 and settled_at <= $2`,
    [from, to],
  );
}

/** Lists the delivery attempts of callbacks in the span, each with the response. */
export function selectDeliveryTraces(db: Reader, { from, to }: Span): Promise<Trace[]> {
  return db.query<SqlRow & Trace>(
    `select a.started_at as at, c.transaction_id as subject,
       'callback to ' || p.address || ': ' || coalesce(cast(a.status as text), a.failure) as what
     from delivery_attempts a
     join callbacks c on c.id = a.callback_id and c.environment_id = a.environment_id
     join endpoints p on p.id = c.endpoint_id and p.environment_id = c.environment_id
     where a.started_at > $1 and a.started_at <= $2`,
    [from, to],
  );
}

/** Lists the Secret Tokens whose overlap ended in the span. */
export function selectSecretTraces(db: Reader, { from, to }: Span): Promise<Trace[]> {
  return db.query<SqlRow & Trace>(
    `select s.closes_at as at, 'old Secret Token of ' || p.name || ' (' || e.environment || ') closed' as what, null as subject
     from secret_tokens s join environments e on e.id = s.environment_id
     join payment_services p on p.id = e.payment_service_id
     where s.closes_at > $1 and s.closes_at <= $2`,
    [from, to],
  );
}

/** Lists the payments whose refund window of `windowMs` ended in the span. */
export function selectWindowTraces(db: Reader, { from, to }: Span, windowMs: number): Promise<Trace[]> {
  return db.query<SqlRow & Trace>(
    `select settled_at + $3 as at, 'payment can be refunded no more' as what, id as subject from transactions
     where state = 'completed' and settled_at > $1 - $3 and settled_at <= $2 - $3`,
    [from, to, windowMs],
  );
}
