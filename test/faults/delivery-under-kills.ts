import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { enqueuePost } from '../../src/outbox/enqueue-post.ts';
import { loadEnvironment } from '../../src/payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { comesTrue } from '../support/comes-true.ts';
import { createTestApp, createTestClock } from '../support/test-app.ts';
import { createPatiently, testInput } from '../support/test-shop.ts';
import type { PlantName } from './plants.ts';
import { prepareStore } from './support/prepare-store.ts';
import { startServe } from './support/serve-process.ts';
import { SHOP } from './support/shop-client.ts';
import { startTroubledMerchant, type Trouble, type TroubledMerchant } from './support/troubled-merchant.ts';

export type DeliveryReport = {
  callbacks: number;
  kills: number;
  /** Callbacks delivered again after a merchant had accepted them. More than the kills explain is a problem. */
  repeated: number;
  states: Record<string, number>;
  problems: string[];
};

export type DeliveryOptions = {
  callbacks: number;
  kills: number;
  troubles: readonly Trouble[];
  plant?: PlantName;
  random: () => number;
};

/** Concurrent requests to one endpoint: a merchant may accept them after the worker was killed. */
const SENT_PER_ENDPOINT = 4;
const CHUNK = 500;

/** Delivers callbacks to troubled merchants with a worker that is killed and restarted repeatedly. */
export async function deliverUnderKills(databaseUrl: string, options: DeliveryOptions): Promise<DeliveryReport> {
  const { callbacks, kills, troubles, plant, random } = options;
  await prepareStore(databaseUrl);
  using merchant = await startTroubledMerchant();
  const db = openDatabase(databaseUrl, { connections: 1, pooler: false, onFatal: () => {} });
  try {
    await enqueue(databaseUrl, callbacks, troubles, merchant);
    let explained = 0;
    for (let kill = 1; kill <= kills; kill++) {
      await using service = await startServe({ databaseUrl, plant });
      const share = (callbacks * kill) / (kills + 1);
      await comesTrue(async () => merchant.received.size >= share || (await countStates(db)).queued === undefined);
      await new Promise((resolve) => setTimeout(resolve, 50 * random()));
      await service.kill();
      explained += (await countUnrecorded(db, merchant)) + SENT_PER_ENDPOINT * troubles.length;
    }
    await using _last = await startServe({ databaseUrl, plant });
    // An interrupted delivery is due again when its lease ends.
    await comesTrue(async () => (await countStates(db)).queued === undefined);
    const states = await countStates(db);
    const problems = await compare(db, merchant);
    const repeated = [...merchant.received.values()].reduce((sum, { taken }) => sum + Math.max(0, taken - 1), 0);
    if (states.queued !== undefined) problems.push(`${states.queued} are neither delivered nor given up`);
    if (repeated > explained) problems.push(`${repeated} came again, and kills explain ${explained}`);
    return { callbacks, kills, repeated, states, problems };
  } finally {
    await db.close();
  }
}

/** Inserts transactions with their callbacks like payments do, many in one commit. */
async function enqueue(
  databaseUrl: string,
  callbacks: number,
  troubles: readonly Trouble[],
  merchant: TroubledMerchant,
) {
  const db = openDatabase(databaseUrl, { connections: 4, pooler: false, onFatal: () => {} });
  const app = createTestApp(db, { now: createTestClock(Date.now()) });
  const environment = (await loadEnvironment(app, SHOP.service_token)) as ServiceEnvironment;
  for (let from = 0; from < callbacks; from += CHUNK) {
    const numbers = Array.from({ length: Math.min(CHUNK, callbacks - from) }, (_, index) => from + index);
    const created = await Promise.all(
      numbers.map((number) => createPatiently(app, environment, testInput({ reference: `due-${number}` }))),
    );
    await db.transaction(async (tx) => {
      for (const [index, { transaction }] of created.entries()) {
        await enqueuePost(tx, {
          environmentId: environment.id,
          transactionId: transaction.id,
          sequence: 2,
          at: app.now(),
          url: merchant.urlOf(troubles[index % troubles.length] as Trouble),
          contentType: 'application/x-www-form-urlencoded',
          body: `{"number":${from + index}}`,
        });
      }
    });
  }
  await db.close();
}

async function countStates(db: Database): Promise<Record<string, number>> {
  const rows = await db.query<{ state: string; count: number }>(
    'select state, count(*) as count from callbacks group by state',
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

/**
 * Counts callbacks that a merchant accepted and the store has not recorded. The count depends on the duration of
 * commits.
 */
async function countUnrecorded(db: Database, merchant: TroubledMerchant): Promise<number> {
  const queued = await db.query<{ webhook_id: string }>(`select webhook_id from callbacks where state = 'queued'`);
  return queued.filter(({ webhook_id: id }) => (merchant.received.get(id)?.taken ?? 0) > 0).length;
}

/**
 * Checks that the merchant accepted every callback recorded as delivered, that none was given up or wrongly disabled,
 * and that each has one body.
 */
async function compare(db: Database, merchant: TroubledMerchant): Promise<string[]> {
  const rows = await db.query<{ webhook_id: string; state: string; url: string }>(
    'select webhook_id, state, url from callbacks',
  );
  const gone = merchant.urlOf('gone');
  return rows.flatMap(({ webhook_id: id, state, url }) => {
    const received = merchant.received.get(id);
    const problems: string[] = [];
    if (state === 'dead') problems.push(`${id} was given up`);
    if (state === 'disabled' && url !== gone) problems.push(`${id} was disabled, and its merchant is not gone`);
    if (state === 'delivered' && (received?.taken ?? 0) === 0) problems.push(`lost: ${id} never arrived`);
    if (received !== undefined && received.bodies.size > 1) problems.push(`${id} came with several bodies`);
    return problems;
  });
}
