import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { PlantName } from '../plants.ts';

const repository = join(import.meta.dirname, '../../..');

export type ServeOptions = {
  /** `sqlite:FILE` or `postgres://…`. */
  databaseUrl: string;
  /** A bug of plants.ts, planted as the process loads. */
  plant?: PlantName | undefined;
  /** A wall clock that is off by `CLOCK_OFFSET_MS` and jumps by `CLOCK_JUMP_MS` at each SIGUSR2. */
  jumpingClock?: boolean;
  /** A program in front of Node with its arguments, such as strace. It must become the process itself. */
  wrapper?: readonly string[];
  /** The folder of another version of the program. */
  program?: string;
  /** Further settings. */
  settings?: Record<string, string>;
};

export type Exit = { code: number | null; signal: NodeJS.Signals | null };

/** A service that ended before it was ready. */
export class ServeEnded extends Error {
  readonly exit: Exit;

  constructor(exit: Exit, output: string) {
    super(`serve ended before it was ready: ${JSON.stringify(exit)}\n${output}`);
    this.exit = exit;
  }
}

/**
 * `bin/rubrica serve` as a process of its own, without the launcher: that one only installs packages. `await using` kills
 * it however a harness ends.
 */
export type ServeProcess = AsyncDisposable & {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** From the spawn to the line that says it is ready. */
  readonly readyMs: number;
  signal(signal: NodeJS.Signals): void;
  /** SIGKILL, and waits until it is gone. */
  kill(): Promise<void>;
  readonly exited: Promise<Exit>;
  running(): boolean;
  /** What it wrote since it was ready, the log and stderr. */
  output(): string;
};

/** The key under which the harnesses' stores are sealed. */
export const MASTER_KEY = '5a'.repeat(32);

/** Starts a service on a free port and waits until it is ready. Rejects with what it wrote when it ends before that. */
export async function startServe(options: ServeOptions): Promise<ServeProcess> {
  const { child, startedAt } = spawnServe(options);
  const exited = new Promise<Exit>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  const lines: string[] = [];
  const ready = new Promise<string>((resolve) => {
    createInterface(child.stdout as NodeJS.ReadableStream).on('line', (line) => {
      lines.push(line);
      if (line.includes('"msg":"ready"')) resolve((JSON.parse(line) as { url: string }).url);
    });
  });
  child.stderr?.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  const url = await Promise.race([ready, exited]);
  if (typeof url !== 'string') throw new ServeEnded(url, lines.join('\n'));
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.pid as number,
    readyMs: Math.round(performance.now() - startedAt),
    signal: (signal) => void child.kill(signal),
    kill,
    [Symbol.asyncDispose]: kill,
    exited,
    running: () => child.exitCode === null && child.signalCode === null,
    output: () => lines.join('\n'),
  };
}

function spawnServe({ databaseUrl, plant, wrapper = [], settings, jumpingClock, program: folder }: ServeOptions): {
  child: ChildProcess;
  startedAt: number;
} {
  const preload = (file: string) => ['--import', join(import.meta.dirname, '../preload', file)];
  const planted = plant === undefined ? [] : preload('plant-process.ts');
  const clock = jumpingClock === true ? preload('jumping-clock.ts') : [];
  const [program, ...args] = [
    ...wrapper,
    process.execPath,
    ...planted,
    ...clock,
    join(folder ?? repository, 'src/main.ts'),
    'serve',
  ];
  const startedAt = performance.now();
  const child: ChildProcess = spawn(program, args, {
    cwd: repository,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: join(repository, 'node_modules/.cache/compiled'),
      PORT: '0',
      DATABASE_URL: databaseUrl,
      MASTER_KEY,
      ...(plant !== undefined && { PLANTED_BUG: plant }),
      ...settings,
    },
  });
  // Whatever ends the harness ends what it started.
  const end = () => void child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  return { child, startedAt };
}
