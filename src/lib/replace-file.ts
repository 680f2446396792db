import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { randomHex } from './ids.ts';
import { makePrivateFolder } from './make-private-folder.ts';

/**
 * Writes a file for this user only, in place of an earlier one: a reader sees the earlier text or all of the new one.
 * Creates its folder. Rejects with the system's error, and leaves an earlier file intact.
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  // Not named by the process id: processes in two containers that share a folder often have the same one.
  const part = `${file}.${randomHex(8)}.part`;
  makePrivateFolder(dirname(file));
  try {
    await writeFile(part, text, { mode: 0o600 });
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
