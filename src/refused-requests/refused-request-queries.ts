import type { InsertTarget, Reader, SqlParameter, SqlRow, Tx } from '../db/database.ts';
import { type LikeOptions, selectLike, type TableWalk, type WalkedStore } from '../db/walk-queries.ts';
import type { KeptRefusal, RefusedRequest } from './refused-request.ts';

const REFUSED_REQUESTS: InsertTarget = {
  name: 'refused_requests',
  columns: [
    'request_id',
    'environment_id',
    'at',
    'method',
    'route',
    'status',
    'code',
    'detail',
    'detail_es',
    'errors',
    'fields',
    'repeated',
  ],
};

export async function insertRefused(tx: Tx, rows: readonly RefusedRequest[]): Promise<void> {
  await tx.insertRows(REFUSED_REQUESTS, rows, 'on conflict (request_id, environment_id) do nothing');
}

/** Adds to the count of similar requests that came after a stored one. */
export async function addRepeated(
  tx: Tx,
  { request_id, environment_id }: Pick<RefusedRequest, 'request_id' | 'environment_id'>,
  times: number,
): Promise<void> {
  await tx.query('update refused_requests set repeated = repeated + $3 where request_id = $1 and environment_id = $2', [
    request_id,
    environment_id,
    times,
  ]);
}

/** Deletes all but the newest `most` of a code in an environment. */
export async function deleteBeyond(tx: Tx, environmentId: number, code: string, most: number): Promise<void> {
  await tx.query(
    `delete from refused_requests where environment_id = $1 and code = $2 and at < (
       select at from refused_requests where environment_id = $1 and code = $2
       order by at desc, request_id desc limit 1 offset $3)`,
    [environmentId, code, most - 1],
  );
}

/** Deletes requests older than a time, at most `limit`; returns how many. */
export async function deleteRefusedBefore(tx: Tx, before: number, limit: number): Promise<number> {
  const rows = await tx.query(
    `delete from refused_requests where request_id in (
       select request_id from refused_requests where at < $1 order by at limit $2) and at < $1 returning request_id`,
    [before, limit],
  );
  return rows.length;
}

/** The environment that a refused request belongs to. `disabled_at`: when its payment service was disabled. */
export type RefusingEnvironment = {
  id: number;
  environment: string;
  payment_service_id: string;
  disabled_at: number | null;
};

const refusingEnvironment = `select e.id, e.environment, e.payment_service_id, e.service_token, p.disabled_at
  from environments e join payment_services p on p.id = e.payment_service_id`;

/** Lists the environments of these Service Tokens; unknown tokens are left out. */
export function selectTokensAmong(
  db: Reader,
  tokens: readonly string[],
): Promise<(RefusingEnvironment & { service_token: string })[]> {
  return db.query(`${refusingEnvironment} where e.service_token {named $1}`, [tokens]);
}

export function selectEnvironmentsAmong(db: Reader, ids: readonly number[]): Promise<RefusingEnvironment[]> {
  return db.query(`${refusingEnvironment} where e.id {among $1}`, [ids]);
}

/**
 * Lists the environments of these transactions. Reads all environments, because a URL names a transaction by its id
 * alone.
 */
export function selectEnvironmentsOfTransactionsAnywhere(
  db: Reader,
  ids: readonly number[],
): Promise<{ id: number; environment_id: number }[]> {
  return db.query('select id, environment_id from transactions where id {among $1}', [ids]);
}

/** The filter of requests: all members must match. */
export type RefusedFilter = {
  /** Null: all payment services, and requests without one. */
  environmentIds: readonly number[] | null;
  requestId: string | null;
  code: string | null;
  paymentServiceId: string | null;
  environment: string | null;
  since: number | null;
  /** Only requests older than this one. */
  after: Pick<RefusedRequest, 'at' | 'request_id'> | null;
};

export type ListedRefused = KeptRefusal & {
  payment_service_id: string | null;
  name: string | null;
  environment: string | null;
};

export function selectRefused(db: Reader, filter: RefusedFilter, limit: number): Promise<ListedRefused[]> {
  const { where, parameters } = conditionsOf(filter);
  return db.query<SqlRow & ListedRefused>(
    `select r.*, e.payment_service_id, e.environment, p.name from refused_requests r
     left join environments e on e.id = r.environment_id
     left join payment_services p on p.id = e.payment_service_id
     where ${where} order by r.at desc, r.request_id desc limit $1`,
    [limit, ...parameters],
  );
}

function conditionsOf(filter: RefusedFilter): { where: string; parameters: SqlParameter[] } {
  const parameters: SqlParameter[] = [];
  const conditions = ['1 = 1'];
  const add = (value: SqlParameter, condition: (place: string) => string) => {
    if (value === null) return;
    parameters.push(value);
    conditions.push(condition(`$${parameters.length + 1}`));
  };
  add(filter.environmentIds, (place) => `r.environment_id {among ${place}}`);
  add(filter.requestId, (place) => `r.request_id = ${place}`);
  add(filter.code, (place) => `r.code = ${place}`);
  add(filter.paymentServiceId, (place) => `e.payment_service_id = ${place}`);
  add(filter.environment, (place) => `e.environment = ${place}`);
  add(filter.since, (place) => `r.at >= ${place}`);
  if (filter.after !== null) {
    parameters.push(filter.after.at, filter.after.request_id);
    conditions.push(`(r.at, r.request_id) < ($${parameters.length}, $${parameters.length + 1})`);
  }
  return { where: conditions.join(' and '), parameters };
}

const KEPT: TableWalk = {
  table: 'refused_requests',
  key: ['request_id', 'environment_id'],
  columns: '*',
  text: "detail || ' ' || coalesce(detail_es, '') || ' ' || errors || ' ' || fields",
};

/** Lists the requests whose texts match `like`, in lower case. Scans the whole table. */
export function selectRefusedLike(
  db: WalkedStore,
  like: string,
  options: LikeOptions<RefusedRequest>,
): Promise<RefusedRequest[]> {
  return selectLike<RefusedRequest>(db, KEPT, like, options);
}

export async function deleteRefused(
  tx: Tx,
  { request_id, environment_id }: Pick<RefusedRequest, 'request_id' | 'environment_id'>,
): Promise<void> {
  await tx.query('delete from refused_requests where request_id = $1 and environment_id = $2', [
    request_id,
    environment_id,
  ]);
}
