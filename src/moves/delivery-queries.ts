import type { Reader, SqlRow, Tx } from '../db/database.ts';

export type EndpointRow = SqlRow & { id: number; environment_id: number; address: string };
export type CallbackRow = SqlRow & {
  id: number;
  environment_id: number;
  transaction_id: number;
  endpoint_id: number;
  webhook_id: string;
};
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

/** Finds callbacks of the other database here, by their transaction and `webhook_id`, the id that their shop knows. */
export function selectSameCallbacks(db: Reader, callbacks: readonly CallbackRow[]): Promise<CallbackRow[]> {
  const keys = callbacks.map(({ transaction_id, environment_id, webhook_id }) => ({
    transaction_id,
    environment_id,
    webhook_id,
  }));
  // Posts about payouts have no transaction: there SQLite finds the event by its own index.
  return db.query(
    `select callbacks.* from {rows $1}
     join callbacks on {filter_by}transaction_id = cast(value ->> 'transaction_id' as bigint)
       and environment_id = cast(value ->> 'environment_id' as bigint) and webhook_id = value ->> 'webhook_id'`,
    [JSON.stringify(keys)],
  );
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
  const columns = Object.keys(rows[0] ?? {});
  const set = columns.map((column) => `${column} = excluded.${column}`).join(', ');
  await insertAll(tx, 'endpoints', rows, `on conflict (environment_id, address) do update set ${set}`);
}

/** Inserts callbacks and returns them. Each gets an id of this database. */
export function insertCallbackRows(tx: Tx, rows: readonly SqlRow[]): Promise<CallbackRow[]> {
  return insertAll(tx, 'callbacks', rows, 'returning id, environment_id, transaction_id, endpoint_id, webhook_id');
}

export async function insertDeliveries(tx: Tx, rows: readonly SqlRow[]): Promise<void> {
  await insertAll(tx, 'delivery_attempts', rows);
}

/** Deletes callbacks with their delivery attempts. */
export async function deleteCallbacks(
  tx: Tx,
  environmentIds: readonly number[],
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  for (const [table, key] of Object.entries({ delivery_attempts: 'callback_id', callbacks: 'id' })) {
    const chosen = `${key} {among $1} and environment_id {among $2}`;
    await tx.query(`delete from ${table} where ${chosen}`, [ids, environmentIds]);
  }
}

async function insertAll<Row extends SqlRow>(
  tx: Tx,
  name: string,
  rows: readonly SqlRow[],
  suffix?: string,
): Promise<Row[]> {
  const [first] = rows;
  return first === undefined ? [] : tx.insertRows<Row>({ name, columns: Object.keys(first) }, rows, suffix);
}
