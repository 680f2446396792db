import type { Database, InsertTarget, SqlRow, Tx } from '../db/database.ts';
import { listsOf, type RowKey } from '../db/row-key.ts';
import type { Environment } from '../payment-services/payment-service.ts';
import type { CallbackState } from './callback-state.ts';
import type { EventType } from './event.ts';

type Reader = Pick<Database, 'query'>;

/** Of an event without its place in the feed. The links of the feed hash them in this order. */
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

/** The first event of every new transaction, made from its row: `inserted` is what `Tx.insertNewRows` says. */
export const INSERT_CREATED_EVENTS = `insert into events (environment_id, transaction_id, sequence, created_at, type)
  select environment_id, id, last_sequence, created_at, 'transaction.created' from inserted returning transaction_id`;

export async function insertEvents(tx: Tx, rows: readonly SqlRow[]): Promise<void> {
  await tx.insertRows(EVENTS, rows);
}

const CALLBACKS: InsertTarget = {
  name: 'callbacks',
  columns: [
    'transaction_id',
    'environment_id',
    'endpoint_id',
    'sequence',
    'created_at',
    'next_attempt_at',
    'finished_at',
    'attempts',
    'state',
    'webhook_id',
    'url',
    'content_type',
    'body',
  ],
};

export async function insertCallbacks(tx: Tx, rows: readonly SqlRow[]): Promise<void> {
  await tx.insertRows(CALLBACKS, rows);
}

/** The newest place in the feed, and the id of the server's current transaction. PostgreSQL only. */
export async function selectFeedPlace(tx: Tx): Promise<{ newest: number; current: number; before: number }> {
  const [place] = await tx.query<{ newest: number; current: number; before: number }>(
    `select coalesce((select max(commit_id) from events), 0) as newest, before,
       pg_current_xact_id()::text::bigint as current from feed_offset`,
  );
  return place as { newest: number; current: number; before: number };
}

/** From now on events stand at `before` plus the id of their transaction. */
export async function updateFeedOffset(tx: Tx, before: number): Promise<void> {
  await tx.query('update feed_offset set before = $1', [before]);
  await tx.query(`alter table events alter column commit_id set default ${before} + {commit_id}`);
}

export type FeedRow = SqlRow & {
  position: number;
  commit_id: number;
  /** 0: it belongs to none, such as an event of a user. */
  environment_id: number;
  transaction_id: number | null;
  sequence: number | null;
  created_at: number;
  type: EventType;
  user_id: string | null;
  data: string | null;
};

/** The next events after a place in the feed, in the order of their commits. */
export function selectFeed(
  db: Reader,
  after: { commitId: number; position: number },
  limit: number,
): Promise<FeedRow[]> {
  return db.query<FeedRow>(
    `select position, commit_id, environment_id, transaction_id, sequence, created_at, type, user_id, data
     from events where {after_cursor} order by {feed_order} limit $3`,
    [after.commitId, after.position, limit],
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

/** Reads the transactions of the feed's events, which are of these environments. */
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

/** Reads the payment services of events that belong to an environment and to none of its transactions. */
export function selectFeedEnvironments(db: Reader, ids: readonly number[]): Promise<FeedEnvironment[]> {
  return db.query<FeedEnvironment>('select id, environment, payment_service_id from environments where id {among $1}', [
    ids,
  ]);
}

/** A claimed callback, as far as a worker needs it. */
export type ClaimedCallback = SqlRow & {
  id: number;
  transaction_id: number;
  environment_id: number;
  endpoint_id: number;
  sequence: number;
  attempts: number;
  /** While this is to come, the attempt is one beside the schedule: its endpoint had answered again. */
  scheduled_at: number | null;
  lease: string;
  webhook_id: string;
  url: string;
  content_type: string;
  body: string;
};

/**
 * Claims due callbacks until `until`: the due time moves there, so that a claim nobody finishes comes back by itself.
 * Of the `limit` that are due longest at most `perEndpoint` of one endpoint, and none of the excluded ones, so that a long
 * queue hides no other. What the `listened` environments have is left to their listeners, what goes to the `hosts` waits for room.
 */
export function claimCallbacks(
  tx: Tx,
  claim: {
    lease: string;
    now: number;
    until: number;
    perEndpoint: number;
    limit: number;
    excluded: readonly number[];
    listened: readonly number[];
    hosts: readonly { environmentId: number; origin: string }[];
  },
): Promise<ClaimedCallback[]> {
  // Each by its own parameters: a list would be read again for every row that a backlog passes.
  const hosts = claim.hosts.flatMap(({ environmentId, origin }) => [environmentId, `${origin}/`]);
  const toHosts = claim.hosts.map((_, at) => {
    const [environment, start] = [`$${8 + 2 * at}`, `$${9 + 2 * at}`];
    return `and not (environment_id = ${environment} and lower(substr(url, 1, length(${start}))) = ${start})`;
  });
  return tx.query<ClaimedCallback>(
    `update callbacks set lease = $2, next_attempt_at = $3
     where state = 'queued' and next_attempt_at <= $4 and id {chosen}
       select id from (
         select id, row_number() over (partition by endpoint_id order by due_at, id) as place
         from (
           select id, endpoint_id, next_attempt_at as due_at from callbacks
           where state = 'queued' and next_attempt_at <= $4 and not (endpoint_id {among $1})
             and not (environment_id {among $7}) ${toHosts.join(' ')}
           order by next_attempt_at limit $6
         ) as due
       ) as ranked
       where place <= $5{end_chosen}
     returning id, transaction_id, environment_id, endpoint_id, sequence, attempts, scheduled_at, lease, webhook_id, url,
       content_type, body`,
    [claim.excluded, claim.lease, claim.until, claim.now, claim.perEndpoint, claim.limit, claim.listened, ...hosts],
  );
}

/** Releases claims that were not tried, so that another worker need not wait for the lease to end. */
export async function releaseCallbacks(
  tx: Tx,
  callbacks: readonly RowKey<number>[],
  lease: string,
  now: number,
): Promise<void> {
  await tx.query(
    `update callbacks set lease = null, next_attempt_at = $4
     where id {among $1} and environment_id {among $2} and lease = $3`,
    [...listsOf(callbacks), lease, now],
  );
}

export async function releaseClaimedCallbacks(tx: Tx, now: number): Promise<void> {
  await tx.query(
    `update callbacks set lease = null, next_attempt_at = $1 where state = 'queued' and lease is not null`,
    [now],
  );
}

const DELIVERY_ATTEMPTS: InsertTarget = {
  name: 'delivery_attempts',
  columns: ['callback_id', 'environment_id', 'started_at', 'duration_ms', 'status', 'failure', 'location', 'excerpt'],
};

export async function insertDeliveryAttempts(tx: Tx, rows: readonly SqlRow[]): Promise<void> {
  await tx.insertRows(DELIVERY_ATTEMPTS, rows);
}

/** The callbacks of an event that the payer's browser can bring to the shop, and has not yet been given. */
export async function selectUnreturned(db: Reader, transaction: RowKey<number>, settledAt: number): Promise<number[]> {
  const rows = await db.query<{ id: number }>(
    `select id from callbacks
     where transaction_id = $1 and environment_id = $3 and created_at = $2 and returned_at is null and state <> 'delivered'
       and content_type = 'application/x-www-form-urlencoded'`,
    [transaction.id, settledAt, transaction.environment_id],
  );
  return rows.map((row) => row.id);
}

/**
 * Whether nobody was there when a callback of a transaction was last tried: no answer at all, or the word of a gateway (502 to 504).
 * A shop that refuses the callback, or fails over it, can still take the payer's browser.
 */
export async function isShopSilent(db: Reader, transaction: RowKey<number>): Promise<boolean> {
  const [last] = await db.query<{ status: number | null }>(
    `select d.status from callbacks c
     join delivery_attempts d on d.callback_id = c.id and d.environment_id = c.environment_id
     where c.transaction_id = $1 and c.environment_id = $2 and c.state in ('queued', 'dead')
       and c.content_type = 'application/x-www-form-urlencoded'
     order by d.id desc limit 1`,
    [transaction.id, transaction.environment_id],
  );
  return last !== undefined && (last.status === null || (last.status >= 502 && last.status <= 504));
}

export async function updateReturned(
  tx: Tx,
  ids: readonly number[],
  environmentId: number,
  now: number,
): Promise<void> {
  await tx.query(
    'update callbacks set returned_at = $3 where id {among $1} and environment_id = $2 and returned_at is null',
    [ids, environmentId, now],
  );
}

/** Callbacks whose signed result the payer's browser has been given to bring to the shop. */
export async function selectReturned(tx: Tx, callbacks: readonly RowKey<number>[]): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(
    'select id from callbacks where id {among $1} and environment_id {among $2} and returned_at is not null',
    listsOf(callbacks),
  );
  return rows.map((row) => row.id);
}

/** The callbacks of one claim that are of one environment. Nothing changes for a worker whose lease is another's by now. */
type Claimed = { environmentId: number; lease: string };

/** Ends callbacks; answers the ids of those that changed. */
export async function updateEnded(
  tx: Tx,
  { ids, environmentId, lease }: Claimed & { ids: readonly number[] },
  state: CallbackState,
  now: number,
): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(
    `update callbacks set state = $3, next_attempt_at = $4, finished_at = $4, scheduled_at = null, not_before = null,
       attempts = attempts + 1, lease = null
     where id {among $1} and environment_id = $5 and lease = $2 returning id`,
    [ids, lease, state, now, environmentId],
  );
  return rows.map((row) => row.id);
}

/** When a callback is tried again. Times are UTC milliseconds. */
export type Retry = {
  id: number;
  nextAttemptAt: number;
  /** See `ClaimedCallback`, and `callbacks.not_before`. */
  scheduledAt: number | null;
  notBefore: number | null;
  /** 0 for an attempt beside the schedule, else 1. */
  counts: 0 | 1;
};

/** Queues callbacks again, each for a time of its own; answers the ids of those that changed. */
export async function updateRetried(
  tx: Tx,
  { environmentId, lease, retries }: Claimed & { retries: readonly Retry[] },
): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(
    `update callbacks set state = 'queued', finished_at = null, lease = null,
       next_attempt_at = cast(value ->> 'nextAttemptAt' as bigint),
       scheduled_at = cast(value ->> 'scheduledAt' as bigint),
       not_before = cast(value ->> 'notBefore' as bigint),
       attempts = attempts + cast(value ->> 'counts' as bigint)
     from {rows $1}
     where callbacks.id = cast(value ->> 'id' as bigint) and environment_id = $3 and lease = $2
     returning callbacks.id as id`,
    [JSON.stringify(retries), lease, environmentId],
  );
  return rows.map((row) => row.id);
}

/**
 * Queues callbacks again, from the first attempt, and enables their endpoints. What is on its way is left alone. Answers how
 * many were queued.
 */
export async function requeueCallbacks(tx: Tx, callbacks: readonly RowKey<number>[], now: number): Promise<number> {
  const rows = await tx.query<{ id: number; environment_id: number }>(
    `update callbacks set state = 'queued', next_attempt_at = $3, finished_at = null, attempts = 0, lease = null,
       scheduled_at = null, not_before = null
     where id {among $1} and environment_id {among $2}
       and not (state = 'queued' and lease is not null and next_attempt_at > $3)
     returning endpoint_id as id, environment_id`,
    [...listsOf(callbacks), now],
  );
  await tx.query(
    'update endpoints set disabled_at = null where id {among $1} and environment_id {among $2}',
    listsOf(rows),
  );
  return rows.length;
}

/** When the longest-waiting callback was due, or null when none is waiting. */
export async function selectOldestDue(db: Reader): Promise<number | null> {
  const [row] = await db.query<{ oldest: number | null }>(
    `select min(next_attempt_at) as oldest from callbacks where state = 'queued'`,
  );
  return row?.oldest ?? null;
}

/** How many wait for their next attempt. What the `elsewhere` environments left is sent by the database to which they moved. */
export async function countQueued(db: Reader, elsewhere: ReadonlySet<number>): Promise<number> {
  // The index of what waits is counted alone, unless the environment of each must be read.
  const here = elsewhere.size === 0 ? '' : 'and not (environment_id {among $1})';
  const [row] = await db.query<{ queued: number }>(
    `select count(*) as queued from callbacks where state = 'queued' ${here}`,
    elsewhere.size === 0 ? [] : [[...elsewhere]],
  );
  return row?.queued ?? 0;
}
