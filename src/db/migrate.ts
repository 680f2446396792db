import { join } from 'node:path';
import { type Database, SchemaError, type Tx } from './database.ts';
import {
  type AppliedMigration,
  compareSchema,
  type Migration,
  readApplied,
  readMigrations,
  refusalOf,
  type SchemaDifference,
} from './schema.ts';

/** As they were when the process started: an upgrade replaces the files under an older one that still runs. */
const OWN = readMigrations(join(import.meta.dirname, '../../migrations'));

/**
 * Brings the schema up to date and answers the names of the migrations it ran. Throws `SchemaError` and changes nothing
 * when the store was changed by a newer version or by another text of a migration.
 *
 * One migration is one commit together with its line in `schema_migrations`, so a process that dies in the middle of one
 * leaves nothing of it behind. Several processes may start at once: the second finds the line of the first.
 */
export async function migrate(db: Database, own: readonly Migration[] = OWN): Promise<string[]> {
  refuse(await inspectSchema(db, own));
  await withoutRace(() => db.transaction((tx) => makeRecord(tx, own)));
  const applied: string[] = [];
  for (const migration of own) {
    if (await runMigration(db, migration)) applied.push(migration.name);
  }
  return applied;
}

/** How the store and this program differ. Changes nothing. */
export async function inspectSchema(db: Database, own: readonly Migration[] = OWN): Promise<SchemaDifference> {
  return compareSchema(own, await readRecord(db));
}

/**
 * For a process that has migrated the store and works on it since: throws `SchemaError` once a newer version has changed
 * the schema in a way that this one does not know. One short statement, to be asked every second.
 */
export async function refuseNewerSchema(db: Database, own: readonly Migration[] = OWN): Promise<void> {
  refuse(compareSchema(own, readApplied(await db.query(WHOLE_RECORD))));
}

/**
 * For whatever works on a store and does not change its schema. A store that nobody has made yet is made; any other that
 * is not as this program needs it is refused with `SchemaError`.
 */
export async function requireSchema(db: Database, own: readonly Migration[] = OWN): Promise<void> {
  const difference = await inspectSchema(db, own);
  refuse(difference);
  const { pending } = difference;
  if (pending.length === own.length) await migrate(db, own);
  else if (pending.length > 0) {
    const lacks = `The store was made by an earlier version and lacks ${pending.join(', ')}`;
    throw new SchemaError('SCHEMA_BEHIND', `${lacks}: run bin/rubrica migrate.`);
  }
}

/**
 * Splits a migration into its statements. A semicolon at the end of a line ends one; comments are dropped. What stands between a
 * line `-- only sqlite` and the next of its kind, or `-- both`, is left out on the other engine. Without an engine all is kept.
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

const WHOLE_RECORD = 'select name, checksum, rolling from schema_migrations order by name';

type Queries = Pick<Tx, 'query'>;

/** Empty where nothing ran, not even the statement that makes the table. */
async function readRecord(db: Queries): Promise<AppliedMigration[]> {
  const columns = await columnsOfRecord(db);
  if (columns.size === 0) return [];
  const names = 'select name from schema_migrations order by name';
  return readApplied(await db.query(columns.has('checksum') ? WHOLE_RECORD : names));
}

async function columnsOfRecord(db: Queries): Promise<Set<string>> {
  const sql = "select column_name from {columns} as columns where table_name = 'schema_migrations'";
  return new Set((await db.query<{ column_name: string }>(sql)).map((row) => row.column_name));
}

/** Makes the table, or gives an earlier one its columns, and the migrations that ran by then today's checksums. */
async function makeRecord(tx: Tx, own: readonly Migration[]): Promise<void> {
  await tx.query(`create table if not exists schema_migrations
    (name text primary key, applied_at text not null, checksum text, rolling integer)`);
  if (!(await columnsOfRecord(tx)).has('checksum')) {
    await tx.query('alter table schema_migrations add column checksum text');
    await tx.query('alter table schema_migrations add column rolling integer');
  }
  const unproved = new Set((await readRecord(tx)).filter(({ checksum }) => checksum === null).map(({ name }) => name));
  for (const { name, checksum, rolling } of own.filter((migration) => unproved.has(migration.name))) {
    const set = 'update schema_migrations set checksum = $1, rolling = $2 where name = $3';
    await tx.query(set, [checksum, Number(rolling), name]);
  }
}

function runMigration(db: Database, { name, text, checksum, rolling }: Migration): Promise<boolean> {
  return db.transaction(async (tx) => {
    // PostgreSQL: processes that start together queue here, and those that run read on. SQLite's `begin immediate` has
    // queued them already.
    if (db.engine === 'postgres') await tx.query('lock table schema_migrations in share row exclusive mode');
    const [known] = await tx.query('select name from schema_migrations where name = $1', [name]);
    if (known !== undefined) return false;
    for (const statement of splitStatements(text, db.engine)) await tx.query(statement);
    const line = [name, checksum, Number(rolling)];
    await tx.query(
      'insert into schema_migrations (name, applied_at, checksum, rolling) values ($1, current_timestamp, $2, $3)',
      line,
    );
    return true;
  }, 'slow');
}

/** PostgreSQL's `create table if not exists` can still collide with itself when two processes run it at once. */
async function withoutRace(create: () => Promise<unknown>): Promise<void> {
  await create().catch(create);
}
