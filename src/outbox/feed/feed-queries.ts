import type { InsertTarget, Reader, SqlRow, Tx } from '../../db/database.ts';
import type { Environment } from '../../payment-services/payment-service.ts';
import type { EventType } from '../event.ts';

/** The columns of an event without its place in the feed. The links of the feed hash them in this order. */
export const EVENT_COLUMNS = [
  'environment_id',
  'transaction_id',
  'sequence',
  'created_at',
  'type',
  'user_id',
  'data',
] as const;

const EVENTS: InsertTarget = { name: 'events', columns: EVENT_COLUMNS };

/** Inserts the first event of each new transaction from its row; `inserted` is defined by `Tx.insertNewRows`. */
export const INSERT_CREATED_EVENTS = `insert into events (environment_id, transaction_id, sequence, created_at, type)
  select environment_id, id, last_sequence, created_at, 'transaction.created' from inserted returning transaction_id`;

export async function insertEvents(tx: Tx, rows: readonly SqlRow[]): Promise<void> {
  await tx.insertRows(EVENTS, rows);
}

/** Returns the newest place in the feed, the offset, and the id of the current transaction. PostgreSQL only. */
export async function selectFeedPlace(tx: Tx): Promise<{ newest: number; current: number; before: number }> {
  const [place] = await tx.query<{ newest: number; current: number; before: number }>(
    `select coalesce((select max(commit_id) from events), 0) as newest, before,
       pg_current_xact_id()::text::bigint as current from feed_offset`,
  );
  return place as { newest: number; current: number; before: number };
}

/** Sets the offset: new events get the place `before` plus the id of their transaction. */
export async function updateFeedOffset(tx: Tx, before: number): Promise<void> {
  await tx.query('update feed_offset set before = $1', [before]);
  await tx.query(`alter table events alter column commit_id set default ${before} + {commit_id}`);
}

/** The place of an event in the feed; (0, 0) is before the first. */
export type PlaceInFeed = SqlRow & { commit_id: number; position: number };

export type FeedRow = PlaceInFeed & {
  /** 0: none, such as an event of a user. */
  environment_id: number;
  transaction_id: number | null;
  sequence: number | null;
  created_at: number;
  type: EventType;
  user_id: string | null;
  data: string | null;
};

/** Returns the next events after a place in the feed, in the order of their commits. */
export function selectFeed(db: Reader, after: PlaceInFeed, limit: number): Promise<FeedRow[]> {
  return db.query<FeedRow>(
    `select position, commit_id, environment_id, transaction_id, sequence, created_at, type, user_id, data
     from events where {after_cursor} order by {feed_order} limit $3`,
    [after.commit_id, after.position, limit],
  );
}

export type FeedTransaction = SqlRow & {
  id: number;
  reference: string;
  amount: number;
  currency: string;
  environment: Environment;
  payment_service_id: string;
};

/** Returns these transactions, for the events of the feed in these environments. */
export function selectFeedTransactions(
  db: Reader,
  ids: readonly number[],
  environmentIds: readonly number[],
): Promise<FeedTransaction[]> {
  return db.query<FeedTransaction>(
    `select t.id, t.reference, t.amount, t.currency, e.environment, e.payment_service_id
     from transactions t join environments e on e.id = t.environment_id
     where t.id {among $1} and t.environment_id {among $2}`,
    [ids, environmentIds],
  );
}

export type FeedEnvironment = SqlRow & { id: number; environment: Environment; payment_service_id: string };

/** Returns the environments of events without a transaction, with their payment services. */
export function selectFeedEnvironments(db: Reader, ids: readonly number[]): Promise<FeedEnvironment[]> {
  return db.query<FeedEnvironment>('select id, environment, payment_service_id from environments where id {among $1}', [
    ids,
  ]);
}
