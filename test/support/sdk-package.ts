import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { outputOf } from './child-process.ts';
import type { Program } from './system-programs.ts';

/**
 * `sdk`: a copy of `sdk/` with its `dist`, whose examples find the package. `tarball`: the file that npm would publish.
 */
export type SdkPackage = Disposable & { folder: string; sdk: string; tarball: string };

const repository = join(import.meta.dirname, '../..');

/** Returns a copy of the packed SDK. It is packed once per run for the same sources. */
export async function packSdk(): Promise<SdkPackage> {
  const packed = join(tmpdir(), `rubrica-packed-${sourcesOfSdk()}`);
  if (!existsSync(packed)) keep(await packOnce(), packed);
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-sdk-'));
  cpSync(packed, folder, { recursive: true, verbatimSymlinks: true });
  const tarball = join(folder, globSync('*.tgz', { cwd: folder })[0] ?? '');
  return { folder, sdk: join(folder, 'sdk'), tarball, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

/** Moves the package into place. Another process may have done so first, with the same content. */
function keep(made: string, packed: string): void {
  try {
    renameSync(made, packed);
  } catch (error) {
    if (!existsSync(packed)) throw error;
    rmSync(made, { recursive: true });
  }
}

const COPIED = ['package.json', 'tsconfig.json', 'LICENSE'];

function sourcesOfSdk(): string {
  const hash = createHash('sha256');
  const files = globSync(['sdk/**/*', 'protocol/**/*'], { cwd: repository, withFileTypes: true })
    .filter((file) => file.isFile() && !file.parentPath.includes('/sdk/dist'))
    .map((file) => join(file.parentPath, file.name));
  for (const file of [...files.sort(), ...COPIED.map((file) => join(repository, file))])
    hash.update(file).update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}

/** Packs the SDK like npm, in a copy that can resolve the repository's packages. Needs no network. */
async function packOnce(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-sdk-'));
  const sdk = join(folder, 'sdk');
  cpSync(join(repository, 'sdk'), sdk, { recursive: true, filter: (path) => !path.endsWith('/dist') });
  cpSync(join(repository, 'protocol'), join(folder, 'protocol'), { recursive: true });
  for (const file of COPIED) cpSync(join(repository, file), join(folder, file));
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  await run(sdk, 'npm', 'pack', '--silent', '--offline', '--pack-destination', folder);
  return folder;
}

/** Runs a program with the repository's tools on the PATH. Throws with all its output if it fails. */
export function run(folder: string, program: Program, ...args: string[]): Promise<string> {
  const path = [join(repository, 'node_modules/.bin'), process.env.PATH ?? ''].join(delimiter);
  const env = { ...process.env, PATH: path, npm_config_update_notifier: 'false', NO_COLOR: '1' };
  return outputOf(program, args, { cwd: folder, env });
}
