import { join } from 'node:path';
import type { Database } from '../../src/db/database.ts';
import { migrate, splitStatements } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { readMigrations } from '../../src/db/schema.ts';
import type { PlantName } from './plants.ts';
import { ServeEnded, startServe } from './support/serve-process.ts';

const [first, ...later] = readMigrations(join(import.meta.dirname, '../../migrations'));

/**
 * Makes an empty database a store of the first migration: the next start migrates it, one commit for each migration.
 */
export async function makeOldStore(db: Database): Promise<void> {
  await migrate(db, first === undefined ? [] : [first]);
  await db.close();
}

/** Counts the statements of the migrations that an old store lacks on an engine. */
export function countStatements(engine: Database['engine']): number {
  return later.reduce((sum, { text }) => sum + splitStatements(text, engine).length, 0);
}

/**
 * Kills the start of a service on an old store before one statement of its migrations. Returns what is wrong
 * afterwards.
 */
export async function killMigration(
  databaseUrl: string,
  statement: number,
  plant: PlantName = 'killed in a migration',
): Promise<string[]> {
  const settings = { KILL_AT: String(statement) };
  const end = await startServe({ databaseUrl, plant, settings }).catch((error: unknown) => error);
  if (!(end instanceof ServeEnded) || end.exit.signal !== 'SIGKILL') {
    return [`statement ${statement}: the kill did not happen`];
  }
  try {
    await (await startServe({ databaseUrl })).kill();
    return [];
  } catch (error) {
    return [`statement ${statement}: ${(error as Error).message.split('\n')[1]}`];
  }
}

/** Lists every table, column and index; equal schemas give equal lists. */
export async function describeSchema(databaseUrl: string): Promise<string[]> {
  const db = openDatabase(databaseUrl, { connections: 1, pooler: false, onFatal: () => {} });
  try {
    const rows = await db.query<{ line: string }>(db.engine === 'sqlite' ? SQLITE_SCHEMA : POSTGRES_SCHEMA);
    return rows.map((row) => row.line);
  } finally {
    await db.close();
  }
}

const SQLITE_SCHEMA = `select type || ' ' || name || ' ' || coalesce(sql, '') as line from sqlite_master order by 1`;

const POSTGRES_SCHEMA = `
  select 'column ' || table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable as line
  from information_schema.columns where table_schema = 'public'
  union all select 'index ' || indexdef from pg_indexes where schemaname = 'public'
  union all select 'constraint ' || conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint
  where connamespace = 'public'::regnamespace
  order by 1`;
