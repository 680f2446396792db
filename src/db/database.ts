/**
 * A value that both engines store alike. Booleans are 0 and 1, times are UTC milliseconds, structures are JSON text.
 */
export type SqlValue = string | number | null;

export type SqlRow = Record<string, SqlValue>;

/** A parameter of a statement: a value, a list of numbers for `{among $1}`, or a list of texts for `{named $1}`. */
export type SqlParameter = SqlValue | readonly number[] | readonly string[];

/** A transaction. All its statements become visible together or not at all. */
export type Tx = {
  /** Runs one statement. `$1`, `$2` … are its parameters, `{token}` is a word of `dialect.ts`. */
  query<Row extends SqlRow>(sql: string, parameters?: readonly SqlParameter[]): Promise<Row[]>;

  /**
   * Inserts many rows at once. A column that a row leaves out is null.
   *
   * `suffix` follows the values, such as `on conflict do nothing returning id`. Returns the rows of `returning`, in any
   * order, without the rows that a conflict left out.
   */
  insertRows<Row extends SqlRow>(table: InsertTarget, rows: readonly SqlRow[], suffix?: string): Promise<Row[]>;

  /**
   * Inserts the rows that are new, and dependent rows with a second insert. On PostgreSQL this is one statement,
   * because a round trip costs as much as many rows. Returns the rows of the second insert, in any order.
   */
  insertNewRows<Row extends SqlRow>(insert: InsertWithFollowers, rows: readonly SqlRow[]): Promise<Row[]>;
};

/** A table and its columns to fill. */
export type InsertTarget = { readonly name: string; readonly columns: readonly string[] };

export type InsertWithFollowers = {
  readonly table: InsertTarget;
  /** The columns of a unique index: a row whose values already exist there is left out. */
  readonly unless: string;
  /** The primary key column. Each row, even a row that is left out, brings a value that was never used. */
  readonly key: string;
  /** An `insert … select … from inserted returning …`, where `inserted` holds the new rows. */
  readonly followers: string;
};

/**
 * The port to the store. Two adapters implement it, and one contract suite tests both.
 *
 * Reads outside a transaction see only committed data. Writes belong in `transaction`.
 */
export type Database = {
  readonly engine: 'sqlite' | 'postgres';
  query<Row extends SqlRow>(sql: string, parameters?: readonly SqlParameter[]): Promise<Row[]>;

  /**
   * Runs `work` in one transaction and resolves when its commit is durable.
   *
   * `work` may run again after a serialization failure or a deadlock, so it must change nothing but the database.
   * Rejects with `StorageError`; with the code `OUTCOME_UNKNOWN` the commit may or may not have happened. A server that
   * does not respond for 10 s has failed, unless the statements of `work` are `slow` by nature, such as in a migration.
   */
  transaction<Result>(work: (tx: Tx) => Promise<Result>, statements?: 'slow'): Promise<Result>;

  /**
   * Writes a consistent copy to `file` while the service runs. SQLite only; PostgreSQL has pg_dump and pg_basebackup.
   */
  backup(file: string): Promise<void>;
  /** Removes deleted data from the files that this process can reach. docs/privacy.md says where copies remain. */
  forgetDeleted(): Promise<void>;
  close(): Promise<void>;
};

/** Where a query reads: the database, or the caller's transaction. */
export type Reader = Pick<Database, 'query'>;

/**
 * `PAYMENT_SERVICE_MOVING`: nothing was stored, because the payment service is moving or has moved to another database.
 */
export type StorageErrorCode = 'OUTCOME_UNKNOWN' | 'STORAGE_FULL' | 'STORAGE_UNAVAILABLE' | 'PAYMENT_SERVICE_MOVING';

/** A storage failure. Its code tells whether the write may have happened. */
export class StorageError extends Error {
  readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, cause: unknown) {
    super(`storage: ${code}`, { cause });
    this.name = 'StorageError';
    this.code = code;
  }
}

/** The error when another process serves the same embedded store. */
export class StoreHeldError extends Error {}

export type SchemaErrorCode = 'NO_STORE' | 'SCHEMA_BEHIND' | 'SCHEMA_NEWER' | 'SCHEMA_CHANGED';

/** The error when this program must not work on the store. The message tells the operator what to do. */
export class SchemaError extends Error {
  readonly code: SchemaErrorCode;

  constructor(code: SchemaErrorCode, message: string) {
    super(message);
    this.name = 'SchemaError';
    this.code = code;
  }
}
