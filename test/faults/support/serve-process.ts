import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Child, type Ended, startChild, type Written } from '../../support/child-process.ts';
import { neverLendAgain } from '../../support/postgres-databases.ts';
import type { Program } from '../../support/system-programs.ts';
import type { PlantName } from '../plants.ts';

const repository = join(import.meta.dirname, '../../..');

export type ServeOptions = {
  /** `sqlite:FILE` or `postgres://…`. */
  databaseUrl: string;
  /** A bug of plants.ts, planted while the process loads. */
  plant?: PlantName | undefined;
  /** Uses a wall clock that is off by `CLOCK_OFFSET_MS` and jumps by `CLOCK_JUMP_MS` at each SIGUSR2. */
  jumpingClock?: boolean;
  /** A program before Node with its arguments, such as strace. It must `exec` Node in the same process. */
  wrapper?: Wrapper;
  /** The folder of another version of the program. */
  program?: string;
  /** Further settings. */
  settings?: Record<string, string>;
};

export type Wrapper = readonly [Program, ...string[]];

export type Exit = Pick<Ended, 'status' | 'signal'>;

/** The service ended before it was ready. */
export class ServeEnded extends Error {
  readonly exit: Exit;

  constructor({ status, signal, stdout, stderr }: Ended) {
    super(`serve ended before it was ready, with ${signal ?? `status ${status}`}\n${stdout}${stderr}`);
    this.exit = { status, signal };
  }
}

/**
 * `bin/rubrica serve` as a separate process, without the launcher, which only installs packages. `await using` kills it
 * even if a harness fails.
 */
export type ServeProcess = AsyncDisposable & {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** From the spawn to the line that says it is ready. */
  readonly readyMs: number;
  signal(signal: NodeJS.Signals): void;
  /** Sends SIGKILL and waits for the end. */
  kill(): Promise<void>;
  readonly exited: Promise<Exit>;
  running(): boolean;
  /** Its output since it was ready: the log and stderr. */
  output(): string;
};

/** The master key of the harnesses' stores. */
export const MASTER_KEY = '5a'.repeat(32);

/** Starts a service on a free port and waits until it is ready. Rejects with its output if it ends before that. */
export async function startServe(options: ServeOptions): Promise<ServeProcess> {
  const startedAt = performance.now();
  const child = await spawnServe(options);
  const readyLine = ({ stdout }: Written) => stdout.split('\n').find((line) => line.includes('"msg":"ready"'));
  const written = await child
    .until((written) => readyLine(written)?.endsWith('}') === true)
    .catch(async () => Promise.reject(new ServeEnded(await child.ended)));
  const { url } = JSON.parse(readyLine(written) as string) as { url: string };
  const kill = async () => void (await child.end('SIGKILL'));
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.pid,
    readyMs: Math.round(performance.now() - startedAt),
    signal: child.signal,
    kill,
    [Symbol.asyncDispose]: kill,
    exited: child.ended.then(({ status, signal }) => ({ status, signal })),
    running: child.running,
    output: () => child.written().stdout + child.written().stderr,
  };
}

let seenIn: string | undefined;

/** Returns the folder in which the services of this process keep their marks. */
function dataDir(): string {
  if (seenIn !== undefined) return seenIn;
  const made = mkdtempSync(join(tmpdir(), 'rubrica-seen-'));
  process.once('exit', () => rmSync(made, { recursive: true, force: true }));
  return (seenIn = made);
}

function spawnServe(options: ServeOptions): Promise<Child> {
  const { databaseUrl, plant, wrapper, settings, jumpingClock, program: folder = repository } = options;
  const preload = (file: string) => ['--import', join(import.meta.dirname, '../preload', file)];
  const planted = plant === undefined ? [] : preload('plant-process.ts');
  const clock = jumpingClock === true ? preload('jumping-clock.ts') : [];
  neverLendAgain(databaseUrl);
  const args = [...planted, ...clock, join(folder, 'src/main.ts'), 'serve'];
  const [program, ...before] = wrapper ?? ['node'];
  return startChild(program, wrapper === undefined ? args : [...before, process.execPath, ...args], {
    cwd: repository,
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DATABASE_URL: databaseUrl,
      DATA_DIR: dataDir(),
      MASTER_KEY,
      ...(plant !== undefined && { PLANTED_BUG: plant }),
      ...settings,
    },
  });
}
