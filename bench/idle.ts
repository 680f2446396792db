import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from './support/bench.ts';
import { type Figure, FigureSkipped, limitLine } from './support/figure.ts';
import { startProgram } from './support/programs.ts';
import { createInstallation, type Installation } from './support/service.ts';

/**
 * Measures the time from start to ready, and the memory of all processes then, with `bin/rubrica serve` as users start
 * it.
 */
export async function measureIdle(bench: Bench): Promise<Figure> {
  if (process.platform !== 'linux') throw new FigureSkipped('memory is read from /proc, which only Linux has');
  const installation = await createInstallation(join(bench.folder, 'idle'));
  const megabytes: number[] = [];
  const seconds: number[] = [];
  for (let round = 0; round < bench.sizes.rounds; round++) {
    const started = await startOnce(installation, bench.sizes.settleMs);
    megabytes.push(started.megabytes);
    seconds.push(started.seconds);
    bench.say(`  round ${round + 1}  ready in ${started.seconds.toFixed(2)} s, ${started.megabytes.toFixed(1)} MB`);
  }
  return {
    lines: [
      limitLine('resident memory of all processes when idle, SQLite', 'MB', 110, megabytes),
      limitLine('start to ready, SQLite, existing data', 's', 1, seconds),
    ],
    details: [],
  };
}

async function startOnce(
  { environment }: Installation,
  settleMs: number,
): Promise<{ megabytes: number; seconds: number }> {
  const startedAt = performance.now();
  const program = await startProgram('bin/rubrica', ['serve'], {
    environment,
    isReady: (line) => line.includes('"msg":"ready"'),
  });
  try {
    const seconds = (performance.now() - startedAt) / 1000;
    await pause(settleMs);
    return { seconds, megabytes: residentMegabytes(program.pid) };
  } finally {
    await program.stop();
  }
}

/** Returns the memory of a process and of all its children, from `/proc`. */
export function residentMegabytes(pid: number): number {
  const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return kilobytes / 1024 + children.map(residentMegabytes).reduce((sum, one) => sum + one, 0);
}
