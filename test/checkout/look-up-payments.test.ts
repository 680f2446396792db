import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lookUpPaymentOf, lookUpPayments } from '../../src/checkout/look-up-payments.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import { overtaking } from '../../src/lib/overtaking.ts';
import type { PaymentOutcome } from '../../src/payment-methods/payment-method.ts';
import { simulatedMethod } from '../../src/payment-methods/simulated-method.ts';
import { comesTrue } from '../support/comes-true.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp, listenForAlarms } from '../support/test-app.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';
import { declined, openCheckout, openOtherProcess, readAttempt, readStates, scriptMethod } from './checkout-case.ts';

const pending: PaymentOutcome = { kind: 'pending' };

forEachEngine('looking up payments', (openTestDatabase) => {
  test('does not ask the method before the scheduled time', async () => {
    const { app, method, transaction } = await openCheckout(openTestDatabase, {
      method: scriptMethod({ start: async () => pending }),
    });
    await startPayment(app, transaction, 'scripted');
    app.now.advance(1999);
    assert.equal(await lookUpPayments(app, 10), 0);
    app.now.advance(1);
    assert.equal(await lookUpPayments(app, 10), 1);
    assert.equal(method.lookedUp.length, 1);
    assert.equal((await readStates(app)).transaction, 'completed');
    assert.equal(await lookUpPayments(app, 10), 0);
  });

  test('tells the method how often it was asked, and asks it at growing intervals', async () => {
    const { app, method, transaction } = await openCheckout(openTestDatabase, {
      method: scriptMethod({ start: async () => pending, lookup: () => Promise.reject(new Error('refused')) }),
    });
    await startPayment(app, transaction, 'scripted');
    const pauses: number[] = [];
    for (let lookups = 0; lookups < 8; lookups++) {
      const next = (await readAttempt(app)).next_lookup_at as number;
      pauses.push((next - app.now()) / 1000);
      app.now.advance(next - app.now());
      await lookUpPayments(app, 10);
    }
    assert.deepEqual(pauses, [2, 5, 10, 30, 60, 300, 900, 900]);
    assert.deepEqual(
      method.lookedUp.map(({ lookups }) => lookups),
      [0, 1, 2, 3, 4, 5, 6, 7],
    );
    assert.deepEqual((await readStates(app)).attempts, ['unknown']);
  });

  test('payments by other methods overtake those by a method that does not answer, which is asked again later', async () => {
    const isBack = Promise.withResolvers<void>();
    const dead = scriptMethod({
      start: async () => pending,
      lookup: async () => {
        await isBack.promise;
        return { kind: 'approved', detail: {} };
      },
    });
    const alive = { ...scriptMethod({ start: async () => pending }), code: 'alive' };
    const app = createTestApp(await openTestDatabase(), { paymentMethods: [dead, alive] });
    const environment = await createTestEnvironment(app);
    const pay = async (method: string, order: number) =>
      startPayment(app, await createTestTransaction(app, environment, { reference: `ORD-${order}` }), method);
    for (let order = 1; order <= 20; order++) await pay('scripted', order);
    app.now.advance(1);
    await pay('alive', 21);
    app.now.advance(2000);
    const work = overtaking(() => lookUpPayments(app, 2));
    assert.ok(await comesTrue(async () => (await work.step()) >= 0 && alive.lookedUp.length === 1));
    assert.ok(dead.lookedUp.length < 20, 'not all payments of the other method came first');
    isBack.resolve();
    await work.settled();
    assert.ok(await comesTrue(async () => (await work.step()) >= 0 && dead.lookedUp.length === 20));
    await work.settled();
    assert.deepEqual(new Set((await readStates(app)).attempts), new Set(['approved']));
  });

  test('asks once for each payment with two concurrent workers', async () => {
    const opened = await openCheckout(openTestDatabase, { method: scriptMethod({ start: async () => pending }) });
    const { app, method, environment, transaction } = opened;
    const other = await openOtherProcess(openTestDatabase, opened);
    await startPayment(app, transaction, 'scripted');
    for (let order = 2; order <= 20; order++) {
      const more = await createTestTransaction(app, environment, { reference: `ORD-${order}` });
      await startPayment(app, more, 'scripted');
    }
    app.now.advance(2000);
    const counts = await Promise.all([app, other, app, other].map((worker) => lookUpPayments(worker, 6)));
    const rest = await lookUpPayments(app, 100);
    assert.equal(
      counts.reduce((sum, count) => sum + count, rest),
      20,
    );
    assert.equal(new Set(method.lookedUp.map(({ attemptId }) => attemptId)).size, 20);
    assert.equal(method.lookedUp.length, 20);
  });

  test('is repeated by another worker when the first one dies', async () => {
    const never = Promise.withResolvers<PaymentOutcome>();
    const asked = Promise.withResolvers<void>();
    let times = 0;
    const method = scriptMethod({
      start: async () => pending,
      lookup: async () => {
        asked.resolve();
        return ++times === 1 ? never.promise : declined;
      },
    });
    const { app, transaction } = await openCheckout(openTestDatabase, { method, payerAttempts: 1 });
    await startPayment(app, transaction, 'scripted');
    app.now.advance(2000);
    const dying = lookUpPayments(app, 10);
    await asked.promise;
    assert.equal(await lookUpPayments(app, 10), 0);
    app.now.advance(30_000);
    assert.equal(await lookUpPayments(app, 10), 1);
    assert.equal((await readStates(app)).transaction, 'failed');
    never.resolve(pending);
    await dying;
    assert.deepEqual((await readStates(app)).attempts, ['declined']);
  });

  test('does not ask when a claim is so old that another process could ask before the answer', async () => {
    const { app, method, transaction } = await openCheckout(openTestDatabase, {
      method: scriptMethod({ start: async () => pending }),
    });
    await startPayment(app, transaction, 'scripted');
    // The process is slow between its claim and the question.
    const slow = (ms: number) => ({
      ...app,
      get paymentMethods() {
        app.now.advance(ms);
        return [method];
      },
    });
    for (const [ms, asked] of [
      [10_001, 0],
      [10_000, 1],
    ] as const) {
      app.now.advance(60_000);
      assert.equal(await lookUpPayments(slow(ms), 10), 1);
      assert.equal(method.lookedUp.length, asked);
    }
  });

  test('happens immediately when the payer returns from the method', async () => {
    const { app, method, transaction } = await openCheckout(openTestDatabase, {
      method: scriptMethod({ start: async () => pending }),
    });
    await startPayment(app, transaction, 'scripted');
    await lookUpPaymentOf(app, transaction, {});
    assert.equal((await readStates(app)).transaction, 'completed');
    await lookUpPaymentOf(app, transaction, {});
    assert.equal(method.lookedUp.length, 1);
  });

  test('asks at most thirty times a minute because browsers return, and then leaves it to the worker', async () => {
    const { app, method, transaction } = await openCheckout(openTestDatabase, {
      method: scriptMethod({ start: async () => pending, lookup: async () => pending }),
    });
    await startPayment(app, transaction, 'scripted');
    for (let times = 0; times < 40; times++) await lookUpPaymentOf(app, transaction, { token_ws: String(times) });
    assert.equal(method.lookedUp.length, 30);
    assert.equal(await lookUpPaymentOf(app, transaction, null), true, 'a person may always ask');
    app.now.advance(60_000);
    assert.equal(await lookUpPaymentOf(app, transaction, {}), true);
    assert.equal(method.lookedUp.length, 32);
  });

  test('raises an alarm for a payment without an answer after a day, and does not guess the outcome', async () => {
    const opened = await openCheckout(openTestDatabase, {
      method: scriptMethod({ start: async () => pending, lookup: async () => ({ kind: 'unknown' }) }),
    });
    const { log, alarms } = listenForAlarms();
    const { transaction } = opened;
    const app = { ...opened.app, log };
    await startPayment(app, transaction, 'scripted');
    app.now.advance(24 * 60 * 60 * 1000);
    await lookUpPayments(app, 10);
    assert.deepEqual(alarms, []);
    app.now.advance(15 * 60 * 1000);
    await lookUpPayments(app, 10);
    assert.deepEqual(alarms, ['unanswered']);
    assert.equal((await readStates(app)).transaction, 'pending');
  });

  test('leaves a payment open when its method was removed, and continues with the others', async () => {
    const opened = await openCheckout(openTestDatabase, { method: scriptMethod({ start: async () => pending }) });
    await startPayment(opened.app, opened.transaction, 'scripted');
    const app = createTestApp(opened.app.db, { paymentMethods: [simulatedMethod], now: opened.app.now });
    const other = await createTestTransaction(app, opened.environment, { reference: 'ORD-2', amount: 5002 });
    await startPayment(app, other, 'simulated');
    app.now.advance(2000);
    assert.equal(await lookUpPayments(app, 10), 2);
    const states = await app.db.query<{ state: string }>('select state from transactions order by id');
    assert.deepEqual(
      states.map(({ state }) => state),
      ['pending', 'completed'],
    );
  });

  const magic: [amount: number, end: string, lookups: number][] = [
    [5002, 'completed', 1],
    [5003, 'completed', 2],
    [5004, 'failed', 2],
    [5005, 'failed', 1],
  ];
  for (const [amount, end, lookups] of magic) {
    test(`ends ${amount} on the simulated method as ${end} after look-up ${lookups}`, async () => {
      const app = createTestApp(await openTestDatabase());
      const environment = await createTestEnvironment(app, 'development', 1);
      await startPayment(app, await createTestTransaction(app, environment, { amount }), 'simulated');
      for (let lookup = 0; lookup < lookups; lookup++) {
        assert.equal((await readStates(app)).transaction, 'pending');
        app.now.advance(5000);
        assert.equal(await lookUpPayments(app, 10), 1);
      }
      assert.equal((await readStates(app)).transaction, end);
    });
  }
});
