import type { Database, SqlRow, Tx } from '../db/database.ts';
import { carryRow, plainRow } from './carry-row.ts';
import { deleteCopied, selectAllOwned, upsertRows } from './copied-row-queries.ts';
import { copyEndpoints } from './copy-delivery.ts';
import type { Move } from './move.ts';
import { tablesThat } from './moved-tables.ts';
import { writeCopy } from './write-copy.ts';

/**
 * Copies the small tables from the source, in one commit, and returns the names of tables that differed. `tx`: reads
 * within this commit of the source.
 */
export async function copyWhole(move: Move, tx: Tx | null = null): Promise<string[]> {
  const from = tx ?? move.from.db;
  const tables = tablesThat('whole');
  const rows = new Map<string, SqlRow[]>();
  for (const [table, rule] of tables) rows.set(table, await selectAllOwned(from, { table, rule }, move.scope));
  const differing: string[] = [];
  await writeCopy(move, async (there) => {
    for (const [table, rule] of tables) {
      const change = await compareWhole(move, there, { table, rule }, rows.get(table) ?? []);
      if (rule.exchanged === true) for (const row of change.former) await deleteCopied(there, { table, rule }, row);
      await upsertRows(there, move.to.db.engine, { table, rule }, change.missing);
      for (const row of change.surplus) await deleteCopied(there, { table, rule }, row);
      if (change.missing.length + change.surplus.length > 0) differing.push(table);
    }
    await copyEndpoints(move, from, there);
  });
  return differing;
}

/** `missing`: new and changed rows, as the target gets them. `former`: the changed ones as they were in the target. */
type Difference = { missing: SqlRow[]; former: SqlRow[]; surplus: SqlRow[] };

async function compareWhole(
  move: Move,
  there: Tx | Database,
  copied: Parameters<typeof selectAllOwned>[1],
  rows: readonly SqlRow[],
): Promise<Difference> {
  const { table, rule } = copied;
  const nameOf = (row: SqlRow) => JSON.stringify(rule.key.map((name) => row[name]));
  const textOf = (side: 'from' | 'to', row: SqlRow) => rowText(plainRow(move, side, table, row));
  const present = new Map((await selectAllOwned(there, copied, move.scope)).map((row) => [nameOf(row), row]));
  const wanted = new Set(rows.map(nameOf));
  const missing = rows.filter((row) => {
    const other = present.get(nameOf(row));
    return other === undefined || textOf('to', other) !== textOf('from', row);
  });
  const surplus = [...present].filter(([name]) => !wanted.has(name)).map(([, row]) => row);
  const former = missing.map((row) => present.get(nameOf(row))).filter((row) => row !== undefined);
  return { missing: missing.map((row) => carryRow(move, table, row)), former, surplus };
}

/** Writes a row as a text, whatever the order of its columns. */
export function rowText(row: SqlRow): string {
  return JSON.stringify(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1)));
}
