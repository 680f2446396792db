import { realpathSync, statSync } from 'node:fs';

const LOOK_EVERY_MS = 250;

/**
 * Calls `onGone` once, with a sentence, when the files of an open store are no longer those that its path names: removed,
 * or replaced by others. What is written from then on is written into files that nobody finds again, and SQLite itself
 * does not notice. Answers a function that ends the watch; it must be called before the store is closed.
 *
 * The files are compared by device and inode and never opened: closing a file takes back the locks that SQLite has on it.
 */
export function watchStoreFile(file: string, onGone: (error: Error) => void): () => void {
  // The file as it is named, and what SQLite keeps beside the real one: the log of commits that are not in it yet, and the
  // index of that log.
  const real = realpathSync(file);
  const paths = [file, `${real}-wal`, `${real}-shm`];
  const opened = new Map<string, string>();
  const look = () => {
    for (const path of paths) {
      const known = opened.get(path);
      const found = identityOf(path);
      if (found === 'unknown') continue;
      // The log and its index come with the first statement.
      if (known === undefined && found !== 'nothing') opened.set(path, found);
      if (known === undefined || known === found) continue;
      clearInterval(timer);
      onGone(new Error(`${path} was ${found === 'nothing' ? 'removed' : 'replaced'} while the service had it open`));
      return;
    }
  };
  // Alone it keeps no process alive.
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  look();
  return () => clearInterval(timer);
}

/** `unknown`: a disk that does not answer says nothing about the file. */
function identityOf(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false, bigint: true });
    return found === undefined ? 'nothing' : `${found.dev}:${found.ino}`;
  } catch {
    return 'unknown';
  }
}
