import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreHeldError } from './database.ts';
import { ConnectionClass } from './sqlite-database.ts';

/**
 * Makes this process the only one that serves an embedded store, until `release` or its end, however it ends. Commands
 * beside it need no hold. Nothing is held of a PostgreSQL, which any number of processes share, nor of a store in memory.
 *
 * The hold is SQLite's own lock on an empty database beside the store. The system takes a lock back with the process
 * that has it, so `kill -9` leaves nothing to clean up; a file with a process id would.
 */
export function holdStore(databaseUrl: string): { release(): void } {
  if (!databaseUrl.startsWith('sqlite:') || databaseUrl === 'sqlite::memory:') return { release: () => {} };
  const file = databaseUrl.slice('sqlite:'.length);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const connection = new ConnectionClass(`${file}.serving`, { timeout: 0 });
  try {
    // With its journal in memory nothing is written, so that a full disk keeps nobody from starting.
    connection.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    connection.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new StoreHeldError(
      `Another service runs on ${file}. Stop it first, give this one a DATA_DIR of its own, or share a PostgreSQL: DATABASE_URL=postgres://…`,
    );
  }
  return { release: () => connection.close() };
}

const SQLITE_BUSY = 5;
