import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bench, runLoad } from './support/bench.ts';
import type { Details, Figure } from './support/figure.ts';
import { type CpuProfile, type Share, summarizeProfile } from './support/profile-summary.ts';
import { createInstallation, createRequestOf, type Installation, startService } from './support/service.ts';

const SHOWN = 25;

/** Where the time of a create goes on the service's main thread, by part and by function, on both engines. */
export async function measureProfile(bench: Bench): Promise<Figure> {
  const onSqlite = await createInstallation(join(bench.folder, 'profile'));
  const details = await profile(bench, 'SQLite', onSqlite);
  const url = await (await bench.postgres()).createDatabase('profile');
  const onPostgres = await createInstallation(join(bench.folder, 'profile-postgres'), url);
  return { lines: [], details: [...details, ...(await profile(bench, 'PostgreSQL', onPostgres))] };
}

async function profile(bench: Bench, engine: string, installation: Installation): Promise<Details[]> {
  const folder = join(bench.folder, `profile-of-${engine}`);
  const service = await startService(installation, [
    '--cpu-prof',
    `--cpu-prof-dir=${folder}`,
    '--cpu-prof-interval=500',
  ]);
  await runLoad(bench, { port: service.port, request: createRequestOf(installation) });
  // Written when it ends.
  await service.stop();
  const [file] = globSync(join(folder, '*.cpuprofile'));
  const { areas, functions } = summarizeProfile(
    JSON.parse(readFileSync(file as string, 'utf8')) as CpuProfile,
    bench.sizes.warmUpMs,
  );
  return [
    { title: `Where the time of a create goes, ${engine}, by part`, head: ['part', 'share'], rows: rowsOf(areas) },
    {
      title: `Where the time of a create goes, ${engine}, by function`,
      head: ['function', 'share'],
      rows: rowsOf(functions),
    },
  ];
}

function rowsOf(shares: readonly Share[]): string[][] {
  return shares.slice(0, SHOWN).map(({ name, share }) => [name, `${(share * 100).toFixed(1)} %`]);
}
