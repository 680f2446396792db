import { existsSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomHex, randomToken } from './ids.ts';
import { makePrivateFolder } from './make-private-folder.ts';
import { ConfigError } from './setting-readers.ts';

/**
 * Returns the development key when no master key is set. `makes` false: a missing key is not stored, and an unused one
 * is returned. Throws `ConfigError` in production.
 */
export function keptKey(
  mode: 'development' | 'production',
  { dataDir, database, makes }: { dataDir: string; database: string; makes: boolean },
): string {
  if (mode === 'development') return readDevelopmentKey(dataDir, database, makes);
  throw new ConfigError(
    'MASTER_KEY is missing. In production set it to 32 random bytes, such as: openssl rand -hex 32',
  );
}

/**
 * Returns the development key. The first start makes it and stores it in `dataDir`. Throws `ConfigError` when the
 * embedded store exists but the key does not: the store was made with another key.
 */
function readDevelopmentKey(dataDir: string, database: string, makes: boolean): string {
  const file = join(dataDir, 'master.key');
  if (!existsSync(file)) {
    // The key is always written before its store, so an existing store without it has another key.
    const store = database.slice('sqlite:'.length);
    if (database.startsWith('sqlite:') && existsSync(store) && statSync(store).size > 0)
      throw new ConfigError(
        `MASTER_KEY is not set, there is no ${file}, and ${store} was made with a key: set the environment of its service.`,
      );
    if (!makes) return randomToken(32);
    makePrivateFolder(dataDir);
    writeNewKey(file);
  }
  return readFileSync(file, 'utf8').trim();
}

/** Another process that starts now may write its key first: then that key stays. */
function writeNewKey(file: string): void {
  const part = `${file}.${randomHex(8)}.part`;
  writeFileSync(part, `${randomToken(32)}\n`, { mode: 0o600 });
  try {
    // Unlike a rename, a link never replaces a key; and unlike a new file, nobody can read it before it is whole.
    linkSync(part, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(part);
  }
}
