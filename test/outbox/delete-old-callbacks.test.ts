import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, readConfig } from '../../src/config.ts';
import type { SqlRow } from '../../src/db/database.ts';
import { deleteOldCallbacks } from '../../src/outbox/delete-old-callbacks.ts';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { sealFeed } from '../../src/outbox/feed/seal-feed.ts';
import { listCallbacks, resendCallback } from '../../src/outbox/resend-callback.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { leaveFor } from '../support/moving-shop.ts';
import { onQuery } from '../support/on-query.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { untilQueued } from '../support/until-queued.ts';
import { untilVisible } from '../support/until-visible.ts';

const DAY = 86_400_000;

forEachEngine('an old callback', (openTestDatabase) => {
  test('is deleted with its attempts after the retention, in small commits, and the store still verifies', async () => {
    const app = await open(openTestDatabase, { RETENTION_CALLBACKS: '30', RETENTION_DELIVERY_ATTEMPTS: '10' });
    await deliver(app, 5, 200);
    app.now.advance(11 * DAY);
    await deliver(app, 2, 200);
    assert.deepEqual(await left(app), { callbacks: 7, attempts: 7 });
    assert.equal(await deleteOldCallbacks(app, 3), 3);
    assert.equal(await deleteOldCallbacks(app, 3), 2);
    assert.equal(await deleteOldCallbacks(app, 3), 0);
    assert.deepEqual(await left(app), { callbacks: 7, attempts: 2 });
    app.now.advance(20 * DAY);
    while ((await deleteOldCallbacks(app, 3)) > 0);
    assert.deepEqual(await left(app), { callbacks: 2, attempts: 0 });
    await untilVisible(app);
    await sealFeed(app);
    const { ok, callbacks } = await verifyStore(app);
    assert.deepEqual([ok, callbacks], [true, 2]);
  });

  test('is kept forever without a retention setting', async () => {
    const app = await open(openTestDatabase, {});
    await deliver(app, 1, 200);
    app.now.advance(3650 * DAY);
    assert.equal(await deleteOldCallbacks(app, 10), 0);
    assert.deepEqual(await left(app), { callbacks: 1, attempts: 1 });
  });

  test('is kept while it is queued, and after it was given up while a person still has to see it', async () => {
    const app = await open(openTestDatabase, { RETENTION_CALLBACKS: '1', RETENTION_DELIVERY_ATTEMPTS: '1' });
    await deliver(app, 1, 500);
    app.now.advance(2 * DAY);
    assert.equal(await deleteOldCallbacks(app, 10), 0);
    await app.db.transaction((tx) => tx.query("update callbacks set state = 'dead', finished_at = $1", [app.now()]));
    app.now.advance(6 * DAY);
    assert.equal(await deleteOldCallbacks(app, 10), 0);
    assert.deepEqual(await left(app), { callbacks: 1, attempts: 1 });
    app.now.advance(2 * DAY);
    while ((await deleteOldCallbacks(app, 10)) > 0);
    assert.deepEqual(await left(app), { callbacks: 0, attempts: 0 });
  });

  test('is kept with its attempts if a person sends it again while it is being deleted', async () => {
    const app = await open(openTestDatabase, { RETENTION_CALLBACKS: '1' });
    await deliver(app, 1, 200);
    app.now.advance(2 * DAY);
    const [callback] = await listCallbacks(app, {}, 1);
    let deleting: Promise<number> | undefined;
    const resending = onQuery(app, async (sql) => {
      if (!sql.startsWith('update endpoints')) return;
      deleting = deleteOldCallbacks(app, 10);
      await untilQueued(app.db);
    });
    assert.equal(await resendCallback(resending, callback?.id as number, TESTER), 'queued');
    await deleting;
    assert.deepEqual(await left(app), { callbacks: 1, attempts: 1 });
  });

  test('is deleted even when a thousand older ones belong to a payment service that has moved away', async () => {
    const app = await open(openTestDatabase, { RETENTION_CALLBACKS: '1', RETENTION_DELIVERY_ATTEMPTS: '1' });
    const moved = await deliver(app, 1, 500);
    await copyRows(app, 'callbacks', (copy) => ({ webhook_id: `evt_copy_${copy}` }));
    await copyRows(app, 'delivery_attempts', () => ({}));
    await deliver(app, 2, 200);
    await leaveFor(app, moved);
    app.now.advance(2 * DAY);
    while ((await deleteOldCallbacks(app, 10)) > 0);
    assert.deepEqual(await left(app), { callbacks: 1001, attempts: 1001 });
  });

  test('is deleted even when a thousand older ones were given up lately', async () => {
    const app = await open(openTestDatabase, { RETENTION_CALLBACKS: '1', RETENTION_DELIVERY_ATTEMPTS: '1' });
    await deliver(app, 1, 500);
    await copyRows(app, 'callbacks', (copy) => ({ webhook_id: `evt_copy_${copy}` }));
    await copyRows(app, 'delivery_attempts', () => ({}));
    await app.db.transaction((tx) => tx.query("update callbacks set state = 'dead', finished_at = $1", [app.now()]));
    await deliver(app, 2, 200);
    app.now.advance(2 * DAY);
    while ((await deleteOldCallbacks(app, 10)) > 0);
    assert.deepEqual(await left(app), { callbacks: 1001, attempts: 1001 });
    app.now.advance(6 * DAY);
    while ((await deleteOldCallbacks(app, 100)) > 0);
    assert.deepEqual(await left(app), { callbacks: 0, attempts: 0 });
  });
});

/** Adds a thousand copies of the only row. */
function copyRows(app: TestApp, name: string, change: (copy: number) => SqlRow): Promise<void> {
  return app.db.transaction(async (tx) => {
    const [{ id: _, ...row } = {}] = await tx.query<SqlRow>(`select * from ${name}`);
    const rows = Array.from({ length: 1000 }, (_, copy) => ({ ...row, ...change(copy) }));
    await tx.insertRows({ name, columns: Object.keys(row) }, rows);
  });
}

test('a retention is a whole number of days', () => {
  for (const days of ['0', '-1', '1.5', 'ever']) {
    assert.throws(() => readConfig({ MASTER_KEY: '5a'.repeat(32), RETENTION_CALLBACKS: days }), ConfigError);
  }
});

async function open(openTestDatabase: OpenTestDatabase, settings: Record<string, string>): Promise<TestApp> {
  const config = readConfig({ MASTER_KEY: '5a'.repeat(32), LOG_LEVEL: 'silent', ...settings });
  return createTestApp(await openTestDatabase(), { config });
}

/** Creates payments whose callbacks get this status at their first attempt. */
async function deliver(app: TestApp, count: number, status: number): Promise<ServiceEnvironment> {
  const environment = await createTestEnvironment(app);
  for (let n = 0; n < count; n++) await createPaidTransaction(app, environment);
  const fetch: TestApp['fetch'] = async () => ({
    kind: 'answered',
    status,
    retryAfter: null,
    excerpt: 'said',
    durationMs: 1,
  });
  // One poll does not claim all callbacks of one endpoint.
  for (let n = 0; n < count; n++) {
    const delivery = createCallbackDelivery({ ...app, fetch }, () => {});
    await delivery.poll();
    await delivery.drain();
  }
  return environment;
}

async function left(app: TestApp) {
  const count = async (table: string) => (await app.db.query(`select id from ${table}`)).length;
  return { callbacks: await count('callbacks'), attempts: await count('delivery_attempts') };
}
