import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and its parents for this user only. An existing folder stays as it is. Throws the system's error.
 *
 * It does not use `recursive` of mkdir: Node loops forever where a folder exists and the system reports that it does
 * not, as below `/proc`.
 */
export function makePrivateFolder(folder: string): void {
  const parent = dirname(folder);
  if (!existsSync(parent)) makePrivateFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process that starts at the same time may have created the folder.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST' || !statSync(folder).isDirectory()) throw error;
  }
}
