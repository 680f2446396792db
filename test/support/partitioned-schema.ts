import type { Database, SqlRow, Tx } from '../../src/db/database.ts';

/** More than the environments of a test, so that a statement about two of them cannot touch every partition. */
export const PARTITIONS = 8;

/**
 * Small tables with an environment: a sharded database would copy them to every node. The key of a line of the
 * acquirer's file is unique across merchants.
 */
const WHOLE: readonly string[] = ['secret_tokens', 'imported_payments', 'token_handovers', 'callback_listeners'];

type Table = { name: string; constraints: NamedText[]; indexes: string[]; triggers: string[] };
type NamedText = { name: string; text: string };

/**
 * Partitions every table of an empty store that has an environment by hash of it: with the same columns, keys, indexes
 * and triggers. PostgreSQL refuses a primary or unique key without the environment, like every engine that keeps
 * partitions on separate nodes. Returns the names of the tables.
 */
export async function partitionByEnvironment(db: Database): Promise<string[]> {
  return db.transaction(async (tx) => {
    const names = await column(
      tx,
      `select table_name as text from information_schema.columns
       where column_name = 'environment_id' and table_schema = 'public' order by 1`,
    );
    const tables = names.filter((name) => !WHOLE.includes(name));
    const foreignKeys = await dropForeignKeys(tx, tables);
    for (const name of tables) await partition(tx, await describe(tx, name));
    for (const { name, text } of foreignKeys) await tx.query(`alter table ${name} add ${text}`);
    return tables;
  }, 'slow');
}

async function describe(tx: Tx, name: string): Promise<Table> {
  const constraints = await tx.query<SqlRow & NamedText>(
    `select conname as name, pg_get_constraintdef(oid) as text from pg_constraint
     where conrelid = $1::text::regclass and contype in ('p', 'u')`,
    [name],
  );
  const indexes = await column(
    tx,
    `select pg_get_indexdef(indexrelid) as text from pg_index i where indrelid = $1::text::regclass
       and not exists (select 1 from pg_constraint c where c.conindid = i.indexrelid and c.contype in ('p', 'u'))`,
    [name],
  );
  const ofTable = 'tgrelid = $1::text::regclass and not tgisinternal';
  const triggers = await column(tx, `select pg_get_triggerdef(oid) as text from pg_trigger where ${ofTable}`, [name]);
  return { name, constraints, indexes, triggers };
}

async function partition(tx: Tx, { name, constraints, indexes, triggers }: Table): Promise<void> {
  await tx.query(`alter table ${name} rename to whole_${name}`);
  const like = 'including defaults including identity including constraints';
  await tx.query(`create table ${name} (like whole_${name} ${like}) partition by hash (environment_id)`);
  await tx.query(`drop table whole_${name}`);
  for (let part = 0; part < PARTITIONS; part++) {
    const rest = `with (modulus ${PARTITIONS}, remainder ${part})`;
    await tx.query(`create table ${name}_p${part} partition of ${name} for values ${rest}`);
  }
  for (const one of constraints) await tx.query(`alter table ${name} add constraint ${one.name} ${one.text}`);
  for (const text of [...indexes, ...triggers]) await tx.query(text);
}

/**
 * Drops the foreign keys from and to these tables. Returns each with its table and its definition, to be added again.
 */
async function dropForeignKeys(tx: Tx, tables: readonly string[]): Promise<NamedText[]> {
  const keys = await tx.query<SqlRow & NamedText & { key: string; target: string }>(
    `select conrelid::regclass::text as name, confrelid::regclass::text as target, conname as key,
       pg_get_constraintdef(oid) as text from pg_constraint where contype = 'f'`,
  );
  const touched = keys.filter(({ name, target }) => tables.includes(name) || tables.includes(target));
  for (const { name, key } of touched) await tx.query(`alter table ${name} drop constraint ${key}`);
  return touched;
}

async function column(tx: Tx, sql: string, parameters: readonly string[] = []): Promise<string[]> {
  return (await tx.query<{ text: string }>(sql, parameters)).map(({ text }) => text);
}
