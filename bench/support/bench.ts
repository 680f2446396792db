import { type BenchPostgres, startBenchPostgres } from './databases.ts';
import { FigureInvalid, FigureSkipped } from './figure.ts';
import type { LoadPlan, LoadResult } from './load-plan.ts';
import { runProgram } from './programs.ts';

export type Engine = 'SQLite' | 'PostgreSQL';

/** How much is measured. `quick` shows that everything runs; its numbers mean nothing. */
export type Sizes = {
  rounds: number;
  warmUpMs: number;
  measureMs: number;
  /** Stored transactions of the growth figure. */
  stored: readonly number[];
  /** Until what a start left over is gone and the first looks of the worker are done. */
  settleMs: number;
  /** Until an attack of a stranger is under way. */
  beginMs: number;
  callbacks: number;
  /** Paid payments of the merchant who moves. */
  moved: number;
  /** Paid payments of the stores that are lived with. */
  lived: readonly number[];
  livedOn: readonly Engine[];
  /** Clients at once of the connections figure. */
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

/** `keep`: the folder in which stores stay, to be lived with again (SQLite). `steps`: parts of the names of what is done; all unless said. */
export type LivedOptions = { keep?: string; steps?: readonly string[] };

/** The parts that the figures share: a folder that is removed at the end, one PostgreSQL, and a voice. */
export type Bench = {
  sizes: Sizes;
  lived: LivedOptions;
  folder: string;
  postgres(): Promise<BenchPostgres>;
  /** PostgreSQL's version when a figure has used it. */
  postgresVersion(): string | null;
  say(text: string): void;
  stop(): Promise<void>;
};

/** `sizes` stand in the place of the usual ones. */
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

/** More requests than any server here answers in the time, so that the time ends a run. */
const MOST_PER_MS = 40;

type Load = Pick<LoadPlan, 'port' | 'request'> &
  Partial<Pick<LoadPlan, 'connections' | 'repeat' | 'warmUpMs' | 'measureMs'>>;

/** Loads a server with requests and answers what came back. Throws `FigureInvalid` when any was refused. */
export async function runLoad({ sizes }: Bench, load: Load): Promise<LoadResult> {
  const { warmUpMs = sizes.warmUpMs, measureMs = sizes.measureMs, repeat = false } = load;
  const prepared = repeat ? 5_000 : (warmUpMs + measureMs) * MOST_PER_MS;
  const plan: LoadPlan = { connections: 64, ...load, repeat, prepared, warmUpMs, measureMs };
  const result = JSON.parse(await runProgram('node', ['bench/load-generator.ts', JSON.stringify(plan)])) as LoadResult;
  if (result.refused > 0)
    throw new FigureInvalid(`${result.refused} requests were refused, the first with: ${result.refusal}`);
  return result;
}

/** Something to measure: each call is one more round of it. */
export type Contestant = () => Promise<number>;

/**
 * Measures two or more side by side: one round of each, then the next, in turn from the front and from the back, so that
 * what the machine does meanwhile touches all alike. Answers a row per round in the order of the contestants.
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

/** The rounds of the first contestant against one of the others. */
export function roundsAgainst(rows: readonly number[][], peer: number, ours = 0): { ours: number; peer: number }[] {
  return rows.map((row) => ({ ours: row[ours] as number, peer: row[peer] as number }));
}
