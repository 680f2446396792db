import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { findOrInstallPrograms } from './system-programs.ts';
import { startThrowawayPostgres, type ThrowawayPostgres } from './throwaway-postgres.ts';

const checks: readonly { name: string; command: readonly string[] }[] = [
  { name: 'types', command: ['tsc', '--noEmit'] },
  { name: 'lint', command: ['oxlint'] },
  { name: 'format (npm run format mends it)', command: ['biome', 'check'] },
  { name: 'unused code and dependencies', command: ['knip', '--no-progress'] },
];

const total = { passed: 0, failed: 0, skipped: 0 };
const remarks: string[] = [];
const interrupted = new AbortController();

await main();

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options: { faults: { type: 'boolean' } }, allowPositionals: true });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
  const postgres = await prepare();
  try {
    if (positionals.length > 0) {
      await runFiles('tests', positionals, 2);
    } else {
      for (const check of checks) runCheck(check.name, check.command);
      await runFiles('tests', globSync('test/**/*.test.ts'), 2);
      // One at a time: a fault harness loads the machine on purpose, and counts what its own load did.
      if (values.faults === true) await runFiles('faults', globSync('test/faults/**/*.fault.ts'), 1);
    }
  } finally {
    await postgres?.stop();
  }
  for (const remark of remarks) console.log(`\n!!! ${remark}`);
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
  console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
  process.exitCode = total.failed > 0 || interrupted.signal.aborted ? 1 : 0;
}

/** Finds or installs what the tests need beside npm's packages. What is missing is said aloud, and fails in CI. */
async function prepare(): Promise<ThrowawayPostgres | undefined> {
  const missing = findOrInstallPrograms();
  for (const program of missing) {
    remarks.push(`${program.name} WAS NOT TESTED: install Debian's package ${program.debianPackage}.`);
    if (process.env.CI === 'true') total.failed += 1;
  }
  const binaries = process.env.POSTGRES_BIN;
  if (binaries === undefined) return undefined;
  // The harnesses that let PostgreSQL crash start clusters of their own.
  const postgres = await startThrowawayPostgres(binaries, { durable: false });
  process.env.TEST_POSTGRES_URL = postgres.url;
  return postgres;
}

function runCheck(name: string, command: readonly string[]): void {
  const start = performance.now();
  const [program = '', ...args] = command;
  const result = spawnSync(program, args, { encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } });
  const passed = result.status === 0;
  console.log(`${passed ? '✔' : '✖'} ${name} (${secondsSince(start)})`);
  if (!passed) console.log(result.error ?? `${result.stdout}${result.stderr}`);
  total[passed ? 'passed' : 'failed'] += 1;
}

async function runFiles(name: string, files: string[], concurrency: number): Promise<void> {
  if (files.length === 0) return;
  const start = performance.now();
  const stream = run({ files, concurrency, signal: interrupted.signal, timeout: 30 * 60_000 });
  stream.on('test:summary', ({ file, counts, success }) => {
    if (file !== undefined) return;
    total.passed += counts.passed;
    total.skipped += counts.skipped + counts.todo;
    // A file that fails outside its tests fails the run without being counted.
    total.failed += Math.max(counts.tests - counts.passed - counts.skipped - counts.todo, success ? 0 : 1);
  });
  for await (const chunk of stream.compose(spec)) process.stdout.write(chunk);
  console.log(`${name}: ${files.length} files (${secondsSince(start)})`);
}

function secondsSince(start: number): string {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}
