import { globSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bench, runLoad } from './support/bench.ts';
import type { Details, Figure } from './support/figure.ts';
import type { LoadPlan } from './support/load-plan.ts';
import { type CpuProfile, type Share, summarizeProfile } from './support/profile-summary.ts';
import {
  createBenchUser,
  createInstallation,
  createRequestOf,
  type Installation,
  type Service,
  startService,
  VALIDATES,
  validationRequestOf,
} from './support/service.ts';

const SHOWN = 25;

/**
 * Measures where the service's main thread spends its time, by part and by function: a create on both engines, a
 * validation.
 */
export async function measureProfile(bench: Bench): Promise<Figure> {
  const onSqlite = await createInstallation(join(bench.folder, 'profile'));
  const url = await (await bench.postgres()).createDatabase('profile');
  const onPostgres = await createInstallation(join(bench.folder, 'profile-postgres'), url);
  const user = await createBenchUser(onSqlite, VALIDATES);
  const details = [
    await profile(bench, 'a create on SQLite', onSqlite, async () => createRequestOf(onSqlite)),
    await profile(bench, 'a create on PostgreSQL', onPostgres, async () => createRequestOf(onPostgres)),
    await profile(bench, 'a bank account validation on SQLite', onSqlite, (service) =>
      validationRequestOf(service, user),
    ),
  ];
  return { lines: [], details: details.flat() };
}

async function profile(
  bench: Bench,
  title: string,
  installation: Installation,
  requestOf: (service: Service) => Promise<LoadPlan['request']>,
): Promise<Details[]> {
  const folder = mkdtempSync(join(bench.folder, 'profile-'));
  const service = await startService(installation, [
    '--cpu-prof',
    `--cpu-prof-dir=${folder}`,
    '--cpu-prof-interval=500',
  ]);
  await runLoad(bench, { port: service.port, request: await requestOf(service) });
  // The profile is written when the process ends.
  await service.stop();
  const [file] = globSync(join(folder, '*.cpuprofile'));
  const { areas, functions } = summarizeProfile(
    JSON.parse(readFileSync(file as string, 'utf8')) as CpuProfile,
    bench.sizes.warmUpMs,
  );
  return [
    { title: `Where the time of ${title} goes, by part`, head: ['part', 'share'], rows: rowsOf(areas) },
    { title: `Where the time of ${title} goes, by function`, head: ['function', 'share'], rows: rowsOf(functions) },
  ];
}

function rowsOf(shares: readonly Share[]): string[][] {
  return shares.slice(0, SHOWN).map(({ name, share }) => [name, `${(share * 100).toFixed(1)} %`]);
}
