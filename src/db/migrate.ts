import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, type Reader, SchemaError, type Tx } from './database.ts';
import {
  type AppliedMigration,
  compareSchema,
  type Migration,
  nameMigrations,
  readApplied,
  readMigrations,
  refusalOf,
  type SchemaDifference,
} from './schema.ts';

/** Read once at the start of the process: an upgrade replaces the files while an older process still runs. */
const OWN = readMigrations(join(import.meta.dirname, '../../migrations'));

/**
 * Runs the pending migrations and returns their names. Throws `SchemaError` and changes nothing if a newer version, or
 * another text of a migration, has changed the store.
 *
 * Each migration is one commit together with its row in `schema_migrations`, so a process that dies in the middle
 * leaves no part of it. A new store is one commit, so that no command meets a part of it. Several processes may start
 * at once: the second finds the rows of the first. `begins` gets the name of each migration of an existing store before
 * its first statement: one can take hours.
 */
export async function migrate(
  db: Database,
  own: readonly Migration[] = OWN,
  begins: (name: string) => void = () => {},
): Promise<string[]> {
  const difference = await inspectSchema(db, own);
  refuse(difference);
  await withoutRace(() => db.transaction((tx) => makeRecord(tx, own)));
  const isNew = difference.pending.length === own.length;
  const applied: string[] = [];
  for (const commit of isNew ? [own] : own.map((migration) => [migration])) {
    applied.push(...(await runMigrations(db, commit, isNew ? () => {} : begins)));
  }
  return applied;
}

/** Compares the store's schema with this program's. Changes nothing. */
export async function inspectSchema(db: Database, own: readonly Migration[] = OWN): Promise<SchemaDifference> {
  return compareSchema(own, await readRecord(db));
}

/**
 * Throws `SchemaError` once a newer version has changed the schema in an incompatible way. For processes that have
 * already migrated the store. One short statement, cheap enough for every second.
 */
export async function refuseNewerSchema(db: Database, own: readonly Migration[] = OWN): Promise<void> {
  refuse(compareSchema(own, readApplied(await db.query(WHOLE_RECORD))));
}

/** Lists the migrations of this program that ran on the store. */
export async function listApplied(db: Reader, own: readonly Migration[] = OWN): Promise<string[]> {
  const known = new Set(own.map(({ name }) => name));
  return (await readRecord(db)).map(({ name }) => name).filter((name) => known.has(name));
}

/**
 * Checks the schema before a command that does not change it. Throws `SchemaError` if the schema differs from what this
 * program needs. `creates`: creates a store that does not exist yet; otherwise it is `SchemaError` NO_STORE. Returns
 * the migrations of a store that it created.
 */
export async function requireSchema(
  db: Database,
  creates: boolean,
  own: readonly Migration[] = OWN,
): Promise<string[]> {
  const difference = await inspectSchema(db, own);
  refuse(difference);
  const { pending } = difference;
  if (pending.length === own.length) {
    if (!creates) throw emptyDatabase();
    return migrate(db, own);
  }
  if (pending.length === 0) return [];
  const lacks = `The store was made by an earlier version and lacks ${nameMigrations(pending)}`;
  throw new SchemaError('SCHEMA_BEHIND', `${lacks}: run bin/rubrica migrate.`);
}

/**
 * Throws `SchemaError` NO_STORE if the file of the embedded store does not exist. Opening the store would create it.
 */
export function requireStoreFile(databaseUrl: string): void {
  if (!hasStoreFile(databaseUrl))
    throw new SchemaError('NO_STORE', `There is no store at ${databaseUrl.slice('sqlite:'.length)}. ${NO_STORE_FIX}`);
}

/** Returns false if the file of the embedded store is missing or empty. Other databases have no file: true. */
export function hasStoreFile(databaseUrl: string): boolean {
  const file = databaseUrl.slice('sqlite:'.length);
  if (!databaseUrl.startsWith('sqlite:') || file === ':memory:') return true;
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Throws `SchemaError` NO_STORE if the database has no store, of this or any other version. */
export async function requireStore(db: Database): Promise<void> {
  if ((await inspectSchema(db)).pending.length === OWN.length) throw emptyDatabase();
}

function emptyDatabase(): SchemaError {
  return new SchemaError('NO_STORE', `The database of DATABASE_URL is empty. ${NO_STORE_FIX}`);
}

const NO_STORE_FIX = 'Set DATABASE_URL or DATA_DIR as the service has it. For a new store: bin/rubrica serve';

/**
 * Splits a migration into its statements. A semicolon at the end of a line ends a statement; comments are dropped.
 * Lines after `-- only sqlite` or `-- only postgres`, up to the next such line or `-- both`, are left out on the other
 * engine. Without an engine all lines are kept.
 */
export function splitStatements(text: string, engine?: Database['engine']): string[] {
  return text
    .split(/^(?=-- (?:only sqlite|only postgres|both)$)/m)
    .filter(
      (part) => engine === undefined || !part.startsWith(engine === 'sqlite' ? '-- only postgres' : '-- only sqlite'),
    )
    .join('')
    .replace(/^[ \t]*--.*$/gm, '')
    .split(/;[ \t]*(?:\n|$)/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

function refuse(difference: SchemaDifference): void {
  const refusal = refusalOf(difference);
  if (refusal !== null) throw refusal;
}

/** Returns whether a table exists. An empty database and a store of an earlier version lack some. */
export async function hasTable(db: Reader, table: string): Promise<boolean> {
  return (await columnsOf(db, table)).size > 0;
}

const RECORD = 'schema_migrations';
const WHOLE_RECORD = 'select name, checksum, rolling from schema_migrations order by name';

/** Returns an empty list if no migration ran, not even the one that creates the table. */
async function readRecord(db: Reader): Promise<AppliedMigration[]> {
  const columns = await columnsOf(db, RECORD);
  if (columns.size === 0) return [];
  const names = 'select name from schema_migrations order by name';
  return readApplied(await db.query(columns.has('checksum') ? WHOLE_RECORD : names));
}

async function columnsOf(db: Reader, table: string): Promise<Set<string>> {
  const sql = 'select column_name from {columns} as columns where table_name = $1';
  return new Set((await db.query<{ column_name: string }>(sql, [table])).map((row) => row.column_name));
}

/** Creates the table, adds columns to an older one, and fills in missing checksums. */
async function makeRecord(tx: Tx, own: readonly Migration[]): Promise<void> {
  await tx.query(`create table if not exists schema_migrations
    (name text primary key, applied_at text not null, checksum text, rolling integer)`);
  if (!(await columnsOf(tx, RECORD)).has('checksum')) {
    await tx.query('alter table schema_migrations add column checksum text');
    await tx.query('alter table schema_migrations add column rolling integer');
  }
  const unproved = new Set((await readRecord(tx)).filter(({ checksum }) => checksum === null).map(({ name }) => name));
  for (const { name, checksum, rolling } of own.filter((migration) => unproved.has(migration.name))) {
    const set = 'update schema_migrations set checksum = $1, rolling = $2 where name = $3';
    await tx.query(set, [checksum, Number(rolling), name]);
  }
}

/** Runs in one commit those that did not run yet, and returns their names. */
function runMigrations(
  db: Database,
  migrations: readonly Migration[],
  begins: (name: string) => void,
): Promise<string[]> {
  return db.transaction(async (tx) => {
    // On PostgreSQL, processes that start together queue here, while running processes read on. SQLite's `begin
    // immediate` has already queued them.
    if (db.engine === 'postgres') await tx.query('lock table schema_migrations in share row exclusive mode');
    const applied: string[] = [];
    for (const migration of migrations) {
      const [known] = await tx.query('select name from schema_migrations where name = $1', [migration.name]);
      if (known !== undefined) continue;
      begins(migration.name);
      await runMigration(tx, db.engine, migration);
      applied.push(migration.name);
    }
    return applied;
  }, 'slow');
}

async function runMigration(tx: Tx, engine: Database['engine'], migration: Migration): Promise<void> {
  for (const statement of splitStatements(migration.text, engine)) await tx.query(statement);
  const line = [migration.name, migration.checksum, Number(migration.rolling)];
  await tx.query(
    'insert into schema_migrations (name, applied_at, checksum, rolling) values ($1, current_timestamp, $2, $3)',
    line,
  );
}

/** On PostgreSQL, two concurrent `create table if not exists` can still collide. */
async function withoutRace(create: () => Promise<unknown>): Promise<void> {
  await create().catch(create);
}
