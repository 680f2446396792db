import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const repository = join(import.meta.dirname, '../..');

/**
 * Creates another version of the program: a copy with further migrations. `have` gives it migrations by file name,
 * instead of the previous ones; with one folder for all, Node strips the types of each file once. `remove` deletes the
 * folder.
 */
export function makeVersion(): { folder: string; have(migrations: Record<string, string>): string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-version-'));
  for (const part of ['src', 'protocol', 'sdk', 'migrations', 'package.json'])
    cpSync(join(repository, part), join(folder, part), { recursive: true });
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  let further: string[] = [];
  const have = (migrations: Record<string, string>) => {
    for (const path of further) rmSync(path);
    further = Object.entries(migrations).map(([name, text]) => {
      const path = join(folder, 'migrations', name);
      writeFileSync(path, text);
      return path;
    });
    return folder;
  };
  return { folder, have, remove: () => rmSync(folder, { recursive: true }) };
}
