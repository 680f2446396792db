import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** Those of this process whose tests are over. To empty one takes a tenth of the time that making and removing one takes. */
const used: string[] = [];

/** A migrated database before its first use: the rows that migrations have put there, and the print of its catalog. */
type Unused = { print: string; refill: string };
let unused: Promise<Unused> | undefined;

/** An empty database with the schema of `template`: one that was used before, or a new one. Answers its name. */
export async function takeDatabase(template: string): Promise<string> {
  for (let name = used.pop(); name !== undefined; name = used.pop()) {
    if (await isEmptied(name)) return name;
    await dropDatabase(name);
  }
  const name = await createDatabase(template);
  unused ??= describe(name);
  await unused;
  return name;
}

/** For the next test that takes one, or to be removed when no test is left. */
export function returnDatabase(name: string): void {
  if (used.length === 0) process.once('beforeExit', removeUsed);
  used.push(name);
}

async function removeUsed(): Promise<void> {
  for (const name of used.splice(0)) await dropDatabase(name);
}

/** Copying the files of a template costs half of writing them to the write-ahead log, the default. */
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
 * Empties a database, unless a test has left more than rows: a change of the schema, statistics for plans, a setting, or a connection
 * that may still write.
 */
async function isEmptied(name: string): Promise<boolean> {
  const before = await unused;
  if (before === undefined) return false;
  const client = new pg.Client(urlOf(name));
  try {
    await client.connect();
    if ((await printOf(client)) !== before.print) return false;
    await client.query(before.refill);
    return true;
  } catch {
    // Renamed or removed by its test.
    return false;
  } finally {
    await client.end();
  }
}

async function describe(name: string): Promise<Unused> {
  const client = new pg.Client(urlOf(name));
  await client.connect();
  try {
    return { print: await printOf(client), refill: await refillOf(client) };
  } finally {
    await client.end();
  }
}

/** Each change of the schema makes a new version of a row of these, and a version has the number of its transaction. */
const CATALOG = ['namespace', 'class', 'attribute', 'attrdef', 'constraint', 'trigger', 'proc', 'type', 'statistic'];

async function printOf(client: pg.Client): Promise<string> {
  const counts = CATALOG.map((table) => `(select concat(count(*), ' ', max(xmin::text::bigint)) from pg_${table})`);
  const settings = '(select count(*) from pg_db_role_setting where setdatabase = d.oid)';
  const others = '(select count(*) from pg_stat_activity where datid = d.oid and pid <> pg_backend_pid())';
  const { rows } = await client.query<{ print: string }>(
    `select concat_ws(', ', ${[...counts, settings, others].join(', ')}) as print
     from pg_database d where datname = current_database()`,
  );
  return rows[0]?.print ?? '';
}

/** The statements that make it as it was. Neither triggers nor foreign keys are asked. */
async function refillOf(client: pg.Client): Promise<string> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) > 0`,
  );
  const refills: string[] = [];
  for (const { name } of tables) {
    const { rows } = await client.query<{ all: string | null }>(
      `select json_agg(row_to_json(t))::text as all from ${name} t`,
    );
    const all = rows[0]?.all ?? null;
    if (all === null) continue;
    const json = client.escapeLiteral(all);
    refills.push(
      `insert into ${name} overriding system value select * from json_populate_recordset(null::${name}, ${json})`,
    );
  }
  return ['begin', 'set local session_replication_role = replica', EMPTY, ...refills, 'commit'].join(';\n');
}

const EMPTY = `do $$
declare
  filled regclass;
begin
  for filled in
    select oid from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) > 0
  loop
    execute format('delete from %s', filled);
  end loop;
  perform setval(oid, 1, false) from pg_class where relkind = 'S' and relnamespace = 'public'::regnamespace;
end
$$`;

/** One connection for the whole process: another costs the server a process. An idle one keeps nothing running. */
let administrator: Promise<Administrator> | undefined;

/** The types of pg leave these two out. */
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
