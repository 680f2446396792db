import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { type Program, pathOf } from './system-programs.ts';

export type ChildOptions = { cwd?: string | URL; env?: NodeJS.ProcessEnv; uid?: number; gid?: number };

export type Written = { readonly stdout: string; readonly stderr: string };
export type Ended = Written & { readonly status: number | null; readonly signal: NodeJS.Signals | null };

/** A program that runs beside a test. It ends with the test's process at the latest. */
export type Child = {
  readonly pid: number;
  readonly stdin: Writable;
  /** All that it wrote until now. */
  written(): Written;
  running: () => boolean;
  /** Fulfilled when it has ended, however it ended. */
  readonly ended: Promise<Ended>;
  /** Waits for what it is to write. Rejects with all that it wrote when it ends before. */
  until(isThere: (written: Written) => boolean): Promise<Written>;
  /** From now on nobody reads what it writes, as after the end of a program behind a pipe. */
  stopReading: () => void;
  signal: (signal: NodeJS.Signals) => void;
  /** Whether this process stays for it. */
  holds: (yes: boolean) => void;
  /** Sends the signal and waits until it has ended. */
  end(signal?: NodeJS.Signals): Promise<Ended>;
};

/** As the launcher does: with compiled code at hand our Node starts in a third of the time. */
export const NODE_COMPILE_CACHE = join(import.meta.dirname, '../../node_modules/.cache/compiled');

/** For a test file that is started by a test: by this variable Node tells one that the runner started. */
export function withoutTestContext(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return env;
}

/** Starts a program. Rejects at once, with the reason, when it cannot be started. */
export async function startChild(
  program: Program,
  args: readonly string[],
  options: ChildOptions = {},
): Promise<Child> {
  const env = { NODE_COMPILE_CACHE, ...(options.env ?? process.env) };
  const child = spawn(pathOf(program), args, { ...options, env, stdio: 'pipe' });
  const written = collect(child);
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (status, signal) => resolve({ ...written, status, signal }));
  });
  await once(child, 'spawn').catch((cause: Error) => {
    throw new Error(`${program} could not be started: ${cause.message}`, { cause });
  });
  endWithThisProcess(child);
  // A program that ends without reading its input is seen by its end.
  child.stdin.on('error', () => {});
  return {
    pid: child.pid as number,
    stdin: child.stdin,
    written: () => ({ ...written }),
    running: () => child.exitCode === null && child.signalCode === null,
    ended,
    until: async (isThere) => {
      while (!isThere(written)) {
        const early = await Promise.race([more(child), ended]);
        if (early !== undefined && !isThere(written)) throw new Error(describeEnd(program, args, early));
      }
      return { ...written };
    },
    stopReading: () => {
      child.stdout.destroy();
      child.stderr.destroy();
    },
    signal: (signal) => void child.kill(signal),
    holds: (yes) => {
      const verb = yes ? 'ref' : 'unref';
      for (const handle of [child, child.stdin, child.stdout, child.stderr] as Handle[]) handle[verb]();
    },
    end: (signal = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    },
  };
}

/** Runs a program to its end, and answers however it ended. `input` is its standard input. */
export async function runChild(
  program: Program,
  args: readonly string[],
  { input = '', longestMs = 4 * 60_000, ...options }: ChildOptions & { input?: string; longestMs?: number } = {},
): Promise<Ended> {
  const child = await startChild(program, args, options);
  child.stdin.end(input);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.signal('SIGKILL');
  }, longestMs);
  const ended = await child.ended;
  clearTimeout(timer);
  if (late) throw new Error(`Killed after ${longestMs / 1000} s: ${describeEnd(program, args, ended)}`);
  return ended;
}

/** Runs a program that must end well, and answers its standard output. Rejects with all that it wrote otherwise. */
export async function outputOf(
  program: Program,
  args: readonly string[],
  options?: Parameters<typeof runChild>[2],
): Promise<string> {
  const ended = await runChild(program, args, options);
  if (ended.status !== 0) throw new Error(describeEnd(program, args, ended));
  return ended.stdout;
}

function collect(child: ChildProcessWithoutNullStreams): { stdout: string; stderr: string } {
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
    });
  }
  return written;
}

function more(child: ChildProcessWithoutNullStreams): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => {
    child.stdout.off('data', look);
    child.stderr.off('data', look);
    resolve();
  };
  child.stdout.on('data', look);
  child.stderr.on('data', look);
  return promise;
}

function describeEnd(program: Program, args: readonly string[], { status, signal, stdout, stderr }: Ended): string {
  const command = [program, ...args].join(' ').slice(0, 300);
  return `${command} ended with ${signal ?? `status ${status}`}\n${stdout}${stderr}`;
}

/** A process or a pipe. */
type Handle = { ref(): void; unref(): void };

const running = new Set<ChildProcessWithoutNullStreams>();

function endAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** The runner ends a test file that takes too long with SIGTERM. */
function endOnSignal(): void {
  endAll();
  process.exit(143);
}

process.once('exit', endAll);

function endWithThisProcess(child: ChildProcessWithoutNullStreams): void {
  if (running.size === 0) process.once('SIGTERM', endOnSignal);
  running.add(child);
  child.once('exit', () => {
    running.delete(child);
    if (running.size === 0) process.off('SIGTERM', endOnSignal);
  });
}
