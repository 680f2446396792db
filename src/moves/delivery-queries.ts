import type { Database, InsertTarget, SqlRow, Tx } from '../db/database.ts';

type Reader = Pick<Tx, 'query'> | Database;

export type EndpointRow = SqlRow & { id: number; environment_id: number; address: string };
export type CallbackRow = SqlRow & { id: number; environment_id: number; endpoint_id: number; webhook_id: string };
export type AttemptRow = SqlRow & { id: number; environment_id: number; callback_id: number };

export function selectEndpoints(db: Reader, environmentIds: readonly number[]): Promise<EndpointRow[]> {
  return db.query('select * from endpoints where environment_id {among $1} order by id', [environmentIds]);
}

export function selectEndpointsByIds(
  db: Reader,
  environmentIds: readonly number[],
  ids: readonly number[],
): Promise<EndpointRow[]> {
  return db.query('select * from endpoints where id {among $1} and environment_id {among $2} order by id', [
    ids,
    environmentIds,
  ]);
}

export function selectEndpointsAt(
  db: Reader,
  environmentIds: readonly number[],
  addresses: readonly string[],
): Promise<EndpointRow[]> {
  return db.query('select * from endpoints where address {named $1} and environment_id {among $2}', [
    addresses,
    environmentIds,
  ]);
}

/** Lists the next callbacks after an id. */
export function selectCallbackPage(
  db: Reader,
  environmentIds: readonly number[],
  after: number,
  limit: number,
): Promise<CallbackRow[]> {
  return db.query('select * from callbacks where environment_id {among $1} and id > $2 order by id limit $3', [
    environmentIds,
    after,
    limit,
  ]);
}

export function selectCallbacksByIds(
  db: Reader,
  environmentIds: readonly number[],
  ids: readonly number[],
): Promise<CallbackRow[]> {
  return db.query('select * from callbacks where id {among $1} and environment_id {among $2}', [ids, environmentIds]);
}

/** Finds callbacks in the other database by `webhook_id`, the id that their shop knows. */
export function selectCallbacksByWebhook(
  db: Reader,
  environmentIds: readonly number[],
  webhookIds: readonly string[],
): Promise<CallbackRow[]> {
  return db.query('select * from callbacks where webhook_id {named $1} and environment_id {among $2}', [
    webhookIds,
    environmentIds,
  ]);
}

export function selectDeliveries(
  db: Reader,
  environmentIds: readonly number[],
  callbackIds: readonly number[],
): Promise<AttemptRow[]> {
  return db.query(
    `select * from delivery_attempts where callback_id {among $1} and environment_id {among $2} order by callback_id, id`,
    [callbackIds, environmentIds],
  );
}

/** Inserts or updates endpoints. A new one gets an id of this database. */
export async function upsertEndpoints(tx: Tx, rows: readonly SqlRow[]): Promise<void> {
  await upsertNumbered(tx, 'endpoints', ['environment_id', 'address'], rows);
}

export async function upsertCallbacks(tx: Tx, rows: readonly SqlRow[]): Promise<void> {
  await upsertNumbered(tx, 'callbacks', ['webhook_id', 'environment_id'], rows);
}

/** Replaces all delivery attempts of these callbacks. */
export async function replaceDeliveries(
  tx: Tx,
  environmentIds: readonly number[],
  callbackIds: readonly number[],
  rows: readonly SqlRow[],
): Promise<void> {
  const attempts = 'delivery_attempts';
  await tx.query(`delete from ${attempts} where callback_id {among $1} and environment_id {among $2}`, [
    callbackIds,
    environmentIds,
  ]);
  const [first] = rows;
  if (first !== undefined) await tx.insertRows(into(attempts, Object.keys(first)), rows);
}

async function upsertNumbered(tx: Tx, table: string, key: readonly string[], rows: readonly SqlRow[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const columns = Object.keys(first);
  const set = columns.filter((column) => !key.includes(column)).map((column) => `${column} = excluded.${column}`);
  await tx.insertRows(into(table, columns), rows, `on conflict (${key.join(', ')}) do update set ${set.join(', ')}`);
}

const into = (name: string, columns: readonly string[]): InsertTarget => ({ name, columns });
