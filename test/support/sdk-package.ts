import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { outputOf } from './child-process.ts';
import type { Program } from './system-programs.ts';

/** `sdk`: a copy of `sdk/` with its `dist`; its examples find the package there. `tarball`: what npm would publish. */
export type SdkPackage = Disposable & { folder: string; sdk: string; tarball: string };

const repository = join(import.meta.dirname, '../..');

/** Packs the SDK as npm does it, in a copy beside which the repository's packages are found. Needs no network. */
export async function packSdk(): Promise<SdkPackage> {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-sdk-'));
  const sdk = join(folder, 'sdk');
  cpSync(join(repository, 'sdk'), sdk, { recursive: true, filter: (path) => !path.endsWith('/dist') });
  cpSync(join(repository, 'protocol'), join(folder, 'protocol'), { recursive: true });
  for (const file of ['package.json', 'tsconfig.json', 'LICENSE']) cpSync(join(repository, file), join(folder, file));
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  const packed = await run(sdk, 'npm', 'pack', '--silent', '--offline', '--pack-destination', folder);
  return {
    folder,
    sdk,
    tarball: join(folder, packed.trim().split('\n').at(-1) ?? ''),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

/** Runs a program with the repository's tools on the path. Throws with all that it printed unless it ends well. */
export function run(folder: string, program: Program, ...args: string[]): Promise<string> {
  const path = [join(repository, 'node_modules/.bin'), process.env.PATH ?? ''].join(delimiter);
  const env = { ...process.env, PATH: path, npm_config_update_notifier: 'false', NO_COLOR: '1' };
  return outputOf(program, args, { cwd: folder, env });
}
