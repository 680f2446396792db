import type { InsertTarget, Reader, SqlRow, Tx } from '../db/database.ts';
import { listsOf, type RowKey } from '../db/row-key.ts';
import type { Recall } from '../lib/recall.ts';
import type { CallbackState } from './callback-state.ts';

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

/** The columns of a claimed callback that a worker needs. */
export type ClaimedCallback = SqlRow & {
  id: number;
  transaction_id: number;
  environment_id: number;
  endpoint_id: number;
  sequence: number;
  attempts: number;
  /**
   * If this is in the future, the attempt is outside the schedule: the callback was woken because its endpoint
   * recovered.
   */
  scheduled_at: number | null;
  lease: string;
  webhook_id: string;
  url: string;
  content_type: string;
  body: string;
};

export const CLAIMED_COLUMNS =
  'id, transaction_id, environment_id, endpoint_id, sequence, attempts, scheduled_at, lease, webhook_id, url, content_type, body';

/**
 * Claims due callbacks until `until` by moving their due time there, so that unfinished claims become due again. Takes
 * the `limit` callbacks due longest, at most `perEndpoint` per endpoint, so that a long queue hides no other. Leaves
 * out the `excluded` endpoints, environments and hosts.
 */
export function claimCallbacks(
  tx: Tx,
  claim: {
    lease: string;
    now: number;
    until: number;
    perEndpoint: number;
    limit: number;
    excluded: {
      endpoints: readonly number[];
      environments: readonly number[];
      hosts: readonly { environmentId: number; origin: string }[];
    };
  },
): Promise<ClaimedCallback[]> {
  const { endpoints, environments, hosts } = claim.excluded;
  // Separate parameters: a list would be parsed again for every row that the scan passes.
  const hostParameters = hosts.flatMap(({ environmentId, origin }) => [environmentId, `${origin}/`]);
  const toHosts = hosts.map((_, at) => {
    const [environment, start] = [`$${8 + 2 * at}`, `$${9 + 2 * at}`];
    return `and not (environment_id = ${environment} and lower(substr(url, 1, length(${start}))) = ${start})`;
  });
  // Another worker may have claimed a chosen row meanwhile. The `case` repeats the condition so that no index can serve
  // it: with statistics from before the backlog, PostgreSQL would compare every due row with every chosen id.
  return tx.query<ClaimedCallback>(
    `update callbacks set lease = $2, next_attempt_at = $3
     where case when state = 'queued' then next_attempt_at end <= $4 and id {chosen}
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
     returning ${CLAIMED_COLUMNS}`,
    [endpoints, claim.lease, claim.until, claim.now, claim.perEndpoint, claim.limit, environments, ...hostParameters],
  );
}

/** Releases claims that were not attempted, so that other workers need not wait for the end of the lease. */
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

/** Makes waiting callbacks due at `now` that would be attempted after `furthest`, and ends their claims. */
export async function recallCallbacks(tx: Tx, { now, furthest, elsewhere }: Recall): Promise<void> {
  await tx.query(
    `update callbacks set next_attempt_at = $1, lease = null, scheduled_at = null, not_before = null
     where state = 'queued' and next_attempt_at > $2 and not (environment_id {among $3})`,
    [now, furthest, elsewhere],
  );
  // Those that were woken keep the time of their schedule.
  await tx.query(
    `update callbacks set scheduled_at = null
     where state = 'queued' and attempts > 0 and scheduled_at > $1 and not (environment_id {among $2})`,
    [furthest, elsewhere],
  );
}

const DELIVERY_ATTEMPTS: InsertTarget = {
  name: 'delivery_attempts',
  columns: ['callback_id', 'environment_id', 'started_at', 'duration_ms', 'status', 'failure', 'location', 'excerpt'],
};

export async function insertDeliveryAttempts(tx: Tx, rows: readonly SqlRow[]): Promise<void> {
  await tx.insertRows(DELIVERY_ATTEMPTS, rows);
}

/** Returns the callbacks of an event that the payer's browser can bring to the shop and has not got yet. */
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
 * Returns whether the shop was unreachable at the last attempt of a transaction's callbacks: no response, or a gateway
 * error (502 to 504). A shop that rejects the callback, or fails on it, can still receive the payer's browser.
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

/** Returns the callbacks whose signed result the payer's browser has got to bring to the shop. */
export async function selectReturned(tx: Tx, callbacks: readonly RowKey<number>[]): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(
    'select id from callbacks where id {among $1} and environment_id {among $2} and returned_at is not null',
    listsOf(callbacks),
  );
  return rows.map((row) => row.id);
}

/** Callbacks of one claim and one environment. Nothing changes if the lease has passed to another worker. */
type Claimed = { environmentId: number; lease: string };

/** Ends callbacks. Returns the ids of those that changed. */
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

/**
 * Ends callbacks that the shop took, although a 410 to another callback disabled them during their attempts. `since`:
 * when the first attempt started. Returns the ids of the callbacks that changed.
 */
export async function updateTaken(
  tx: Tx,
  { ids, environmentId, since }: { ids: readonly number[]; environmentId: number; since: number },
  state: CallbackState,
  now: number,
): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(
    `update callbacks set state = $3, next_attempt_at = $4, finished_at = $4, attempts = attempts + 1
     where id {among $1} and environment_id = $5 and state = 'disabled' and lease is null and finished_at >= $2 returning id`,
    [ids, since, state, now, environmentId],
  );
  return rows.map((row) => row.id);
}

/** When to retry a callback. Times are UTC milliseconds. */
export type Retry = {
  id: number;
  nextAttemptAt: number;
  /** See `ClaimedCallback`, and `callbacks.not_before`. */
  scheduledAt: number | null;
  notBefore: number | null;
  /** 0 for an attempt outside the schedule, else 1. */
  counts: 0 | 1;
};

/** Queues callbacks again, each for its own time. Returns the ids of those that changed. */
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
 * Queues callbacks again from the first attempt, and enables their endpoints. `still`: the state that they were found
 * in, or `unfinished`; skips those that have left it or were queued again meanwhile. Skips callbacks under way, unless
 * it is `under_way`: then the attempt under way changes nothing when it ends. Returns how many it queued.
 */
export async function requeueCallbacks(
  tx: Tx,
  callbacks: readonly RowKey<number>[],
  now: number,
  still: CallbackState | 'unfinished' | 'any' | 'under_way' = 'any',
): Promise<number> {
  // Rows of endpoints before rows of callbacks, in the order of `recordAttempts`.
  await tx.query(
    `select id from endpoints where environment_id {among $2} and id {chosen}
       select endpoint_id from callbacks where id {among $1} and environment_id {among $2} {end_chosen}
     order by id {for_update}`,
    listsOf(callbacks),
  );
  const rows = await tx.query<{ id: number; environment_id: number }>(
    `update callbacks set state = 'queued', next_attempt_at = $3, finished_at = null, attempts = 0, lease = null,
       scheduled_at = null, not_before = null
     where id {among $1} and environment_id {among $2}
       and ($4 = 'under_way' or not (state = 'queued' and lease is not null and next_attempt_at > $3))
       and ($4 in ('any', 'under_way') or ((state <> 'queued' or attempts > 0)
         and ($4 = state or ($4 = 'unfinished' and state in ('queued', 'dead', 'disabled')))))
     returning endpoint_id as id, environment_id`,
    [...listsOf(callbacks), now, still],
  );
  await tx.query(
    'update endpoints set disabled_at = null where id {among $1} and environment_id {among $2}',
    listsOf(rows),
  );
  return rows.length;
}

/** Returns when the longest waiting callback was due; null: none waits. */
export async function selectOldestDue(db: Reader): Promise<number | null> {
  const [row] = await db.query<{ oldest: number | null }>(
    `select min(next_attempt_at) as oldest from callbacks where state = 'queued'`,
  );
  return row?.oldest ?? null;
}

/** Counts the waiting callbacks. Skips the `elsewhere` environments, whose callbacks the other database sends. */
export async function countQueued(db: Reader, elsewhere: ReadonlySet<number>): Promise<number> {
  // Without `elsewhere`, the index on waiting callbacks is enough for the count.
  const here = elsewhere.size === 0 ? '' : 'and not (environment_id {among $1})';
  const [row] = await db.query<{ queued: number }>(
    `select count(*) as queued from callbacks where state = 'queued' ${here}`,
    elsewhere.size === 0 ? [] : [[...elsewhere]],
  );
  return row?.queued ?? 0;
}
