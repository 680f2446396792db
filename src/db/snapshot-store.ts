import { createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { randomHex } from '../lib/ids.ts';
import { parseObject } from '../lib/parse-object.ts';
import type { Database, SqlRow, Tx } from './database.ts';

type Engine = Database['engine'];

/** The first line of a snapshot: the store's migrations, and what its maker adds. */
export type SnapshotHead = { snapshot: 1; migrations: readonly string[]; about: Readonly<Record<string, number>> };

type Page = { table: string; rows: SqlRow[] };

/** The number of rows, in the last line. Without it a file that was cut between two lines would look whole. */
type SnapshotEnd = { end: number };

/** A snapshot that was cut off or changed. */
export class SnapshotDamaged extends Error {}

const ROWS_A_LINE = 500;
const CHUNK_BYTES = 1024 * 1024;

/**
 * Writes all rows of the store, from one moment, into `file` as lines of JSON. Returns the number of rows. Returns null
 * if there are more than `most`; then the file is removed. Meanwhile others can read; writers wait.
 */
export async function writeSnapshot(
  db: Database,
  file: string,
  about: SnapshotHead['about'],
  most: number,
): Promise<number | null> {
  const part = `${file}.${randomHex(8)}.part`;
  try {
    // If the transaction is retried, the file is written from the beginning.
    const rows = await db.transaction((tx) => writeRows(tx, db.engine, part, about, most), 'slow');
    if (rows === null) await rm(file, { force: true });
    else await rename(part, file);
    return rows;
  } finally {
    await rm(part, { force: true });
  }
}

/** Reads the first line. Throws `SnapshotDamaged` if it is not the first line of a snapshot. */
export async function readSnapshotHead(file: string): Promise<SnapshotHead> {
  for await (const line of linesOf(file)) {
    const head = readLine<SnapshotHead>(line);
    if (head.snapshot === 1 && head.migrations !== undefined && head.about !== undefined) return head as SnapshotHead;
    break;
  }
  throw new SnapshotDamaged(`${file} is not a snapshot`);
}

/**
 * Replaces the rows of the store by the rows of a snapshot, in the commit of `tx`. The tables in `kept` stay as they
 * are, and so do the id counters: no id is handed out twice. Returns false and does nothing if the schema differs from
 * the snapshot's. Throws `SnapshotDamaged` if the file is not whole.
 */
export async function loadSnapshot(tx: Tx, engine: Engine, file: string, kept: readonly string[]): Promise<boolean> {
  const head = await readSnapshotHead(file);
  if (head.migrations.join() !== (await migrationsOf(tx)).join()) return false;
  const tables = (await tablesOf(tx, engine)).filter((table) => !kept.includes(table));
  const guards = await liftGuards(tx, engine, tables);
  if (engine === 'postgres') await tx.query(`truncate ${tables.join(', ')}`);
  else for (const table of tables) await tx.query(`delete from ${table}`);
  let [read, end] = [0, -1];
  for await (const line of linesOf(file)) {
    const { table, rows, end: last } = readLine<Page & SnapshotEnd>(line);
    end = last ?? end;
    read += rows?.length ?? 0;
    if (table === undefined || rows === undefined || !tables.includes(table)) continue;
    await tx.insertRows({ name: table, columns: Object.keys(rows[0] ?? {}) }, rows);
  }
  if (read !== end) throw new SnapshotDamaged(`${file} has ${read} rows`);
  for (const statement of guards) await tx.query(statement);
  return true;
}

function readLine<Line extends object>(line: string): Partial<Line> {
  const value = parseObject(line);
  if (value === null) throw new SnapshotDamaged('a line of the snapshot is not complete');
  return value as Partial<Line>;
}

async function writeRows(
  tx: Tx,
  engine: Engine,
  file: string,
  about: SnapshotHead['about'],
  most: number,
): Promise<number | null> {
  const tables = await tablesOf(tx, engine);
  // All rows must be from one moment. On SQLite this transaction has the only writing connection.
  if (engine === 'postgres') await tx.query(`lock table ${tables.join(', ')} in share mode`);
  const head: SnapshotHead = { snapshot: 1, migrations: await migrationsOf(tx), about };
  await using output = await open(file, 'w', 0o600);
  await output.write(`${JSON.stringify(head)}\n`);
  let written = 0;
  for (const table of tables) {
    const rows = await tx.query(`select * from ${table} limit ${most - written + 1}`);
    written += rows.length;
    if (written > most) return null;
    for (let at = 0; at < rows.length; at += ROWS_A_LINE) {
      const page: Page = { table, rows: rows.slice(at, at + ROWS_A_LINE) };
      await output.write(`${JSON.stringify(page)}\n`);
    }
  }
  const last: SnapshotEnd = { end: written };
  await output.write(`${JSON.stringify(last)}\n`);
  await output.sync();
  return written;
}

async function migrationsOf(tx: Tx): Promise<string[]> {
  const applied = await tx.query<{ name: string }>('select name from schema_migrations order by name');
  return applied.map(({ name }) => name);
}

async function tablesOf(tx: Tx, engine: Engine): Promise<string[]> {
  const rows = await tx.query<{ name: string }>(
    engine === 'sqlite'
      ? `select name from sqlite_master where type = 'table' and name not like 'sqlite%' order by name`
      : `select relname as name from pg_class
         where relkind in ('r', 'p') and not relispartition and relnamespace = current_schema()::regnamespace order by relname`,
  );
  return rows.map(({ name }) => name);
}

/** Disables triggers and defers foreign keys. Returns the statements that restore them. */
async function liftGuards(tx: Tx, engine: Engine, tables: readonly string[]): Promise<string[]> {
  if (engine === 'sqlite') {
    await tx.query('pragma defer_foreign_keys = on');
    const triggers = await tx.query<{ name: string; sql: string }>(
      `select name, sql from sqlite_master where type = 'trigger'`,
    );
    for (const { name } of triggers) await tx.query(`drop trigger ${name}`);
    return triggers.map(({ sql }) => sql);
  }
  const references = await tx.query<{ on_table: string; name: string }>(
    `select conrelid::regclass::text as on_table, conname as name from pg_constraint
     where contype = 'f' and conparentid = 0 and connamespace = current_schema()::regnamespace`,
  );
  const alter = ({ on_table, name }: SqlRow, how: string) => `alter table ${on_table} alter constraint ${name} ${how}`;
  for (const table of tables) await tx.query(`alter table ${table} disable trigger user`);
  for (const each of references) await tx.query(alter(each, 'deferrable initially deferred'));
  return [
    'set constraints all immediate',
    ...references.map((each) => alter(each, 'not deferrable')),
    ...tables.map((table) => `alter table ${table} enable trigger user`),
  ];
}

/** `node:readline` also splits lines at U+2028 and U+2029, which JSON may contain. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let begun = '';
  for await (const chunk of createReadStream(file, { encoding: 'utf8', highWaterMark: CHUNK_BYTES })) {
    const lines = `${begun}${chunk as string}`.split('\n');
    begun = lines.pop() ?? '';
    yield* lines;
  }
  // The rest of a file that was cut within a line: it does not parse.
  if (begun !== '') yield begun;
}
