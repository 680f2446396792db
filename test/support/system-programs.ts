import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';

/** Every program outside npm that a test or a benchmark starts, with its Debian package. */
const debianPackages = {
  bash: 'bash',
  'chromium-headless-shell': 'chromium-headless-shell',
  curl: 'curl',
  dpkg: 'dpkg',
  'dpkg-deb': 'dpkg',
  fish: 'fish',
  id: 'coreutils',
  initdb: 'postgresql',
  losetup: 'mount',
  'mkfs.ext4': 'e2fsprogs',
  mkfifo: 'coreutils',
  mount: 'mount',
  nginx: 'nginx-light',
  npm: 'npm',
  perl: 'perl-base',
  pg_basebackup: 'postgresql',
  pg_ctl: 'postgresql',
  pg_dump: 'postgresql-client',
  pg_restore: 'postgresql-client',
  pgbench: 'postgresql',
  php: 'php-cli',
  psql: 'postgresql-client',
  python3: 'python3',
  sh: 'dash',
  strace: 'strace',
  tar: 'tar',
  umount: 'mount',
  zbarimg: 'zbar-tools',
  zsh: 'zsh',
} as const;

type SystemProgram = keyof typeof debianPackages;

/** `node` is the Node that runs this. A path is absolute or relative to the repository. */
export type Program = SystemProgram | 'node' | `${string}/${string}`;

const repository = join(import.meta.dirname, '../..');
const everyProgram = Object.keys(debianPackages) as SystemProgram[];

/** Installs missing programs if possible. Returns one sentence for each program that is still missing. */
export function installPrograms(names: readonly SystemProgram[] = everyProgram): string[] {
  const missing = names.filter((name) => findProgram(name) === undefined);
  if (missing.length > 0) installDebianPackages([...new Set(missing.map((name) => debianPackages[name]))]);
  return names.filter((name) => findProgram(name) === undefined).map(isMissing);
}

/** Returns the path of a program. If it is missing, throws with the name of its Debian package. */
export function pathOf(program: Program): string {
  if (program === 'node') return process.execPath;
  if (!isListed(program)) return isAbsolute(program) ? program : join(repository, program);
  const path = findProgram(program);
  if (path === undefined) throw new Error(isMissing(program));
  return path;
}

/** Returns why a test that starts this program is skipped, or null. In CI no test is skipped for a missing program. */
export function whyMissing(program: Program): string | null {
  const missing = isListed(program) && findProgram(program) === undefined;
  return missing && process.env.CI !== 'true' ? isMissing(program) : null;
}

function isListed(program: Program): program is SystemProgram {
  return program in debianPackages;
}

function isMissing(name: SystemProgram): string {
  return `the program ${name} is missing: install Debian's package ${debianPackages[name]}`;
}

/**
 * Debian keeps PostgreSQL's programs outside PATH, in one folder for each major version, and some programs only in
 * root's PATH.
 */
function findProgram(name: SystemProgram): string | undefined {
  const ofPostgres = debianPackages[name] === 'postgresql' ? findPostgres() : [];
  const folders = [...ofPostgres, ...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function findPostgres(): string[] {
  const folders = globSync('/usr/lib/postgresql/*/bin');
  return folders.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
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
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
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

/** Installs without Debian's own PostgreSQL server, which the package would start; the tests start their own. */
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
