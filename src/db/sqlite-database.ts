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
import { speak } from './dialect.ts';
import { FENCED } from './guard-triggers.ts';
import { stopAtFailure } from './stop-at-failure.ts';
import { watchStoreFile } from './watch-store-file.ts';

type Connection = sqlite.DatabaseSync;
type Prepare = (sql: string) => sqlite.StatementSync;

/** Node 26.11 renames the class; both names exist in the range of versions that the launcher accepts. */
export const ConnectionClass =
  (sqlite as unknown as { Database?: typeof sqlite.DatabaseSync }).Database ?? sqlite.DatabaseSync;

/** In one step, which a commit cannot disturb: between two, each commit would let the copy begin anew, for ever under load. */
const ALL_PAGES = 0x7fffffff;

/**
 * Opens the embedded store: one connection that writes, one that reads committed data only.
 *
 * `onFatal` is called when the disk failed in the middle of a commit, or when the file was removed or replaced. What is on
 * disk is then unknown to this process, so it must stop and let the next start read the truth.
 */
export function openSqliteDatabase(file: string, onFatal: (error: unknown) => void = () => {}): Database {
  if (file !== ':memory:') makePrivateFile(file);
  const writer = openConnection(file);
  // The first statement makes the log and its index, so that the watch knows them from the beginning.
  writer.exec(
    'pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 4000; select 1 from sqlite_schema;',
  );
  // An in-memory database exists per connection, so there the writer reads too; its transactions never interleave.
  const reader = file === ':memory:' ? writer : openConnection(file, 'pragma query_only = 1;');
  const write = createPrepare(writer);
  const read = reader === writer ? write : createPrepare(reader);
  const tx = createTx(write);
  let queue: Promise<unknown> = Promise.resolve();
  let failure: unknown = null;

  // A flush that failed is not mended by trying again: the system may have dropped the data. So no commit follows.
  const failForGood = (error: unknown) => {
    failure = error;
    onFatal(error);
  };
  const endWatch = file === ':memory:' ? () => {} : watchStoreFile(file, failForGood);

  // One connection holds one transaction at a time. Without the queue a stranger's statement that arrives while `work`
  // awaits would join this transaction, and be rolled back with it.
  const transaction = <Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> => {
    const run = queue.then(() => {
      if (failure !== null) throw new StorageError('STORAGE_UNAVAILABLE', failure);
      return runTransaction(writer, tx, work, failForGood).then((result) => {
        // Committed, perhaps into a file that nobody finds again.
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
        // Whatever the disk said, a read has stored nothing.
        throw storageErrorOf(error) === null ? error : new StorageError('STORAGE_UNAVAILABLE', error);
      }
    },
    transaction,
    backup: async (target) => {
      await sqlite.backup(reader, target, { rate: ALL_PAGES });
    },
    // The log still has pages as they were before.
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

/** For this user alone, also in a folder that was there before. SQLite gives its other files the rights of this one. */
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
      // `$1` would bind by an object's names; `?1` binds by place, which is what both engines mean by it.
      statement = connection.prepare(speak('sqlite', sql).replace(/\$(\d+)/g, '?$1'));
      statements.set(sql, statement);
    }
    return statement;
  };
}

/** A list goes as JSON text, which `{among}` takes apart. */
function bind(parameters: readonly SqlParameter[]): readonly SqlValue[] {
  if (!parameters.some(isList)) return parameters as readonly SqlValue[];
  return parameters.map((parameter) => (isList(parameter) ? JSON.stringify(parameter) : parameter));
}

function isList(parameter: SqlParameter): parameter is readonly number[] | readonly string[] {
  return typeof parameter === 'object' && parameter !== null;
}

/**
 * An integer that no number holds exactly was never stored by us. It comes rounded, as from PostgreSQL, so that a search
 * for what was changed finds it instead of failing.
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

/** Running a statement costs about as much as inserting a row, so one takes several rows. More than these gain little. */
const ROWS_PER_STATEMENT = 8;

function insertAll(prepare: Prepare, table: InsertTarget, rows: readonly SqlRow[], suffix: string): SqlRow[] {
  const whole = rows.length - (rows.length % ROWS_PER_STATEMENT);
  return [
    ...insertInGroups(prepare, table, rows.slice(0, whole), ROWS_PER_STATEMENT, suffix),
    ...insertInGroups(prepare, table, rows.slice(whole), 1, suffix),
  ];
}

/**
 * An insert that breaks a unique key, a check or `not null` ends its whole transaction, as on PostgreSQL. Without `or rollback` SQLite
 * must be able to undo a statement of several rows alone. It copies each page before its first change for that, past 64 KB into a file
 * beside the log: references in no order touch so many pages that the copies were more than the log itself.
 *
 * A foreign key or a trigger that refuses still undoes its statement alone.
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
    // The failure that led here is the one to report.
  }
}

/** SQLite's primary result codes: 5 busy, 10 I/O error, 13 full. 1811: a trigger has refused. */
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
