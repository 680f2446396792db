import assert from 'node:assert/strict';
import { test } from 'node:test';
import { availableBalance } from '../../src/books/available-balance.ts';
import { selectBalances } from '../../src/books/balance-queries.ts';
import { verifyBooks } from '../../src/books/verify-books.ts';
import { resolveSuspense } from '../../src/movements/resolve-suspense.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createLatePayment, createPaidTransaction } from '../support/test-books.ts';
import { deposit, payOut } from '../support/test-movements.ts';
import { acceptedRefund, refundsOf } from '../support/test-refunds.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

/**
 * The largest payment in minor units of a currency with four decimals. The sum of eleven is odd and over
 * `Number.MAX_SAFE_INTEGER`.
 */
const MOST = 999_999_999_999_999;
const PAYMENTS = 11;
const SUM = BigInt(MOST) * BigInt(PAYMENTS);
const CLF = { currency: 'CLF' };

forEachEngine('sums beyond 2^53', (openTestDatabase) => {
  async function openRich() {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const paid = [];
    for (let payment = 0; payment < PAYMENTS; payment++) {
      paid.push(await createPaidTransaction(app, environment, { amount: MOST, ...CLF }));
    }
    return { app, environment, paid };
  }

  test('the balances of the books are exact', async () => {
    const { app, environment } = await openRich();
    assert.deepEqual(await balancesIn(app), [
      ['merchant:payable', 0, SUM],
      ['method:simulated:receivable', SUM, 0],
    ]);
    const scope = { environmentIds: [environment.id], transactionId: 0 };
    assert.equal(await availableBalance(app, scope, 'CLF'), SUM);
    const { problems, records, balances } = await verifyBooks(app);
    assert.deepEqual([problems, records, balances], [[], [], []]);
  });

  test('payouts, deposits and refunds are exact to the last unit', async () => {
    const { app, environment, paid } = await openRich();
    const [first] = paid;
    assert.ok(first !== undefined);
    assert.equal((await payOut(app, environment, MOST, CLF)).kind, 'recorded');
    assert.equal((await deposit(app, environment, MOST, CLF)).kind, 'recorded');
    await acceptedRefund(app, first, MOST);
    const scope = { environmentIds: [environment.id], transactionId: 0 };
    assert.equal(await availableBalance(app, scope, 'CLF'), Number(SUM - 2n * BigInt(MOST)));
    await carryOutRefunds(app, 10);
    assert.deepEqual(await refundsOf(app, first), [['completed', MOST]]);
    for (let payout = 0; payout < PAYMENTS - 2; payout++) {
      assert.equal((await payOut(app, environment, MOST, CLF)).kind, 'recorded');
    }
    assert.deepEqual(await payOut(app, environment, 1, CLF), { kind: 'refused', most: 0 });
    assert.equal(await availableBalance(app, scope, 'CLF'), 0);
    const { problems, records, balances } = await verifyBooks(app);
    assert.deepEqual([problems, records, balances], [[], [], []]);
  });

  test('money in suspense can be resolved', async () => {
    const { app, environment } = await openRich();
    const { id } = await createLatePayment(app, environment, CLF);
    const decided = { decision: 'kept' as const, reason: 'delivered', by: TESTER };
    assert.deepEqual(await resolveSuspense(app, id, decided), { kind: 'resolved', amount: 5001, currency: 'CLF' });
    const scope = { environmentIds: [environment.id], transactionId: 0 };
    assert.equal(await availableBalance(app, scope, 'CLF'), SUM + 5001n);
  });
});

async function balancesIn(app: TestApp) {
  return (await selectBalances(app.db)).map(({ account, debits, credits }) => [account, debits, credits]);
}
