import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { enqueuePost } from '../../src/outbox/enqueue-post.ts';
import { comesTrue, PATIENCE_MS } from '../support/comes-true.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

/** More than one claim returns. */
const ORDERS = 1_500;

/** URLs of shops that never answer, with the order in the path or in the host name. */
const HUNG = [
  { where: 'path', urlOf: (order: number) => `https://SLOW.example.cl:8443/${order}/callback`, most: 32 },
  { where: 'host', urlOf: (order: number) => `https://slow${order}.example.cl/callback`, most: 128 },
];

forEachEngine('a shop that does not answer', (openTestDatabase) => {
  for (const { where, urlOf, most } of HUNG) {
    test(`with the order in the ${where} of its URL gets at most ${most} callbacks at once`, async () => {
      const { app, shop, post, wire } = await prepare(openTestDatabase);
      const other = await createTestEnvironment(app);
      for (let order = 1; order <= ORDERS; order++) await post(shop, order, urlOf(order));
      await post(other, 2000, 'https://well.example.cl/callback');
      if (where === 'path') await post(shop, 2001, 'https://well.example.cl/callback');
      const delivery = createCallbackDelivery(app);
      const others = where === 'path' ? [other.id, shop.id] : [other.id];
      const isDelivered = async () => (await delivered(app)).length === others.length;
      assert.ok(await comesTrue(async () => (await isDelivered()) || (await delivery.poll(), false)));
      assert.deepEqual(
        (await delivered(app)).map((row) => row.environment_id),
        others,
      );
      assert.equal(wire.urls.length, most);
      await wire.endAll();
      await delivery.drain();
      assert.equal(wire.most, most);
      const [tried] = await app.db.query('select count(*) as count from callbacks where attempts > 0');
      assert.ok(Number(tried?.count) >= 1024, `${tried?.count} were tried`);
    });
  }

  test('with an endpoint for each of hundreds of orders does not delay the callbacks of others', async () => {
    const { app, shop, post, wire } = await prepare(openTestDatabase);
    const other = await createTestEnvironment(app);
    for (let order = 1; order <= 600; order++) await post(shop, order, `https://slow.example.cl/${order}`);
    const delivery = createCallbackDelivery(app);
    assert.equal(await delivery.poll(), 600);
    assert.ok(await comesTrue(async () => wire.urls.length === 32));
    await post(other, 2000, 'https://well.example.cl/callback');
    const claimed = await Promise.race([delivery.poll(), pause(PATIENCE_MS, 'nothing', { ref: false })]);
    await wire.endAll();
    await delivery.drain();
    assert.equal(claimed, 1);
  });

  test('has its endpoints served in turn', async () => {
    const { app, shop, post, wire } = await prepare(openTestDatabase);
    for (let order = 1; order <= 400; order++) await post(shop, order, `https://slow.example.cl/${order % 40}`);
    const delivery = createCallbackDelivery(app);
    await delivery.poll();
    assert.ok(await comesTrue(async () => wire.urls.length === 32));
    for (let ended = 0; ended < 8; ended++) await wire.endOne();
    assert.ok(await comesTrue(async () => wire.all.length === 40));
    assert.equal(new Set(wire.all).size, 40);
    await wire.endAll();
    await delivery.drain();
    assert.equal(wire.all.length, 400);
  });
});

forEachEngine('a host at its limit of concurrent callbacks', (openTestDatabase) => {
  test('has its next callbacks claimed before the first ones are delivered', async () => {
    const { app, shop, post, wire } = await prepare(openTestDatabase);
    for (let order = 1; order <= ORDERS; order++) await post(shop, order, `https://slow.example.cl/${order % 16}`);
    const delivery = createCallbackDelivery(app);
    assert.equal(await delivery.poll(), 1024);
    assert.ok(await comesTrue(async () => wire.urls.length === 32));
    assert.equal(await delivery.poll(), ORDERS - 1024);
    await wire.endAll();
    await delivery.drain();
    assert.equal(wire.all.length, ORDERS);
  });
});

async function prepare(openTestDatabase: OpenTestDatabase) {
  const wire = createWire();
  const app = createTestApp(await openTestDatabase(), { fetch: wire.fetch });
  const shop = await createTestEnvironment(app);
  const common = { sequence: 2, at: app.now(), contentType: 'application/x-www-form-urlencoded', body: '{}' } as const;
  const post = ({ id }: { id: number }, transactionId: number, url: string) =>
    app.db.transaction((tx) => enqueuePost(tx, { ...common, environmentId: id, transactionId, url }));
  return { app, shop, post, wire };
}

/** Creates a network. Hosts whose name begins with `slow` answer only when the test says so. */
function createWire() {
  const ends: (() => void)[] = [];
  const wire = {
    /** The URLs of the requests under way. */
    urls: [] as string[],
    all: [] as string[],
    most: 0,
    fetch: (async ({ url }) => {
      if (url.includes('well')) return { kind: 'answered', status: 200, retryAfter: null, excerpt: '', durationMs: 1 };
      wire.all.push(url);
      wire.most = Math.max(wire.most, wire.urls.push(url));
      await new Promise<void>((resolve) => ends.push(resolve));
      wire.urls.splice(wire.urls.indexOf(url), 1);
      return { kind: 'failed', reason: 'timeout', detail: 'ETIMEDOUT', durationMs: 15_000 };
    }) as TestApp['fetch'],
    endOne: async () => {
      ends.shift()?.();
      await nextTurn();
    },
    endAll: async () => {
      while (ends.length > 0) await wire.endOne();
    },
  };
  return wire;
}

function delivered(app: TestApp) {
  return app.db.query("select environment_id from callbacks where state = 'delivered' order by id");
}
