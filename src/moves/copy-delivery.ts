import type { Database, SqlRow, Tx } from '../db/database.ts';
import { carryRow } from './carry-row.ts';
import {
  type AttemptRow,
  type CallbackRow,
  replaceDeliveries,
  selectCallbacksByWebhook,
  selectDeliveries,
  selectEndpoints,
  upsertCallbacks,
  upsertEndpoints,
} from './delivery-queries.ts';
import type { Move } from './move.ts';

type Reader = Pick<Tx, 'query'> | Database;

/** Callbacks with what they refer to and what became of them, as they are where the payment service was. */
export type Deliveries = { callbacks: CallbackRow[]; attempts: AttemptRow[]; endpoints: Map<number, string> };

/** The name of an endpoint that holds in both databases. */
const nameOf = ({ environment_id, address }: SqlRow) => `${environment_id} ${address}`;

/** Reads what belongs to these callbacks. */
export async function readDeliveries(move: Move, db: Reader, callbacks: CallbackRow[]): Promise<Deliveries> {
  const { environmentIds } = move.scope;
  if (callbacks.length === 0) return { callbacks, attempts: [], endpoints: new Map() };
  const ids = callbacks.map(({ id }) => id);
  const attempts = await selectDeliveries(db, environmentIds, ids);
  const endpoints = new Map((await selectEndpoints(db, environmentIds)).map((row) => [row.id, nameOf(row)]));
  return { callbacks, attempts, endpoints };
}

/** Endpoints, all of them: they are few beside their callbacks. */
export async function copyEndpoints(move: Move, db: Reader, tx: Tx): Promise<void> {
  const rows = await selectEndpoints(db, move.scope.environmentIds);
  await upsertEndpoints(tx, rows.map(withoutId));
}

/** Writes callbacks under ids of the other database, with all their attempts. Their endpoints are there. */
export async function writeDeliveries(
  move: Move,
  tx: Tx,
  { callbacks, attempts, endpoints }: Deliveries,
): Promise<void> {
  if (callbacks.length === 0) return;
  const { environmentIds } = move.scope;
  const there = new Map((await selectEndpoints(tx, environmentIds)).map((row) => [nameOf(row), row.id]));
  const rows = callbacks.map((row) => {
    const endpoint_id = there.get(endpoints.get(row.endpoint_id) ?? '') ?? 0;
    return { ...withoutId(carryRow(move, 'callbacks', row)), endpoint_id };
  });
  await upsertCallbacks(tx, rows);
  const webhookIds = callbacks.map(({ webhook_id }) => webhook_id);
  const ids = new Map(
    (await selectCallbacksByWebhook(tx, environmentIds, webhookIds)).map((row) => [keyOf(row), row.id]),
  );
  const idThere = new Map(callbacks.map((row) => [row.id, ids.get(keyOf(row)) as number]));
  const carried = attempts.map((row) => ({ ...withoutId(row), callback_id: idThere.get(row.callback_id) as number }));
  await replaceDeliveries(tx, environmentIds, [...ids.values()], carried);
}

/** A name of a callback that holds in both databases. */
export function keyOf({ webhook_id, environment_id }: CallbackRow): string {
  return `${webhook_id} ${environment_id}`;
}

function withoutId(row: SqlRow): SqlRow {
  return without(row, ['id']);
}

/** The other columns of a row. */
export function without(row: SqlRow, columns: readonly string[]): SqlRow {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !columns.includes(name)));
}
