import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyBooks } from '../../src/books/verify-books.ts';
import { cancelTransaction } from '../../src/checkout/cancel-transaction.ts';
import { lookUpPaymentOf, lookUpPayments } from '../../src/checkout/look-up-payments.ts';
import type { PaymentAttempt } from '../../src/checkout/payment-attempt.ts';
import { settlePayment } from '../../src/checkout/settle-payment.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import type { PaymentMethod, PaymentOutcome } from '../../src/payment-methods/payment-method.ts';
import { expireTransactions } from '../../src/transactions/expire-transactions.ts';
import { readCounter, readStates } from '../checkout/checkout-case.ts';
import { forEachEngine } from '../support/engines.ts';
import { broughtBy } from '../support/webpay-case.ts';
import {
  assertBalanced,
  comeBack,
  goToForm,
  openWebpayShop,
  stageOf,
  type WebpayShop,
  workUntilSettled,
} from '../support/webpay-shop.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

forEachEngine('a commit whose answer from Webpay was lost', (openTestDatabase) => {
  /** Opens a shop whose payment Webpay has committed, while every status is from before the commit. */
  async function openLost(context: Parameters<typeof openWebpayShop>[0]): Promise<WebpayShop & { token: string }> {
    const shop = await openWebpayShop(context, openTestDatabase);
    const token = await goToForm(shop);
    shop.standIn.fail('commit', 'drop_answer');
    await comeBack(shop, token, 'pay');
    shop.standIn.keepStale(true);
    return { ...shop, token };
  }

  test('is not followed by another payment while the status still says INITIALIZED', async (context) => {
    const shop = await openLost(context);
    const { app, standIn, transaction, token } = shop;
    await lookUpPaymentOf(app, transaction, broughtBy(standIn.choose(token, 'pay')));
    app.now.advance(2000);
    await lookUpPayments(app, 10);
    assert.equal(await stageOf(shop), 'in_progress');
    assert.equal((await startPayment(app, transaction, 'webpay')).kind, 'refused');
    standIn.keepStale(false);
    app.now.advance(MINUTE);
    await lookUpPayments(app, 10);
    assert.deepEqual((await readStates(app)).attempts, ['approved']);
    await assertBalanced(shop);
  });

  test('stays open whatever the payer does and however much time passes, until the status shows it', async (context) => {
    const shop = await openLost(context);
    const { app, standIn, transaction } = shop;
    const [attempt] = await app.db.query<{ id: string }>('select id from payment_attempts');
    await lookUpPaymentOf(app, transaction, { given_up: attempt?.id as string });
    assert.deepEqual(await cancelTransaction(app, transaction), { kind: 'refused', code: 'PAYMENT_IN_PROGRESS' });
    app.now.advance(transaction.expires_at - app.now() + HOUR);
    await workUntilSettled(shop);
    assert.deepEqual((await readStates(app)).attempts, ['unknown']);
    assert.equal(await stageOf(shop), 'in_progress');
    assert.equal(await expireTransactions(app, 10), 0);
    standIn.keepStale(false);
    await workUntilSettled(shop);
    assert.deepEqual(await readStates(app), {
      transaction: 'completed',
      attempts: ['approved'],
      events: ['created', 'completed'],
      callbacks: 1,
    });
    await assertBalanced(shop);
  });

  test('is not treated as aborted by another process after the first one was killed', async (context) => {
    const shop = await openWebpayShop(context, openTestDatabase);
    const { app, standIn, method, transaction } = shop;
    const returned = broughtBy(standIn.choose(await goToForm(shop), 'pay'));
    const made = Promise.withResolvers<void>();
    const silence = Promise.withResolvers<PaymentOutcome>();
    const dying: PaymentMethod = {
      ...method,
      commit: async (payment) => {
        await method.commit?.(payment);
        made.resolve();
        return silence.promise;
      },
    };
    const dead = lookUpPaymentOf({ ...app, paymentMethods: [dying] }, transaction, returned);
    await made.promise;
    standIn.keepStale(true);
    const [attempt] = await app.db.query<{ id: string }>('select id from payment_attempts');
    for (const brought of [{ given_up: attempt?.id as string }, returned]) {
      app.now.advance(HOUR);
      standIn.fail('commit', 'odd_refusal');
      await lookUpPaymentOf(app, transaction, brought);
      assert.deepEqual((await readStates(app)).attempts, ['unknown']);
    }
    standIn.keepStale(false);
    await workUntilSettled(shop);
    assert.deepEqual((await readStates(app)).attempts, ['approved']);
    // The process was only slow, and has no new answer.
    silence.resolve({ kind: 'unknown' });
    await dead;
    await assertBalanced(shop);
  });

  test('that never arrived ends when Webpay says that there is nothing to commit', async (context) => {
    const shop = await openWebpayShop(context, openTestDatabase);
    await goToForm(shop);
    shop.app.now.advance(MINUTE);
    shop.standIn.fail('commit', 'drop_request');
    await lookUpPayments(shop.app, 10);
    assert.deepEqual((await readStates(shop.app)).attempts, ['unknown']);
    await workUntilSettled(shop);
    const { transaction, attempts } = await readStates(shop.app);
    assert.deepEqual([transaction, attempts], ['expired', ['aborted']]);
    await assertBalanced(shop);
  });

  test('and a payment after an end without money: found within a day, and in suspense', async (context) => {
    const shop = await openWebpayShop(context, openTestDatabase);
    const { app, standIn, method } = shop;
    const token = await goToForm(shop);
    await comeBack(shop, token, 'abort');
    await app.db.transaction((tx) => tx.query(`update transactions set expires_at = $1`, [app.now()]));
    await expireTransactions(app, 10);
    assert.equal(await stageOf(shop), 'expired');
    const late = { ...app, paymentMethods: [{ ...method, lookup: async () => approvedLate }] };
    const asked: number[] = [];
    for (let minute = 1; minute <= 60; minute++) {
      app.now.advance(MINUTE);
      if ((await lookUpPayments(app, 10)) > 0) asked.push(minute);
    }
    assert.deepEqual(asked, [1, 10, 60]);
    app.now.advance(24 * HOUR);
    assert.equal(await lookUpPayments(late, 10), 1);
    assert.equal(await lookUpPayments(late, 10), 0);
    assert.deepEqual(await readStates(app), {
      transaction: 'expired',
      attempts: ['approved'],
      events: ['created', 'expired', 'conflict'],
      callbacks: 1,
    });
    assert.equal(await readCounter(app.metrics.conflicts), 1);
    assert.equal(await stageOf(shop), 'under_review');
    const suspense = await app.db.query(`select amount from journal_entries where credit_account = 'suspense'`);
    assert.deepEqual(suspense.map(Object.values), [[shop.transaction.amount]]);
    assert.deepEqual((await verifyBooks(app)).records, []);
    assert.equal(standIn.charged(), 0);
  });

  test('and an earlier attempt approved while another is open: the money is in suspense', async (context) => {
    const shop = await openWebpayShop(context, openTestDatabase);
    const { app, transaction } = shop;
    await comeBack(shop, await goToForm(shop), 'abort');
    const [first] = await app.db.query<PaymentAttempt>('select * from payment_attempts');
    app.now.advance(1000);
    const second = await goToForm(shop);
    assert.equal((await settlePayment(app, first as PaymentAttempt, approvedLate)).kind, 'conflict');
    assert.deepEqual(await readStates(app), {
      transaction: 'pending',
      attempts: ['aborted', 'pending'],
      events: ['created', 'conflict'],
      callbacks: 0,
    });
    const booked = await app.db.query('select kind, credit_account, amount from journal_entries');
    assert.deepEqual(booked.map(Object.values), [['late_payment', 'suspense', transaction.amount]]);
    await comeBack(shop, second, 'abort');
    assert.equal(await stageOf(shop), 'under_review');
    assert.deepEqual(await startPayment(app, transaction, 'webpay'), { kind: 'refused', code: 'PAYMENT_IN_PROGRESS' });
    assert.deepEqual((await verifyBooks(app)).records, []);
  });
});

const approvedLate = { kind: 'approved' as const, detail: { authorization_code: '1213' } };
