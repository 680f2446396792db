import type { Reader, SqlRow } from '../../db/database.ts';
import type { IdSpan } from '../../lib/walk.ts';
import type { Movement } from '../../movements/movement.ts';
import type { EventType } from '../../outbox/event.ts';
import type { Payout } from '../../payouts/payout.ts';

/** Returns the last id of the next page of transactions; null if there are no more. */
export async function selectPageEnd(db: Reader, afterId: number, limit: number): Promise<number | null> {
  const [row] = await db.query<{ end: number | null }>(
    'select max(id) as "end" from (select id from transactions where id > $1 order by id limit $2) as page',
    [afterId, limit],
  );
  return row?.end ?? null;
}

/** A transaction with one of its events; the event's columns are null if it has none. */
export type ToldRow = SqlRow & {
  id: number;
  environment_id: number;
  state: string;
  created_at: number;
  settled_at: number | null;
  last_sequence: number;
  sequence: number | null;
  type: string | null;
  told_at: number | null;
  told_environment_id: number | null;
};

/** Lists transactions with their events, by id and sequence, in one statement and so at one moment. */
export function selectTold(db: Reader, afterId: number, endId: number): Promise<ToldRow[]> {
  return db.query<ToldRow>(
    `select t.id, t.environment_id, t.state, t.created_at, t.settled_at, t.last_sequence, e.sequence, e.type,
       e.created_at as told_at, e.environment_id as told_environment_id
     from transactions t left join events e on e.transaction_id = t.id
     where t.id > $1 and t.id <= $2 order by t.id, e.sequence`,
    [afterId, endId],
  );
}

/** Lists events whose transaction no longer exists. */
export function selectOrphans(db: Reader, limit: number): Promise<(SqlRow & OrphanRow)[]> {
  return db.query(
    `select e.environment_id, e.transaction_id, e.sequence, e.created_at from events e
     where e.transaction_id is not null and not exists (select 1 from transactions t where t.id = e.transaction_id)
     order by e.transaction_id, e.sequence limit $1`,
    [limit],
  );
}

type OrphanRow = { environment_id: number; transaction_id: number; sequence: number | null; created_at: number };

/** A callback with its event and transaction. */
export type PostedRow = SqlRow & {
  id: number;
  transaction_id: number;
  environment_id: number;
  sequence: number;
  webhook_id: string;
  content_type: string;
  url: string;
  body: string;
  url_callback: string | null;
  amount: number | null;
  currency: string;
  reference: string;
  transaction_environment_id: number | null;
  type: EventType | null;
  told_at: number;
  data: string | null;
};

/** Returns these movements. */
export function selectToldMovements(db: Reader, ids: readonly string[]): Promise<Movement[]> {
  return db.query<Movement>('select * from movements where id {named $1}', [ids]);
}

/** Returns these payouts, each by its id: a database without statistics would read the whole table otherwise. */
export function selectToldPayouts(db: Reader, ids: readonly string[]): Promise<Payout[]> {
  const sql = `select p.* from {rows $1} wanted cross join payouts p where p.id = wanted.value ->> 'id'`;
  return db.query<Payout>(sql, [JSON.stringify(ids.map((id) => ({ id })))]);
}

/**
 * Returns the URLs of these subscriptions to webhooks, and those that their users set later: posts that wait follow.
 */
export function selectSubscribedUrls(db: Reader, ids: readonly string[]): Promise<{ id: string; url: string }[]> {
  return db.query(
    `select s.id, later.url from webhook_subscriptions s join webhook_subscriptions later
       on later.user_id = s.user_id and later.webhook = s.webhook and later.created_at >= s.created_at
     where s.id {named $1}`,
    [ids],
  );
}

/** An act that set where the events of refunds go: its values before and after, in JSON. */
export type EventsUrlAct = SqlRow & { was: string | null; said: string | null };

/** Lists these acts of a payment service. */
export function selectEventsUrlActs(db: Reader, paymentServiceId: string): Promise<EventsUrlAct[]> {
  return db.query<EventsUrlAct>(
    `select said_before as was, said_after as said from audit_log
     where subject = $1 and {filter_by}action = 'payment_service.events_url_set'`,
    [paymentServiceId],
  );
}

/** Returns the lowest and the highest id of all callbacks. */
export async function selectPostedSpan(db: Reader): Promise<IdSpan> {
  const [span] = await db.query<IdSpan>(
    'select (select min(id) from callbacks) as first, (select max(id) from callbacks) as last',
  );
  return span as IdSpan;
}

/** Lists the next callbacks by id. */
export function selectPosted(db: Reader, afterId: number, limit: number): Promise<PostedRow[]> {
  return db.query<PostedRow>(
    `select c.id, c.transaction_id, c.environment_id, c.sequence, c.webhook_id, c.content_type, c.url, c.body,
       t.url_callback, t.amount, t.currency, t.reference, t.environment_id as transaction_environment_id,
       e.type, coalesce(e.created_at, c.created_at) as told_at, e.data
     from callbacks c
     left join transactions t on t.id = c.transaction_id
     left join events e on e.transaction_id = c.transaction_id and e.sequence = c.sequence
     where c.id > $1 order by c.id limit $2`,
    [afterId, limit],
  );
}
