import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomToken } from './ids.ts';
import { makePrivateFolder } from './make-private-folder.ts';
import { ConfigError } from './setting-readers.ts';

/** The master key where none is set: development keeps one of its own. Throws `ConfigError` in production. */
export function keptKey(mode: 'development' | 'production', dataDir: string, database: string): string {
  if (mode === 'development') return readDevelopmentKey(dataDir, database);
  throw new ConfigError(
    'MASTER_KEY is missing. In production set it to 32 random bytes, such as: openssl rand -hex 32',
  );
}

/**
 * The key that development makes at its first start and keeps in `dataDir`. Throws `ConfigError` for an embedded store that
 * was made with another.
 */
function readDevelopmentKey(dataDir: string, database: string): string {
  const file = join(dataDir, 'master.key');
  if (!existsSync(file)) {
    // A key is always there before its store, so this store has another.
    const store = database.slice('sqlite:'.length);
    if (database.startsWith('sqlite:') && existsSync(store) && statSync(store).size > 0)
      throw new ConfigError(
        `MASTER_KEY is not set, there is no ${file}, and ${store} was made with a key: set the environment of its service.`,
      );
    makePrivateFolder(dataDir);
    writeNewKey(file);
  }
  return readFileSync(file, 'utf8').trim();
}

function writeNewKey(file: string): void {
  try {
    writeFileSync(file, `${randomToken(32)}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    // Another process that starts at this moment may have been first; its key is the key.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
