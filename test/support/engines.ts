import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, globSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import type { Database } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import {
  asAdministrator,
  createDatabase,
  dropDatabase,
  removeUsed,
  takeDatabase,
  urlOf,
} from './postgres-databases.ts';
import { openByUrl, type TestDatabase } from './test-database.ts';

export type { TestDatabase };

/** `url`: opens a database that was opened before. `migrated: false`: a new one without tables. */
export type OpenTestDatabase = (options?: { url?: string; migrated?: boolean }) => Promise<TestDatabase>;

/**
 * Declares one suite for both engines. Every test that calls `openTestDatabase` gets an empty database with the schema.
 * The database is closed after the test, and removed or emptied before the next one.
 */
export function forEachEngine(
  name: string,
  suite: (openTestDatabase: OpenTestDatabase, engine: Database['engine']) => void,
): void {
  describe(`${name} on SQLite`, () => suite(createOpener(createSqliteFile), 'sqlite'));
  if (process.env.TEST_POSTGRES_URL !== undefined) {
    describe(`${name} on PostgreSQL`, () => suite(createOpener(takePostgresDatabase), 'postgres'));
  } else if (process.env.CI === 'true') {
    test(`${name} on PostgreSQL`, () => {
      throw new Error('TEST_POSTGRES_URL is not set, and in CI no test may be skipped');
    });
  } else {
    test(`${name} on PostgreSQL`, { skip: 'PostgreSQL WAS NOT TESTED: bin/test sets TEST_POSTGRES_URL' }, () => {});
  }
}

/** The number of suites that have not ended. */
let declared = 0;

/** The database of one test. `remove` runs when the next test begins. */
type NewDatabase = { db: TestDatabase; remove(): Promise<void> };

/**
 * Creates `openTestDatabase` for a suite. What a test registers to run after it, such as stopping a service, runs after
 * `afterEach` and needs the database. So the database is removed before the next test.
 */
function createOpener(create: (migrated: boolean) => Promise<NewDatabase>): OpenTestDatabase {
  const opened: TestDatabase[] = [];
  const created: NewDatabase[] = [];
  const removeAll = async () => {
    for (const database of created.splice(0)) await database.remove();
  };
  afterEach(async () => {
    for (const db of opened.splice(0)) await db.close();
  });
  declared++;
  beforeEach(removeAll);
  after(async () => {
    declared--;
    try {
      await removeAll();
    } finally {
      if (declared === 0) await removeUsed();
    }
  });
  return async ({ url, migrated = true } = {}) => {
    const database = url === undefined ? await create(migrated) : { db: openByUrl(url), remove: async () => {} };
    created.push(database);
    opened.push(database.db);
    return database.db;
  };
}

async function createSqliteFile(migrated: boolean): Promise<NewDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-test-'));
  const file = join(folder, 'test.db');
  if (migrated) {
    migratedFile ??= findOrCreateMigratedFile();
    copyFileSync(await migratedFile, file);
  }
  return { db: openByUrl(`sqlite:${file}`), remove: async () => rmSync(folder, { recursive: true }) };
}

/** An empty store with the schema: copying it is much faster than running the migrations. */
let migratedFile: Promise<string> | undefined;

/** If two processes create the file at once, the files are the same, and the second replaces the first. */
async function findOrCreateMigratedFile(): Promise<string> {
  const file = join(tmpdir(), `rubrica-${templateName()}.db`);
  if (existsSync(file)) return file;
  const database = await createSqliteFile(false);
  await migrate(database.db);
  await database.db.close();
  renameSync(database.db.url.slice('sqlite:'.length), file);
  await database.remove();
  return file;
}

async function takePostgresDatabase(migrated: boolean): Promise<NewDatabase> {
  if (migrated) return takeDatabase(await (postgresTemplate ??= findOrCreateTemplate()));
  const name = await createDatabase('template0');
  return { db: openByUrl(urlOf(name)), remove: () => dropDatabase(name) };
}

let postgresTemplate: Promise<string> | undefined;

/** Test files run in separate processes: the first creates the template, and the others wait for it. */
async function findOrCreateTemplate(): Promise<string> {
  const name = templateName();
  await asAdministrator(async (client) => {
    await client.query('select pg_advisory_lock(1)');
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) {
      await client.query(`drop database if exists unfinished with (force)`);
      await client.query(`create database unfinished template template0`);
      const db = openByUrl(urlOf('unfinished'));
      await migrate(db);
      await db.close();
      await client.query(`alter database unfinished rename to ${name}`);
    }
    await client.query('select pg_advisory_unlock(1)');
  });
  return name;
}

/** Names the template by a hash of the migrations and of the code that runs them. */
function templateName(): string {
  const root = join(import.meta.dirname, '../..');
  const hash = createHash('sha256');
  for (const file of globSync(['migrations/*.sql', 'src/db/*.ts'], { cwd: root }).sort())
    hash.update(file).update(readFileSync(join(root, file)));
  return `template_${hash.digest('hex').slice(0, 16)}`;
}
