import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSubscribers } from '../../src/outbox/find-subscribers.ts';
import { setWebhook } from '../../src/outbox/set-webhook.ts';
import { forEachEngine } from '../support/engines.ts';
import { listenToStatements } from '../support/heard-statements.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

forEachEngine('the subscribers of an event', (openTestDatabase) => {
  test('a thousand users of other merchants held up each refund for seconds: they are asked about together', async () => {
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
});
