import type { Reader, SqlRow } from '../../db/database.ts';
import type { RowKey } from '../../db/row-key.ts';
import { OWNED_ENDPOINT, type OwnedEndpoint, WITH_OWNER } from './failing-endpoint-queries.ts';

/** An endpoint with its merchant. */
export type KnownEndpoint = SqlRow & OwnedEndpoint;

/** Returns an endpoint by its id, of any environment. */
export async function selectEndpoint(db: Reader, id: number): Promise<KnownEndpoint | null> {
  const [row] = await db.query<KnownEndpoint>(
    `select ${OWNED_ENDPOINT} from endpoints p ${WITH_OWNER} where p.id = $1`,
    [id],
  );
  return row ?? null;
}

/** The last attempt of a callback. */
export type EndpointAnswer = SqlRow & {
  webhook_id: string;
  content_type: string;
  callback: number;
  transaction_id: number;
  state: string;
  url: string;
  at: number;
  duration_ms: number;
  status: number | null;
  failure: string | null;
  location: string | null;
  excerpt: string | null;
};

const ANSWER = `c.id as callback, c.webhook_id, c.content_type, c.transaction_id, c.state, c.url, a.started_at as at, a.duration_ms,
  a.status, a.failure, a.location, a.excerpt`;

const LAST_ATTEMPT = `join delivery_attempts a on a.environment_id = c.environment_id and a.id = (
  select max(last.id) from delivery_attempts last
  where last.callback_id = c.id and last.environment_id = c.environment_id)`;

/**
 * Returns the newest callbacks of an endpoint that wait for a retry or ended without delivery, with their last
 * response, newest first.
 */
export async function selectUndelivered(
  db: Reader,
  { id, environment_id }: RowKey<number>,
  limit: number,
): Promise<EndpointAnswer[]> {
  // Two statements, so that each uses its partial index.
  const waiting = await selectAnswers(db, `c.state = 'queued' and c.attempts > 0`, [id, environment_id, limit]);
  const ended = await selectAnswers(db, `c.state in ('redirected', 'superseded', 'dead', 'disabled')`, [
    id,
    environment_id,
    limit,
  ]);
  return [...waiting, ...ended].sort((one, other) => other.at - one.at).slice(0, limit);
}

function selectAnswers(db: Reader, which: string, parameters: number[]): Promise<EndpointAnswer[]> {
  return db.query<EndpointAnswer>(
    `select ${ANSWER} from callbacks c ${LAST_ATTEMPT}
     where c.endpoint_id = $1 and c.environment_id = $2 and ${which} order by c.id desc limit $3`,
    parameters,
  );
}

/**
 * Returns the newest delivered callback of an endpoint among the `looked` callbacks of the store before the id
 * `before`. There is no index for this rare query, so it finds nothing for an endpoint without recent callbacks.
 */
export async function selectLastDelivered(
  db: Reader,
  { id, environment_id }: RowKey<number>,
  before: number,
  looked: number,
): Promise<EndpointAnswer | null> {
  const [row] = await db.query<EndpointAnswer>(
    `select ${ANSWER} from (
       select id, environment_id, endpoint_id, transaction_id, webhook_id, content_type, state, url from callbacks where id < $3 order by id desc limit $4) c
     ${LAST_ATTEMPT}
     where c.endpoint_id = $1 and c.environment_id = $2 and c.state = 'delivered' order by c.id desc limit 1`,
    [id, environment_id, before, looked],
  );
  return row ?? null;
}

/** An endpoint with recent redirects: how many callbacks, and the target of the last one. */
export type RedirectedEndpoint = KnownEndpoint & {
  webhook_id: string;
  content_type: string;
  redirected: number;
  location: string | null;
  status: number | null;
};

/**
 * Returns the endpoints of the newest `looked` callbacks that ended in a redirect, among the newest `back` callbacks of
 * the store. There is no index for them: without that bound a store without redirects would be read whole.
 */
export function selectRedirecting(db: Reader, looked: number, back: number): Promise<RedirectedEndpoint[]> {
  return db.query<RedirectedEndpoint>(
    `select ${OWNED_ENDPOINT}, r.redirected, a.location, a.status,
       c.webhook_id, c.content_type
     from (select endpoint_id, environment_id, count(*) as redirected, max(id) as newest
       from (select id, endpoint_id, environment_id
         from (select id, endpoint_id, environment_id, state from callbacks order by id desc limit $2) newest
         where state = 'redirected' order by id desc limit $1) seen
       group by endpoint_id, environment_id) r
     join endpoints p on p.id = r.endpoint_id and p.environment_id = r.environment_id
     join callbacks c on c.id = r.newest and c.environment_id = r.environment_id
     ${WITH_OWNER}
     join delivery_attempts a on a.environment_id = r.environment_id and a.id = (
       select max(last.id) from delivery_attempts last
       where last.callback_id = r.newest and last.environment_id = r.environment_id)
     order by p.id`,
    [looked, back],
  );
}

/** Returns the endpoint of a callback, by the callback's id. */
export async function selectEndpointOfCallback(db: Reader, callback: number): Promise<number | null> {
  const [row] = await db.query<{ endpoint_id: number }>('select endpoint_id from callbacks where id = $1', [callback]);
  return row?.endpoint_id ?? null;
}

/** Returns the URL with its query of an endpoint's newest callback that was not delivered at once; null: none. */
export async function selectLastUrl(db: Reader, endpoint: RowKey<number>): Promise<string | null> {
  const [newest] = await selectUndelivered(db, endpoint, 1);
  return newest?.url ?? null;
}
