import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPayment, type PaymentStage, stageOf } from '../../src/checkout/find-payment.ts';
import type { AttemptState } from '../../src/checkout/payment-attempt.ts';
import { insertAttempt } from '../../src/checkout/payment-attempt-queries.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import { payToken } from '../../src/transactions/transaction.ts';
import type { TransactionState } from '../../src/transactions/transaction-state.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { acceptedRefund } from '../support/test-refunds.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { openCheckout, readAttempt, readStates } from './checkout-case.ts';

const rules: [TransactionState, AttemptState | null, 'in time' | 'too late', PaymentStage][] = [
  ['pending', null, 'in time', 'payable'],
  ['pending', null, 'too late', 'expired'],
  ['pending', 'started', 'in time', 'in_progress'],
  ['pending', 'pending', 'too late', 'in_progress'],
  ['pending', 'unknown', 'too late', 'in_progress'],
  ['completed', 'approved', 'too late', 'completed'],
  ['failed', 'declined', 'in time', 'failed'],
  ['failed', 'approved', 'in time', 'under_review'],
  ['cancelled', null, 'in time', 'cancelled'],
  ['cancelled', 'approved', 'in time', 'under_review'],
  ['expired', null, 'too late', 'expired'],
  ['expired', 'approved', 'too late', 'under_review'],
];
for (const [state, attempt, time, stage] of rules) {
  test(`${state}, ${attempt === null ? 'never tried' : `attempt ${attempt}`}, ${time}: ${stage}`, () => {
    const now = time === 'in time' ? 999 : 1000;
    assert.equal(stageOf({ state, expires_at: 1000 }, attempt && { state: attempt }, false, now), stage);
  });
}

for (const [state, attempt, stage] of [
  ['pending', 'aborted', 'under_review'],
  ['pending', 'pending', 'in_progress'],
  ['expired', 'aborted', 'under_review'],
  ['completed', 'approved', 'completed'],
] as const) {
  test(`${state}, attempt ${attempt}, with a late payment of an earlier attempt: ${stage}`, () => {
    assert.equal(stageOf({ state, expires_at: 1000 }, { state: attempt }, true, 999), stage);
  });
}

forEachEngine('finding the payment of a link', (openTestDatabase) => {
  test('returns the transaction, its merchant and the methods, and changes nothing', async () => {
    const { app, method, transaction } = await openCheckout(openTestDatabase);
    const before = await readStates(app);
    const payment = await findPayment(app, payToken(transaction));
    assert.equal(payment?.transaction.id, transaction.id);
    assert.equal(payment?.environment.paymentServiceName, 'Test shop');
    assert.deepEqual(payment?.methods, [method]);
    assert.equal(payment?.stage, 'payable');
    assert.deepEqual(await readStates(app), before);
  });

  test('sums the refunds of this payment only', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const [one, other] = [await createPaidTransaction(app, environment), await createPaidTransaction(app, environment)];
    await acceptedRefund(app, one, 5000);
    await carryOutRefunds(app, 10);
    const refundedOf = async (paid: typeof one) => (await findPayment(app, payToken(paid)))?.refunded;
    assert.deepEqual([await refundedOf(one), await refundedOf(other)], [5000, 0]);
  });

  test('shows the approved attempt, also if a later one was declined', async () => {
    const { app, transaction } = await openCheckout(openTestDatabase);
    await startPayment(app, transaction, 'scripted');
    const { id } = await readAttempt(app);
    const later = {
      id: 'pa_later',
      created_at: app.now() + 1,
      state: 'declined',
      payment_method: 'scripted',
      lookups: 0,
    };
    const of = { environment_id: transaction.environment_id, transaction_id: transaction.id };
    await app.db.transaction((tx) => insertAttempt(tx, { ...later, ...of, next_lookup_at: null, account: null }));
    assert.equal((await findPayment(app, payToken(transaction)))?.attempt?.id, id);
  });

  test('finds nothing for an unknown, damaged or altered token', async () => {
    const { app, environment: _, transaction } = await openCheckout(openTestDatabase);
    const token = payToken(transaction);
    const [id, secret] = token.split(/-(.*)/s) as [string, string];
    const others = [
      '',
      'x',
      id,
      `${id}-`,
      `${id}-${secret.slice(1)}A`,
      `zz-${secret}`,
      `${token}A`,
      `${id}--${secret}`,
    ];
    for (const other of others) assert.equal(await findPayment(app, other), null, other);
  });
});
