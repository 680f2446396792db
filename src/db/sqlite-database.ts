import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import * as sqlite from 'node:sqlite';
import { makePrivateFolder } from '../lib/make-private-folder.ts';
import {
  type Database,
  type InsertTarget,
  type InsertWithFollowers,
  type SqlParameter,
  type SqlRow,
  type SqlValue,
  StorageError,
  type Tx,
} from './database.ts';
import { translateSql } from './dialect.ts';
import { FENCED } from './guard-triggers.ts';
import { stopAtFailure } from './stop-at-failure.ts';
import { watchStoreFile } from './watch-store-file.ts';

type Connection = sqlite.DatabaseSync;
type Prepare = (sql: string) => sqlite.StatementSync;

/** Node 26.11 renames the class; the launcher accepts versions with either name. */
export const ConnectionClass =
  (sqlite as unknown as { Database?: typeof sqlite.DatabaseSync }).Database ?? sqlite.DatabaseSync;

/** Copies all pages in one step. Between two steps a commit would restart the copy, forever under load. */
const ALL_PAGES = 0x7fffffff;

/**
 * Opens the embedded store: one connection for writes, and one that reads only committed data.
 *
 * `onFatal` is called when the disk fails during a commit, or when the file is removed or replaced. This process then
 * does not know what is on disk, so it must stop and let the next start read it.
 */
export function openSqliteDatabase(file: string, onFatal: (error: unknown) => void = () => {}): Database {
  if (file !== ':memory:') makePrivateFile(file);
  const writer = openConnection(file);
  // The first statement creates the log and its index, so the watch knows these files from the beginning.
  writer.exec(
    'pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 4000; select 1 from sqlite_schema;',
  );
  // An in-memory database belongs to one connection, so the writer also reads; its transactions never interleave.
  const reader = file === ':memory:' ? writer : openConnection(file, 'pragma query_only = 1;');
  const write = createPrepare(writer);
  const read = reader === writer ? write : createPrepare(reader);
  const tx = createTx(write);
  let queue: Promise<unknown> = Promise.resolve();
  let failure: unknown = null;

  // A failed flush cannot be retried, because the system may have dropped the data. So no further commit is made.
  const failForGood = (error: unknown) => {
    failure = error;
    onFatal(error);
  };
  const endWatch = file === ':memory:' ? () => {} : watchStoreFile(file, failForGood);

  // A connection has one transaction at a time. Without the queue, another caller's statement that arrives while `work`
  // awaits would join this transaction and be rolled back with it.
  const transaction = <Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> => {
    const run = queue.then(() => {
      if (failure !== null) throw new StorageError('STORAGE_UNAVAILABLE', failure);
      return runTransaction(writer, tx, work, failForGood).then((result) => {
        // The commit may be in a file that has been removed.
        if (failure !== null) throw new StorageError('OUTCOME_UNKNOWN', failure);
        return result;
      });
    });
    queue = run.catch(() => {});
    return run;
  };

  return {
    engine: 'sqlite',
    query: async <Row extends SqlRow>(sql: string, parameters: readonly SqlParameter[] = []) => {
      try {
        return readRows(read(sql), bind(parameters)) as Row[];
      } catch (error) {
        // A read stores nothing, so its outcome is never unknown.
        throw storageErrorOf(error) === null ? error : new StorageError('STORAGE_UNAVAILABLE', error);
      }
    },
    transaction,
    backup: async (target) => {
      await sqlite.backup(reader, target, { rate: ALL_PAGES });
    },
    // The log still has old versions of the pages.
    forgetDeleted: async () => {
      const run = queue.then(() => writer.exec('pragma wal_checkpoint(truncate)'));
      queue = run.catch(() => {});
      await run;
    },
    close: async () => {
      await queue;
      endWatch();
      if (reader !== writer) reader.close();
      writer.close();
    },
  };
}

/**
 * Creates the file for this user only, also in an existing folder. SQLite gives its other files the same permissions.
 */
function makePrivateFile(file: string): void {
  makePrivateFolder(dirname(file));
  closeSync(openSync(file, 'a', 0o600));
}

function openConnection(file: string, pragmas = ''): Connection {
  const connection = new ConnectionClass(file, { timeout: 5000 });
  connection.exec(
    `pragma busy_timeout = 5000; pragma foreign_keys = on; pragma secure_delete = on; pragma cache_size = -65536; ${pragmas}`,
  );
  return connection;
}

function createPrepare(connection: Connection): Prepare {
  const statements = new Map<string, sqlite.StatementSync>();
  return (sql) => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      // `$1` would bind by an object's names. `?1` binds by position, as both engines mean it.
      statement = connection.prepare(translateSql('sqlite', sql).replace(/\$(\d+)/g, '?$1'));
      statements.set(sql, statement);
    }
    return statement;
  };
}

/** A list is sent as JSON text, which `{among}` expands. */
function bind(parameters: readonly SqlParameter[]): readonly SqlValue[] {
  if (!parameters.some(isList)) return parameters as readonly SqlValue[];
  return parameters.map((parameter) => (isList(parameter) ? JSON.stringify(parameter) : parameter));
}

function isList(parameter: SqlParameter): parameter is readonly number[] | readonly string[] {
  return typeof parameter === 'object' && parameter !== null;
}

/**
 * Reads rows. An integer beyond 2^53 was never stored by this program. It is rounded, as from PostgreSQL, so that a
 * search for changed rows finds it instead of failing.
 */
function readRows(statement: sqlite.StatementSync, parameters: readonly SqlValue[]): SqlRow[] {
  try {
    return statement.all(...parameters) as SqlRow[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_OUT_OF_RANGE') throw error;
  }
  statement.setReadBigInts(true);
  const rows = statement.all(...parameters);
  statement.setReadBigInts(false);
  const round = (value: unknown) => (typeof value === 'bigint' ? Number(value) : (value as SqlValue));
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, round(value)])));
}

function createTx(prepare: Prepare): Tx {
  return {
    query: async <Row extends SqlRow>(sql: string, parameters: readonly SqlParameter[] = []) =>
      prepare(sql).all(...bind(parameters)) as Row[],
    insertRows: async <Row extends SqlRow>(table: InsertTarget, rows: readonly SqlRow[], suffix = '') =>
      insertAll(prepare, table, rows, suffix) as Row[],
    insertNewRows: async <Row extends SqlRow>(insert: InsertWithFollowers, rows: readonly SqlRow[]) => {
      const { table, unless, key, followers } = insert;
      insertAll(prepare, table, rows, `on conflict (${unless}) do nothing`);
      const inserted = `select * from ${table.name} where ${key} {among $1}`;
      const keys = JSON.stringify(rows.map((row) => row[key]));
      return prepare(`with inserted as (${inserted}) ${followers}`).all(keys) as Row[];
    },
  };
}

/**
 * Running a statement costs about as much as inserting a row, so one statement inserts several rows. A larger number
 * gains little.
 */
const ROWS_PER_STATEMENT = 8;

function insertAll(prepare: Prepare, table: InsertTarget, rows: readonly SqlRow[], suffix: string): SqlRow[] {
  const whole = rows.length - (rows.length % ROWS_PER_STATEMENT);
  return [
    ...insertInGroups(prepare, table, rows.slice(0, whole), ROWS_PER_STATEMENT, suffix),
    ...insertInGroups(prepare, table, rows.slice(whole), 1, suffix),
  ];
}

/**
 * Inserts rows with `or rollback`: a violated unique key, check or `not null` rolls back the whole transaction, as on
 * PostgreSQL. Without it SQLite must be able to undo a multi-row statement alone, and copies each page before its first
 * change, past 64 KB into a file beside the log. References in random order touch so many pages that the copies were
 * larger than the log.
 *
 * A violated foreign key or a refusing trigger still rolls back only its statement.
 */
function insertInGroups(
  prepare: Prepare,
  { name, columns }: InsertTarget,
  rows: readonly SqlRow[],
  size: number,
  suffix: string,
): SqlRow[] {
  if (rows.length === 0) return [];
  const places = Array.from({ length: size }, () => `(${columns.map(() => '?').join(', ')})`);
  const insert = prepare(
    `insert or rollback into ${name} (${columns.join(', ')}) values ${places.join(', ')} ${suffix}`,
  );
  const returned: SqlRow[] = [];
  for (let at = 0; at < rows.length; at += size) {
    const values: SqlValue[] = [];
    for (const row of rows.slice(at, at + size)) {
      for (const column of columns) values.push(row[column] ?? null);
    }
    returned.push(...(insert.all(...values) as SqlRow[]));
  }
  return returned;
}

async function runTransaction<Result>(
  connection: Connection,
  tx: Tx,
  work: (tx: Tx) => Promise<Result>,
  onFatal: (error: unknown) => void,
): Promise<Result> {
  let result: Result;
  try {
    connection.exec('begin immediate');
    result = await stopAtFailure(tx, work);
  } catch (error) {
    rollback(connection);
    throw storageErrorOf(error) ?? error;
  }
  try {
    connection.exec('commit');
    return result;
  } catch (error) {
    rollback(connection);
    const failure = storageErrorOf(error) ?? new StorageError('OUTCOME_UNKNOWN', error);
    if (failure.code === 'OUTCOME_UNKNOWN') onFatal(failure);
    throw failure;
  }
}

function rollback(connection: Connection): void {
  if (!connection.isTransaction) return;
  try {
    connection.exec('rollback');
  } catch {
    // The original failure is reported.
  }
}

/** Maps SQLite's primary result codes: 5 busy, 10 I/O error, 13 full. 1811: a trigger has refused. */
function storageErrorOf(error: unknown): StorageError | null {
  const extended = (error as { errcode?: number }).errcode;
  if (typeof extended !== 'number') return null;
  if (extended === 1811 && (error as Error).message === FENCED)
    return new StorageError('PAYMENT_SERVICE_MOVING', error);
  const primary = extended & 0xff;
  if (primary === 13) return new StorageError('STORAGE_FULL', error);
  if (primary === 5) return new StorageError('STORAGE_UNAVAILABLE', error);
  if (primary === 10) return new StorageError('OUTCOME_UNKNOWN', error);
  return null;
}
