import type { Reader, SqlRow, Tx } from '../db/database.ts';
import { carryRow } from './carry-row.ts';
import {
  type AttemptRow,
  type CallbackRow,
  deleteCallbacks,
  type EndpointRow,
  insertCallbackRows,
  insertDeliveries,
  selectDeliveries,
  selectEndpoints,
  selectEndpointsAt,
  selectEndpointsByIds,
  selectSameCallbacks,
  upsertEndpoints,
} from './delivery-queries.ts';
import type { Move } from './move.ts';

/** Callbacks with the rows that they refer to and their delivery attempts, from the source. */
export type Deliveries = { callbacks: CallbackRow[]; attempts: AttemptRow[]; endpoints: Map<number, EndpointRow> };

/** Returns the name of an endpoint that is valid in both databases. */
export const endpointName = ({ environment_id, address }: EndpointRow) => `${environment_id} ${address}`;

/** Reads the rows that belong to these callbacks. */
export async function readDeliveries(move: Move, db: Reader, callbacks: CallbackRow[]): Promise<Deliveries> {
  const { environmentIds } = move.scope;
  if (callbacks.length === 0) return { callbacks, attempts: [], endpoints: new Map() };
  const ids = callbacks.map(({ id }) => id);
  const attempts = await selectDeliveries(db, environmentIds, ids);
  // A shop with the order in the path of its URL has as many endpoints as callbacks.
  const named = [...new Set(callbacks.map(({ endpoint_id }) => endpoint_id))];
  const endpoints = await selectEndpointsByIds(db, environmentIds, named);
  return { callbacks, attempts, endpoints: new Map(endpoints.map((row) => [row.id, row])) };
}

/** Copies all endpoints from the source; most are already the same. */
export async function copyEndpoints(move: Move, db: Reader, tx: Tx): Promise<void> {
  const { environmentIds } = move.scope;
  const textOf = (row: SqlRow) => JSON.stringify(withoutId(row), Object.keys(row).sort());
  const there = new Set((await selectEndpoints(tx, environmentIds)).map(textOf));
  const rows = await selectEndpoints(db, environmentIds);
  await upsertEndpoints(tx, rows.filter((row) => !there.has(textOf(row))).map(withoutId));
}

/** Writes callbacks with ids of the other database, with their endpoints and all their attempts. */
export async function writeDeliveries(
  move: Move,
  tx: Tx,
  { callbacks, attempts, endpoints }: Deliveries,
): Promise<void> {
  if (callbacks.length === 0) return;
  const { environmentIds } = move.scope;
  const named = [...endpoints.values()];
  await upsertEndpoints(tx, named.map(withoutId));
  const addresses = named.map(({ address }) => address);
  const there = new Map(
    (await selectEndpointsAt(tx, environmentIds, addresses)).map((row) => [endpointName(row), row.id]),
  );
  const rows = callbacks.map((row) => {
    const endpoint_id = there.get(endpointName(endpoints.get(row.endpoint_id) as EndpointRow)) ?? 0;
    return { ...withoutId(carryRow(move, 'callbacks', row)), endpoint_id };
  });
  const known = await selectSameCallbacks(tx, callbacks);
  await deleteCallbacks(
    tx,
    environmentIds,
    known.map(({ id }) => id),
  );
  const written = await insertCallbackRows(tx, rows);
  const ids = new Map(written.map((row) => [callbackName(row), row.id]));
  const idThere = new Map(callbacks.map((row) => [row.id, ids.get(callbackName(row)) as number]));
  const carried = attempts.map((row) => ({ ...withoutId(row), callback_id: idThere.get(row.callback_id) as number }));
  await insertDeliveries(tx, carried);
}

/** Returns a name of a callback that is valid in both databases. */
export function callbackName({ webhook_id, environment_id }: CallbackRow): string {
  return `${webhook_id} ${environment_id}`;
}

function withoutId(row: SqlRow): SqlRow {
  return without(row, ['id']);
}

/** Returns a row without these columns. */
export function without(row: SqlRow, columns: readonly string[]): SqlRow {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !columns.includes(name)));
}
