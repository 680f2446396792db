import { join } from 'node:path';
import { type Bench, runLoad } from './support/bench.ts';
import { type Figure, median } from './support/figure.ts';
import type { LoadResult } from './support/load-plan.ts';
import { createInstallation, createRequestOf, type Installation, startService } from './support/service.ts';

type Start = { seconds: number; loads: readonly LoadResult[] };

/**
 * Measures the start, and how long the first creates after it take. Code is slow in its first runs, so the same load
 * runs twice; the second time shows the steady rate.
 */
export async function measureRestart(bench: Bench): Promise<Figure> {
  const postgres = await bench.postgres();
  const installations = {
    SQLite: await createInstallation(join(bench.folder, 'restart')),
    PostgreSQL: await createInstallation(
      join(bench.folder, 'restart-postgres'),
      await postgres.createDatabase('restart'),
    ),
  };
  const rows: string[][] = [];
  for (const [engine, installation] of Object.entries(installations)) {
    const starts: Start[] = [];
    for (let round = 1; round <= bench.sizes.rounds; round++) starts.push(await startOnce(bench, installation));
    for (const [index, when] of ['first', 'next'].entries()) rows.push(rowOf(engine, starts, index, when));
    bench.say(
      `  ${engine}: ${starts.map(({ loads }) => loads.map(({ p99 }) => p99.toFixed(1)).join(' then ')).join(', ')}`,
    );
  }
  const seconds = (bench.sizes.measureMs / 1000).toString();
  const head = [
    'engine',
    'start to ready, s',
    `${seconds} seconds`,
    'creates/s',
    'p50 ms',
    'p99 ms',
    'p99.9 ms',
    'slowest ms',
  ];
  return { lines: [], details: [{ title: 'Durable signed creates after a start, 64 connections', head, rows }] };
}

async function startOnce(bench: Bench, installation: Installation): Promise<Start> {
  const startedAt = performance.now();
  const service = await startService(installation);
  const seconds = (performance.now() - startedAt) / 1000;
  const load = { port: service.port, request: createRequestOf(installation), warmUpMs: 0 };
  const loads = [await runLoad(bench, load), await runLoad(bench, load)];
  await service.stop();
  return { seconds, loads };
}

/** Returns the median of the starts, number by number. */
function rowOf(engine: string, starts: readonly Start[], index: number, when: string): string[] {
  const middle = (of: (load: LoadResult) => number) =>
    median(starts.map(({ loads }) => of(loads[index] as LoadResult)));
  return [
    engine,
    median(starts.map(({ seconds }) => seconds)).toFixed(2),
    when,
    Math.round(middle(({ rate }) => rate)).toLocaleString('en'),
    middle(({ p50 }) => p50).toFixed(2),
    middle(({ p99 }) => p99).toFixed(2),
    middle(({ p999 }) => p999).toFixed(2),
    middle(({ slowest }) => slowest).toFixed(2),
  ];
}
