import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../src/app.ts';
import { composeApp } from '../src/compose-app.ts';
import { readConfig } from '../src/config.ts';
import { dayOf } from '../src/lib/calendar-day.ts';
import { loadEnvironment } from '../src/payment-services/find-environment.ts';
import type { Bench, Engine } from './support/bench.ts';
import { askOnce } from './support/databases.ts';
import { type Figure, FigureInvalid, FigureSkipped } from './support/figure.ts';
import { storePaidPayments } from './support/paid-payments.ts';
import { runProgram } from './support/programs.ts';
import { createInstallation, type Installation } from './support/service.ts';

/** A store with its payments, and a payment to look for. `copy`: where its backup is restored. */
type Store = {
  engine: Engine;
  count: number;
  folder: string;
  installation: Installation;
  copy: Installation['environment'];
  target: { id: number; reference: string; email: string; day: string };
};

/** A step as a person runs it. `file` receives its peak memory. */
type Step = { name: string; run: (store: Store, file: string) => Promise<void> };

/** The disk space per payment: the store with its search index, its backup and the restored copy. */
const BYTES_PER_PAYMENT = 6_000;
const KEEP_DAYS = '365';
const PEAK = ['--import', './bench/report-peak.ts'];

/**
 * Measures the time and the peak memory of each command on a store with many complete payments, on both engines. Every
 * command is a new process, so each time includes a program start.
 */
export async function measureLived(bench: Bench): Promise<Figure> {
  const rows: string[][] = [];
  for (const count of bench.sizes.lived) {
    await checkSpace(bench, count);
    for (const engine of bench.sizes.livedOn) {
      const store = await openStore(bench, engine, count);
      for (const step of STEPS.filter(({ name }) => bench.lived.steps?.some((part) => name.includes(part)) ?? true)) {
        rows.push(await measureStep(bench, store, step));
        await settle(store);
      }
      if (bench.lived.keep === undefined) rmSync(store.folder, { recursive: true });
    }
  }
  const head = ['what is done', 'engine', 'paid payments', 'seconds', 'most memory, MB'];
  return { lines: [], details: [{ title: 'Living with many payments', head, rows, keyCells: 3 }] };
}

const command = (store: Pick<Store, 'installation'>, file: string, ...args: string[]) =>
  node({ ...store.installation.environment, BENCH_PEAK: file }, 'src/main.ts', ...args);

const workOff =
  (work: string, settings: NodeJS.ProcessEnv = {}) =>
  async (store: Store, file: string) => {
    const environment = { ...store.installation.environment, ...settings, BENCH_PEAK: file };
    if (Number(await node(environment, 'bench/work-off.ts', work)) === 0)
      throw new FigureInvalid(`${work}: there was nothing to do`);
  };

/** THE TABLE of steps, in this order. */
const STEPS: readonly Step[] = [
  { name: 'seal the feed (the worker does it by the second)', run: workOff('seal') },
  { name: 'make the index of the search (the worker does it by the second)', run: workOff('index') },
  {
    name: 'find by reference: transaction list --reference',
    run: async (store, file) => {
      const found = await command(store, file, 'transaction', 'list', '--reference', store.target.reference, '--json');
      expectPart(found, `${store.target.id}`);
    },
  },
  {
    name: 'one timeline: transaction show',
    run: async (store, file) =>
      expectPart(await command(store, file, 'transaction', 'show', `${store.target.id}`, '--json'), '"entry"'),
  },
  {
    name: 'a day of payments: reconcile --date',
    run: async (store, file) =>
      expectPart(
        await command(store, file, 'reconcile', '--date', store.target.day, '--json', '--environment', 'development'),
        '"problems":[]',
      ),
  },
  {
    name: 'books verify',
    run: async (store, file) => expectPart(await command(store, file, 'books', 'verify', '--json'), '"ok":true'),
  },
  { name: 'backup', run: backUp },
  { name: 'restore', run: restore },
  {
    name: 'remove one person: privacy erase --email',
    run: async (store, file) =>
      expectPart(
        await command(store, file, 'privacy', 'erase', '--email', store.target.email, '--json'),
        '"transactions":1',
      ),
  },
  {
    name: `delete callbacks and their attempts that are older than ${KEEP_DAYS} days`,
    run: workOff('retention', { RETENTION_CALLBACKS: KEEP_DAYS, RETENTION_DELIVERY_ATTEMPTS: KEEP_DAYS }),
  },
  { name: 'migrate, from the schema of three migrations before', run: migrate },
];

async function measureStep(bench: Bench, store: Store, { name, run }: Step): Promise<string[]> {
  const file = join(store.folder, 'peak');
  rmSync(file, { force: true });
  const begun = performance.now();
  await run(store, file);
  const seconds = (performance.now() - begun) / 1000;
  const peak = existsSync(file) ? (Number(readFileSync(file, 'utf8')) / 1e6).toFixed(0) : '—';
  bench.say(`  ${store.engine}, ${store.count}: ${name}: ${seconds.toFixed(1)} s, ${peak} MB`);
  return [name, store.engine, store.count.toLocaleString('en'), seconds.toFixed(1), peak];
}

/** Opens a store. With `keep`, reuses an existing one with all its payments. */
async function openStore(bench: Bench, engine: Store['engine'], count: number): Promise<Store> {
  const folder = join(bench.lived.keep ?? bench.folder, `lived-${engine.toLowerCase()}-${count}`);
  const note = join(folder, 'store.json');
  const { installation, target } = existsSync(note)
    ? (JSON.parse(readFileSync(note, 'utf8')) as Pick<Store, 'installation' | 'target'>)
    : await fillStore(bench, engine, count, folder);
  if (bench.lived.keep !== undefined) writeFileSync(note, JSON.stringify({ installation, target }));
  const copyUrl =
    engine === 'SQLite'
      ? `sqlite:${join(folder, 'copy', 'rubrica.db')}`
      : await (await bench.postgres()).createDatabase(`lived_copy_${count}`, { empty: true });
  const copy = { ...installation.environment, DATA_DIR: join(folder, 'copy'), DATABASE_URL: copyUrl };
  const store = { engine, count, folder, installation, copy, target };
  await settle(store);
  return store;
}

async function fillStore(bench: Bench, engine: Engine, count: number, folder: string) {
  mkdirSync(folder, { recursive: true });
  const url = engine === 'SQLite' ? undefined : await (await bench.postgres()).createDatabase(`lived_${count}`);
  const installation = await createInstallation(folder, url, { MASTER_KEY: '5a'.repeat(32) });
  bench.say(`  storing ${count} paid payments in ${engine}`);
  const begun = performance.now();
  const target = await withStore(installation, async (app) => {
    const environment = await loadEnvironment(app, installation.serviceToken);
    if (environment === null) throw new Error('The payment service of the bench is not there');
    await storePaidPayments(app, environment, count);
    return chooseTarget(app, count);
  });
  bench.say(`  stored after ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  return { installation, target };
}

/** Runs VACUUM on PostgreSQL, as autovacuum does in production; a bench cluster has no autovacuum. */
async function settle({ engine, installation }: Store): Promise<void> {
  if (engine === 'PostgreSQL') await askOnce(`${installation.environment['DATABASE_URL']}`, 'vacuum analyze');
}

/** Chooses a payment from the middle, with a person of its own. */
async function chooseTarget(app: App, count: number): Promise<Store['target']> {
  const email = 'olvidada@example.cl';
  return app.db.transaction(async (tx) => {
    const [first] = await tx.query<{ id: number }>('select min(id) as id from transactions');
    const id = (first?.id ?? 0) + Math.floor(count / 2);
    const [row] = await tx.query<{ reference: string; created_at: number }>(
      'update transactions set customer_email = $2 where id = $1 returning reference, created_at',
      [id, email],
    );
    return { id, email, reference: row?.reference ?? '', day: dayOf(row?.created_at ?? 0) };
  });
}

async function backUp({ engine, folder, installation }: Store, file: string): Promise<void> {
  const to = join(folder, 'backup');
  if (engine === 'SQLite') await command({ installation }, file, 'backup', to);
  else await runProgram('pg_dump', ['-Fc', '-Z1', '-f', to, `${installation.environment['DATABASE_URL']}`]);
}

async function restore({ engine, folder, copy }: Store, file: string): Promise<void> {
  rmSync(join(folder, 'copy'), { recursive: true, force: true });
  const from = join(folder, 'backup');
  const environment = { ...copy, BENCH_PEAK: file };
  if (engine === 'SQLite') await node(environment, 'src/main.ts', 'restore', from);
  else {
    await runProgram('pg_restore', ['-j', '2', '-d', `${copy['DATABASE_URL']}`, from]);
    await node(environment, 'src/main.ts', 'after-restore');
  }
  rmSync(from);
}

/** Reverts migrations that changed existing data, so that `migrate` runs each again. */
const UNDONE: Record<string, string> = {
  '0081-days-of-merchants.sql': 'update search_progress set commit_id = commit_id',
  '0083-refused-requests-in-spanish.sql': 'alter table refused_requests drop column detail_es',
  '0085-arrived-moves.sql': 'alter table moves drop column arrived_at',
};

async function migrate(store: Store, file: string): Promise<void> {
  await withStore(store.installation, (app) =>
    app.db.transaction(async (tx) => {
      for (const [name, sql] of Object.entries(UNDONE)) {
        await tx.query(sql);
        await tx.query('delete from schema_migrations where name = $1', [name]);
      }
    }),
  );
  expectPart(await command(store, file, 'migrate', '--json'), Object.keys(UNDONE)[0] as string);
}

function expectPart(text: string, part: string): void {
  if (!text.includes(part)) throw new FigureInvalid(`${part} is not in the answer: ${text.slice(0, 300)}`);
}

function node(environment: NodeJS.ProcessEnv, program: string, ...args: string[]): Promise<string> {
  return runProgram('node', [...PEAK, program, ...args], environment);
}

async function withStore<Result>({ environment }: Installation, use: (app: App) => Promise<Result>): Promise<Result> {
  const app = composeApp(readConfig({ ...process.env, ...environment, LOG_LEVEL: 'error' }), (error) => {
    throw error;
  });
  try {
    return await use(app);
  } finally {
    await app.close();
  }
}

async function checkSpace({ folder }: Bench, count: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const [there, needed] = [(bavail * bsize) / 1e9, (count * BYTES_PER_PAYMENT) / 1e9];
  if (there < needed)
    throw new FigureSkipped(
      `${folder} has ${there.toFixed(1)} GB left; ${count} payments need ${needed.toFixed(1)} GB`,
    );
}
