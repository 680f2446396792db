import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../src/db/open-database.ts';
import { comesTrue } from '../support/comes-true.ts';
import { startThrowawayPostgres } from '../support/throwaway-postgres.ts';
import type { PlantName } from './plants.ts';
import { auditStore } from './support/audit-store.ts';
import { createJournal, type Journal, note, startLoad } from './support/load.ts';
import { prepareStore } from './support/prepare-store.ts';
import { createScratchStore } from './support/scratch-store.ts';
import { type ServeProcess, startServe } from './support/serve-process.ts';
import { createShopClient, type Reply, type ShopClient } from './support/shop-client.ts';
import { startSlowMerchant } from './support/slow-merchant.ts';

export type StopReport = {
  stops: number;
  acknowledged: number;
  /** Requests that the service did not take any more; nothing was stored for them. */
  notTaken: number;
  slowestExitMs: number;
  /** Callbacks under way when the stop was asked for; each was waited for and recorded. */
  callbacks: number;
  problems: string[];
};

const CLIENTS = 32;
const REPLICAS = 4;

/** Asks a service to stop while 32 clients create transactions and a callback is being answered, again and again. */
export async function stopUnderLoad(options: {
  stops: number;
  plant?: PlantName;
  random: () => number;
}): Promise<StopReport> {
  const { stops, plant, random } = options;
  using store = await createScratchStore();
  const { databaseUrl } = store;
  const journal = createJournal();
  using client = createShopClient();
  using merchant = await startSlowMerchant();
  const problems: string[] = [];
  let slowestExitMs = 0;
  for (let stop = 0; stop < stops; stop++) {
    await using service = await startServe({ databaseUrl, plant });
    await beginCallback(service, `${merchant.url}/held`, `paid-${stop}`, journal);
    await using load = startLoad({
      client,
      url: () => (service.running() ? service.url : null),
      clients: CLIENTS,
      journal,
      prefix: `s${stop}`,
    });
    await load.answered;
    await comesTrue(() => merchant.arrivals.length > stop);
    await sleep(50 * random());
    const stopped = stopService(service, problems);
    await comesTrue(() => service.output().includes('"msg":"stopping"') || !service.running());
    merchant.release();
    slowestExitMs = Math.max(slowestExitMs, await stopped);
    await load.stop();
  }
  // What was open when its connection ended must not have been carried out: an answer would have been owed.
  const openAtEnd = new Set(journal.open);
  const audit = await auditStore(databaseUrl, { ...journal, open: new Set() });
  problems.push(...audit.problems, ...(await unrecorded(databaseUrl, stops)));
  return {
    stops,
    acknowledged: journal.acknowledged.size,
    notTaken: openAtEnd.size + journal.refused.size,
    slowestExitMs,
    callbacks: merchant.arrivals.length,
    problems,
  };
}

export type RollingReport = {
  restarts: number;
  acknowledged: number;
  /** Requests that were tried a second time, and those that failed both times. */
  repeated: number;
  failed: number;
  slowestExitMs: number;
  problems: string[];
};

/** Restarts four replicas on one PostgreSQL, one after the other, under clients that may try each request twice. */
export async function restartReplicas(options: { rounds: number; plant?: PlantName }): Promise<RollingReport> {
  const postgres = await startThrowawayPostgres();
  using client = createShopClient();
  const journal = createJournal();
  const replicas: ServeProcess[] = [];
  let repeated = 0;
  let failed = 0;
  try {
    await prepareStore(postgres.url);
    const start = () => startServe({ databaseUrl: postgres.url, plant: options.plant });
    replicas.push(...(await Promise.all(Array.from({ length: REPLICAS }, start))));
    const balanced = balance(client, replicas, () => repeated++);
    await using load = startLoad({
      client: balanced,
      url: () => '',
      clients: 16,
      journal,
      prefix: 'r',
      onReply: (reply) => {
        if (reply.kind === 'unknown' || reply.kind === 'refused') failed++;
      },
    });
    const problems: string[] = [];
    let slowestExitMs = 0;
    for (let restart = 0; restart < REPLICAS * options.rounds; restart++) {
      await sleep(200);
      const replica = replicas[restart % REPLICAS] as ServeProcess;
      // The balancer is told nothing: it notices.
      slowestExitMs = Math.max(slowestExitMs, await stopService(replica, problems));
      replicas[restart % REPLICAS] = await start();
    }
    await load.stop();
    problems.push(...(await auditStore(postgres.url, journal)).problems);
    return {
      restarts: REPLICAS * options.rounds,
      acknowledged: journal.acknowledged.size,
      repeated,
      failed,
      slowestExitMs,
      problems,
    };
  } finally {
    await Promise.all(replicas.map((replica) => replica.kill()));
    await postgres.stop();
  }
}

/** What a balancer does: each request to the next replica, and to another one when that one gives no answer. */
function balance(client: ShopClient, replicas: readonly ServeProcess[], onRepeat: () => void): ShopClient {
  let turn = 0;
  const urlOf = (place: number) => (replicas[place % replicas.length] as ServeProcess).url;
  return {
    ...client,
    create: async (_url, reference, amount): Promise<Reply> => {
      const place = turn++;
      const first = await client.create(urlOf(place), reference, amount);
      if (first.kind !== 'unknown' && first.kind !== 'refused') return first;
      onRepeat();
      const second = await client.create(urlOf(place + 1), reference, amount);
      // What the first one may have stored, a refusal by the second does not undo.
      return second.kind === 'refused' && first.kind === 'unknown' ? first : second;
    },
  };
}

/** Creates and pays a transaction, so that its callback is on its way. */
async function beginCallback(
  service: ServeProcess,
  callbackUrl: string,
  reference: string,
  journal: Journal,
): Promise<void> {
  using shop = createShopClient({ callbackUrl });
  const reply = await shop.create(service.url, reference);
  note(journal, reference, reply);
  if (reply.kind !== 'created') throw new Error(`The order to be paid was ${reply.kind}`);
  await shop.pay(reply.payUrl);
}

/** Answers how long it took. */
async function stopService(service: ServeProcess, problems: string[]): Promise<number> {
  const askedAt = performance.now();
  service.signal('SIGTERM');
  const { status, signal } = await service.exited;
  const took = Math.round(performance.now() - askedAt);
  if (status !== 0) problems.push(`it ended with ${signal ?? status}`);
  return took;
}

/** The callbacks whose delivery was under way must be closed in the store: nobody sends them again. */
async function unrecorded(databaseUrl: string, expected: number): Promise<string[]> {
  const db = openDatabase(databaseUrl, { connections: 1, pooler: false, onFatal: () => {} });
  const [row] = await db.query<{ delivered: number }>(
    `select count(*) as delivered from callbacks where state = 'delivered'`,
  );
  await db.close();
  return row?.delivered === expected ? [] : [`${row?.delivered} of ${expected} callbacks are recorded as delivered`];
}
