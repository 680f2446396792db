import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findWrongBalances } from '../../src/books/verify-sums.ts';
import type { Database } from '../../src/db/database.ts';
import { freshWalks, type OpenWalk } from '../../src/lib/walk.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction, removeTriggers } from '../support/test-books.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

const begin = freshWalks();
const walks = ((name, what) => ({ ...begin(name, what), page: 2 })) as OpenWalk;

/** An app that calls `before` before each statement that sums entries. */
function watching(app: TestApp, before: () => Promise<void>): TestApp {
  const query: Database['query'] = async (sql, values) => {
    if (sql.includes('sum(debits)')) await before();
    return app.db.query(sql, values);
  };
  return { ...app, db: { ...app.db, query } };
}

forEachEngine('the sums of the accounts', (openTestDatabase) => {
  test('are added up in pages, and payments that are booked meanwhile change nothing', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    for (let payment = 0; payment < 5; payment++) await createPaidTransaction(app, environment);
    let pages = 0;
    const busy = watching(app, async () => {
      pages++;
      await createPaidTransaction(app, environment);
    });
    assert.deepEqual(await findWrongBalances(busy, [environment.id], walks), []);
    assert.ok(pages >= 3, `${pages} pages`);
  });

  test('that are stopped in the middle read no further entry', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    for (let payment = 0; payment < 5; payment++) await createPaidTransaction(app, environment);
    let pages = 0;
    const stopped = watching(app, async () => {
      if (++pages === 2) throw new Error('stopped');
    });
    await assert.rejects(findWrongBalances(stopped, [environment.id], walks), { message: 'stopped' });
    assert.equal(pages, 2);
  });

  test('name each account whose sum was changed, invented or deleted, of any environment', async () => {
    const app = createTestApp(await openTestDatabase());
    const [one, other, third] = [
      await createTestEnvironment(app),
      await createTestEnvironment(app),
      await createTestEnvironment(app),
    ];
    for (const environment of [one, other]) await createPaidTransaction(app, environment);
    await removeTriggers(app.db);
    await app.db.transaction(async (tx) => {
      await tx.query(
        `update account_balances set credits = credits + 1 where environment_id = $1 and account = 'merchant:payable'`,
        [one.id],
      );
      await tx.query(
        `delete from account_balances where environment_id = $1 and account = 'method:simulated:receivable'`,
        [other.id],
      );
      await tx.query(
        `insert into account_balances (environment_id, account, currency, debits, credits) values ($1, 'suspense', 'USD', 0, 0)`,
        [third.id],
      );
    });
    const wrong = await findWrongBalances(app, [one.id, other.id], walks);
    assert.deepEqual(wrong, [
      { environment_id: one.id, account: 'merchant:payable', currency: 'CLP' },
      { environment_id: other.id, account: 'method:simulated:receivable', currency: 'CLP' },
      { environment_id: third.id, account: 'suspense', currency: 'USD' },
    ]);
  });
});
