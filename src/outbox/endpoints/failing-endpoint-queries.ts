import type { Reader, SqlParameter, SqlRow } from '../../db/database.ts';
import type { Environment } from '../../payment-services/payment-service.ts';
import { type Destination, withDestination } from '../webhooks/find-subscribers.ts';

/** An endpoint with its payment service. */
export type OwnedEndpoint = {
  id: number;
  environment_id: number;
  payment_service: string;
  name: string;
  environment: Environment;
  address: string;
  /** The first failure after the last success. All times are UTC milliseconds. */
  failing_since: number | null;
  disabled_at: number | null;
};

/** An endpoint with its waiting callbacks and its last failure, if any. */
export type FailingEndpoint = OwnedEndpoint &
  Destination & {
    /** When the last failed attempt started. */
    failed_at: number | null;
    status: number | null;
    failure: string | null;
    location: string | null;
    waiting: number;
    next_attempt_at: number | null;
    /** The last end of a lease of its waiting callbacks; null: none is claimed. */
    leased_until: number | null;
    /** Of the newest callback that was not delivered at once, null: none. */
    webhook_id: string | null;
    content_type: string | null;
  };

/** The columns of an `OwnedEndpoint` of `endpoints p`, and the joins for its owner. */
export const OWNED_ENDPOINT = `p.id, p.environment_id, e.payment_service_id as payment_service, s.name, e.environment, p.address,
  p.failing_since, p.disabled_at`;
export const WITH_OWNER = `join environments e on e.id = p.environment_id
  join payment_services s on s.id = e.payment_service_id`;

const WAITING = `from callbacks c where c.endpoint_id = p.id and c.environment_id = p.environment_id
  and c.state = 'queued' and c.attempts > 0`;

const FAILING = `p.failing_since is not null and exists (select 1 ${WAITING})`;

/** Counts the endpoints that fail and have waiting callbacks, except in the `elsewhere` environments. */
export async function measureFailing(
  db: Reader,
  elsewhere: ReadonlySet<number> = new Set(),
): Promise<{ count: number; oldest: number | null }> {
  const [row] = await db.query<{ count: number; oldest: number | null }>(
    `select count(*) as count, min(p.failing_since) as oldest from endpoints p
     where ${FAILING} and not (p.environment_id {among $1})`,
    [[...elsewhere]],
  );
  return row ?? { count: 0, oldest: null };
}

/** Returns these endpoints, the longest failing first. Nobody can fix those of the `elsewhere` environments here. */
export function selectFailing(
  db: Reader,
  limit: number,
  elsewhere: ReadonlySet<number> = new Set(),
): Promise<FailingEndpoint[]> {
  return selectEndpoints(db, `${FAILING} and not (p.environment_id {among $2})`, limit, [[...elsewhere]]);
}

/** The exact condition of the index on callbacks that were not delivered at once and have ended. */
const lastEnded = (
  column: string,
) => `(select c.${column} from callbacks c where c.endpoint_id = p.id and c.environment_id = p.environment_id
  and c.state in ('redirected', 'superseded', 'dead', 'disabled') order by c.id desc limit 1)`;

/**
 * The callbacks that a 410 kept back at or after `since`. A post to a user's webhook or an events URL does not count: it
 * also ends as `disabled` when nobody wants it.
 */
const keptBack = (since: string) => `from callbacks k where k.state = 'disabled' and k.finished_at >= ${since}
  and (k.content_type = 'application/x-www-form-urlencoded' or (k.transaction_id = 0 and k.webhook_id not like '%!_wh!_%' escape '!'))`;

/** When the oldest of them was kept back at an endpoint. The condition on the state repeats the index of its ended callbacks. */
const keptSince = (since: string) =>
  `(select min(k.finished_at) ${keptBack(since)} and k.endpoint_id = p.id and k.environment_id = p.environment_id
    and k.state in ('redirected', 'superseded', 'dead', 'disabled'))`;

/** Disabled endpoints and kept callbacks have an index each: with `or` SQLite would read all endpoints. */
const gone = (since: string) => `p.id in (select d.id from endpoints d where d.disabled_at is not null
  union all select k.endpoint_id ${keptBack(since)})
  and (p.disabled_at is null or ${lastEnded('finished_at')} >= ${since}) and not (${FAILING})`;

const goneSince = (since: string) => `coalesce(p.failing_since, p.disabled_at, ${keptSince(since)})`;

/**
 * Counts the endpoints that responded 410 and for which a callback ended at or after `since`. These callbacks are
 * stored but not sent. Also counts endpoints that take callbacks again, as after the resend of one, while others are
 * still kept back.
 */
export async function measureGone(
  db: Reader,
  since: number,
  elsewhere: ReadonlySet<number> = new Set(),
): Promise<{ count: number; oldest: number | null }> {
  const [row] = await db.query<{ count: number; oldest: number | null }>(
    `select count(*) as count, min(${goneSince('$1')}) as oldest from endpoints p
     where ${gone('$1')} and not (p.environment_id {among $2})`,
    [since, [...elsewhere]],
  );
  return row ?? { count: 0, oldest: null };
}

/** `kept_since`: since when a 410 keeps back callbacks of the shop or of a payout; null: none. */
export type GoneEndpoint = FailingEndpoint & { kept_since: number | null };

/** Returns these endpoints, the longest failing first. */
export function selectGone(
  db: Reader,
  since: number,
  limit: number,
  elsewhere: ReadonlySet<number> = new Set(),
): Promise<GoneEndpoint[]> {
  const which = `${gone('$2')} and not (p.environment_id {among $3})`;
  const order = `order by ${goneSince('$2')}, p.id`;
  const kept = `, ${keptSince('$2')} as kept_since`;
  return selectEndpoints<{ kept_since: number | null }>(db, which, limit, [since, [...elsewhere]], order, kept);
}

/** Few endpoints fail or are disabled, and each kind has its index: with `or` SQLite would read all endpoints. */
const TROUBLED = `p.id in (select f.id from endpoints f where f.failing_since is not null
  union all select d.id from endpoints d where d.disabled_at is not null)`;

/** Returns the endpoints that have failed since their last success, or are disabled, even if no callback waits. */
export function selectTroubled(db: Reader, limit: number): Promise<FailingEndpoint[]> {
  return selectEndpoints(db, TROUBLED, limit);
}

/** Does the same for some environments. */
export function selectTroubledOf(
  db: Reader,
  environmentIds: readonly number[],
  limit: number,
): Promise<FailingEndpoint[]> {
  return selectEndpoints(db, `{filter_by}p.environment_id {among $2} and ${TROUBLED}`, limit, [environmentIds]);
}

/**
 * Returns the endpoints of an environment: those that fail or are disabled first, then the others by address, in the
 * order of their index.
 */
export async function selectEndpointsOf(db: Reader, environmentId: number, limit: number): Promise<FailingEndpoint[]> {
  const troubled = await selectTroubledOf(db, [environmentId], limit);
  const others = 'p.environment_id = $2 and p.failing_since is null and p.disabled_at is null';
  const rest = limit - troubled.length;
  return rest === 0
    ? troubled
    : [...troubled, ...(await selectEndpoints(db, others, rest, [environmentId], 'order by p.address'))];
}

const LONGEST_FAILING = 'order by coalesce(p.failing_since, p.disabled_at) nulls last, p.id';

/**
 * Takes the endpoints first, and looks at their callbacks then: a shop with the order in the path of its URL has as
 * many endpoints as callbacks.
 */
async function selectEndpoints<More extends SqlRow = SqlRow>(
  db: Reader,
  which: string,
  limit: number,
  others: readonly SqlParameter[] = [],
  order = LONGEST_FAILING,
  moreColumns = '',
): Promise<(FailingEndpoint & More)[]> {
  const found = await db.query<Omit<FailingEndpoint, keyof Destination> & More>(
    `select ${OWNED_ENDPOINT}, p.failed_at, p.status, p.failure, p.location,
       (select count(*) ${WAITING}) as waiting, (select min(c.next_attempt_at) ${WAITING}) as next_attempt_at,
       (select max(c.next_attempt_at) ${WAITING} and c.lease is not null) as leased_until,
       coalesce((select c.webhook_id ${WAITING} order by c.id desc limit 1), ${lastEnded('webhook_id')}) as webhook_id,
       coalesce((select c.content_type ${WAITING} order by c.id desc limit 1), ${lastEnded('content_type')}) as content_type${moreColumns}
     from (select * from endpoints p where ${which} ${order} limit $1) as p ${WITH_OWNER}
     ${order}`,
    [limit, ...others],
  );
  return withDestination(db, found);
}
