import { existsSync, statSync } from 'node:fs';
import { type Database, type SqlRow, StorageError } from './database.ts';

/** `rows`: the rows of the tables checked so far; `part`: their share of all rows, 0 to 1. */
type OnChecked = (rows: number, part: number) => void;

/**
 * Returns what is wrong with an embedded store, in a sentence; null if nothing is. It reads the whole store, because a
 * damaged page may be one that no request reads.
 */
export async function whyStoreIsUnusable(db: Database, onChecked: OnChecked): Promise<string | null> {
  try {
    const damage = (await firstDamage(db, 'quick_check')) ?? (await firstDamagedTable(db, onChecked));
    if (damage !== null) return `it is damaged (${damage})`;
    const tables = await db.query(`select 1 as found from sqlite_schema where name = 'schema_migrations'`);
    return tables.length === 0 ? 'it is not a store of Rúbrica' : null;
  } catch (error) {
    const { cause } = error as Error;
    const reason = error instanceof StorageError && cause instanceof Error ? cause : (error as Error);
    return `it cannot be read (${reason.message})`;
  }
}

/**
 * Returns that the file of this store ends within a page, in a sentence: its copying was interrupted. SQLite reads the
 * missing bytes as zeros, and its checks do not see that in a text. Null also beside a write-ahead log, which has what
 * a killed process had not finished writing.
 */
export async function whyCutOff(db: Database, file: string): Promise<string | null> {
  if (existsSync(`${file}-wal`)) return null;
  const [page] = await db.query<{ page_size: number }>('select page_size from pragma_page_size');
  return statSync(file).size % (page?.page_size ?? 1) === 0 ? null : 'it is cut off within a page';
}

/**
 * Checks each table's indexes and foreign keys against its rows. `quick_check` has already checked the pages and the
 * number of entries.
 */
async function firstDamagedTable(db: Database, onChecked: OnChecked): Promise<string | null> {
  const names = await db.query<{ name: string }>(`select name from sqlite_schema where type = 'table'`);
  const tables: { name: string; rows: number }[] = [];
  for (const { name } of names) tables.push({ name, rows: await countRows(db, name) });
  const all = tables.reduce((sum, { rows }) => sum + rows, 0);
  let checked = 0;
  for (const { name, rows } of tables) {
    const damage = (await firstDamage(db, 'integrity_check($1)', name)) ?? (await firstOrphan(db, name));
    if (damage !== null) return damage;
    checked += rows;
    onChecked(checked, all === 0 ? 1 : checked / all);
  }
  return null;
}

async function countRows(db: Database, table: string): Promise<number> {
  // A table with such a name was made by another program.
  if (!/^\w+$/.test(table)) return 0;
  const [count] = await db.query<{ rows: number }>(`select count(*) as rows from ${table}`);
  return count?.rows ?? 0;
}

async function firstOrphan(db: Database, table: string): Promise<string | null> {
  const [broken] = await db.query<{ parent: string }>('select parent from pragma_foreign_key_check($1)', [table]);
  return broken === undefined ? null : `a row of ${table} belongs to none of ${broken.parent}`;
}

async function firstDamage(db: Database, check: string, ...parameters: string[]): Promise<string | null> {
  const findings = await db.query<SqlRow>(`select * from pragma_${check}`, parameters);
  const [said = 'ok'] = findings.flatMap((row) => Object.values(row));
  return said === 'ok' ? null : String(said);
}
