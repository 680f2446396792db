import { realpathSync, statSync } from 'node:fs';

const LOOK_EVERY_MS = 250;

/**
 * Calls `onGone` once, with a sentence, when the files of an open store are no longer the files at its path: they were
 * removed or replaced. Later writes would go to files that nobody can find, and SQLite does not notice it. Returns a
 * function that ends the watch; call it before the store is closed.
 *
 * The files are compared by device and inode and never opened, because closing a file releases SQLite's locks on it.
 */
export function watchStoreFile(file: string, onGone: (error: Error) => void): () => void {
  // The path as given, and SQLite's files beside the real file: the log of commits that are not in it yet, and the
  // index of the log.
  const real = realpathSync(file);
  const paths = [file, `${real}-wal`, `${real}-shm`];
  const opened = new Map<string, string>();
  const look = () => {
    for (const path of paths) {
      const known = opened.get(path);
      const found = identityOf(path);
      if (found === 'unknown') continue;
      // The log and its index appear with the first statement.
      if (known === undefined && found !== 'nothing') opened.set(path, found);
      if (known === undefined || known === found) continue;
      clearInterval(timer);
      onGone(new Error(`${path} was ${found === 'nothing' ? 'removed' : 'replaced'} while the service had it open`));
      return;
    }
  };
  // The timer alone does not keep the process alive.
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  look();
  return () => clearInterval(timer);
}

/** `unknown`: a disk that does not respond proves nothing about the file. */
function identityOf(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false, bigint: true });
    return found === undefined ? 'nothing' : `${found.dev}:${found.ino}`;
  } catch {
    return 'unknown';
  }
}
