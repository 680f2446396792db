import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import {
  type Database,
  type InsertTarget,
  type InsertWithFollowers,
  type SqlParameter,
  type SqlRow,
  StorageError,
  type Tx,
} from './database.ts';
import { translateSql } from './dialect.ts';
import { FENCED_CODE } from './guard-triggers.ts';
import { stopAtFailure } from './stop-at-failure.ts';

type Connection = { query(config: pg.QueryConfig): Promise<{ rows: SqlRow[] }> };

/** `pooler`: uses no named statements, because they fail behind PgBouncer in transaction mode. */
export type PostgresOptions = { connections: number; pooler: boolean; readsWithinMs?: number; withinMs?: number };

/**
 * After this time without a response the connection counts as lost: a network partition stays silent for many minutes.
 */
const ANSWER_WITHIN_MS = 10_000;
/** The time-out for a connection, new or returned to the pool. */
const CONNECT_WITHIN_MS = 5_000;
const HOUR = 3_600_000;

/** The driver is loaded only for a store on PostgreSQL. */
const loadDriver = createRequire(import.meta.url) as (name: 'pg') => typeof pg;

/** Opens a pool on PostgreSQL 15 or newer. `url` is a `postgres://` address. */
export function openPostgresDatabase(url: string, options: PostgresOptions): Database {
  const { Pool, types } = loadDriver('pg');
  // Amounts, ids and times fit in 53 bits; `pg` would return bigint as text.
  types.setTypeParser(types.builtins.INT8, Number);
  const pool = new Pool({
    connectionString: url,
    max: options.connections,
    application_name: 'rubrica',
    // Sends statements that need no response in between together, such as `begin` and the statement after it.
    pipeline: true,
    query_timeout: ANSWER_WITHIN_MS,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    // Frees the locks of a lost connection after this time. PgBouncer rejects the setting and has its own.
    ...(!options.pooler && { idle_in_transaction_session_timeout: ANSWER_WITHIN_MS }),
    ...(options.withinMs !== undefined && allWithin(options.withinMs)),
    // Behind a pooler a session is shared with strangers; there each transaction begins with its own settings.
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool awaits it, its types do not say so
    ...(!options.pooler && { onConnect: (connection) => connection.query(SESSION_SETTINGS) }),
  });
  // If the server closes a connection, its query fails and the pool replaces the connection at its next use. Without
  // these two listeners, for idle and for busy connections, the error would end the process.
  pool.on('error', () => {});
  pool.on('connect', (connection) => connection.on('error', () => {}));
  const statements = createStatements(options.pooler);
  const { readsWithinMs } = options;
  const reads = readsWithinMs === undefined ? statements : within(statements, readsWithinMs);
  const begin = options.pooler ? `${BEGIN}; ${durableCommit('local')}` : BEGIN;

  return {
    engine: 'postgres',
    query: <Row extends SqlRow>(sql: string, parameters: readonly SqlParameter[] = []) =>
      repeating(statements, () => ask<Row>(pool, reads.make(sql, parameters))),
    transaction: (work, kind) => {
      const made = kind === 'slow' ? within(statements, HOUR) : statements;
      return repeating(statements, () => runTransaction(pool, begin, made, work));
    },
    backup: async () => {
      throw new Error('Back up PostgreSQL with pg_dump or pg_basebackup.');
    },
    // Autovacuum removes dead rows.
    forgetDeleted: async () => {},
    close: () => pool.end(),
  };
}

/** The isolation level is set explicitly: the server's default may be another one, under which this code fails. */
const BEGIN = 'begin isolation level read committed';

/**
 * A commit is acknowledged once it is on disk, even if the server's setting is weaker. A stricter setting, such as
 * waiting for a standby to apply it, stays in force.
 */
function durableCommit(scope: 'session' | 'local'): string {
  const asSet = `current_setting('synchronous_commit')`;
  const atLeastOn = `case when ${asSet} in ('off', 'local', 'remote_write') then 'on' else ${asSet} end`;
  return `select set_config('synchronous_commit', ${atLeastOn}, ${scope === 'local'})`;
}

/**
 * `jit` is off: compiling takes longer than nearly all statements here run, and a wrong estimate would compile each
 * one.
 */
const SESSION_SETTINGS = `${durableCommit('session')}, set_config('jit', 'off', false),
  set_config('default_transaction_isolation', 'read committed', false)`;

/** `query_timeout`, in milliseconds, overrides the pool's. */
type Statement = pg.QueryConfig & { query_timeout?: number };

type Statements = {
  make(sql: string, parameters: readonly SqlParameter[]): Statement;
  /** The server caches a plan by statement name. `forget` changes all names, unless they have changed since `age`. */
  age(): number;
  forget(age: number): void;
};

function createStatements(pooler: boolean): Statements {
  let known = new Map<string, { name: string; text: string }>();
  let age = 0;
  const make = (sql: string, parameters: readonly SqlParameter[]): Statement => {
    let statement = known.get(sql);
    if (statement === undefined) {
      statement = { name: `s${age}.${known.size}`, text: translateSql('postgres', sql) };
      known.set(sql, statement);
    }
    // A list is sent as a PostgreSQL array.
    const values = parameters as SqlParameter[];
    return pooler ? { text: statement.text, values } : { name: statement.name, text: statement.text, values };
  };
  const forget = (seen: number) => {
    if (seen !== age) return;
    age++;
    known = new Map();
  };
  return { make, age: () => age, forget };
}

/** Returns the driver's time-outs, all with this time. */
function allWithin(ms: number) {
  return { query_timeout: ms, connectionTimeoutMillis: ms, idle_in_transaction_session_timeout: ms };
}

/** Returns the same statements with another time-out. */
function within(statements: Statements, query_timeout: number): Statements {
  return { ...statements, make: (sql, parameters) => ({ ...statements.make(sql, parameters), query_timeout }) };
}

async function runTransaction<Result>(
  pool: pg.Pool,
  begin: string,
  statements: Statements,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const connection = await pool.connect().catch((error: unknown) => {
    throw new StorageError('STORAGE_UNAVAILABLE', error);
  });
  let committing = false;
  let broken: Error | undefined;
  try {
    // Sent together with the first statement of `work`; the server responds in order.
    const begun = ask(connection, { text: begin });
    begun.catch(() => {});
    const result = await stopAtFailure(createTx(connection, statements), work);
    await begun;
    committing = true;
    await ask(connection, { text: 'commit' });
    return result;
  } catch (error) {
    if (error instanceof StorageError && error.code === 'STORAGE_UNAVAILABLE') {
      broken = error;
      throw committing ? new StorageError('OUTCOME_UNKNOWN', error.cause) : error;
    }
    await connection.query('rollback').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    connection.release(broken);
  }
}

function createTx(connection: Connection, statements: Statements): Tx {
  return {
    query: <Row extends SqlRow>(sql: string, parameters: readonly SqlParameter[] = []) =>
      ask<Row>(connection, statements.make(sql, parameters)),
    insertRows: <Row extends SqlRow>(table: InsertTarget, rows: readonly SqlRow[], suffix = '') =>
      ask<Row>(connection, statements.make(insertStatement(table, suffix), [rowsText(rows)])),
    insertNewRows: <Row extends SqlRow>(insert: InsertWithFollowers, rows: readonly SqlRow[]) =>
      ask<Row>(connection, statements.make(insertNewStatement(insert), [rowsText(rows)])),
  };
}

async function ask<Row extends SqlRow>(connection: Connection, statement: pg.QueryConfig): Promise<Row[]> {
  try {
    return (await connection.query(statement)).rows as Row[];
  } catch (error) {
    throw storageErrorOf(error) ?? error;
  }
}

/**
 * Maps an error to `StorageError`. 53100: disk full. Classes 08, 53 and 57P: the server is going away. 25P03: an idle
 * transaction timed out. 25006: the server takes no changes, such as a former primary; its connection is not used again.
 * 55P03 and 57014: a lock or a statement was cancelled. XX: an internal server error; Citus also uses it when a node is
 * down or a shard has moved. FATAL, or classes 28 and 3D where the server translates that word: it refused the
 * connection or ended it. An error without a code from the server comes from the socket or a time-out.
 */
function storageErrorOf(error: unknown): StorageError | null {
  if (!(error instanceof loadDriver('pg').DatabaseError)) return new StorageError('STORAGE_UNAVAILABLE', error);
  const code = error.code ?? '';
  if (code === '53100') return new StorageError('STORAGE_FULL', error);
  if (code === FENCED_CODE) return new StorageError('PAYMENT_SERVICE_MOVING', error);
  const isAway = error.severity === 'FATAL' || /^(08|28|3D|53|57|25006|25P03|55P03|XX)/.test(code);
  return isAway ? new StorageError('STORAGE_UNAVAILABLE', error) : null;
}

/** Builds an insert with one parameter for any number of rows, so one prepared statement serves every batch. */
function insertStatement(table: InsertTarget, suffix: string): string {
  const columns = table.columns.join(', ');
  return `insert into ${table.name} (${columns}) select ${columns} from json_populate_recordset(null::${table.name}, $1::json) ${suffix}`;
}

/**
 * Encodes rows as JSON. A lone surrogate, such as in a text that was cut, becomes U+FFFD, as on SQLite and in a
 * parameter. As an escape in JSON, PostgreSQL would refuse it, with all rows of the insert.
 */
function rowsText(rows: readonly SqlRow[]): string {
  const text = JSON.stringify(rows);
  if (!text.includes('\\ud')) return text;
  return text.replace(/\\(ud[89a-f][0-9a-f]{2}|.)/g, (escape, what: string) => (what.length > 1 ? '\\ufffd' : escape));
}

function insertNewStatement({ table, unless, followers }: InsertWithFollowers): string {
  const newRows = insertStatement(table, `on conflict (${unless}) do nothing returning *`);
  return `with inserted as (${newRows}) ${followers}`;
}

const MOST_ATTEMPTS = 10;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Retries `run` where nothing was committed and a retry may succeed: after a serialization failure or a deadlock, with
 * growing random pauses; and once, immediately, if a migration made the server's cached plan stale.
 */
async function repeating<Result>(statements: Statements, run: () => Promise<Result>): Promise<Result> {
  let replanned = false;
  for (let attempt = 1; ; attempt++) {
    const age = statements.age();
    try {
      return await run();
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === STALE_PLAN && !replanned) {
        replanned = true;
        statements.forget(age);
      } else if (code === SERIALIZATION_FAILURE || code === DEADLOCK) {
        // Nothing was stored, so the caller may retry.
        if (attempt === MOST_ATTEMPTS) throw new StorageError('STORAGE_UNAVAILABLE', error);
        await sleep(Math.random() * Math.min(LONGEST_PAUSE_MS, 5 * 2 ** attempt));
      } else {
        throw error;
      }
    }
  }
}

const STALE_PLAN = '0A000';
const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
