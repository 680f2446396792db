import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from './database.ts';

const folder = join(import.meta.dirname, '../../migrations');

/**
 * Brings the schema up to date and answers the names of the migrations it ran.
 *
 * One migration is one commit together with its line in `schema_migrations`, so a process that dies in the middle of one
 * leaves nothing of it behind. Several processes may start at once: the second finds the line of the first.
 */
export async function migrate(db: Database): Promise<string[]> {
  await withoutRace(() =>
    db.transaction((tx) =>
      tx.query('create table if not exists schema_migrations (name text primary key, applied_at text not null)'),
    ),
  );
  const applied: string[] = [];
  for (const name of migrationNames()) {
    if (await runMigration(db, name)) applied.push(name);
  }
  return applied;
}

/** The migrations that the schema lacks. Empty when `migrate` has nothing to do. */
export async function pendingMigrations(db: Database): Promise<string[]> {
  const rows = await db.query<{ name: string }>('select name from schema_migrations').catch(() => []);
  const known = new Set(rows.map((row) => row.name));
  return migrationNames().filter((name) => !known.has(name));
}

/** Splits a migration into its statements. A semicolon at the end of a line ends one; comments are dropped. */
export function splitStatements(text: string): string[] {
  return text
    .replace(/^\s*--.*$/gm, '')
    .split(/;[ \t]*(?:\n|$)/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

function migrationNames(): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort();
}

function runMigration(db: Database, name: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    // PostgreSQL: processes that start together queue here. SQLite's `begin immediate` has queued them already.
    if (db.engine === 'postgres') await tx.query('lock table schema_migrations in access exclusive mode');
    const [known] = await tx.query('select name from schema_migrations where name = $1', [name]);
    if (known !== undefined) return false;
    for (const statement of splitStatements(readFileSync(join(folder, name), 'utf8'))) await tx.query(statement);
    await tx.query('insert into schema_migrations (name, applied_at) values ($1, current_timestamp)', [name]);
    return true;
  }, 'slow');
}

/** PostgreSQL's `create table if not exists` can still collide with itself when two processes run it at once. */
async function withoutRace(create: () => Promise<unknown>): Promise<void> {
  await create().catch(create);
}
