import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { type Program, pathOf } from './system-programs.ts';

export type ChildOptions = { cwd?: string | URL; env?: NodeJS.ProcessEnv; uid?: number; gid?: number };

export type Written = { readonly stdout: string; readonly stderr: string };
export type Ended = Written & { readonly status: number | null; readonly signal: NodeJS.Signals | null };

/** A program started by a test. It ends at the latest with the test's process. */
export type Child = {
  readonly pid: number;
  readonly stdin: Writable;
  /** All its output so far. */
  written(): Written;
  running: () => boolean;
  /** Resolves when the program has ended, with any status. */
  readonly ended: Promise<Ended>;
  /** Waits for some output. Rejects with all the output if the program ends first. */
  until(isThere: (written: Written) => boolean): Promise<Written>;
  /** Closes the read ends of its output, as when the program behind a pipe ends. */
  stopReading: () => void;
  signal: (signal: NodeJS.Signals) => void;
  /** Whether this process stays alive for the program. */
  holds: (yes: boolean) => void;
  /** Sends the signal and waits for the end. */
  end(signal?: NodeJS.Signals): Promise<Ended>;
};

/** The compile cache of the launcher: with compiled code Node starts the product in a third of the time. */
export const NODE_COMPILE_CACHE = join(import.meta.dirname, '../../node_modules/.cache/compiled');

/**
 * The environment for a test file that a test starts, without the variable by which Node recognises files that its
 * runner started.
 */
export function withoutTestContext(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return env;
}

/** Starts a program. Rejects at once with the reason if it cannot start. */
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
  // If a program ends without reading its input, its end shows it.
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

/** Runs a program to its end and returns its result, also after a failure. `input` is its standard input. */
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

/** Runs a program that must succeed and returns its standard output. Otherwise rejects with all its output. */
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

/** Ends the children on SIGTERM, which the runner sends to a test file that takes too long. */
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
