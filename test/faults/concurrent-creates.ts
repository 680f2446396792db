import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../src/db/open-database.ts';
import { startThrowawayPostgres, type ThrowawayPostgres } from '../support/throwaway-postgres.ts';
import { checkHistory, type Operation, type StoredRow } from './linearizability.ts';
import type { PlantName } from './plants.ts';
import { prepareStore } from './support/prepare-store.ts';
import { type ServeProcess, startServe } from './support/serve-process.ts';
import { createShopClient, type Reply, type ShopClient } from './support/shop-client.ts';

export type ConcurrentOptions = {
  operations: number;
  /** Crashes of the database, at equal distances over the operations. */
  databaseCrashes: number;
  /** Replicas killed with SIGKILL and restarted, in between. */
  kills: number;
  random: () => number;
  plant?: PlantName;
  /** Settings of the database for every connection, such as `-c synchronous_commit=off`. */
  databaseOptions?: string;
};

export type ConcurrentReport = {
  operations: number;
  references: number;
  /** Requests without a response, or with 503 OUTCOME_UNKNOWN. */
  unknown: number;
  refused: number;
  databaseCrashes: number;
  kills: number;
  violations: string[];
};

const REPLICAS = 4;
const CONNECTIONS_EACH = 8;
/** Shares of the requests: another amount, reads, repeats of requests with an unknown outcome. */
const OTHER_AMOUNT = 0.15;
const READS = 0.2;
const REPEATS = 0.2;

/**
 * Sends the same references to four replicas on one PostgreSQL over HTTP at the same time, during crashes and kills.
 */
export async function createConcurrently(options: ConcurrentOptions): Promise<ConcurrentReport> {
  const postgres = await startThrowawayPostgres();
  const replicas: ServeProcess[] = [];
  using client = createShopClient();
  try {
    const token = await prepareStore(postgres.url);
    if (options.plant === 'select, then insert') await dropUniqueIndex(postgres.url);
    const databaseUrl = withOptions(postgres.url, options.databaseOptions);
    const start = () => startServe({ databaseUrl, plant: options.plant });
    replicas.push(...(await Promise.all(Array.from({ length: REPLICAS }, start))));
    const killed = new Set<ServeProcess>();
    const lost = () => replicas.some((replica) => !replica.running() && !killed.has(replica));
    const setting = { options, postgres, replicas, start, client, token, killed, lost };
    const { history, faults } = await run(setting);
    const rows = await readRows(postgres.url);
    return {
      operations: history.length,
      references: rows.length,
      unknown: history.filter(({ outcome }) => outcome === 'unknown').length,
      refused: history.filter(({ outcome }) => outcome === 'refused').length,
      ...faults,
      violations: [...(lost() ? ['a replica ended that nobody had killed'] : []), ...checkHistory(history, rows)],
    };
  } finally {
    await Promise.all(replicas.map((replica) => replica.kill()));
    await postgres.stop();
  }
}

type Run = {
  options: ConcurrentOptions;
  postgres: ThrowawayPostgres;
  replicas: ServeProcess[];
  start: () => Promise<ServeProcess>;
  client: ShopClient;
  token: string;
  /** The deliberately killed replicas. `lost`: whether another one has ended. */
  killed: Set<ServeProcess>;
  lost: () => boolean;
};

async function run(
  setting: Run,
): Promise<{ history: Operation[]; faults: { databaseCrashes: number; kills: number } }> {
  const { options, replicas, client, token } = setting;
  const { random } = options;
  const history: Operation[] = [];
  const known = new Map<string, number>();
  const unknown: { reference: string; amount: number }[] = [];
  const record = async (ask: () => Promise<Reply>, reference: string, amount: number) => {
    const start = process.hrtime.bigint();
    const reply = await ask();
    // A refused connection is not part of the history: the replica is down.
    if (reply.kind === 'refused' && reply.code === 'ECONNREFUSED') return sleep(20);
    const operation = operationOf(reply, { reference, amount, start });
    history.push(operation);
    if (operation.id !== null) known.set(reference, operation.id);
    if (operation.outcome === 'unknown') unknown.push({ reference, amount });
    if (operation.outcome === 'unknown' || operation.outcome === 'refused') await sleep(20);
  };

  const connection = async (replica: number) => {
    while (history.length < options.operations && !setting.lost()) {
      const { url } = replicas[replica] as ServeProcess;
      const again = random() < REPEATS ? unknown.pop() : undefined;
      const seen = random() < READS ? pick([...known.keys()].slice(-50), random) : undefined;
      if (seen !== undefined) {
        const operation = await read(client, url, token, seen, known.get(seen) as number);
        if (operation !== null) history.push(operation);
      } else {
        const reference = again?.reference ?? nextReference(random, history.length);
        const amount = again?.amount ?? (random() < OTHER_AMOUNT ? 7_000 : 5_000);
        await record(() => client.create(url, reference, amount), reference, amount);
      }
    }
  };

  const connections = Array.from({ length: REPLICAS * CONNECTIONS_EACH }, (_, index) => connection(index % REPLICAS));
  const [faults] = await Promise.all([breakThings(setting, history), ...connections]);
  // After the faults: requests every reference once more at every replica.
  for (const reference of new Set(history.map((operation) => operation.reference))) {
    if (setting.lost()) break;
    await Promise.all(replicas.map(({ url }) => record(() => client.create(url, reference), reference, 5_000)));
  }
  return { history, faults };
}

/** Crashes and kills at equal distances, each once the load has reached its point. */
async function breakThings({ options, postgres, replicas, start, killed, lost }: Run, history: readonly Operation[]) {
  const { databaseCrashes, kills, operations } = options;
  const total = databaseCrashes + kills;
  for (let fault = 0; fault < total; fault++) {
    while (history.length < (operations * (fault + 1)) / (total + 2) && !lost()) await sleep(5);
    if (lost()) break;
    const kill = fault % 2 === 1 ? fault <= 2 * kills : fault >= 2 * databaseCrashes;
    if (!kill) await postgres.crash();
    else {
      const index = fault % replicas.length;
      const replica = replicas[index] as ServeProcess;
      killed.add(replica);
      replica.signal('SIGKILL');
      replicas[index] = await start();
    }
  }
  return { databaseCrashes, kills };
}

/**
 * Chooses a reference from a window of 20 that moves with the load; the first ones of the window are the most frequent.
 */
function nextReference(random: () => number, progress: number): string {
  const hot = Math.floor(progress / 20);
  return `r${hot + Math.floor(20 * random() ** 3)}`;
}

function operationOf(reply: Reply, asked: { reference: string; amount: number; start: bigint }): Operation {
  const end = process.hrtime.bigint();
  const base = { kind: 'create' as const, ...asked, end, id: null };
  if (reply.kind === 'refused') return { ...base, outcome: 'refused' };
  if (reply.kind === 'unknown') {
    // An error outside the catalogue is a response too, and a wrong one.
    const nonsense = /^\d/.test(reply.why) && !reply.why.startsWith('503');
    return nonsense
      ? { ...base, outcome: 'nonsense', detail: reply.why }
      : { ...base, end: null, outcome: 'unknown', detail: reply.why };
  }
  return { ...base, outcome: reply.kind, id: reply.id };
}

async function read(
  client: ShopClient,
  url: string,
  token: string,
  reference: string,
  id: number,
): Promise<Operation | null> {
  const start = process.hrtime.bigint();
  const { status, text } = await client.get(`${url}/trxs/${id}`, { authorization: `Bearer ${token}` });
  const base = { kind: 'read' as const, reference, amount: 0, start, end: process.hrtime.bigint(), id: null };
  if (status === 200) return { ...base, outcome: 'found', id };
  if (status === 404) return { ...base, outcome: 'absent' };
  if (status === 0 && text.includes('ECONNREFUSED')) return sleep(20).then(() => null);
  if (status === 0 || status === 503) return { ...base, end: null, outcome: 'unknown', detail: `${status} ${text}` };
  return { ...base, outcome: 'nonsense', detail: `${status} ${text}` };
}

async function readRows(url: string): Promise<StoredRow[]> {
  const db = openDatabase(url, { connections: 1, pooler: false, onFatal: () => {} });
  try {
    return await db.query<StoredRow>(
      `select id, reference, amount, (select count(*) from events e where e.transaction_id = t.id) as events
       from transactions t order by id`,
    );
  } finally {
    await db.close();
  }
}

async function dropUniqueIndex(url: string): Promise<void> {
  const db = openDatabase(url, { connections: 1, pooler: false, onFatal: () => {} });
  await db.transaction((tx) => tx.query('drop index transactions_reference'));
  await db.close();
}

function withOptions(url: string, options: string | undefined): string {
  return options === undefined ? url : `${url}?options=${encodeURIComponent(options)}`;
}

function pick<Item>(items: readonly Item[], random: () => number): Item | undefined {
  return items[Math.floor(items.length * random())];
}
