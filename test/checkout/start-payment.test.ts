import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cancelTransaction } from '../../src/checkout/cancel-transaction.ts';
import { lookUpPayments } from '../../src/checkout/look-up-payments.ts';
import { settlePayment } from '../../src/checkout/settle-payment.ts';
import { type PaymentStart, startPayment } from '../../src/checkout/start-payment.ts';
import type { PaymentOutcome } from '../../src/payment-methods/payment-method.ts';
import { expireTransactions } from '../../src/transactions/expire-transactions.ts';
import { payToken } from '../../src/transactions/transaction.ts';
import { forEachEngine } from '../support/engines.ts';
import {
  approved,
  declined,
  openCheckout,
  openOtherProcess,
  readAttempt,
  readCounter,
  readStates,
  scriptMethod,
} from './checkout-case.ts';

forEachEngine('starting a payment', (openTestDatabase) => {
  test('completes the transaction and queues its callback when the method approves', async () => {
    const { app, method, transaction } = await openCheckout(openTestDatabase);
    assert.deepEqual(await startPayment(app, transaction, 'scripted'), { kind: 'asked' });
    assert.deepEqual(await readStates(app), {
      transaction: 'completed',
      attempts: ['approved'],
      events: ['created', 'completed'],
      callbacks: 1,
    });
    const attempt = await readAttempt(app);
    assert.equal(attempt.settled_at, app.now());
    assert.equal(attempt.next_lookup_at, null);
    assert.deepEqual(JSON.parse(attempt.detail as string), { authorization_code: '001234' });
    assert.equal(await readCounter(app.metrics.transactions, 'completed'), 1);
    assert.equal(method.started.length, 1);
  });

  test('gives the method what to collect, with the id of the attempt', async () => {
    const { app, method, transaction } = await openCheckout(openTestDatabase);
    await startPayment(app, transaction, 'scripted');
    const { id } = await readAttempt(app);
    assert.deepEqual(method.started, [
      {
        attemptId: id,
        externalId: null,
        transactionId: transaction.id,
        environment: 'development',
        environmentId: transaction.environment_id,
        account: null,
        amount: 12_990,
        currency: 'CLP',
        returnUrl: `http://127.0.0.1:8080/pay/${payToken(transaction)}/return`,
        returned: null,
        commitUnanswered: false,
        lookups: 0,
        startedAt: app.now(),
      },
    ]);
  });

  test('fails the transaction at the last allowed decline', async () => {
    const { app, transaction } = await openCheckout(openTestDatabase, {
      method: scriptMethod({ start: async () => declined }),
      payerAttempts: 1,
    });
    await startPayment(app, transaction, 'scripted');
    const { transaction: state, attempts, callbacks } = await readStates(app);
    assert.deepEqual([state, attempts, callbacks], ['failed', ['declined'], 1]);
    assert.deepEqual(await startPayment(app, transaction, 'scripted'), { kind: 'refused', code: 'NOT_PAYABLE' });
  });

  test('treats a method that throws as an unknown outcome, and looks it up', async () => {
    const { app, transaction } = await openCheckout(openTestDatabase, {
      method: scriptMethod({ start: () => Promise.reject(new Error('socket hang up')) }),
    });
    await startPayment(app, transaction, 'scripted');
    assert.deepEqual((await readStates(app)).attempts, ['unknown']);
    assert.equal((await readAttempt(app)).next_lookup_at, app.now() + 2000);
    app.now.advance(2000);
    assert.equal(await lookUpPayments(app, 10), 1);
    assert.deepEqual((await readStates(app)).transaction, 'completed');
  });

  test('stops waiting for a silent method after 20 s, and ignores its later answer', async (t) => {
    const late = Promise.withResolvers<PaymentOutcome>();
    const asked = Promise.withResolvers<void>();
    const method = scriptMethod({
      start: () => {
        asked.resolve();
        return late.promise;
      },
    });
    // Before the store is opened, because its pool could not clear a timer of the real clock.
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { app, transaction } = await openCheckout(openTestDatabase, { method });
    const starting = startPayment(app, transaction, 'scripted');
    await asked.promise;
    t.mock.timers.tick(20_000);
    await starting;
    t.mock.timers.reset();
    late.resolve(declined);
    assert.deepEqual((await readStates(app)).attempts, ['unknown']);
  });

  test('sends the payer nowhere if the attempt ended before the method answered', async () => {
    const redirect: PaymentOutcome = { kind: 'redirect', externalId: 'x', url: 'https://bank.example/', fields: {} };
    const start = async () => {
      await settlePayment(app, await readAttempt(app), { kind: 'aborted', detail: { reason: 'by a person' } });
      return redirect;
    };
    const { app, transaction } = await openCheckout(openTestDatabase, { method: scriptMethod({ start }) });
    assert.deepEqual(await startPayment(app, transaction, 'scripted'), { kind: 'asked' });
    assert.deepEqual((await readStates(app)).attempts, ['aborted']);
  });

  test('stores the method’s own payment id for a redirect', async () => {
    const redirect: PaymentOutcome = {
      kind: 'redirect',
      externalId: 'bank-77',
      url: 'https://bank.example/form',
      fields: { token: 'abc' },
    };
    const { app, method, transaction } = await openCheckout(openTestDatabase, {
      method: scriptMethod({ start: async () => redirect }),
    });
    const start = await startPayment(app, transaction, 'scripted');
    assert.deepEqual(start, { kind: 'redirect', method, url: redirect.url, fields: redirect.fields });
    assert.deepEqual((await readStates(app)).attempts, ['pending']);
    app.now.advance(60_000);
    await lookUpPayments(app, 10);
    assert.equal(method.lookedUp[0]?.externalId, 'bank-77');
    assert.equal((await readStates(app)).transaction, 'completed');
  });

  test('refuses an unknown or unsuitable method, and stores nothing', async () => {
    const { app, transaction } = await openCheckout(openTestDatabase, {
      method: Object.assign(scriptMethod(), { accepts: () => false }),
    });
    for (const code of ['scripted', 'webpay', '']) {
      assert.deepEqual(await startPayment(app, transaction, code), { kind: 'refused', code: 'INVALID_PARAMETER' });
    }
    assert.deepEqual((await readStates(app)).attempts, []);
  });

  test('is refused after the expiry time, even before the worker has recorded the expiry', async () => {
    const { app, method, transaction } = await openCheckout(openTestDatabase);
    app.now.advance(transaction.expires_at - app.now());
    assert.deepEqual(await startPayment(app, transaction, 'scripted'), { kind: 'refused', code: 'NOT_PAYABLE' });
    assert.equal(method.started.length, 0);
  });

  test('asks the method once for 32 concurrent payments of one transaction in two processes', async () => {
    const opened = await openCheckout(openTestDatabase);
    const { app, method, transaction } = opened;
    const other = await openOtherProcess(openTestDatabase, opened);
    const starts = await Promise.all(
      Array.from({ length: 32 }, (_, tab) => startPayment(tab % 2 === 0 ? app : other, transaction, 'scripted')),
    );
    assert.equal(starts.filter(({ kind }) => kind === 'asked').length, 1);
    for (const start of starts.filter(({ kind }) => kind === 'refused')) {
      assert.match((start as Extract<PaymentStart, { kind: 'refused' }>).code, /^(PAYMENT_IN_PROGRESS|NOT_PAYABLE)$/);
    }
    assert.equal(method.started.length, 1);
    assert.deepEqual(await readStates(app), {
      transaction: 'completed',
      attempts: ['approved'],
      events: ['created', 'completed'],
      callbacks: 1,
    });
  });

  test('is refused while another payment is open, however long that takes', async () => {
    const { app, method, transaction } = await openCheckout(openTestDatabase, {
      method: scriptMethod({ start: async () => ({ kind: 'pending' }) }),
    });
    await startPayment(app, transaction, 'scripted');
    for (const later of [0, 60_000, 24 * 60 * 60_000]) {
      app.now.advance(later);
      const again = await startPayment(app, transaction, 'scripted');
      assert.deepEqual(again, { kind: 'refused', code: 'PAYMENT_IN_PROGRESS' });
    }
    assert.equal(method.started.length, 1);
  });

  test('is limited by the store to one open attempt', async () => {
    const { app, transaction } = await openCheckout(openTestDatabase, {
      method: scriptMethod({ start: async () => ({ kind: 'pending' }) }),
    });
    await startPayment(app, transaction, 'scripted');
    const copy = `insert into payment_attempts (id, transaction_id, created_at, lookups, state, payment_method)
      select 'pa_other', transaction_id, created_at, 0, $1, payment_method from payment_attempts`;
    for (const state of ['started', 'pending', 'unknown', 'approved']) {
      await assert.rejects(app.db.transaction((tx) => tx.query(copy, [state])));
    }
  });

  test('leaves an attempt that a worker settles when the process dies before the method answers', async () => {
    const never = Promise.withResolvers<PaymentOutcome>();
    const asked = Promise.withResolvers<void>();
    const method = scriptMethod({
      start: () => {
        asked.resolve();
        return never.promise;
      },
    });
    const opened = await openCheckout(openTestDatabase, { method });
    const { app, transaction } = opened;
    const starting = startPayment(app, transaction, 'scripted');
    await asked.promise;
    assert.deepEqual((await readStates(app)).attempts, ['started']);

    const other = await openOtherProcess(openTestDatabase, opened);
    app.now.advance(29_999);
    assert.equal(await lookUpPayments(other, 10), 0);
    app.now.advance(1);
    assert.equal(await lookUpPayments(other, 10), 1);
    assert.equal((await readStates(app)).transaction, 'completed');

    // The process was only slow, and reports the same answer late.
    never.resolve(approved);
    await starting;
    const { events, callbacks } = await readStates(app);
    assert.deepEqual([events, callbacks], [['created', 'completed'], 1]);
  });

  test('and expiry at the same moment end in one of them, never both', async () => {
    for (let round = 0; round < 8; round++) {
      const opened = await openCheckout(openTestDatabase, {
        method: scriptMethod({ start: async () => ({ kind: 'pending' }) }),
      });
      const { app, transaction } = opened;
      const other = await openOtherProcess(openTestDatabase, opened);
      // One clock is a millisecond behind: for it the transaction can still be paid.
      app.now.advance(transaction.expires_at - app.now() - 1);
      const worker = { ...other, now: Object.assign(() => transaction.expires_at, { anchor: () => {} }) };
      const order = [() => startPayment(app, transaction, 'scripted'), () => expireTransactions(worker, 10)];
      if (round % 2 === 1) order.reverse();
      await Promise.all(order.map((run) => run()));
      const { transaction: state, attempts, callbacks } = await readStates(app);
      const ended = state === 'expired' ? ['expired', [], 1] : ['pending', ['pending'], 0];
      assert.deepEqual([state, attempts, callbacks], ended);
    }
  });

  test('and cancelling at the same moment end in one of them, never both', async () => {
    for (let round = 0; round < 8; round++) {
      const opened = await openCheckout(openTestDatabase);
      const { app, transaction } = opened;
      const other = await openOtherProcess(openTestDatabase, opened);
      const order = [() => startPayment(app, transaction, 'scripted'), () => cancelTransaction(other, transaction)];
      if (round % 2 === 1) order.reverse();
      const kinds = (await Promise.all(order.map((run) => run()))).map(({ kind }) => kind);
      const { transaction: state, attempts, events } = await readStates(app);
      assert.ok(kinds.includes('refused'), `some are refused: ${kinds.join(', ')}`);
      assert.deepEqual(
        [attempts, events],
        state === 'cancelled' ? [[], ['created', 'cancelled']] : [['approved'], ['created', 'completed']],
      );
    }
  });
});
