import { closeSync, existsSync, openSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { makePrivateFolder } from '../lib/make-private-folder.ts';
import { StoreHeldError } from './database.ts';
import { ConnectionClass } from './sqlite-database.ts';

/**
 * Makes this process the only one that serves an embedded store, until `release` or its end, however it ends. Commands
 * beside it need no hold. Nothing is held of a PostgreSQL, which any number of processes share, nor of a store in memory.
 *
 * The hold is SQLite's own lock on an empty database beside the store. The system takes a lock back with the process
 * that has it, so `kill -9` leaves nothing to clean up; a file with a process id would.
 *
 * `advice` is the sentence of the error `StoreHeldError` that says what to do.
 */
export function holdStore(databaseUrl: string, advice: string): { release(): void } {
  if (!databaseUrl.startsWith('sqlite:') || databaseUrl === 'sqlite::memory:') return { release: () => {} };
  const named = databaseUrl.slice('sqlite:'.length);
  makePrivateFolder(dirname(named));
  // A link to a store is that store.
  const file = existsSync(named) ? realpathSync(named) : named;
  const held = `${file}.serving`;
  // For this user alone, as the store is.
  closeSync(openSync(held, 'a', 0o600));
  const connection = new ConnectionClass(held, { timeout: 0 });
  try {
    // With its journal in memory nothing is written, so that a full disk keeps nobody from starting.
    connection.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    connection.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new StoreHeldError(`Another service runs on ${file}. ${advice}`);
  }
  return { release: () => connection.close() };
}

const SQLITE_BUSY = 5;
