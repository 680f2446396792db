import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, globSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** A program that some tests need and npm does not bring. `find` answers its path, for PostgreSQL that of its folder. */
export type SystemProgram = { name: string; debianPackage: string; variable: string; find(): string | undefined };

const systemPrograms: readonly SystemProgram[] = [
  { name: 'PostgreSQL', debianPackage: 'postgresql', variable: 'POSTGRES_BIN', find: findPostgres },
  { name: 'Chromium', debianPackage: 'chromium', variable: 'CHROMIUM_PATH', find: () => findOnPath('chromium') },
  { name: 'PHP', debianPackage: 'php-cli', variable: 'PHP_PATH', find: () => findOnPath('php') },
];

/** Puts the path of every program into its environment variable, and answers the programs that could not be had. */
export function findOrInstallPrograms(): SystemProgram[] {
  const missing = systemPrograms.filter((program) => program.find() === undefined);
  if (missing.length > 0) installDebianPackages(missing.map((program) => program.debianPackage));
  return systemPrograms.filter((program) => {
    const path = program.find();
    if (path !== undefined) process.env[program.variable] = path;
    return path === undefined;
  });
}

function findOnPath(name: string): string | undefined {
  const candidates = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name));
  return candidates.find(isExecutable);
}

/** Debian keeps the server's programs off the PATH, one folder for each major version. */
function findPostgres(): string | undefined {
  const onPath = findOnPath('pg_ctl');
  const folders = globSync('/usr/lib/postgresql/*/bin').sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  if (onPath !== undefined) folders.push(dirname(realpathSync(onPath)));
  return folders.findLast((folder) => isExecutable(join(folder, 'initdb')) && isExecutable(join(folder, 'pg_ctl')));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function installDebianPackages(packages: string[]): void {
  if (process.getuid?.() !== 0 || findOnPath('apt-get') === undefined) return;
  console.log(`Installing Debian's ${packages.join(', ')} (once) …`);
  withoutSystemCluster(() => {
    aptGet('update');
    aptGet('install', '--yes', '--no-install-recommends', ...packages);
  });
}

function aptGet(...args: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const run = spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...args], { env, encoding: 'utf8' });
  if (run.status !== 0) console.error(run.stdout, run.stderr);
}

/** Debian's package would start a server of its own at the end of its installation; the tests bring theirs. */
function withoutSystemCluster(install: () => void): void {
  const file = '/etc/postgresql-common/createcluster.d/rubrica-tests.conf';
  if (existsSync(file)) return install();
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, 'create_main_cluster = false\n');
  try {
    install();
  } finally {
    rmSync(file);
  }
}
