import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FetchOutcome } from '../../src/lib/network/safe-fetch.ts';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { enqueueCallback } from '../../src/outbox/enqueue-callback.ts';
import {
  claimCallbacks,
  releaseCallbacks,
  requeueCallbacks,
  updateEnded,
  updateRetried,
} from '../../src/outbox/outbox-queries.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { comesTrue } from '../support/comes-true.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { untilQueued } from '../support/until-queued.ts';

/** Numbers of endpoints and of callbacks. The callbacks are more than one claim takes. */
const BACKLOGS = [
  [1, 1200],
  [16, 4200],
  [4200, 4200],
] as const;

forEachEngine('a backlog larger than one claim', (openTestDatabase) => {
  for (const [endpoints, callbacks] of BACKLOGS) {
    test(`is delivered without a pause, to ${endpoints} endpoints`, async () => {
      const app = createTestApp(await openTestDatabase());
      await enqueue(app, endpoints, callbacks);
      const { delivery } = await claimWithoutPause(app, (claimed) => app.sent.length < claimed);
      await delivery.drain();
      assert.equal(app.sent.length, callbacks);
      assert.equal(new Set(app.sent.map(({ body }) => body)).size, callbacks);
    });
  }

  test('is searched again at most five times a second while its endpoint is busy', async () => {
    const answered = Promise.withResolvers<FetchOutcome>();
    const app = createTestApp(await openTestDatabase(), { fetch: () => answered.promise });
    await enqueue(app, 1, 600);
    const delivery = createCallbackDelivery(app);
    assert.deepEqual([await delivery.poll(), await delivery.poll()], [256, 0]);
    await enqueue(app, 1, 1);
    assert.equal(await delivery.poll(), 0);
    app.now.advance(200);
    assert.equal(await delivery.poll(), 1);
    answered.resolve({ kind: 'answered', status: 200, retryAfter: null, excerpt: '', durationMs: 1 });
    await delivery.drain();
  });

  test('is claimed by only one of two workers, and its lease protects it until it ends', async () => {
    const app = createTestApp(await openTestDatabase());
    await enqueue(app, 1, 1);
    const [now, until] = [app.now(), app.now() + 60_000];
    const due = { now, until, perEndpoint: 10, limit: 10, excluded: { endpoints: [], environments: [], hosts: [] } };
    const claim = (lease: string, meanwhile = async () => {}) =>
      app.db.transaction(async (tx) => {
        const claimed = await claimCallbacks(tx, { ...due, lease });
        await meanwhile();
        return claimed;
      });
    let other: ReturnType<typeof claim> | undefined;
    const claimed = await claim('one', async () => {
      other = claim('two');
      await untilQueued(app.db);
    });
    assert.deepEqual([claimed.map(({ lease }) => lease), await other], [['one'], []]);
    const leases = async () => (await app.db.query('select lease from callbacks')).map(({ lease }) => lease);
    const free = (lease: string) => app.db.transaction((tx) => releaseCallbacks(tx, claimed, lease, now));
    const queue = (at: number) => app.db.transaction((tx) => requeueCallbacks(tx, claimed, at));
    await free('two');
    assert.deepEqual([await leases(), await queue(until - 1), await leases()], [['one'], 0, ['one']]);
    const [{ id, environment_id: environmentId } = { id: 0, environment_id: 0 }] = claimed;
    const late = { environmentId, lease: 'two' };
    const retries = [{ id, nextAttemptAt: until, scheduledAt: null, notBefore: null, counts: 1 as const }];
    const ends = await app.db.transaction(async (tx) => [
      await updateRetried(tx, { ...late, retries }),
      await updateEnded(tx, { ...late, ids: [id] }, 'dead', now),
    ]);
    assert.deepEqual([ends, await leases()], [[[], []], ['one']], 'a late worker ends and postpones nothing');
    await free('one');
    assert.deepEqual(await leases(), [null]);
    assert.equal((await claim('three')).length, 1);
    assert.deepEqual([await queue(until), await leases()], [1, [null]]);
  });

  test('is claimed further while half of the largest claim still waits', async () => {
    const app = createTestApp(await openTestDatabase());
    await enqueue(app, 16, 4000, 2);
    let waiting: number | null = null;
    const delivery = createCallbackDelivery(app, () => {
      waiting ??= 1024 + 2048 - app.sent.length;
    });
    assert.deepEqual([await delivery.poll(), await delivery.poll()], [1024, 2048]);
    waiting = null;
    assert.ok(await comesTrue(async () => waiting !== null));
    assert.ok(Number(waiting) > 1900, `${waiting} waited`);
    await delivery.drain();
  });

  test('for many endpoints that do not answer is held in memory up to two claims', async () => {
    const answered = Promise.withResolvers<FetchOutcome>();
    const app = createTestApp(await openTestDatabase(), { fetch: () => answered.promise });
    await enqueue(app, 150, 6000, 5);
    const { delivery, claimed } = await claimWithoutPause(app, () => false);
    assert.equal(claimed, 1024 + 2048);
    answered.resolve({ kind: 'failed', reason: 'timeout', detail: '', durationMs: 1 });
    await delivery.drain();
  });
});

/** Claims like the worker, until the worker would pause for a quarter of a second. */
async function claimWithoutPause(app: TestApp, answersWillCome: (claimed: number) => boolean) {
  let woken = false;
  const delivery = createCallbackDelivery(app, () => {
    woken = true;
  });
  let claimed = 0;
  for (let goOn = true; goOn; ) {
    woken = false;
    const found = await delivery.poll();
    claimed += found;
    while (found === 0 && !woken && answersWillCome(claimed)) await nextTurn();
    goOn = found > 0 || woken;
  }
  return { delivery, claimed };
}

/** Queues callbacks to one host of one shop, or of each shop to as many hosts as endpoints. */
async function enqueue(app: TestApp, endpoints: number, callbacks: number, shops = 1): Promise<void> {
  const environments: ServiceEnvironment[] = [];
  while (environments.length < shops) environments.push(await createTestEnvironment(app));
  await app.db.transaction(async (tx) => {
    for (let at = 0; at < callbacks; at++) {
      await enqueueCallback(tx, environments[at % shops] as ServiceEnvironment, {
        amount: 12_990,
        currency: 'CLP',
        result: 'completed',
        message: 'Approved',
        sequence: 2,
        url: shops === 1 ? `https://shop.example.cl/${at % endpoints}` : `https://shop${at % endpoints}.example.cl/`,
        transactionId: 1001 + at,
        reference: `order-${at}`,
        timestamp: app.now(),
      });
    }
  });
}
