import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const repository = join(import.meta.dirname, '../..');

/** Another version of the program: this one with further migrations, by file name. `remove` takes the folder away. */
export function makeVersion(migrations: Record<string, string>): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-version-'));
  for (const part of ['src', 'protocol', 'sdk', 'migrations', 'package.json'])
    cpSync(join(repository, part), join(folder, part), { recursive: true });
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  for (const [name, text] of Object.entries(migrations)) writeFileSync(join(folder, 'migrations', name), text);
  return { folder, remove: () => rmSync(folder, { recursive: true }) };
}
