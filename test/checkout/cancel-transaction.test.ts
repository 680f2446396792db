import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cancelTransaction } from '../../src/checkout/cancel-transaction.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import { selectTransaction } from '../../src/transactions/transaction-queries.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestTransaction } from '../support/test-shop.ts';
import { declined, openCheckout, readCounter, readStates, scriptMethod } from './checkout-case.ts';

forEachEngine('cancelling a payment', (openTestDatabase) => {
  test('ends the transaction once, however often the button is pressed', async () => {
    const { app, transaction } = await openCheckout(openTestDatabase);
    const kinds = await Promise.all([1, 2, 3].map(async () => (await cancelTransaction(app, transaction)).kind));
    assert.deepEqual(kinds, ['cancelled', 'cancelled', 'cancelled']);
    assert.deepEqual(await readStates(app), {
      transaction: 'cancelled',
      attempts: [],
      events: ['created', 'cancelled'],
      callbacks: 1,
    });
    assert.equal(await readCounter(app.metrics.transactions, 'cancelled'), 1);
    assert.deepEqual(await startPayment(app, transaction, 'scripted'), { kind: 'refused', code: 'NOT_PAYABLE' });
  });

  test('ends an order without a decline as cancelled, although another order was declined', async () => {
    const method = scriptMethod({ start: async () => declined });
    const { app, environment, transaction } = await openCheckout(openTestDatabase, { method, payerAttempts: 2 });
    await startPayment(app, transaction, 'scripted');
    const other = await createTestTransaction(app, environment, { reference: 'OTHER' });
    assert.deepEqual(await cancelTransaction(app, other), { kind: 'cancelled' });
    assert.equal((await selectTransaction(app.db, other))?.state, 'cancelled');
  });

  test('is refused while the payment method has not answered', async () => {
    const { app, transaction } = await openCheckout(openTestDatabase, {
      method: scriptMethod({ start: async () => ({ kind: 'unknown' }) }),
    });
    await startPayment(app, transaction, 'scripted');
    assert.deepEqual(await cancelTransaction(app, transaction), { kind: 'refused', code: 'PAYMENT_IN_PROGRESS' });
    assert.equal((await readStates(app)).transaction, 'pending');
  });

  test('is refused when the transaction has ended already', async () => {
    for (const method of [scriptMethod(), scriptMethod({ start: async () => declined })]) {
      const { app, transaction } = await openCheckout(openTestDatabase, { method, payerAttempts: 1 });
      await startPayment(app, transaction, 'scripted');
      const before = await readStates(app);
      assert.deepEqual(await cancelTransaction(app, transaction), { kind: 'refused', code: 'NOT_PAYABLE' });
      assert.deepEqual(await readStates(app), before);
    }
  });
});
