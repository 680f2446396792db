import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { PATIENCE_MS } from './comes-true.ts';

/**
 * `url` opens the same database again. On SQLite the two must not write at once: one would block the thread of the
 * other.
 */
export type TestDatabase = Database & { readonly url: string };

/**
 * Opens a database that may be closed twice: by its test and after it. Transactions of a test may wait longer for each
 * other than a service would: other tests run on the same machine.
 */
export function openByUrl(url: string): TestDatabase {
  const db = openDatabase(url, { connections: 4, pooler: false, withinMs: PATIENCE_MS, onFatal: () => {} });
  let closed: Promise<void> | undefined;
  return { ...db, url, close: () => (closed ??= db.close()) };
}
