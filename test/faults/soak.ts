import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { PlantName } from './plants.ts';
import { auditStore } from './support/audit-store.ts';
import { createJournal, note, unexpectedAnswers } from './support/load.ts';
import { createScratchStore } from './support/scratch-store.ts';
import { type ServeProcess, startServe } from './support/serve-process.ts';
import { createShopClient } from './support/shop-client.ts';
import { startSlowMerchant } from './support/slow-merchant.ts';

/** The resources of the process at one moment. */
type Sample = { memoryMb: number; descriptors: number; logMb: number; loopP99Ms: number };

export type SoakReport = {
  created: number;
  paid: number;
  /** The medians of the second and the last third of the time: a leak makes them differ. */
  memoryMb: readonly [number, number];
  descriptors: readonly [number, number];
  mostLogMb: number;
  /** The median of the 99th percentiles of each second. */
  loopP99Ms: number;
  problems: string[];
};

/** Every 10 ms, 8 creates start at once, about half of what a shared core can do; one of each group is paid. */
const EVERY_MS = 10;
const AT_ONCE = 8;
const SAMPLE_MS = 1_000;

/** The most requests under way: a machine that cannot keep the pace gets no more. */
const MOST_UNDER_WAY = 256;
const FEWEST_SAMPLES = 3;

/** Applies a steady load at a fixed rate for a time and until enough was created, and measures the process. */
export async function soak(
  milliseconds: number,
  options: { creates?: number; plant?: PlantName } = {},
): Promise<SoakReport> {
  const { creates = 0, plant } = options;
  using store = await createScratchStore();
  const { databaseUrl, file } = store;
  using merchant = await startSlowMerchant();
  using client = createShopClient({ callbackUrl: `${merchant.url}/ok` });
  const journal = createJournal();
  const samples: Sample[] = [];
  await using service = await startServe({ databaseUrl, plant });
  const asked = new Set<Promise<unknown>>();
  let count = 0;
  let paid = 0;
  const order = async (reference: string, pay: boolean) => {
    const reply = await client.create(service.url, reference);
    note(journal, reference, reply);
    if (pay && reply.kind === 'created' && (await client.pay(reply.payUrl)) < 400) paid++;
  };
  const begin = performance.now();
  const isDone = () =>
    performance.now() >= begin + milliseconds && samples.length >= FEWEST_SAMPLES && count >= creates;
  for (let turn = 1; !isDone(); turn++) {
    while (asked.size > MOST_UNDER_WAY) await Promise.race(asked);
    for (let index = 0; index < AT_ONCE; index++) {
      const done = order(`soak-${count++}`, index === 0).finally(() => asked.delete(done));
      asked.add(done);
    }
    if (turn % (SAMPLE_MS / EVERY_MS) === 0) samples.push(await sample(service, file));
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, begin + turn * EVERY_MS - performance.now())));
  }
  await Promise.all(asked);
  await service.kill();
  const { problems } = await auditStore(databaseUrl, journal);
  problems.push(...unexpectedAnswers(journal, 'created'));
  return { created: journal.acknowledged.size, paid, ...summarize(samples), problems };
}

async function sample({ pid, url }: ServeProcess, file: string): Promise<Sample> {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const [, seconds] = /^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(metrics) ?? [];
  return {
    memoryMb: Number(kilobytes) / 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    logMb: statSync(`${file}-wal`).size / 1024 / 1024,
    loopP99Ms: Number(seconds) * 1000,
  };
}

function summarize(samples: readonly Sample[]): Omit<SoakReport, 'created' | 'paid' | 'problems'> {
  const third = Math.floor(samples.length / 3);
  const later = [samples.slice(third, 2 * third), samples.slice(2 * third)] as const;
  const both = (of: (sample: Sample) => number) => [middle(later[0].map(of)), middle(later[1].map(of))] as const;
  return {
    memoryMb: both((each) => each.memoryMb),
    descriptors: both((each) => each.descriptors),
    mostLogMb: Math.round(Math.max(...samples.map((each) => each.logMb))),
    loopP99Ms: middle(samples.map((each) => each.loopP99Ms)),
  };
}

function middle(values: readonly number[]): number {
  return Math.round(values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0);
}

/** Returns a line for each thing that a steady load must not cause. */
export function checkSoak({ memoryMb, descriptors, mostLogMb, loopP99Ms, problems }: SoakReport): string[] {
  const found = [...problems];
  if (memoryMb[1] > memoryMb[0] + 25) found.push(`memory grew from ${memoryMb[0]} to ${memoryMb[1]} MB`);
  if (descriptors[1] > descriptors[0] + 20) found.push(`descriptors grew from ${descriptors[0]} to ${descriptors[1]}`);
  if (mostLogMb > 64) found.push(`the write-ahead log grew to ${mostLogMb} MB`);
  if (loopP99Ms > 50) found.push(`the event loop was late by ${loopP99Ms} ms`);
  return found;
}
