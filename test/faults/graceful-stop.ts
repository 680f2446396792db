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
  /** Requests that the service no longer accepted; nothing was stored for them. */
  notTaken: number;
  slowestExitMs: number;
  /** Callbacks under way at the stop; the service waited for each and recorded it. */
  callbacks: number;
  problems: string[];
};

const CLIENTS = 32;
const REPLICAS = 4;

/** Stops a service repeatedly while 32 clients create transactions and a callback is under way. */
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
  // A request without a response at the end of its connection must not have been carried out.
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
  /** Requests tried a second time, and requests that failed both times. */
  repeated: number;
  failed: number;
  slowestExitMs: number;
  problems: string[];
};

/** Restarts four replicas on one PostgreSQL one after the other. Clients may try each request twice. */
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
      // The balancer is not told about the stop: it must notice it.
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

/** Acts as a balancer: sends each request to the next replica, and to another one if that one does not respond. */
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
      // A refusal by the second replica does not prove that the first one stored nothing.
      return second.kind === 'refused' && first.kind === 'unknown' ? first : second;
    },
  };
}

/** Creates and pays a transaction, so that its callback is under way. */
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

/** Stops the service. Returns how long it took, in milliseconds. */
async function stopService(service: ServeProcess, problems: string[]): Promise<number> {
  const askedAt = performance.now();
  service.signal('SIGTERM');
  const { status, signal } = await service.exited;
  const took = Math.round(performance.now() - askedAt);
  if (status !== 0) problems.push(`it ended with ${signal ?? status}`);
  return took;
}

/** Lists callbacks that were under way and are not closed in the store, so that they would be sent again. */
async function unrecorded(databaseUrl: string, expected: number): Promise<string[]> {
  const db = openDatabase(databaseUrl, { connections: 1, pooler: false, onFatal: () => {} });
  const [row] = await db.query<{ delivered: number }>(
    `select count(*) as delivered from callbacks where state = 'delivered'`,
  );
  await db.close();
  return row?.delivered === expected ? [] : [`${row?.delivered} of ${expected} callbacks are recorded as delivered`];
}
