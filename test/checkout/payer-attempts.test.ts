import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasLatePayment } from '../../src/books/journal-queries.ts';
import { cancelTransaction } from '../../src/checkout/cancel-transaction.ts';
import { findPayment } from '../../src/checkout/find-payment.ts';
import { lookUpPayments } from '../../src/checkout/look-up-payments.ts';
import type { PaymentAttempt } from '../../src/checkout/payment-attempt.ts';
import { returnToShop } from '../../src/checkout/return-to-shop.ts';
import { settlePayment } from '../../src/checkout/settle-payment.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import type { PaymentOutcome, RefundAnswer, Refunds } from '../../src/payment-methods/payment-method.ts';
import { setPayerAttempts } from '../../src/payment-services/set-payer-attempts.ts';
import { expireTransactions } from '../../src/transactions/expire-transactions.ts';
import { payToken, type Transaction } from '../../src/transactions/transaction.ts';
import { selectTransaction } from '../../src/transactions/transaction-queries.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { refund } from '../support/test-refunds.ts';
import {
  approved,
  type CheckoutCase,
  declined,
  openCheckout,
  openOtherProcess,
  readCounter,
  readStates,
  scriptMethod,
} from './checkout-case.ts';
import { checkPayer } from './payer.ts';

const pending: PaymentOutcome = { kind: 'pending' };

forEachEngine('a payer who tries again', (openTestDatabase, engine) => {
  /** Opens a transaction and a method that gives these answers in order. */
  const open = (answers: PaymentOutcome[], payerAttempts?: number) =>
    openCheckout(openTestDatabase, {
      method: { ...scriptMethod({ start: async () => answers.shift() ?? approved }), refunds: REFUNDS },
      ...(payerAttempts !== undefined && { payerAttempts }),
    });
  const pay = ({ app, transaction }: CheckoutCase) => {
    app.now.advance(1);
    return startPayment(app, transaction, 'scripted');
  };

  test('can leave a method often, but not without end: the method has a limit for all payers of the shop', async () => {
    const left: PaymentOutcome = { kind: 'aborted', detail: { reason: 'turned_back' } };
    const opened = await open(Array.from({ length: 20 }, () => left));
    for (let attempt = 0; attempt < 20; attempt++) assert.deepEqual(await pay(opened), { kind: 'asked' });
    for (let more = 0; more < 2; more++) assert.deepEqual(await pay(opened), { kind: 'refused', code: 'RATE_LIMITED' });
    assert.equal((await readStates(opened.app)).attempts.length, 20);
    opened.app.now.advance(10 * 60_000);
    assert.deepEqual(await pay(opened), { kind: 'asked' });
    assert.equal((await readStates(opened.app)).transaction, 'completed');
  });

  test('can pay after declines, and the shop is notified of the payment only', async () => {
    const opened = await open([declined, declined]);
    await pay(opened);
    await pay(opened);
    assert.deepEqual(await readStates(opened.app), {
      transaction: 'pending',
      attempts: ['declined', 'declined'],
      events: ['created'],
      callbacks: 0,
    });
    await pay(opened);
    assert.deepEqual(await readStates(opened.app), {
      transaction: 'completed',
      attempts: ['declined', 'declined', 'approved'],
      events: ['created', 'completed'],
      callbacks: 1,
    });
    assert.equal(await readCounter(opened.app.metrics.transactions, 'failed'), 0);
  });

  for (const [payerAttempts, most] of [
    [1, 1],
    [3, 3],
    [undefined, 5],
  ] as const) {
    test(`fails the order with decline ${most} when payer_attempts is ${payerAttempts ?? 'not set'}`, async () => {
      const opened = await open(Array(most).fill(declined), payerAttempts);
      for (let attempt = 1; attempt < most; attempt++) await pay(opened);
      assert.equal((await readStates(opened.app)).callbacks, 0);
      await pay(opened);
      const { transaction, events, callbacks } = await readStates(opened.app);
      assert.deepEqual([transaction, events, callbacks], ['failed', ['created', 'failed'], 1]);
      assert.deepEqual(await pay(opened), { kind: 'refused', code: 'NOT_PAYABLE' });
    });
  }

  test('reads that one try is left whenever the next decline ends the order', async () => {
    const aborted: PaymentOutcome = { kind: 'aborted', detail: {} };
    const opened = await open([declined, declined, aborted, declined], 3);
    const { app, environment, transaction } = opened;
    const isLastTry = async () => (await findPayment(app, payToken(transaction)))?.isLastTry;
    assert.equal(await isLastTry(), false);
    await pay(opened);
    assert.equal(await isLastTry(), false);
    await pay(opened);
    assert.equal(await isLastTry(), true);
    await pay(opened);
    assert.equal(await isLastTry(), true, 'also after an attempt from which the payer turned back');
    await setPayerAttempts(app, environment.paymentServiceId, 1, TESTER);
    app.now.advance(1_000);
    assert.equal(await isLastTry(), true, 'also when the setting is below the number of declines');
    await pay(opened);
    assert.equal((await readStates(app)).transaction, 'failed');
    assert.equal(await isLastTry(), false);
  });

  test('and gives up after a decline fails the order, and returns to the shop as after a decline', async () => {
    const opened = await open([declined]);
    const { app, environment, transaction } = opened;
    await pay(opened);
    assert.deepEqual(await cancelTransaction(app, transaction), { kind: 'cancelled' });
    assert.deepEqual(await cancelTransaction(app, transaction), { kind: 'refused', code: 'NOT_PAYABLE' });
    const { transaction: state, events, callbacks } = await readStates(app);
    assert.deepEqual([state, events, callbacks], ['failed', ['created', 'failed'], 1]);
    const [event] = await app.db.query<{ data: string }>(`select data from events where type = 'transaction.failed'`);
    assert.deepEqual(JSON.parse(event?.data ?? ''), declined.kind === 'declined' && declined.detail);
    const failed = (await selectTransaction(app.db, transaction)) as Transaction;
    assert.equal(failed.payment_method, 'scripted');
    const back = returnToShop(failed, environment);
    assert.ok(back.kind === 'post');
    assert.equal(back.url, transaction.url_complete);
  });

  test('leaves the order failed at expiry after a decline, and expired without one', async () => {
    for (const [answers, state] of [
      [[declined], 'failed'],
      [[{ kind: 'aborted', detail: {} }], 'expired'],
    ] as [PaymentOutcome[], string][]) {
      const opened = await open(answers);
      const { app, transaction } = opened;
      await pay(opened);
      app.now.advance(transaction.expires_at - app.now());
      assert.equal((await findPayment(app, payToken(transaction)))?.stage, state);
      assert.equal(await expireTransactions(app, 10), 1);
      assert.equal(await expireTransactions(app, 10), 0);
      const { transaction: end, callbacks } = await readStates(app);
      assert.deepEqual([end, callbacks], [state, 1]);
      assert.equal(await readCounter(app.metrics.transactions, state), 1);
    }
  });

  test('sees at the end why the last decline was, also after turning back from a later attempt', async () => {
    const turned: PaymentOutcome = { kind: 'aborted', detail: { reason: 'turned_back' } };
    const opened = await open([declined, turned]);
    const { app, transaction } = opened;
    const seen = async () => {
      const payment = await findPayment(app, payToken(transaction));
      return [payment?.stage, payment?.attempt?.state, JSON.parse(payment?.attempt?.detail ?? '{}').reason];
    };
    await pay(opened);
    await pay(opened);
    assert.deepEqual(await seen(), ['payable', 'aborted', 'turned_back']);
    app.now.advance(transaction.expires_at - app.now());
    assert.deepEqual(await seen(), ['failed', 'declined', 'funds'], 'before the worker ends it');
    assert.equal(await expireTransactions(app, 10), 1);
    assert.deepEqual(await seen(), ['failed', 'declined', 'funds']);
  });

  test('fails the order when the decline arrives after expiry', async () => {
    const opened = await open([pending]);
    const { app, method, transaction } = opened;
    await pay(opened);
    app.now.advance(transaction.expires_at - app.now());
    assert.equal(await expireTransactions(app, 10), 0);
    method.lookup = async () => declined;
    assert.equal(await lookUpPayments(app, 10), 1);
    const { transaction: state, callbacks } = await readStates(app);
    assert.deepEqual([state, callbacks], ['failed', 1]);
  });

  test('makes one attempt from two concurrent tabs', async () => {
    const opened = await open([declined, pending, pending]);
    const other = await openOtherProcess(openTestDatabase, opened);
    await pay(opened);
    const starts = await Promise.all(
      Array.from({ length: 8 }, (_, tab) =>
        startPayment(tab % 2 === 0 ? opened.app : other, opened.transaction, 'scripted'),
      ),
    );
    assert.equal(starts.filter(({ kind }) => kind === 'asked').length, 1);
    assert.deepEqual((await readStates(opened.app)).attempts.toSorted(), ['declined', 'pending']);
  });

  test('and gives up in another tab at the same time succeeds in one of them only', async () => {
    for (let round = 0; round < 4; round++) {
      const opened = await open([declined]);
      const { app, transaction } = opened;
      const other = await openOtherProcess(openTestDatabase, opened);
      await pay(opened);
      const order = [() => pay(opened), () => cancelTransaction(other, transaction)];
      if (round % 2 === 1) order.reverse();
      const kinds = (await Promise.all(order.map((run) => run()))).map(({ kind }) => kind);
      assert.equal(kinds.filter((kind) => kind === 'refused').length, 1);
      const { transaction: state, attempts, callbacks } = await readStates(app);
      const expected = state === 'failed' ? ['declined'] : ['declined', 'approved'];
      assert.deepEqual([attempts.toSorted(), callbacks], [expected.toSorted(), 1]);
    }
  });

  test('pays the order by a declined attempt that was paid after all, if no other attempt did', async () => {
    const opened = await open([declined]);
    await pay(opened);
    assert.equal((await settlePayment(opened.app, await attemptOf(opened, 'declined'), approved)).kind, 'moved');
    const { transaction, attempts, callbacks } = await readStates(opened.app);
    assert.deepEqual([transaction, attempts, callbacks], ['completed', ['approved'], 1]);
  });

  for (const [end, state] of [
    [approved, 'completed'],
    [declined, 'pending'],
  ] as const) {
    test(`has a late payment put in suspense once while another attempt is open, which is then ${end.kind}`, async () => {
      const opened = await open([declined, pending]);
      const { app, transaction } = opened;
      await pay(opened);
      await pay(opened);
      const late = await attemptOf(opened, 'declined');
      assert.equal((await settlePayment(app, late, approved)).kind, 'conflict');
      assert.ok(await hasLatePayment(app.db, transaction));
      await settlePayment(app, await attemptOf(opened, 'pending'), end);
      assert.equal((await settlePayment(app, late, approved)).kind, 'already');
      assert.equal((await readStates(app)).transaction, state);
      assert.deepEqual(await kindsOfEntries(opened), end === approved ? ['late_payment', 'payment'] : ['late_payment']);
      if (end === declined) assert.deepEqual(await pay(opened), { kind: 'refused', code: 'PAYMENT_IN_PROGRESS' });
    });
  }

  test('can get one refund for an order that was declined and then paid', async () => {
    const opened = await open([declined]);
    const { app, transaction } = opened;
    const asked = async () =>
      (await refund(app, (await selectTransaction(app.db, transaction)) as Transaction, 12_990)).kind;
    assert.notEqual(await asked(), 'accepted');
    await pay(opened);
    assert.notEqual(await asked(), 'accepted');
    await pay(opened);
    await settlePayment(app, await attemptOf(opened, 'declined'), approved);
    app.now.advance(61_000);
    assert.equal(await asked(), 'accepted');
    app.now.advance(61_000);
    assert.notEqual(await asked(), 'accepted');
  });

  test('gets one end, one callback and correct books, whatever tabs, a slow method and a worker do', async () => {
    await checkPayer(await openTestDatabase(), { runs: engine === 'sqlite' ? 40 : 10, commands: 8 });
  });
});

const done = async (): Promise<RefundAnswer> => ({ kind: 'approved', detail: {} });

const REFUNDS: Refunds = {
  windowDays: 90,
  minimumAgeHours: 0,
  partial: true,
  request: done,
  lookup: done,
};

async function attemptOf({ app }: CheckoutCase, state: string): Promise<PaymentAttempt> {
  const [attempt] = await app.db.query<PaymentAttempt>('select * from payment_attempts where state = $1', [state]);
  if (attempt === undefined) throw new Error(`No attempt is ${state}`);
  return attempt;
}

async function kindsOfEntries({ app }: CheckoutCase): Promise<string[]> {
  const rows = await app.db.query<{ kind: string }>('select distinct kind from journal_entries order by kind');
  return rows.map(({ kind }) => kind);
}
