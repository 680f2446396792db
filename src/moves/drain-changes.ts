import type { Database, SqlRow, Tx } from '../db/database.ts';
import { carryRow } from './carry-row.ts';
import { deleteCopied, type NamedTable, selectOwnedNamed, upsertRows } from './copied-row-queries.ts';
import { readDeliveries, writeDeliveries } from './copy-delivery.ts';
import { type CallbackRow, selectCallbacksByIds } from './delivery-queries.ts';
import { forgetErased } from './forget-erased.ts';
import type { Move } from './move.ts';
import { type Change, deleteChanges, selectChanges } from './move-queries.ts';
import { tablesThat } from './moved-tables.ts';
import { writeCopy } from './write-copy.ts';

const AT_ONCE = 500;

/** The names of rows that were copied again, by table. */
export type Touched = Map<string, Set<string>>;

/** Changes of callbacks and of their attempts are recorded under the callback's id. */
const CALLBACKS = 'callbacks';

/**
 * Copies the recorded changes until nothing is left, and adds them to `touched`. `tx`: reads and deletes within this
 * commit of the source.
 */
export async function drainChanges(move: Move, touched: Touched, tx: Tx | null = null): Promise<void> {
  const db = tx ?? move.from.db;
  for (let found = AT_ONCE; found === AT_ONCE; ) {
    const changes = await selectChanges(db, AT_ONCE);
    found = changes.length;
    if (found === 0) break;
    await copyChanged(move, db, changes, touched);
    const numbers = changes.map(({ number }) => number);
    // Deleted only after the copy: an interruption before it only repeats the copy.
    if (tx === null) await move.from.db.transaction((own) => deleteChanges(own, numbers));
    else await deleteChanges(tx, numbers);
  }
}

type Changed = { copied: NamedTable; names: string[]; rows: SqlRow[] };

async function copyChanged(move: Move, db: Database | Tx, changes: readonly Change[], touched: Touched): Promise<void> {
  const names = namesByTable(changes);
  const changed: Changed[] = [];
  for (const [table, rule] of tablesThat('rows')) {
    const named = [...(names.get(table) ?? [])];
    if (named.length === 0) continue;
    const copied = { table, rule };
    changed.push({ copied, names: named, rows: await selectOwnedNamed(db, copied, move.scope, named) });
  }
  const ids = [...(names.get(CALLBACKS) ?? [])].map(Number);
  const callbacks: CallbackRow[] =
    ids.length === 0 ? [] : await selectCallbacksByIds(db, move.scope.environmentIds, ids);
  const deliveries = await readDeliveries(move, db, callbacks);
  await writeCopy(move, async (there) => {
    for (const each of changed) await writeChanged(move, there, each);
    await writeDeliveries(move, there, deliveries);
  });
  for (const [table, named] of names) {
    const seen = touched.getOrInsert(table, new Set());
    for (const name of named) seen.add(name);
  }
}

/** Rows that no longer exist in the source are deleted, as far as the store permits. */
async function writeChanged(move: Move, tx: Tx, { copied, names, rows }: Changed): Promise<void> {
  const { table, rule } = copied;
  const carried = rows.map((row) => carryRow(move, table, row));
  if (table === 'transactions') await forgetErased(move, tx, rows);
  await upsertRows(tx, move.to.db.engine, copied, carried);
  if (rule.fixed !== undefined) return;
  const keyOf = (row: SqlRow) => JSON.stringify(rule.key.map((name) => row[name]));
  const kept = new Set(rows.map(keyOf));
  for (const row of await selectOwnedNamed(tx, copied, move.scope, names)) {
    if (!kept.has(keyOf(row))) await deleteCopied(tx, copied, row);
  }
}

function namesByTable(changes: readonly Change[]): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>();
  for (const { table_name, row_key } of changes) names.getOrInsert(table_name, new Set()).add(row_key);
  return names;
}
