import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { CommandError } from '../print.ts';

const repository = join(import.meta.dirname, '../../..');

/** `bench`: measures the figures of docs/performance.md on this machine. */
export function addBenchCommand(program: Command): void {
  program
    .command('bench')
    .description('measure the service against reference programs and print the ratios')
    .argument('[figures...]', 'figures to measure (default: all, half an hour and 16 GB of disk)')
    .option('--quick', 'smoke test: the numbers mean nothing')
    .option(
      '--payments <numbers>',
      'store sizes for `bench lived` and `bench move`, such as 100000 or 100000,1000000; `move` uses the largest',
    )
    .option('--engine <engine>', 'engine of `bench lived`: sqlite or postgres (default: both)')
    .option('--json', 'print one JSON object')
    .option('--write', 'update docs/performance.md with the results')
    .action(bench);
}

/** Starts the benchmark as its own program, which needs the development dependencies. */
async function bench(figures: readonly string[], options: Record<string, boolean | string>): Promise<void> {
  if (!existsSync(join(repository, 'bench')))
    throw new CommandError('A package brings no benchmarks: run them from a clone.');
  const install = execFileSync(join(repository, 'bin/install'), ['--dev'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const flags = Object.entries(options).flatMap(([name, value]) =>
    value === true ? `--${name}` : [`--${name}`, `${value}`],
  );
  const child = spawn(install.trim(), [join(repository, 'bench/run-bench.ts'), ...figures, ...flags], {
    stdio: 'inherit',
  });
  const [status] = (await once(child, 'exit')) as [number | null];
  process.exitCode = status ?? 1;
}
