import type { Database, SqlParameter, SqlRow } from '../db/database.ts';

type Reader = Pick<Database, 'query'>;

/** An endpoint, and whose it is. */
export type OwnedEndpoint = {
  id: number;
  payment_service: string;
  name: string;
  environment: string;
  address: string;
  /** UTC milliseconds, as all times: of the first failure after the last success. */
  failing_since: number | null;
  disabled_at: number | null;
};

/** An endpoint that fails or wants nothing more, what waits for it, and how it failed last. */
export type FailingEndpoint = SqlRow & EndpointFacts;

export type EndpointFacts = OwnedEndpoint & {
  /** When the last attempt that failed began. */
  failed_at: number | null;
  status: number | null;
  failure: string | null;
  location: string | null;
  waiting: number;
  next_attempt_at: number | null;
};

/** The columns of an `OwnedEndpoint` of `endpoints p`, and the tables that say whose it is. */
export const OWNED_ENDPOINT = `p.id, e.payment_service_id as payment_service, s.name, e.environment, p.address,
  p.failing_since, p.disabled_at`;
export const WITH_OWNER = `join environments e on e.id = p.environment_id
  join payment_services s on s.id = e.payment_service_id`;

const WAITING = `from callbacks c where c.endpoint_id = p.id and c.environment_id = p.environment_id
  and c.state = 'queued' and c.attempts > 0`;

const FAILING = `p.failing_since is not null and exists (select 1 ${WAITING})`;

/** Endpoints that fail and for which something waits, outside of the `elsewhere` environments. */
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

/** The same outside of the `elsewhere` environments, where nobody can end it; the one that has failed for longest first. */
export function selectFailing(
  db: Reader,
  limit: number,
  elsewhere: ReadonlySet<number> = new Set(),
): Promise<FailingEndpoint[]> {
  return selectEndpoints(db, `${FAILING} and not (p.environment_id {among $2})`, limit, [[...elsewhere]]);
}

/** As its index has them: what an endpoint did not take at once, and has its end. */
const LAST_ENDED = `(select c.finished_at from callbacks c where c.endpoint_id = p.id and c.environment_id = p.environment_id
  and c.state in ('redirected', 'superseded', 'dead', 'disabled') order by c.id desc limit 1)`;

const gone = (since: string) => `p.disabled_at is not null and ${LAST_ENDED} >= ${since} and not (${FAILING})`;

/** Endpoints that answered 410 and were to hear of something at or after `since`: it is kept, and nobody tries to send it. */
export async function measureGone(
  db: Reader,
  since: number,
  elsewhere: ReadonlySet<number> = new Set(),
): Promise<{ count: number; oldest: number | null }> {
  const [row] = await db.query<{ count: number; oldest: number | null }>(
    `select count(*) as count, min(coalesce(p.failing_since, p.disabled_at)) as oldest from endpoints p
     where ${gone('$1')} and not (p.environment_id {among $2})`,
    [since, [...elsewhere]],
  );
  return row ?? { count: 0, oldest: null };
}

/** The same; the one that has failed for longest first. */
export function selectGone(
  db: Reader,
  since: number,
  limit: number,
  elsewhere: ReadonlySet<number> = new Set(),
): Promise<FailingEndpoint[]> {
  return selectEndpoints(db, `${gone('$2')} and not (p.environment_id {among $3})`, limit, [since, [...elsewhere]]);
}

/** The failing ones, those that answered 410, those whose callbacks were all given up, and those that failed last. */
export function selectTroubled(db: Reader, limit: number): Promise<FailingEndpoint[]> {
  return selectEndpoints(db, 'p.failing_since is not null or p.disabled_at is not null', limit);
}

/** The same, of some environments. */
export function selectTroubledOf(
  db: Reader,
  environmentIds: readonly number[],
  limit: number,
): Promise<FailingEndpoint[]> {
  const which = 'p.environment_id {among $2} and (p.failing_since is not null or p.disabled_at is not null)';
  return selectEndpoints(db, which, limit, [environmentIds]);
}

/** Every endpoint of an environment, those that fail first. */
export function selectEndpointsOf(db: Reader, environmentId: number, limit: number): Promise<FailingEndpoint[]> {
  return selectEndpoints(db, 'p.environment_id = $2', limit, [environmentId]);
}

function selectEndpoints(
  db: Reader,
  which: string,
  limit: number,
  others: readonly SqlParameter[] = [],
): Promise<FailingEndpoint[]> {
  return db.query<FailingEndpoint>(
    `select ${OWNED_ENDPOINT}, p.failed_at, p.status, p.failure, p.location,
       (select count(*) ${WAITING}) as waiting, (select min(c.next_attempt_at) ${WAITING}) as next_attempt_at
     from endpoints p ${WITH_OWNER}
     where ${which}
     order by coalesce(p.failing_since, p.disabled_at) nulls last, p.id limit $1`,
    [limit, ...others],
  );
}
