import type { Database, SqlRow } from '../../../src/db/database.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { openDatabase } from '../../../src/db/open-database.ts';

type Schema = { tables: string[]; others: string[]; rows: [table: string, all: SqlRow[]][] };

let schema: Promise<Schema> | undefined;

/**
 * Creates the schema of the migrations in an empty in-memory store. The migrations run once per process; running them
 * in each world would take a third of its time.
 */
export async function makeSchema(store: Database): Promise<void> {
  schema ??= readSchema();
  const { tables, others, rows } = await schema;
  await store.transaction(async (tx) => {
    await tx.query('pragma defer_foreign_keys = on');
    for (const sql of tables) await tx.query(sql);
    for (const [name, all] of rows) await tx.insertRows({ name, columns: Object.keys(all[0] as SqlRow) }, all);
    for (const sql of others) await tx.query(sql);
  });
}

async function readSchema(): Promise<Schema> {
  const store = openDatabase('sqlite::memory:', { connections: 1, pooler: false, onFatal: () => {} });
  await migrate(store);
  // SQLite creates objects without a text by itself.
  const made = await store.query<{ type: string; name: string; sql: string }>(
    "select type, name, sql from sqlite_schema where sql is not null and name not like 'sqlite_%' order by rowid",
  );
  const tables = made.filter(({ type }) => type === 'table');
  const rows: Schema['rows'] = [];
  for (const { name } of tables) {
    const all = await store.query(`select * from ${name}`);
    if (all.length > 0) rows.push([name, all]);
  }
  await store.close();
  return {
    tables: tables.map(({ sql }) => sql),
    others: made.filter(({ type }) => type !== 'table').map(({ sql }) => sql),
    rows,
  };
}
