import { join } from 'node:path';
import { comesTrue, PATIENCE_MS } from '../support/comes-true.ts';
import type { PlantName } from './plants.ts';
import { auditStore } from './support/audit-store.ts';
import { createJournal, startLoad, unexpectedAnswers } from './support/load.ts';
import { createScratchStore } from './support/scratch-store.ts';
import { startServe } from './support/serve-process.ts';
import { createShopClient } from './support/shop-client.ts';
import { firedCalls, injecting } from './support/system-calls.ts';

export type SlowDiskReport = {
  /** The number of delayed flushes. */
  slowed: number;
  acknowledged: number;
  p99Ms: number;
  /** The responses of `/readyz` during the load. */
  ready: Record<number, number>;
  problems: string[];
};

const CLIENTS = 16;
const SLOWER_MS = 200;
const EVERY = 20;

/**
 * Creates transactions while every 20th flush of the disk takes 200 ms longer, for a time and until some flushes were
 * slow.
 */
export async function createOnSlowDisk(milliseconds: number, plant?: PlantName): Promise<SlowDiskReport> {
  using store = await createScratchStore();
  const { databaseUrl, folder } = store;
  const log = join(folder, 'strace.log');
  const journal = createJournal();
  using client = createShopClient();
  const times: number[] = [];
  const timed = {
    ...client,
    create: async (url: string, reference: string) => {
      const start = performance.now();
      const reply = await client.create(url, reference);
      times.push(performance.now() - start);
      return reply;
    },
  };
  const injection = { call: 'fsync', fault: `delay_exit=${SLOWER_MS * 1000}`, at: `${EVERY}+${EVERY}` } as const;
  await using service = await startServe({ databaseUrl, plant, wrapper: injecting(injection, log) });
  await using load = startLoad({ client: timed, url: () => service.url, clients: CLIENTS, journal, prefix: 'w' });
  const ready: Record<number, number> = {};
  const end = performance.now() + milliseconds;
  await comesTrue(async () => {
    const { status } = await client.get(`${service.url}/readyz`);
    ready[status] = (ready[status] ?? 0) + 1;
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (performance.now() < end) return false;
    return journal.acknowledged.size >= CLIENTS && firedCalls(log).length > 0;
  }, milliseconds + PATIENCE_MS);
  await load.stop();
  await service.kill();
  const { problems } = await auditStore(databaseUrl, journal);
  const p99Ms = Math.round(times.sort((one, other) => one - other)[Math.floor(0.99 * times.length)] ?? 0);
  return {
    slowed: firedCalls(log).length,
    acknowledged: journal.acknowledged.size,
    p99Ms,
    ready,
    problems: [...problems, ...unexpectedAnswers(journal, 'created')],
  };
}

/** Returns a line for each thing that a slow disk must not cause. */
export function checkSlowDisk({ slowed, acknowledged, ready, problems }: SlowDiskReport): string[] {
  const found = [...problems];
  if (slowed === 0) found.push('no flush was slow');
  if (acknowledged < CLIENTS) found.push('there was no load');
  for (const [status, count] of Object.entries(ready))
    if (status !== '200') found.push(`/readyz was ${status}, ${count} times`);
  return found;
}
