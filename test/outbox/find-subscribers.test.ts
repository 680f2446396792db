import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setRights } from '../../src/auth/set-rights.ts';
import type { Tx } from '../../src/db/database.ts';
import { enqueueEnvironmentEvents } from '../../src/outbox/enqueue-event.ts';
import { enqueuePosts } from '../../src/outbox/enqueue-post.ts';
import { findSubscribers } from '../../src/outbox/webhooks/find-subscribers.ts';
import { setWebhook } from '../../src/outbox/webhooks/set-webhook.ts';
import { forEachEngine } from '../support/engines.ts';
import { listenToStatements } from '../support/heard-statements.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

forEachEngine('the subscribers of an event', (openTestDatabase) => {
  test('are found in the same number of statements, however many users other merchants have', async () => {
    const app = createTestApp(await openTestDatabase());
    const [own, other] = [await createTestEnvironment(app), await createTestEnvironment(app)];
    const subscribe = async (paymentServices: 'all' | string[]) => {
      const { id: userId } = await createTestUser(app, { paymentServices });
      const wish = { userId, webhook: 'refunds', url: 'https://shop.example/told', method: 'POST' } as const;
      return (await setWebhook(app, wish, TESTER)).id;
    };
    const told = [await subscribe([own.paymentServiceId]), await subscribe('all')];
    const find = async () => {
      const { app: heard, all } = listenToStatements(app);
      const found = await heard.db.transaction((tx) => findSubscribers(tx, own.id, 'refund.completed'));
      return { found: found.map(({ id }) => id).sort(), statements: all.length };
    };
    const before = await find();
    assert.deepEqual(before.found, told.sort());
    for (let others = 0; others < 5; others++) await subscribe([other.paymentServiceId]);
    assert.deepEqual(await find(), before);
  });

  test('are only those who may read events now', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const { id: userId } = await createTestUser(app, { role: 'support', may: ['events:read'] });
    const wish = { userId, webhook: 'refunds', url: 'https://shop.example/told', method: 'POST' } as const;
    await setWebhook(app, wish, TESTER);
    const count = async () =>
      (await app.db.transaction((tx) => findSubscribers(tx, environment.id, 'refund.completed'))).length;
    assert.equal(await count(), 1);
    await setRights(app, userId, { revoke: ['events:read'] }, TESTER);
    assert.equal(await count(), 0);
  });

  test('are notified of many payouts in as many statements as of one', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const { id: userId } = await createTestUser(app, { paymentServices: [environment.paymentServiceId] });
    const wish = { userId, webhook: 'remittances', url: 'https://shop.example/told', method: 'POST' } as const;
    const { id } = await setWebhook(app, wish, TESTER);
    const tell = async (names: readonly string[]) => {
      const { app: heard, all } = listenToStatements(app);
      const event = { type: 'payout.confirmed', createdAt: app.now(), data: {} } as const;
      const told = names.map((subjectId) => ({ subjectId, event }));
      await heard.db.transaction((tx) => enqueueEnvironmentEvents(tx, environment, told));
      return all.length;
    };
    await tell(['first']);
    assert.equal(await tell(['po_1', 'po_2', 'po_3']), await tell(['po_4']));
    const kept = await app.db.query('select webhook_id from callbacks order by id');
    assert.deepEqual(
      kept.map(({ webhook_id }) => webhook_id),
      ['first', 'po_1', 'po_2', 'po_3', 'po_4'].map((name) => `evt_${name}_${id}`),
    );
  });

  test('are queued in inserts of at most a thousand rows', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id: environmentId } = await createTestEnvironment(app);
    const [url, contentType] = ['https://shop.example/told', 'application/json'] as const;
    const post = { environmentId, transactionId: 0, sequence: 0, at: app.now(), url, contentType, body: '{}' };
    const posts = Array.from({ length: 2001 }, (_, at) => ({ ...post, idSuffix: `po_${at}` }));
    const sizes: number[] = [];
    await app.db.transaction((tx) => {
      const insertRows: Tx['insertRows'] = (table, rows, suffix) => {
        sizes.push(rows.length);
        return tx.insertRows(table, rows, suffix);
      };
      return enqueuePosts({ ...tx, insertRows }, posts);
    });
    assert.deepEqual(sizes, [1000, 1000, 1]);
    const [kept] = await app.db.query<{ count: number }>('select count(*) as count from callbacks');
    assert.equal(kept?.count, 2001);
  });
});
