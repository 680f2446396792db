import { type Database, StorageError } from './database.ts';
import { openPostgresDatabase } from './postgres-database.ts';
import { openSqliteDatabase } from './sqlite-database.ts';

/**
 * `readsWithinMs`: the time-out of a read outside of transactions; default 10 s. `withinMs`: the time-out of every
 * response and connection; default 10 s and 5 s.
 */
export type OpenOptions = {
  connections: number;
  pooler: boolean;
  readsWithinMs?: number;
  withinMs?: number;
  onFatal: (error: unknown) => void;
};

/**
 * Opens `sqlite:FILE` or `postgres://…`. Throws for any other scheme, and `StorageError` for a file that is not a
 * store.
 */
export function openDatabase(url: string, options: OpenOptions): Database {
  if (url.startsWith('sqlite:')) return openFile(url.slice('sqlite:'.length), options.onFatal);
  if (/^postgres(ql)?:\/\//.test(url)) return openPostgresDatabase(url, options);
  throw new Error('DATABASE_URL must start with sqlite: or postgres://');
}

/** SQLITE_CANTOPEN. */
const CANNOT_OPEN = 14;

function openFile(file: string, onFatal: OpenOptions['onFatal']): Database {
  try {
    return openSqliteDatabase(file, onFatal);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const cause = new Error(`${file} cannot be opened (${message})`, { cause: error });
    throw new StorageError('STORAGE_UNAVAILABLE', Object.assign(cause, { code, errcode: CANNOT_OPEN }));
  }
}
