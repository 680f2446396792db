import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** `sdk`: a copy of `sdk/` with its `dist`; its examples find the package there. `tarball`: what npm would publish. */
export type SdkPackage = Disposable & { folder: string; sdk: string; tarball: string };

const repository = join(import.meta.dirname, '../..');

/** Packs the SDK as npm does it, in a copy beside which the repository's packages are found. Needs no network. */
export function packSdk(): SdkPackage {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-sdk-'));
  const sdk = join(folder, 'sdk');
  cpSync(join(repository, 'sdk'), sdk, { recursive: true, filter: (path) => !path.endsWith('/dist') });
  cpSync(join(repository, 'protocol'), join(folder, 'protocol'), { recursive: true });
  for (const file of ['package.json', 'tsconfig.json', 'LICENSE']) cpSync(join(repository, file), join(folder, file));
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  const packed = run(sdk, 'npm', 'pack', '--silent', '--offline', '--pack-destination', folder);
  return {
    folder,
    sdk,
    tarball: join(folder, packed.trim().split('\n').at(-1) ?? ''),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

/** Runs a program with the repository's tools on the path. Throws with all that it printed unless it ends well. */
export function run(folder: string, program: string, ...args: string[]): string {
  const path = [join(repository, 'node_modules/.bin'), process.env.PATH ?? ''].join(delimiter);
  const env = { ...process.env, PATH: path, npm_config_update_notifier: 'false', NO_COLOR: '1' };
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: folder, env, encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`${program} ${args.join(' ')} ended with ${status}\n${stdout}${stderr}`, { cause: error });
  return stdout;
}
