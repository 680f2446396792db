import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const repository = join(import.meta.dirname, '../..');

/**
 * Another version of the program: this one with further migrations, by file name. `have` gives it others in their place; in one folder Node
 * reads the types of all files once. `remove` takes the folder away.
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
