import type { ChildProcess } from 'node:child_process';
import diagnostics from 'node:diagnostics_channel';
import { existsSync, globSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { SETTINGS } from '../../src/settings.ts';
import { NODE_COMPILE_CACHE, runChild } from './child-process.ts';
import { groupFiles } from './group-files.ts';
import { makeOwnedFolder } from './owned-folder.ts';
import { quickFolder } from './quick-folder.ts';
import { installPrograms } from './system-programs.ts';
import { startThrowawayPostgres, type ThrowawayPostgres } from './throwaway-postgres.ts';

/** One thread (`tsc`) and rarer garbage collection (`GOGC`, for `tsc` and `oxlint`) save a quarter of these checks. */
const checks: readonly { name: string; command: readonly [program: string, ...args: string[]] }[] = [
  { name: 'types', command: ['tsc', '--noEmit', '--singleThreaded'] },
  { name: 'lint', command: ['oxlint'] },
  { name: 'format (npm run format mends it)', command: ['biome', 'check'] },
  { name: 'unused code and dependencies', command: ['knip', '--no-progress'] },
];

const total = { passed: 0, failed: 0, skipped: 0 };
/** The reasons for skipped tests, with the number of tests. */
const leftOut = new Map<string, number>();
const remarks: string[] = [];
/**
 * The limits are in minutes: a test that exceeds its limit fails under its name, so a file ends long before CI's own
 * limit. `atOnce`: tests often wait for other processes, so there are three more files than cores. Fault harnesses run
 * one at a time, because each loads the machine and measures under that load. Packages are also built one at a time,
 * and need npm's registry.
 */
const KINDS = {
  tests: { test: 5, file: 10, atOnce: Math.min(availableParallelism() + 3, 8), folder: quickFolder(tmpdir()) },
  faults: { test: 30, file: 90, atOnce: 1, folder: tmpdir() },
  packages: { test: 10, file: 20, atOnce: 1, folder: tmpdir() },
};
/** The duration of each file, in milliseconds. */
const durations = new Map<string, number>();
const interrupted = new AbortController();

await main();

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { faults: { type: 'boolean' }, package: { type: 'boolean' }, times: { type: 'boolean' } },
    allowPositionals: true,
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
  const missing = positionals.filter((file) => !existsSync(file));
  if (missing.length > 0) {
    console.error(`There is no test file ${missing.join(', ')}: name one that exists.`);
    process.exitCode = 1;
    return;
  }
  process.env.NODE_COMPILE_CACHE ??= NODE_COMPILE_CACHE;
  // The shell may have the settings of a service, as the README loads them.
  for (const { name } of SETTINGS) delete process.env[name];
  const postgres = await prepare();
  try {
    if (positionals.length > 0) {
      await runFiles(kindOf(positionals), positionals);
    } else {
      // Runs in parallel with the tests, which sometimes wait for other processes.
      const checking = Promise.all(checks.map(runCheck));
      await runFiles('tests', globSync('test/**/*.test.ts'), { grouped: true });
      await checking;
      if (values.package === true) await runFiles('packages', globSync('test/package/*.package.ts'));
      if (values.faults === true) await runFiles('faults', globSync('test/faults/**/*.fault.ts'));
    }
  } finally {
    await postgres?.stop();
  }
  if (values.times === true) printTimes();
  for (const [reason, tests] of leftOut) console.log(`\nleft out: ${reason} (${tests})`);
  for (const remark of remarks) console.log(`\n!!! ${remark}`);
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
  console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
  process.exitCode = total.failed > 0 || interrupted.signal.aborted ? 1 : 0;
}

/** Chooses the limits of the slowest kind among the files. */
function kindOf(files: readonly string[]): keyof typeof KINDS {
  if (files.some((file) => file.endsWith('.fault.ts'))) return 'faults';
  return files.some((file) => file.endsWith('.package.ts')) ? 'packages' : 'tests';
}

/** Installs the programs that do not come from npm. It reports missing ones, and in CI they are a failure. */
async function prepare(): Promise<ThrowawayPostgres | undefined> {
  const missing = installPrograms();
  remarks.push(...missing.map((sentence) => `NOT EVERYTHING WAS TESTED: ${sentence}.`));
  if (process.env.CI === 'true') total.failed += missing.length;
  if (missing.some((sentence) => sentence.includes('initdb'))) return undefined;
  // The harnesses that crash PostgreSQL start separate clusters.
  const postgres = await startThrowawayPostgres({ durable: false });
  process.env.TEST_POSTGRES_URL = postgres.url;
  return postgres;
}

async function runCheck({ name, command: [program, ...args] }: (typeof checks)[number]): Promise<void> {
  const start = performance.now();
  const env = { ...process.env, NO_COLOR: '1', GOGC: '400' };
  const longestMs = KINDS.tests.file * 60_000;
  const { status, stdout, stderr } = await runChild(`node_modules/.bin/${program}`, args, { env, longestMs }).catch(
    (error: Error) => ({ status: null, stdout: '', stderr: error.message }),
  );
  const passed = status === 0;
  console.log(`${passed ? '✔' : '✖'} ${name} (${secondsSince(start)})`);
  if (!passed) console.log(`${stdout}${stderr}`);
  total[passed ? 'passed' : 'failed'] += 1;
}

async function runFiles(name: keyof typeof KINDS, files: string[], { grouped = false } = {}): Promise<void> {
  if (files.length === 0) return;
  const start = performance.now();
  const kind = KINDS[name];
  const signal = interrupted.signal;
  // Removing this folder also removes what killed files left. Fault harnesses keep their stores on the disk.
  const folder = makeOwnedFolder(kind.folder, 'rubrica-tests');
  const env = { ...process.env, TMPDIR: folder };
  // A young generation of 16 MB: 64 MB took a tenth longer where other programs use the processor's cache too. Garbage
  // is collected in one thread, because the other tests need the other cores: a tenth. Most functions of a test run too
  // few times to be worth baseline code: a twentieth.
  const preloads = ['./untracked-promises.ts', './end-with-tests.ts'];
  const execArgv = [
    '--max-semi-space-size=16',
    '--single-threaded-gc',
    '--no-sparkplug',
    ...preloads.map((one) => `--import=${import.meta.resolve(one)}`),
  ];
  const limits = { concurrency: kind.atOnce, signal, timeout: kind.test * 60_000 };
  const modules = grouped ? groupFiles(files, { folder, atOnce: kind.atOnce, minutes: kind.file }) : files;
  const stream = run({ files: modules, env, execArgv, ...limits });
  stream.on('test:pass', ({ skip }) => {
    if (typeof skip === 'string') leftOut.set(skip, (leftOut.get(skip) ?? 0) + 1);
  });
  stream.on('test:summary', ({ file, counts, success, duration_ms }) => {
    if (file !== undefined) {
      if (!file.startsWith(folder)) durations.set(relative('', file), duration_ms);
      return;
    }
    total.passed += counts.passed;
    total.skipped += counts.skipped + counts.todo;
    // A file that fails outside its tests fails the run, although it is not counted.
    total.failed += Math.max(counts.tests - counts.passed - counts.skipped - counts.todo, success ? 0 : 1);
  });
  const endless = killEndlessFiles(kind.file);
  stream.on('test:complete', ({ name: file, nesting, entryFile, details }) => {
    if (nesting > 0 || entryFile?.startsWith(folder) !== true) return;
    durations.set(file, details.duration_ms);
    endless.goesOn(entryFile);
  });
  for await (const chunk of stream.compose(spec)) process.stdout.write(chunk);
  endless.stop();
  rmSync(folder, { recursive: true, force: true });
  reportUnfinished(files);
  console.log(`${name}: ${files.length} files (${secondsSince(start)})`);
}

/** Reports files that did not finish: a process that ends early must not look like one whose tests passed. */
function reportUnfinished(files: readonly string[]): void {
  const unfinished = files.filter((file) => !durations.has(relative('', file)));
  if (unfinished.length === 0 || interrupted.signal.aborted) return;
  remarks.push(`NOT RUN TO THE END: ${unfinished.join(', ')}`);
  total.failed += unfinished.length;
}

/** Kills a file that no test time-out ends, because a test loops or the file never reaches its tests. */
function killEndlessFiles(minutes: number): { goesOn: (path: string) => void; stop: () => void } {
  const timers = new Map<ChildProcess, NodeJS.Timeout>();
  const pathOf = (child: ChildProcess) => child.spawnargs.at(-1);
  const onStart = (message: unknown) => {
    const { process: child } = message as { process: ChildProcess };
    const timer = setTimeout(() => {
      remarks.push(`KILLED AFTER ${minutes} MINUTES, IN A LOOP OR BEFORE ITS TESTS: ${pathOf(child)}`);
      child.kill('SIGKILL');
    }, minutes * 60_000);
    timers.set(child, timer);
    child.once('exit', () => {
      clearTimeout(timer);
      timers.delete(child);
    });
  };
  diagnostics.subscribe('child_process', onStart);
  return {
    // Each file of a group has the full time.
    goesOn: (path) => {
      for (const [child, timer] of timers) if (pathOf(child) === path) timer.refresh();
    },
    stop: () => diagnostics.unsubscribe('child_process', onStart),
  };
}

/** Prints the twenty slowest files, measured while others ran in parallel. */
function printTimes(): void {
  const slowest = [...durations].sort(([, a], [, b]) => b - a).slice(0, 20);
  console.log('\nthe slowest files:');
  for (const [file, duration] of slowest) console.log(`${inSeconds(duration).padStart(9)}  ${file}`);
}

function secondsSince(start: number): string {
  return inSeconds(performance.now() - start);
}

function inSeconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
