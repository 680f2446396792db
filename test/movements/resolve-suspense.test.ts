import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showAttention } from '../../src/attention/measure-attention.ts';
import { availableBalance } from '../../src/books/available-balance.ts';
import { selectBalances } from '../../src/books/balance-queries.ts';
import { listEntries } from '../../src/books/list-books.ts';
import { verifyBooks } from '../../src/books/verify-books.ts';
import { cancelTransaction } from '../../src/checkout/cancel-transaction.ts';
import type { PaymentAttempt } from '../../src/checkout/payment-attempt.ts';
import { selectLatestAttempt } from '../../src/checkout/payment-attempt-queries.ts';
import { settlePayment } from '../../src/checkout/settle-payment.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import { closeMonth } from '../../src/movements/close-month.ts';
import type { Decision } from '../../src/movements/movement.ts';
import { selectMovements, selectSuspense } from '../../src/movements/movement-queries.ts';
import { resolveSuspense } from '../../src/movements/resolve-suspense.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createLatePayment, createPaidTransaction, removeGuards } from '../support/test-books.ts';
import { deposit, payOut } from '../support/test-movements.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';

forEachEngine('money in suspense', (openTestDatabase) => {
  const table: [decision: Decision, credit: string, available: number][] = [
    ['returned', 'method:simulated:receivable', 0],
    ['kept', 'merchant:payable', 5001],
  ];
  for (const [decision, credit, available] of table) {
    test(`is resolved once as ${decision}, into ${credit}, and its alarm ends`, async () => {
      const { app, environment } = await open(openTestDatabase);
      const late = await createLatePayment(app, environment);
      assert.equal(await unresolved(app), 1);
      const all = await Promise.all(Array.from({ length: 8 }, () => resolve(app, late.id, decision)));
      assert.equal(all.filter(({ kind }) => kind === 'resolved').length, 1);
      assert.equal(all.filter(({ kind }) => kind === 'already').length, 7);
      const entries = await listEntries(app, late, 10);
      assert.deepEqual(
        entries.map(({ kind, debit_account, credit_account, amount }) => [kind, debit_account, credit_account, amount]),
        [
          [decision, 'suspense', credit, 5001],
          ['late_payment', 'method:simulated:receivable', 'suspense', 5001],
        ],
      );
      const suspense = (await selectBalances(app.db)).find(({ account }) => account === 'suspense');
      assert.deepEqual([suspense?.debits, suspense?.credits], [5001, 5001]);
      const scope = { environmentIds: [environment.id], transactionId: 0 };
      assert.equal(await availableBalance(app, scope, 'CLP'), available);
      assert.equal(await unresolved(app), 0);
      assert.deepEqual((await verifyBooks(app)).problems, []);
    });
  }

  test('waits for a decision also if a payout has the name of its entry as its reference', async () => {
    const { app, environment } = await open(openTestDatabase);
    await createPaidTransaction(app, environment);
    const late = await createLatePayment(app, environment);
    for (const reference of ['2.0', 'P-1']) await payOut(app, environment, 100, { reference });
    await deposit(app, environment, 100, { reference: 'payout P-1' });
    assert.deepEqual([await unresolved(app), (await selectSuspense(app.db, 10))[0]?.decision], [1, null]);
    const payouts = await selectMovements(app.db, 'payout', 10);
    assert.deepEqual(
      payouts.map(({ returned_at }) => returned_at),
      [null, null],
      'no deposit returns a payout',
    );
    assert.equal((await resolve(app, late.id, 'kept')).kind, 'resolved');
  });

  test('keeps its month open until it is decided, and so does a payment that is not in the books', async () => {
    const { app, environment } = await open(openTestDatabase);
    const paid = await createPaidTransaction(app, environment);
    const late = await createLatePayment(app, environment);
    app.now.advance(31 * 86_400_000);
    const close = async () => {
      const state = await closeMonth(app, '2026-01', 'development', TESTER);
      return state && [state.suspense, state.unbooked];
    };
    assert.deepEqual(await close(), [1, 0]);
    await resolve(app, late.id, 'kept');
    await removeGuards(app.db);
    const write = (sql: string) => app.db.transaction((tx) => tx.query(sql, [paid.id]));
    await write('update journal_entries set transaction_id = null where transaction_id = $1');
    assert.deepEqual(await close(), [0, 1]);
    await write("update journal_entries set transaction_id = $1 where kind = 'payment'");
    assert.equal(await close(), null);
  });

  test('keeps its first decision, with the reason', async () => {
    const { app, environment } = await open(openTestDatabase);
    const late = await createLatePayment(app, environment);
    await resolve(app, late.id, 'returned');
    assert.equal((await resolve(app, late.id, 'kept')).kind, 'different');
    const [listed] = await selectSuspense(app.db, 10);
    assert.deepEqual([listed?.entry, listed?.decision, listed?.reason], ['1.0', 'returned', 'seen in the portal']);
  });

  test('of one transaction decided both ways has another decision than either, unless one entry is named', async () => {
    const { app, environment } = await open(openTestDatabase);
    const late = await createTestTransaction(app, environment, { amount: 5001 });
    const attempts: (PaymentAttempt | null)[] = [];
    for (let attempt = 0; attempt < 2; attempt++) {
      app.now.advance(1);
      await startPayment(app, late, 'simulated');
      attempts.push(await selectLatestAttempt(app.db, late));
    }
    await cancelTransaction(app, late);
    for (const attempt of attempts) {
      await settlePayment(app, attempt as PaymentAttempt, { kind: 'approved', detail: {} });
    }
    const say = async (decision: Decision, entry?: string) => (await resolve(app, late.id, decision, entry)).kind;
    assert.deepEqual([await say('kept', '1.0'), await say('returned')], ['resolved', 'resolved']);
    assert.deepEqual([await say('kept'), await say('returned')], ['different', 'different']);
    assert.deepEqual([await say('kept', '1.0'), await say('kept', '2.0')], ['already', 'different']);
  });

  test('does not exist for an ordinary payment', async () => {
    const { app, environment } = await open(openTestDatabase);
    const paid = await createPaidTransaction(app, environment);
    assert.deepEqual(await resolve(app, paid.id, 'kept'), { kind: 'nothing' });
    assert.deepEqual(await resolve(app, 1, 'kept'), { kind: 'nothing' });
    assert.equal((await listEntries(app, null, 10)).length, 1);
  });
});

async function open(openTestDatabase: OpenTestDatabase) {
  const app = createTestApp(await openTestDatabase());
  return { app, environment: await createTestEnvironment(app) };
}

function resolve(app: TestApp, transactionId: number, decision: Decision, entry?: string) {
  const named = entry === undefined ? {} : { entry };
  return resolveSuspense(app, transactionId, { decision, ...named, reason: 'seen in the portal', by: TESTER });
}

/** Returns the number of unresolved entries in the metrics. */
async function unresolved(app: TestApp): Promise<number> {
  await showAttention(app);
  app.now.advance(1000);
  const { values } = await app.metrics.unresolvedPayments.get();
  return values[0]?.value ?? -1;
}
