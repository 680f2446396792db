import { type BenchPostgres, startBenchPostgres } from './databases.ts';
import { FigureInvalid, FigureSkipped } from './figure.ts';
import type { LoadPlan, LoadResult } from './load-plan.ts';
import { runProgram } from './programs.ts';

export type Engine = 'SQLite' | 'PostgreSQL';

/** The amount of work. `quick` only shows that everything runs; its numbers mean nothing. */
export type Sizes = {
  rounds: number;
  warmUpMs: number;
  measureMs: number;
  /** Stored transactions of the growth figure. */
  stored: readonly number[];
  /** The wait until a start and the worker's first steps are over. */
  settleMs: number;
  /** The wait until an attack is under way. */
  beginMs: number;
  callbacks: number;
  /** Paid payments of the merchant that moves. */
  moved: number;
  /** Paid payments of the stores of the lived figure. */
  lived: readonly number[];
  livedOn: readonly Engine[];
  /** Concurrent clients of the connections figure. */
  connections: readonly number[];
  signatures: number;
};

const FULL: Sizes = {
  rounds: 5,
  warmUpMs: 1000,
  measureMs: 4000,
  stored: [0, 1_000_000, 10_000_000],
  settleMs: 3_000,
  beginMs: 500,
  callbacks: 20_000,
  moved: 100_000,
  lived: [100_000],
  livedOn: ['SQLite', 'PostgreSQL'],
  connections: [1, 16, 64, 256],
  signatures: 100_000,
};
const QUICK: Sizes = {
  rounds: 1,
  warmUpMs: 5,
  measureMs: 40,
  stored: [0, 1_000],
  settleMs: 100,
  beginMs: 50,
  callbacks: 100,
  moved: 100,
  lived: [200],
  livedOn: ['SQLite', 'PostgreSQL'],
  connections: [1, 64],
  signatures: 1_000,
};

/**
 * `keep`: the folder where stores are kept for another run (SQLite). `steps`: parts of the names of steps; default:
 * all.
 */
export type LivedOptions = { keep?: string; steps?: readonly string[] };

/** The shared parts of the figures: a folder that is removed at the end, one PostgreSQL, and progress output. */
export type Bench = {
  sizes: Sizes;
  lived: LivedOptions;
  folder: string;
  postgres(): Promise<BenchPostgres>;
  /** PostgreSQL's version, if a figure has used it. */
  postgresVersion(): string | null;
  say(text: string): void;
  stop(): Promise<void>;
};

/** Creates a bench. `sizes` replace the usual ones. */
export function createBench(
  folder: string,
  quick: boolean,
  sizes: Partial<Sizes> = {},
  lived: LivedOptions = {},
): Bench {
  let started: Promise<BenchPostgres | null> | null = null;
  let version: string | null = null;
  return {
    sizes: { ...(quick ? QUICK : FULL), ...sizes },
    lived,
    folder,
    postgres: async () => {
      started ??= startBenchPostgres({ durable: !quick });
      const postgres = await started;
      if (postgres === null) throw new FigureSkipped("PostgreSQL is missing: install Debian's package postgresql");
      version = postgres.version;
      return postgres;
    },
    postgresVersion: () => version,
    say: (text) => void process.stderr.write(`${text}\n`),
    stop: async () => {
      await (await started)?.stop();
    },
  };
}

/** More requests than any server here can answer in the time, so that the time ends a run. */
const MOST_PER_MS = 40;

type Load = Pick<LoadPlan, 'port' | 'request'> &
  Partial<Pick<LoadPlan, 'connections' | 'repeat' | 'warmUpMs' | 'measureMs'>>;

/** Loads a server with requests and returns the result. Throws `FigureInvalid` if any was refused. */
export async function runLoad({ sizes }: Bench, load: Load): Promise<LoadResult> {
  const { warmUpMs = sizes.warmUpMs, measureMs = sizes.measureMs, repeat = false } = load;
  const prepared = repeat ? 5_000 : (warmUpMs + measureMs) * MOST_PER_MS;
  const plan: LoadPlan = { connections: 64, ...load, repeat, prepared, warmUpMs, measureMs };
  const result = JSON.parse(await runProgram('node', ['bench/load-generator.ts', JSON.stringify(plan)])) as LoadResult;
  if (result.refused > 0)
    throw new FigureInvalid(`${result.refused} requests were refused, the first with: ${result.refusal}`);
  return result;
}

/** A contestant: each call measures one more round. */
export type Contestant = () => Promise<number>;

/**
 * Measures several contestants side by side: one round of each, alternately from the front and from the back, so that
 * disturbances of the machine affect all alike. Returns a row per round, in the order of the contestants.
 */
export async function alternate(bench: Bench, contestants: Record<string, Contestant>): Promise<number[][]> {
  const entries = Object.entries(contestants);
  const rows: number[][] = [];
  for (let round = 0; round < bench.sizes.rounds; round++) {
    const row: number[] = new Array(entries.length).fill(0);
    const order = [...entries.keys()];
    for (const at of round % 2 === 0 ? order : order.toReversed()) {
      const [name, measure] = entries[at] as [string, Contestant];
      const quantity = await measure();
      bench.say(`  round ${round + 1}  ${name.padEnd(40)} ${Math.round(quantity)}`);
      row[at] = quantity;
    }
    rows.push(row);
  }
  return rows;
}

/** Returns the rounds of the first contestant against another. */
export function roundsAgainst(rows: readonly number[][], peer: number, ours = 0): { ours: number; peer: number }[] {
  return rows.map((row) => ({ ours: row[ours] as number, peer: row[peer] as number }));
}
