import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder, and those above it, for this user alone; one that is there stays as it is. Throws what the system says.
 *
 * Not with `recursive` of mkdir: where a folder is there and the system says that it is not, as below `/proc`, Node tries
 * for ever.
 */
export function makePrivateFolder(folder: string): void {
  const parent = dirname(folder);
  if (!existsSync(parent)) makePrivateFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Also another process that starts at this moment may have been first.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST' || !statSync(folder).isDirectory()) throw error;
  }
}
