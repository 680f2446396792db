import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type Database, StorageError } from '../../src/db/database.ts';
import { openByUrl, type TestDatabase } from './test-database.ts';

/**
 * A migrated database of this process, with its open connections. They cache the catalog and the plans of statements,
 * and filling these caches costs the server more than most tests.
 */
type Slot = { name: string; db: Database };

/** The application name of a slot's connections. */
const OURS = 'slot';

/** The URLs that must not be reused, because a service would mistake the next store for the old one. */
const remembered = new Set<string>();

/** The slots whose test is over. */
const used: Slot[] = [];

/**
 * A migrated database before its first use: the fingerprint of its schema, and the statement that restores its few
 * rows.
 */
type Unused = { fingerprint: string; refill: string };
let unused: Promise<Unused> | undefined;

/** Returns an empty database with the schema of `template`: a reused one or a new one. */
export async function takeDatabase(template: string): Promise<{ db: TestDatabase; remove: () => Promise<void> }> {
  const slot = (await reuse()) ?? (await makeSlot(template));
  const db = lend(slot);
  return {
    db,
    remove: async () => {
      await db.close();
      used.push(slot);
    },
  };
}

async function reuse(): Promise<Slot | null> {
  for (let slot = used.pop(); slot !== undefined; slot = used.pop()) {
    if (await isEmptied(slot)) return slot;
    await removeSlot(slot);
  }
  return null;
}

async function makeSlot(template: string): Promise<Slot> {
  const name = await createDatabase(template);
  const url = new URL(urlOf(name));
  url.searchParams.set('application_name', OURS);
  await useSocketFile(url);
  const db = openByUrl(url.href);
  unused ??= describe(db);
  await unused;
  return { name, db };
}

/** Connects by the server's socket file if this machine has it: a statement then costs half of what it costs by TCP. */
async function useSocketFile(url: URL): Promise<void> {
  await asAdministrator(async (client) => {
    const { rows } = await client.query<{ folder: string }>(
      `select current_setting('unix_socket_directories') as folder`,
    );
    const folder = rows[0]?.folder ?? '';
    if (existsSync(join(folder, `.s.PGSQL.${url.port}`))) url.searchParams.set('host', folder);
  });
}

/** Excludes a database from reuse, because services remember its URL in a DATA_DIR that outlives the test. */
export function neverLendAgain(url: string): void {
  remembered.add(url);
}

/**
 * Lends the connections to one test. After `close`, anything that the test left running is refused and reaches no other
 * test.
 */
function lend(slot: Slot): TestDatabase {
  const asked = new Set<Promise<unknown>>();
  let isClosed = false;
  const ask = <Result>(run: () => Promise<Result>): Promise<Result> => {
    if (isClosed) return Promise.reject(new StorageError('STORAGE_UNAVAILABLE', new Error('The test is over')));
    const answer = run();
    const settled = answer.then(noop, noop).finally(() => asked.delete(settled));
    asked.add(settled);
    return answer;
  };
  return {
    ...slot.db,
    query: (sql, parameters) => ask(() => slot.db.query(sql, parameters)),
    transaction: (work, kind) => ask(() => slot.db.transaction(work, kind)),
    url: urlOf(slot.name),
    close: async () => {
      isClosed = true;
      await Promise.all(asked);
    },
  };
}

const noop = () => {};

async function removeSlot({ name, db }: Slot): Promise<void> {
  await db.close();
  await dropDatabase(name);
}

/** Removes all slots when no test is left, because their connections would keep the process running. */
export async function removeUsed(): Promise<void> {
  for (const slot of used.splice(0)) await removeSlot(slot);
}

/** Copies the files of a template: this costs half of the default, which writes them to the write-ahead log. */
export async function createDatabase(template: string): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await asAdministrator((client) => client.query(`create database ${name} template ${template} strategy file_copy`));
  return name;
}

export async function dropDatabase(name: string): Promise<void> {
  await asAdministrator((client) => client.query(`drop database if exists ${name} with (force)`));
}

export function urlOf(name: string): string {
  const url = new URL(process.env.TEST_POSTGRES_URL ?? '');
  url.pathname = name;
  return url.href;
}

/**
 * Empties a database. Returns false if it cannot be reused: the test changed the schema, left statistics (which affect
 * plans), many dead rows or another process's connection, or a service remembers its URL.
 */
async function isEmptied({ name, db }: Slot): Promise<boolean> {
  if (remembered.has(urlOf(name))) return false;
  const before = await unused;
  try {
    if (before === undefined || (await fingerprintOf(db)) !== before.fingerprint) return false;
    await db.transaction((tx) => tx.query(before.refill));
    return true;
  } catch {
    return false;
  }
}

async function describe(db: Database): Promise<Unused> {
  return { fingerprint: await fingerprintOf(db), refill: await refillOf(db) };
}

/** Each change of the schema writes a new version of a row in these tables, and `xmin` is its transaction. */
const CATALOG = [
  ['pg_class', 'oid'],
  ['pg_attribute', 'attrelid'],
  ['pg_attrdef', 'oid'],
  ['pg_constraint', 'oid'],
  ['pg_trigger', 'oid'],
  ['pg_proc', 'oid'],
  ['pg_type', 'oid'],
  ['pg_statistic', 'starelid'],
];
/** PostgreSQL's own objects have smaller ids. */
const FIRST_ID = 16_384;
/** A larger table has so many dead rows that the planner would choose another plan than for a new one. */
const MOST_BYTES = 512 * 1024;

const FINGERPRINT = `select concat_ws(', ', ${[
  ...CATALOG.map(
    ([table, id]) => `(select concat(count(*), ' ', max(xmin::text::bigint)) from ${table} where ${id} >= ${FIRST_ID})`,
  ),
  ...['pg_namespace', 'schema_migrations'].map(
    (table) => `(select concat(count(*), ' ', max(xmin::text::bigint)) from ${table})`,
  ),
  // A vacuum, or statistics of an empty table, updates these in place.
  `(select concat(sum(reltuples), ' ', sum(relpages)) from pg_class where relkind in ('r', 'i') and oid >= ${FIRST_ID})`,
  `(select bool_or(pg_relation_size(oid) > ${MOST_BYTES}) from pg_class where relkind = 'r' and oid >= ${FIRST_ID})`,
  // Another program that is still connected by the URL and that its test has not ended.
  `exists (select 1 from pg_stat_activity where datname = current_database() and application_name <> '${OURS}')`,
  `exists (select 1 from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase where d.datname = current_database())`,
].join(', ')}) as fingerprint`;

async function fingerprintOf(db: Database): Promise<string> {
  const [row] = await db.query<{ fingerprint: string }>(FINGERPRINT);
  return row?.fingerprint ?? '';
}

/** Returns the statement that restores the initial rows. It bypasses triggers and foreign keys. */
async function refillOf(db: Database): Promise<string> {
  const tables = await db.query<{ name: string }>(`select relname as name from pg_class where ${FILLED}`);
  const refills: string[] = [];
  for (const { name } of tables) {
    const [row] = await db.query<{ all: string | null }>(`select json_agg(row_to_json(t))::text as all from ${name} t`);
    const all = row?.all ?? null;
    if (all === null) continue;
    const rows = pg.escapeLiteral(all);
    refills.push(
      `insert into ${name} overriding system value select * from json_populate_recordset(null::${name}, ${rows});`,
    );
  }
  return `do $do$
declare
  filled regclass;
begin
  perform set_config('session_replication_role', 'replica', true);
  for filled in select oid from pg_class where ${FILLED} loop
    execute format('delete from %s', filled);
  end loop;
  perform setval(oid, 1, false) from pg_class where relkind = 'S' and relnamespace = 'public'::regnamespace;
  ${refills.join('\n  ')}
end
$do$`;
}

/** Excludes `schema_migrations`: a change of it is a change of the schema. */
const FILLED = `relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) > 0
  and relname <> 'schema_migrations'`;

/** One connection for the whole process: each costs the server a process. It is unreferenced while idle. */
let administrator: Promise<Administrator> | undefined;

/** The types of pg lack these two methods. */
type Administrator = pg.Client & { ref(): void; unref(): void };

export async function asAdministrator(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  administrator ??= connectAdministrator();
  const client = await administrator;
  client.ref();
  await work(client).finally(() => client.unref());
}

async function connectAdministrator(): Promise<Administrator> {
  const client = new pg.Client(process.env.TEST_POSTGRES_URL);
  await client.connect();
  return client as Administrator;
}
