import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectMethodOutcomes, selectPaidHours } from '../../src/search/today-queries.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';

forEachEngine('what was paid today', (openTestDatabase) => {
  test('a person of one merchant got 500 instead of its hours, and now sees its own alone', async () => {
    const app = createTestApp(await openTestDatabase());
    const own = await createTestEnvironment(app, 'development');
    const other = await createTestEnvironment(app, 'production');
    const since = app.now();
    for (const environment of [own, other]) await createTestTransaction(app, environment);
    const complete = `update transactions set state = 'completed', settled_at = $1`;
    await app.db.transaction((tx) => tx.query(complete, [since + 3_600_000]));
    const hours = async (ids: number[] | null) =>
      (await selectPaidHours(app.db, since, ids)).map(({ hour, payments, amount }) => ({ hour, payments, amount }));
    assert.deepEqual(await hours([own.id]), [{ hour: 1, payments: 1, amount: 12_990 }]);
    assert.deepEqual(await hours(null), [{ hour: 1, payments: 2, amount: 25_980 }]);
    assert.deepEqual(await hours([]), []);
  });

  test('the share of approved attempts counts those that ended, method by method, among the newest orders', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    for (const state of ['approved', 'declined', 'unknown', 'approved']) {
      await createPaidTransaction(app, environment);
      const set = 'update payment_attempts set state = $1 where transaction_id = (select max(id) from transactions)';
      await app.db.transaction((tx) => tx.query(set, [state]));
    }
    const outcomes = async (orders: number) =>
      (await selectMethodOutcomes(app.db, orders)).map((row) => [row.payment_method, row.attempts, row.approved]);
    assert.deepEqual(await outcomes(1000), [['simulated', 3, 2]]);
    assert.deepEqual(await outcomes(3), [['simulated', 2, 1]]);
  });
});
