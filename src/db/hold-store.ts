import { closeSync, existsSync, openSync, realpathSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { makePrivateFolder } from '../lib/make-private-folder.ts';
import { StoreHeldError } from './database.ts';
import { ConnectionClass } from './sqlite-database.ts';

/**
 * Makes this process the only server of an embedded store, until `release` or the end of the process. Other commands
 * need no hold. PostgreSQL and a store in memory need none either: many processes share PostgreSQL.
 *
 * The hold is SQLite's own lock on an empty database file beside the store. The system frees the lock with its process,
 * so `kill -9` leaves nothing to clean up, unlike a file with a process id.
 *
 * `advice` is the sentence in `StoreHeldError` that says what to do.
 */
export function holdStore(databaseUrl: string, advice: string): { release(): void } {
  if (!databaseUrl.startsWith('sqlite:') || databaseUrl === 'sqlite::memory:') return { release: () => {} };
  const named = databaseUrl.slice('sqlite:'.length);
  makePrivateFolder(dirname(named));
  // A link to a store counts as the store itself.
  const file = existsSync(named) ? realpathSync(named) : named;
  const held = `${file}.serving`;
  // For this user only, like the store.
  closeSync(openSync(held, 'a', 0o600));
  const before = identityOf(held);
  const connection = new ConnectionClass(held, { timeout: 0 });
  try {
    // With its journal in memory nothing is written, so a full disk does not prevent a start.
    connection.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    connection.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new StoreHeldError(`Another service runs on ${file}. ${advice}`);
  }
  // A refused command removed the file meanwhile: the next process would lock another one.
  if (before === null || identityOf(held) !== before) {
    connection.close();
    return holdStore(databaseUrl, advice);
  }
  const release = () => {
    // A command that was refused made no store, and leaves nothing beside it.
    if (!existsSync(file)) rmSync(held, { force: true });
    connection.close();
  };
  return { release };
}

const SQLITE_BUSY = 5;

/** Returns the inode of a file; null if it does not exist. */
function identityOf(file: string): bigint | null {
  return statSync(file, { throwIfNoEntry: false, bigint: true })?.ino ?? null;
}
