/** A value that both engines store alike. Booleans are 0 and 1, times are UTC milliseconds, structures are JSON text. */
export type SqlValue = string | number | null;

export type SqlRow = Record<string, SqlValue>;

/** A parameter of a statement: a value, a list of numbers for `{among $1}`, or one of texts for `{named $1}`. */
export type SqlParameter = SqlValue | readonly number[] | readonly string[];

/** Joins the caller's commit: everything asked of one `Tx` becomes visible together or not at all. */
export type Tx = {
  /** Runs one statement. `$1`, `$2` … are its parameters, `{token}` is a word of `dialect.ts`. */
  query<Row extends SqlRow>(sql: string, parameters?: readonly SqlParameter[]): Promise<Row[]>;

  /**
   * Inserts many rows at once. A column that a row leaves out is null.
   *
   * `suffix` is what follows the values, such as `on conflict do nothing returning id`. Answers the rows that it returns:
   * not in the order of the input, and fewer where a conflict left one out.
   */
  insertRows<Row extends SqlRow>(table: InsertTarget, rows: readonly SqlRow[], suffix?: string): Promise<Row[]>;

  /**
   * Inserts those rows that are new, and by a second insert what follows from each of them. On PostgreSQL this is one
   * statement, because a round trip costs as much as many rows. Answers what the second insert returns, in no order.
   */
  insertNewRows<Row extends SqlRow>(insert: InsertWithFollowers, rows: readonly SqlRow[]): Promise<Row[]>;
};

/** A table with those of its columns that are filled. */
export type InsertTarget = { readonly name: string; readonly columns: readonly string[] };

export type InsertWithFollowers = {
  readonly table: InsertTarget;
  /** The columns of an index that is unique: a row whose values it has already is left out. */
  readonly unless: string;
  /** The column of the primary key; its values have never been used, not even by a row that is left out. */
  readonly key: string;
  /** An `insert … select … from inserted returning …`: there, `inserted` holds the new rows. */
  readonly followers: string;
};

/**
 * The port to the store. Two adapters implement it and one contract suite describes it.
 *
 * Reads outside a transaction see committed data only; writes belong into `transaction`.
 */
export type Database = {
  readonly engine: 'sqlite' | 'postgres';
  query<Row extends SqlRow>(sql: string, parameters?: readonly SqlParameter[]): Promise<Row[]>;

  /**
   * Runs `work` in one transaction and resolves when its commit is durable.
   *
   * `work` may run again after a serialization failure or a deadlock, so it changes nothing but the database.
   * Rejects with `StorageError`; with code `OUTCOME_UNKNOWN` the commit may or may not have happened. A server that gives
   * no answer for 10 s has failed, unless the statements of `work` are `slow` by nature, such as those of a migration.
   */
  transaction<Result>(work: (tx: Tx) => Promise<Result>, statements?: 'slow'): Promise<Result>;

  /** Writes a consistent copy to `file` while the service runs. SQLite only; PostgreSQL has pg_dump and pg_basebackup. */
  backup(file: string): Promise<void>;
  /** Leaves nothing of what was deleted in the files that this process can reach; docs/privacy.md says what stays where. */
  forgetDeleted(): Promise<void>;
  close(): Promise<void>;
};

/** `PAYMENT_SERVICE_MOVING`: nothing was stored, because a payment service moves to another database, or has moved. */
export type StorageErrorCode = 'OUTCOME_UNKNOWN' | 'STORAGE_FULL' | 'STORAGE_UNAVAILABLE' | 'PAYMENT_SERVICE_MOVING';

/** A failure of the store, told apart by what the caller may believe about its write. */
export class StorageError extends Error {
  readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, cause: unknown) {
    super(`storage: ${code}`, { cause });
    this.name = 'StorageError';
    this.code = code;
  }
}

/** Another process serves the same embedded store. */
export class StoreHeldError extends Error {}

export type SchemaErrorCode = 'SCHEMA_BEHIND' | 'SCHEMA_NEWER' | 'SCHEMA_CHANGED';

/** This program must not work on the store. The message is a sentence for the operator, with what to do. */
export class SchemaError extends Error {
  readonly code: SchemaErrorCode;

  constructor(code: SchemaErrorCode, message: string) {
    super(message);
    this.name = 'SchemaError';
    this.code = code;
  }
}
