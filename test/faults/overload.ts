import { readFileSync } from 'node:fs';
import { openDatabase } from '../../src/db/open-database.ts';
import { shareOfOne } from '../../src/lib/fair-shares.ts';
import { SERVER_LIMITS } from '../../src/server/server-limits.ts';
import { comesTrue } from '../support/comes-true.ts';
import type { PlantName } from './plants.ts';
import { auditStore } from './support/audit-store.ts';
import { createJournal, note, startLoad, unexpectedAnswers } from './support/load.ts';
import { startPipelinedLoad } from './support/pipelined-load.ts';
import { prepareStore } from './support/prepare-store.ts';
import { createScratchStore } from './support/scratch-store.ts';
import { type ServeProcess, startServe } from './support/serve-process.ts';
import { createShopClient, type ShopClient } from './support/shop-client.ts';

export type StormReport = {
  created: number;
  refused: number;
  /** The responses of `/readyz` during the storm, and the slowest one. */
  ready: Record<number, number>;
  slowestReadyMs: number;
  /** The memory of the process: before, the peak, and after the storm. */
  megabytes: number[];
  problems: string[];
};

/**
 * As many as one address may open, with some margin. The service handles the requests of a connection one after the
 * other.
 */
const CONNECTIONS = 400;
/**
 * One of these requests is being handled and the others wait. With more waiting requests the service would block the
 * network as a flood, and the queue would refuse none.
 */
const UNDER_WAY_EACH = 1 + Math.floor(shareOfOne(SERVER_LIMITS.allWaitingRequests) / CONNECTIONS);
const MOST_MEGABYTES_MORE = 300;

/**
 * Sends an embedded service far more than it can handle, then a normal load. One address may not open enough
 * connections to fill the queue of 4,096, so a smaller queue is planted.
 */
export async function stormService(milliseconds: number): Promise<StormReport> {
  using store = await createScratchStore();
  const { databaseUrl } = store;
  const journal = createJournal();
  using client = createShopClient();
  const problems: string[] = [];
  await using service = await startServe({ databaseUrl, plant: 'queue of 128' });
  await createSome(service, client, 'before', problems);
  const megabytes = [residentMegabytes(service)];
  const onRefused = (retryAfter: string | null) => {
    if (!(Number(retryAfter) > 0)) problems.push(`refused with Retry-After ${retryAfter}`);
  };
  const size = { connections: CONNECTIONS, underWayEach: UNDER_WAY_EACH };
  const storm = startPipelinedLoad({ port: service.port, ...size, journal, onRefused });
  const watched = await watch(service, client, milliseconds);
  const endless = 10 * CONNECTIONS * UNDER_WAY_EACH;
  await comesTrue(() => journal.counts.OVERLOADED !== undefined || (journal.counts.created ?? 0) > endless);
  await storm.stop();
  const created = journal.counts.created ?? 0;
  const refused = journal.counts.OVERLOADED ?? 0;
  await createSome(service, client, 'after', problems);
  megabytes.push(watched.megabytes, residentMegabytes(service));
  await service.kill();
  const audit = await auditStore(databaseUrl, journal);
  // The references before and after the storm are not in this journal.
  problems.push(...audit.problems.filter((problem) => !/ (before|after)-/.test(problem)));
  const { ready, slowestReadyMs } = watched;
  return {
    created,
    refused,
    ready,
    slowestReadyMs,
    megabytes,
    problems: [...problems, ...unexpectedAnswers(journal, 'created', 'OVERLOADED')],
  };
}

/** Sends a light load of eight clients that wait for each response; none may be refused. */
async function createSome(service: ServeProcess, client: ShopClient, prefix: string, problems: string[]) {
  const journal = createJournal();
  await using load = startLoad({ client, url: () => service.url, clients: 8, journal, prefix });
  const all = await comesTrue(() => journal.acknowledged.size >= 200);
  await load.stop();
  if (!all) problems.push(`${prefix} the storm only ${journal.acknowledged.size} were created`);
  problems.push(...unexpectedAnswers(journal, 'created').map((answer) => `${prefix} the storm ${answer}`));
}

async function watch(service: ServeProcess, client: ShopClient, milliseconds: number) {
  const ready: Record<number, number> = {};
  let slowestReadyMs = 0;
  let megabytes = 0;
  for (const end = performance.now() + milliseconds; performance.now() < end; ) {
    const askedAt = performance.now();
    const { status } = await client.get(`${service.url}/readyz`);
    ready[status] = (ready[status] ?? 0) + 1;
    slowestReadyMs = Math.max(slowestReadyMs, Math.round(performance.now() - askedAt));
    megabytes = Math.max(megabytes, residentMegabytes(service));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { ready, slowestReadyMs, megabytes };
}

function residentMegabytes({ pid }: ServeProcess): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

/** Returns a line for each thing that a storm must not cause. */
export function checkStorm({ created, refused, ready, megabytes, problems }: StormReport): string[] {
  const found = [...problems];
  const [before = 0, most = 0] = megabytes;
  if (refused === 0) found.push('nobody was refused');
  if (created === 0) found.push('nothing was created');
  if (most > before + MOST_MEGABYTES_MORE) found.push(`the process grew from ${before} to ${most} MB`);
  for (const status of Object.keys(ready)) if (status !== '200') found.push(`/readyz was ${status}`);
  return found;
}

export type StandstillReport = { created: number; refused: number; slowestRefusalMs: number; problems: string[] };

const ASKED_EVERY_MS = 25;
/** After a longer time the service would consider the database that waits for the lock lost. */
const LONGEST_STANDSTILL_MS = 9_000;

/**
 * Locks the table of transactions for a time, and until a create is refused, while creates arrive forty times per
 * second.
 */
export async function standStill(
  databaseUrl: string,
  milliseconds: number,
  plant?: PlantName,
): Promise<StandstillReport> {
  await prepareStore(databaseUrl);
  await using service = await startServe({ databaseUrl, plant });
  using client = createShopClient();
  const journal = createJournal();
  const problems: string[] = [];
  let slowestRefusalMs = 0;
  const ask = async (number: number) => {
    const askedAt = performance.now();
    const reply = await client.create(service.url, `s-${number}`);
    note(journal, `s-${number}`, reply);
    if (reply.kind !== 'refused') return;
    slowestRefusalMs = Math.max(slowestRefusalMs, Math.round(performance.now() - askedAt));
    if (!(Number(reply.retryAfter) > 0)) problems.push(`refused with Retry-After ${reply.retryAfter}`);
  };
  const locker = openDatabase(databaseUrl, { connections: 1, pooler: false, onFatal: () => {} });
  try {
    const asked: Promise<void>[] = [];
    await locker.transaction(async (tx) => {
      await tx.query('lock table transactions in access exclusive mode');
      const end = performance.now() + milliseconds;
      await comesTrue(async () => {
        asked.push(ask(asked.length));
        await new Promise((resolve) => setTimeout(resolve, ASKED_EVERY_MS));
        return performance.now() >= end && journal.counts.OVERLOADED !== undefined;
      }, LONGEST_STANDSTILL_MS);
    });
    await Promise.all(asked);
    const next = await client.create(service.url, 'afterwards');
    note(journal, 'afterwards', next);
    if (next.kind !== 'created') problems.push(`afterwards one was ${next.kind}`);
    problems.push(
      ...(await auditStore(databaseUrl, journal)).problems,
      ...unexpectedAnswers(journal, 'created', 'OVERLOADED'),
    );
    const { created = 0, OVERLOADED: refused = 0 } = journal.counts;
    return { created, refused, slowestRefusalMs, problems };
  } finally {
    await locker.close();
  }
}

/** Returns a line for each thing that a stalled database must not cause. */
export function checkStandstill({ created, refused, problems }: StandstillReport): string[] {
  const found = [...problems];
  if (refused === 0) found.push('nobody was refused');
  if (created < 2) found.push('those who waited got nothing');
  return found;
}
