import type { Database, Reader, SqlParameter, SqlRow, SqlValue, Tx } from '../db/database.ts';
import type { Due, MoveRule, Rows } from './moved-tables.ts';
import { ownedBy, type Scope } from './owner.ts';

type Engine = Database['engine'];

/** A table whose rows are copied unchanged. */
export type CopiedTable = { readonly table: string; readonly rule: Extract<MoveRule, { key: readonly string[] }> };

/** Such a table with many rows, whose changes are recorded by their names. */
export type NamedTable = { readonly table: string; readonly rule: Rows };

/** Returns the columns that are unique in a table: for transactions on SQLite, the id alone. */
const keyIn = (engine: Engine, { table, rule }: CopiedTable) =>
  engine === 'sqlite' && table === 'transactions' ? ['id'] : rule.key;

export function selectAllOwned(db: Reader, { table, rule }: CopiedTable, scope: Scope): Promise<SqlRow[]> {
  const owned = ownedBy(scope, rule.owner);
  return db.query(`select * from ${table} where ${owned.sql} order by ${rule.key.join(', ')}`, [owned.parameter]);
}

/** Lists the next rows of a scope after a key, by key. */
export function selectOwnedPage(
  db: Reader,
  { table, rule }: CopiedTable,
  scope: Scope,
  after: readonly SqlValue[] | null,
  limit: number,
): Promise<SqlRow[]> {
  const owned = ownedBy(scope, rule.owner);
  // The id alone identifies a row on both engines; a table without an id is read by its whole key.
  const by = rule.key.includes('id') && rule.key.includes('environment_id') ? ['id'] : rule.key;
  const key = by.length === 1 ? by.join() : `(${by.join(', ')})`;
  const places = by.map((_, at) => `$${at + 2}`).join(', ');
  const beyond = after === null ? '' : `and ${key} > ${by.length === 1 ? places : `(${places})`}`;
  return db.query(
    `select * from ${table} where {filter_by}${owned.sql} ${beyond} order by ${by.join(', ')} limit ${limit}`,
    after === null ? [owned.parameter] : [owned.parameter, ...after.slice(0, by.length)],
  );
}

/** Lists the next rows of one environment's chain after a place. */
export function selectChainPage(
  db: Reader,
  { table, rule }: CopiedTable,
  environmentId: number,
  after: readonly SqlValue[] | null,
  limit: number,
): Promise<SqlRow[]> {
  const places = rule.key.filter((column) => column !== 'environment_id');
  const beyond = `(${places.join(', ')}) > (${places.map((_, at) => `$${at + 2}`).join(', ')})`;
  return db.query(
    `select * from ${table} where environment_id = $1 and ${beyond} order by ${rule.key.join(', ')} limit ${limit}`,
    [environmentId, ...(after ?? places.map(() => -1))],
  );
}

/** Lists the rows of a scope with these names. */
export function selectOwnedNamed(
  db: Reader,
  { table, rule }: NamedTable,
  scope: Scope,
  names: readonly string[],
): Promise<SqlRow[]> {
  const owned = ownedBy(scope, rule.owner);
  const list: SqlParameter = rule.numeric === true ? names.map(Number) : names;
  const named = `${rule.name} ${rule.numeric === true ? '{among $2}' : '{named $2}'}`;
  return db.query(`select * from ${table} where {filter_by}${owned.sql} and ${named}`, [owned.parameter, list]);
}

/**
 * Inserts rows, or updates existing rows to the same values. A row of another payment service under the same key stays
 * as it is.
 */
export async function upsertRows(tx: Tx, engine: Engine, copied: CopiedTable, rows: readonly SqlRow[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const { table, rule } = copied;
  const columns = Object.keys(first);
  const key = keyIn(engine, copied);
  const { fixed = [] } = rule;
  const changing = fixed === 'all' ? [] : columns.filter((name) => !key.includes(name) && !fixed.includes(name));
  const same = columns.includes('environment_id') ? ` where ${table}.environment_id = excluded.environment_id` : '';
  const set = changing.filter((name) => name !== 'environment_id').map((name) => `${name} = excluded.${name}`);
  const change = set.length === 0 ? 'do nothing' : `do update set ${set.join(', ')}${same}`;
  await tx.insertRows(
    { name: table, columns },
    rows.toSorted((one, other) => madeAt(one) - madeAt(other)),
    `on conflict (${key.join(', ')}) ${change}`,
  );
}

/** Sorts the older first: an ended row makes room for its successor, such as the next attempt of a payment. */
function madeAt({ created_at, requested_at, set_at }: SqlRow): number {
  return Number(created_at ?? requested_at ?? set_at ?? 0);
}

/**
 * Closes copied payment attempts and refund requests that were open. They may have ended since in the source, and would
 * block later ones. The next copy sets each to its present state.
 */
export async function closeCopied(tx: Tx, environmentIds: readonly number[]): Promise<void> {
  const decided = "decided_by = '', decided_by_id = '', decided_at = 0, decision_reason = ''";
  for (const [table, closed, open] of [
    ['payment_attempts', "state = 'aborted'", "state in ('started', 'pending', 'unknown', 'approved')"],
    ['refund_requests', `state = 'rejected', ${decided}`, "state = 'waiting'"],
  ])
    await tx.query(`update ${table} set ${closed} where environment_id {among $1} and ${open}`, [environmentIds]);
}

/**
 * Deletes copied mails and callbacks that were open. They may have ended since and been deleted for their age in the
 * source, and would be sent again. The next copy restores the rest.
 */
export async function deleteCopiedOpen(tx: Tx, environmentIds: readonly number[]): Promise<void> {
  const open = `environment_id {among $1} and state in ('queued', 'dead', 'disabled')`;
  const ofOpen = `environment_id {among $1} and callback_id in (select id from callbacks where ${open})`;
  for (const [table, which] of [
    ['delivery_attempts', ofOpen],
    ['callbacks', open],
    ['mails', open],
  ])
    await tx.query(`delete from ${table} where ${which}`, [environmentIds]);
}

/** Deletes a row by its key. */
export async function deleteCopied(tx: Tx, { table, rule }: CopiedTable, row: SqlRow): Promise<void> {
  const key = rule.key.map((name, at) => `${name} = $${at + 1}`).join(' and ');
  await tx.query(
    `delete from ${table} where ${key}`,
    rule.key.map((name) => row[name] as SqlValue),
  );
}

/** Added to due times, and subtracted later. It is so large that no row becomes due. */
export const AHEAD_MS = 1_000_000_000_000_000;

/** Moves the open rows of a scope out of the worker's reach, or back. */
export async function shiftDue(
  tx: Tx,
  table: string,
  environmentIds: readonly number[],
  { column, state, lease }: Due,
  direction: 'away' | 'back',
): Promise<void> {
  const open = state === undefined ? '' : `and state = '${state}'`;
  const [sign, compared] = direction === 'away' ? ['+', '<'] : ['-', '>='];
  await tx.query(
    `update ${table} set ${column} = ${column} ${sign} $2${lease === true ? ', lease = null' : ''}
     where {filter_by}environment_id {among $1} ${open} and ${column} ${compared} $2`,
    [environmentIds, AHEAD_MS],
  );
}

/** Lists the ids by which rows of another table belong to payment services. */
export async function selectOwnerIds(
  db: Reader,
  table: string,
  paymentServiceIds: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(`select id from ${table} where payment_service_id {named $1}`, [
    paymentServiceIds,
  ]);
  return rows.map(({ id }) => id);
}
