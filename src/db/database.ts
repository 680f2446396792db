/** A value that both engines store alike. Booleans are 0 and 1, times are UTC milliseconds, structures are JSON text. */
export type SqlValue = string | number | null;

export type SqlRow = Record<string, SqlValue>;

/** Joins the caller's commit: everything asked of one `Tx` becomes visible together or not at all. */
export type Tx = {
  /** Runs one statement. `$1`, `$2` … are its parameters, `{token}` is a word of `dialect.ts`. */
  query<Row extends SqlRow>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]>;

  /**
   * Inserts many rows with one statement (PostgreSQL) or one prepared statement (SQLite).
   *
   * `table` is the table with its columns, `suffix` what follows the values, such as `on conflict do nothing returning id`.
   * Answers the rows that the suffix returns: not in the order of the input, and fewer where a conflict left one out.
   */
  insertRows<Row extends SqlRow>(table: InsertTarget, rows: readonly SqlRow[], suffix?: string): Promise<Row[]>;
};

export type InsertTarget = { readonly name: string; readonly columns: readonly string[] };

/**
 * The port to the store. Two adapters implement it and one contract suite describes it.
 *
 * Reads outside a transaction see committed data only; writes belong into `transaction`.
 */
export type Database = {
  readonly engine: 'sqlite' | 'postgres';
  query<Row extends SqlRow>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]>;

  /**
   * Runs `work` in one transaction and resolves when its commit is durable.
   *
   * `work` may run again after a serialization failure or a deadlock, so it changes nothing but the database.
   * Rejects with `StorageError`; with code `OUTCOME_UNKNOWN` the commit may or may not have happened.
   */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;

  /** Writes a consistent copy to `file` while the service runs. SQLite only; PostgreSQL has pg_dump and pg_basebackup. */
  backup(file: string): Promise<void>;
  close(): Promise<void>;
};

export type StorageErrorCode = 'OUTCOME_UNKNOWN' | 'STORAGE_FULL' | 'STORAGE_UNAVAILABLE';

/** What a store can fail with, told apart by what the caller may believe about its write. */
export class StorageError extends Error {
  readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, cause: unknown) {
    super(`storage: ${code}`, { cause });
    this.name = 'StorageError';
    this.code = code;
  }
}
