import { type Database, type SqlRow, StorageError } from './database.ts';

/** `rows`: those of the tables that were checked so far; `part` of all, from 0 to 1. */
type OnChecked = (rows: number, part: number) => void;

/**
 * Says what is wrong with an embedded store, in a sentence; null: nothing is. It reads all of it: a damaged page that nobody
 * asks for is damaged all the same.
 */
export async function whyStoreIsUnusable(db: Database, onChecked: OnChecked): Promise<string | null> {
  try {
    const damage = (await firstDamage(db, 'quick_check')) ?? (await firstDamagedTable(db, onChecked));
    if (damage !== null) return `it is damaged (${damage})`;
    const [broken] = await db.query<{ table: string; parent: string }>('pragma foreign_key_check');
    if (broken !== undefined) return `a row of ${broken.table} belongs to none of ${broken.parent}`;
    const tables = await db.query(`select 1 as found from sqlite_schema where name = 'schema_migrations'`);
    return tables.length === 0 ? 'it is no store of Rúbrica' : null;
  } catch (error) {
    const { cause } = error as Error;
    const reason = error instanceof StorageError && cause instanceof Error ? cause : (error as Error);
    return `it cannot be read (${reason.message})`;
  }
}

/** Holds the entries of each table's indexes against its rows; `quick_check` looks at the pages, and counts the entries. */
async function firstDamagedTable(db: Database, onChecked: OnChecked): Promise<string | null> {
  const names = await db.query<{ name: string }>(`select name from sqlite_schema where type = 'table'`);
  const tables: { name: string; rows: number }[] = [];
  for (const { name } of names) {
    const [count] = await db.query<{ rows: number }>(`select count(*) as rows from "${name}"`);
    tables.push({ name, rows: count?.rows ?? 0 });
  }
  const all = tables.reduce((sum, { rows }) => sum + rows, 0);
  let checked = 0;
  for (const { name, rows } of tables) {
    const damage = await firstDamage(db, `integrity_check("${name}")`);
    if (damage !== null) return damage;
    checked += rows;
    onChecked(checked, checked / all);
  }
  return null;
}

async function firstDamage(db: Database, check: string): Promise<string | null> {
  const findings = await db.query<SqlRow>(`pragma ${check}`);
  const [said = 'ok'] = findings.flatMap((row) => Object.values(row));
  return said === 'ok' ? null : String(said);
}
