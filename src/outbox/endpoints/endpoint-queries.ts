import type { SqlRow, Tx } from '../../db/database.ts';
import { listsOf, type RowKey } from '../../db/row-key.ts';

export type EndpointRow = SqlRow & { id: number; disabled_at: number | null; epoch: number };

/**
 * Returns the id of an endpoint, when it was disabled, and the epoch for the `webhook-id`. Inserts a new endpoint. Most
 * exist, so it reads first.
 */
export async function ensureEndpoint(tx: Tx, environmentId: number, address: string): Promise<EndpointRow> {
  const known = await selectEndpoint(tx, environmentId, address);
  if (known !== null) return known;
  await tx.query(
    'insert into endpoints (environment_id, address) values ($1, $2) on conflict (environment_id, address) do nothing',
    [environmentId, address],
  );
  return (await selectEndpoint(tx, environmentId, address)) as EndpointRow;
}

async function selectEndpoint(tx: Tx, environmentId: number, address: string): Promise<EndpointRow | null> {
  const [row] = await tx.query<EndpointRow>(
    `select id, disabled_at, coalesce((select max(epoch) from epochs), 0) as epoch
     from endpoints where environment_id = $1 and address = $2`,
    [environmentId, address],
  );
  return row ?? null;
}

/**
 * New callbacks due within this time are found by the index on due times, without scanning all that wait for other
 * endpoints.
 */
const NEW_MS = 60_000;

/**
 * Disables an endpoint that responded 410; its waiting callbacks become `disabled`. A callback whose first attempt is
 * due only after more than a minute is still attempted, and also gets 410.
 */
export async function disableEndpoint(tx: Tx, { id, environment_id }: RowKey<number>, now: number): Promise<void> {
  await tx.query(
    'update endpoints set disabled_at = $3 where id = $1 and environment_id = $2 and disabled_at is null',
    [id, environment_id, now],
  );
  const disable = `update callbacks set state = 'disabled', finished_at = $3, lease = null
     where endpoint_id = $1 and environment_id = $2 and state = 'queued'`;
  await tx.query(`${disable} and attempts > 0`, [id, environment_id, now]);
  await tx.query(`${disable} and attempts = 0 and next_attempt_at <= $4`, [id, environment_id, now, now + NEW_MS]);
}

/** Returns the endpoints whose next success wakes their waiting callbacks. */
export async function selectWaking(tx: Tx, endpoints: readonly RowKey<number>[]): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(
    'select id from endpoints where id {among $1} and environment_id {among $2} and wakes = 1',
    listsOf(endpoints),
  );
  return rows.map((row) => row.id);
}

/** `startedAt`, `endedAt`: of the attempt, UTC milliseconds. */
export type EndpointFailure = {
  startedAt: number;
  endedAt: number;
  status: number | null;
  failure: string | null;
  location: string | null;
};

/** A time of an endpoint further ahead of an attempt than this is from a clock that was ahead, and does not count. */
const AHEAD_MS = 15 * 60_000;

/**
 * Records a failure of an endpoint, unless it has recovered since the attempt started. Locks the row, so that the
 * success that wakes waiting callbacks also sees this one. Returns when the endpoint last recovered, or null.
 */
export async function updateFailing(
  tx: Tx,
  { id, environment_id }: RowKey<number>,
  { startedAt, endedAt, status, failure, location }: EndpointFailure,
): Promise<number | null> {
  const recovered = 'recovered_at > $2 and recovered_at <= $8';
  const [row] = await tx.query<{ recovered_at: number | null }>(
    `update endpoints set wakes = 1,
       failing_since = case when ${recovered} then failing_since else coalesce(failing_since, $3) end,
       failed_at = case when ${recovered} then failed_at else $2 end,
       status = case when ${recovered} then status else $4 end,
       failure = case when ${recovered} then failure else $5 end,
       location = case when ${recovered} then location else $6 end
     where id = $1 and environment_id = $7 returning case when recovered_at <= $8 then recovered_at end as recovered_at`,
    [id, startedAt, endedAt, status, failure, location, environment_id, endedAt + AHEAD_MS],
  );
  return row?.recovered_at ?? null;
}

/**
 * Records that an endpoint recovered at `at`, unless an attempt that started later has failed. Locks the row until its
 * callbacks are woken. Returns whether it recovered.
 */
export async function updateRecovered(tx: Tx, { id, environment_id }: RowKey<number>, at: number): Promise<boolean> {
  const rows = await tx.query(
    `update endpoints set failing_since = null, recovered_at = $2
     where id = $1 and environment_id = $3 and (failed_at is null or failed_at <= $2 or failed_at > $4) returning id`,
    [id, at, environment_id, at + AHEAD_MS],
  );
  return rows.length === 1;
}

/**
 * How many callbacks one success wakes. The next success wakes more, so that commits stay short and the merchant is not
 * overloaded.
 */
const WOKEN_TOGETHER = 256;

/**
 * Makes the waiting callbacks of an endpoint due, oldest first; later if the shop asked for a pause. Each is woken once
 * between two attempts of its schedule, which does not change. Skips claimed callbacks. The outer condition repeats
 * that, because PostgreSQL checks it again after waiting for a claim of the same row.
 */
export async function wakeCallbacks(tx: Tx, { id, environment_id }: RowKey<number>, now: number): Promise<void> {
  const woken = await tx.query(
    `update callbacks set scheduled_at = next_attempt_at,
       next_attempt_at = case when not_before > $2 then not_before else $2 end
     where environment_id = $4 and lease is null and id in (
       select id from callbacks
       where endpoint_id = $1 and environment_id = $4 and state = 'queued' and attempts > 0 and scheduled_at is null and lease is null
       order by id limit $3)
     returning id`,
    [id, now, WOKEN_TOGETHER, environment_id],
  );
  if (woken.length === WOKEN_TOGETHER) return;
  await tx.query('update endpoints set wakes = 0 where id = $1 and environment_id = $2', [id, environment_id]);
}

/** Ends the failure of an endpoint that has no waiting callbacks. */
export async function updateIdle(tx: Tx, endpoints: readonly RowKey<number>[]): Promise<void> {
  await tx.query(
    `update endpoints set failing_since = null, wakes = 0
     where id {among $1} and environment_id {among $2} and failing_since is not null and not exists (
       select 1 from callbacks c
       where c.endpoint_id = endpoints.id and c.environment_id = endpoints.environment_id and c.state = 'queued'
         and c.attempts > 0)`,
    listsOf(endpoints),
  );
}
