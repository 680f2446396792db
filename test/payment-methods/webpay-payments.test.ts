import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyBooks } from '../../src/books/verify-books.ts';
import { findPayment } from '../../src/checkout/find-payment.ts';
import { lookUpPaymentOf, lookUpPayments } from '../../src/checkout/look-up-payments.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import { beginEpoch } from '../../src/epochs/begin-epoch.ts';
import { releaseEpoch } from '../../src/epochs/release-epoch.ts';
import type { PaymentMethod, PaymentOutcome, PaymentRequest } from '../../src/payment-methods/payment-method.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import { expireTransactions } from '../../src/transactions/expire-transactions.ts';
import { payToken, type Transaction } from '../../src/transactions/transaction.ts';
import { readCounter, readStates } from '../checkout/checkout-case.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { acceptedRefund, refundsOf } from '../support/test-refunds.ts';
import { createTestTransaction } from '../support/test-shop.ts';
import { broughtBy } from '../support/webpay-case.ts';
import {
  assertBalanced,
  comeBack,
  goToForm,
  openWebpayShop,
  stageOf,
  workUntilSettled,
} from '../support/webpay-shop.ts';
import type { PayerChoice, WebpayFault } from '../support/webpay-stand-in.ts';

forEachEngine('paying by Webpay', (openTestDatabase) => {
  const ways: [choice: PayerChoice, state: string, attempt: string, stage: string][] = [
    ['pay', 'completed', 'approved', 'completed'],
    ['decline', 'pending', 'declined', 'payable'],
    ['abort', 'pending', 'aborted', 'payable'],
    ['time_out', 'pending', 'aborted', 'payable'],
    ['form_error', 'pending', 'aborted', 'payable'],
  ];
  for (const [choice, state, attempt, stage] of ways) {
    test(`leaves the payment ${stage} when the payer returns by "${choice}"`, async (context) => {
      const opened = await openWebpayShop(context, openTestDatabase);
      await comeBack(opened, await goToForm(opened), choice);
      const states = await readStates(opened.app);
      assert.deepEqual([states.transaction, states.attempts], [state, [attempt]]);
      assert.equal(await stageOf(opened), stage);
      await assertBalanced(opened);
    });
  }

  test('lets a payer who turned back pay by a second attempt, and never commits the token of the first', async (context) => {
    const opened = await openWebpayShop(context, openTestDatabase);
    const first = await goToForm(opened);
    await comeBack(opened, first, 'abort');
    opened.app.now.advance(1000);
    const second = await goToForm(opened);
    assert.notEqual(second, first);
    await lookUpPaymentOf(opened.app, opened.transaction, { token_ws: first });
    assert.equal(await stageOf(opened), 'in_progress');
    await comeBack(opened, second, 'pay');
    assert.deepEqual((await readStates(opened.app)).attempts, ['aborted', 'approved']);
    await assertBalanced(opened);
  });

  const lost = (['drop_request', 'drop_answer', 'late', 'error_500', 'malformed'] as WebpayFault[]).flatMap((fault) =>
    // Transbank reverses an authorised payment without a commit, so this status is not a payment.
    (['INITIALIZED', 'AUTHORIZED'] as const).map((statusBeforeCommit) => ({ fault, statusBeforeCommit })),
  );
  for (const { fault, statusBeforeCommit } of lost) {
    test(`decides nothing by a commit that ends in ${fault}; the worker completes the payment once (${statusBeforeCommit})`, async (context) => {
      const opened = await openWebpayShop(context, openTestDatabase, { statusBeforeCommit });
      const { app, standIn } = opened;
      const token = await goToForm(opened);
      standIn.fail('commit', fault);
      await comeBack(opened, token, 'pay');
      assert.deepEqual([(await readStates(app)).attempts, await stageOf(opened)], [['unknown'], 'in_progress']);
      standIn.release();
      app.now.advance(2000);
      await lookUpPayments(app, 10);
      assert.deepEqual(await readStates(app), {
        transaction: 'completed',
        attempts: ['approved'],
        events: ['created', 'completed'],
        callbacks: 1,
      });
      await assertBalanced(opened);
    });
  }

  for (const fault of ['drop_request', 'late', 'error_500', 'malformed'] as WebpayFault[]) {
    test(`decides nothing by a status that ends in ${fault} after a lost commit`, async (context) => {
      const opened = await openWebpayShop(context, openTestDatabase);
      const { app, standIn } = opened;
      const token = await goToForm(opened);
      standIn.fail('commit', 'drop_answer');
      await comeBack(opened, token, 'pay');
      standIn.fail('status', fault);
      app.now.advance(2000);
      await lookUpPayments(app, 10);
      assert.deepEqual([(await readStates(app)).attempts, await stageOf(opened)], [['unknown'], 'in_progress']);
      standIn.release();
      app.now.advance(60_000);
      await lookUpPayments(app, 10);
      assert.equal((await readStates(app)).transaction, 'completed');
      await assertBalanced(opened);
    });
  }

  for (const when of ['before', 'after'] as const) {
    test(`is finished once by another process when one dies ${when} the commit`, async (context) => {
      const opened = await openWebpayShop(context, openTestDatabase);
      const { app, method, transaction, standIn } = opened;
      const token = await goToForm(opened);
      const returned = broughtBy(standIn.choose(token, 'pay'));
      const died = Promise.withResolvers<void>();
      const silence = Promise.withResolvers<PaymentOutcome>();
      const dying: PaymentMethod = {
        ...method,
        commit: async (payment: PaymentRequest) => {
          if (when === 'after') await method.commit?.(payment);
          died.resolve();
          return silence.promise;
        },
      };
      const dead = lookUpPaymentOf({ ...app, paymentMethods: [dying] }, transaction, returned);
      await died.promise;
      assert.equal(standIn.charged(), when === 'after' ? transaction.amount : 0);
      // The payer reloads while another process asks the method.
      await lookUpPaymentOf(app, transaction, returned);
      assert.equal(await stageOf(opened), 'in_progress');
      app.now.advance(30_000);
      await lookUpPaymentOf(app, transaction, returned);
      assert.equal(await stageOf(opened), 'completed');
      // The process was only slow, and has no new answer.
      silence.resolve({ kind: 'unknown' });
      await dead;
      assert.equal(await stageOf(opened), 'completed');
      await assertBalanced(opened);
    });
  }

  for (const statusBeforeCommit of ['INITIALIZED', 'AUTHORIZED'] as const) {
    test(`is settled by the worker when the payer closed the tab after paying (${statusBeforeCommit})`, async (context) => {
      const opened = await openWebpayShop(context, openTestDatabase, { statusBeforeCommit });
      opened.standIn.choose(await goToForm(opened), 'pay');
      for (let minutes = 0; minutes < 3; minutes++) {
        await lookUpPayments(opened.app, 10);
        opened.app.now.advance(60_000);
      }
      assert.equal((await readStates(opened.app)).transaction, 'completed');
      await assertBalanced(opened);
    });
  }

  test('expires when the payer closed the tab without paying', async (context) => {
    const opened = await openWebpayShop(context, openTestDatabase);
    await goToForm(opened);
    await workUntilSettled(opened);
    const { transaction, attempts, callbacks } = await readStates(opened.app);
    assert.deepEqual([transaction, attempts, callbacks], ['expired', ['aborted'], 1]);
    await assertBalanced(opened);
  });

  test('can start again immediately when the payer pressed Back and says that they did not finish', async (context) => {
    const opened = await openWebpayShop(context, openTestDatabase);
    await goToForm(opened);
    const attempt = (await findPayment(opened.app, payToken(opened.transaction)))?.attempt;
    await lookUpPaymentOf(opened.app, opened.transaction, { given_up: attempt?.id as string });
    assert.equal(await stageOf(opened), 'payable');
  });

  test('is completed when the payer had paid, although they say that they did not finish', async (context) => {
    const opened = await openWebpayShop(context, openTestDatabase);
    opened.standIn.choose(await goToForm(opened), 'pay');
    const attempt = (await findPayment(opened.app, payToken(opened.transaction)))?.attempt;
    await lookUpPaymentOf(opened.app, opened.transaction, { given_up: attempt?.id as string });
    assert.equal(await stageOf(opened), 'completed');
    await assertBalanced(opened);
  });

  test('is one payment when the payer returns many times at once', async (context) => {
    const opened = await openWebpayShop(context, openTestDatabase);
    const { app, standIn, transaction } = opened;
    const returned = broughtBy(standIn.choose(await goToForm(opened), 'pay'));
    await Promise.all(Array.from({ length: 16 }, () => lookUpPaymentOf(app, transaction, returned)));
    await lookUpPaymentOf(app, transaction, returned);
    assert.deepEqual(await readStates(app), {
      transaction: 'completed',
      attempts: ['approved'],
      events: ['created', 'completed'],
      callbacks: 1,
    });
    assert.equal(standIn.calls.filter((call) => call.startsWith('commit')).length, 1);
    await assertBalanced(opened);
  });

  test('follows the bank when one tab paid and another one aborted', async (context) => {
    for (const order of [
      ['pay', 'abort'],
      ['abort', 'pay'],
    ] as const) {
      const opened = await openWebpayShop(context, openTestDatabase);
      const token = await goToForm(opened);
      for (const choice of order) await comeBack(opened, token, choice);
      assert.equal(await stageOf(opened), order[0] === 'pay' ? 'completed' : 'payable');
      await assertBalanced(opened);
    }
  });

  for (const statusBeforeCommit of ['INITIALIZED', 'AUTHORIZED'] as const) {
    test(`does not charge a payer who turned back and then pays on the form they left (status ${statusBeforeCommit})`, async (context) => {
      const opened = await openWebpayShop(context, openTestDatabase, { statusBeforeCommit });
      const { app, standIn, transaction } = opened;
      const token = await goToForm(opened);
      const [attempt] = await app.db.query<{ id: string }>('select id from payment_attempts');
      await lookUpPaymentOf(app, transaction, { given_up: attempt?.id as string });
      assert.equal(await stageOf(opened), 'payable');
      await comeBack(opened, token, 'pay');
      for (let minutes = 0; minutes < 12; minutes++) {
        app.now.advance(60_000);
        await lookUpPayments(app, 10);
      }
      assert.equal(await stageOf(opened), 'payable');
      standIn.reverseUncommitted();
      await workUntilSettled(opened);
      assert.equal(await stageOf(opened), 'expired');
      await assertBalanced(opened);
    });
  }

  test('commits nothing when the browser brings the token of another transaction', async (context) => {
    const opened = await openWebpayShop(context, openTestDatabase);
    const { app, standIn, environment } = opened;
    await goToForm(opened);
    const other = { ...opened, transaction: await createTestTransaction(app, environment, { reference: 'ORD-2' }) };
    const foreign = await goToForm(other);
    await comeBack(opened, foreign, 'pay');
    assert.deepEqual([await stageOf(opened), await stageOf(other)], ['in_progress', 'in_progress']);
    assert.equal(standIn.charged(), 0);
    await comeBack(other, foreign, 'pay');
    assert.deepEqual([await stageOf(opened), await stageOf(other)], ['in_progress', 'completed']);
    assert.equal(standIn.charged(), other.transaction.amount);
  });

  test('completes a payment that began in time and returns after expiry', async (context) => {
    const opened = await openWebpayShop(context, openTestDatabase);
    const { app, transaction } = opened;
    app.now.advance(transaction.expires_at - app.now() - 1000);
    const token = await goToForm(opened);
    app.now.advance(2000);
    await expireTransactions(app, 10);
    await comeBack(opened, token, 'pay');
    assert.equal((await readStates(app)).transaction, 'completed');
    await assertBalanced(opened);
  });

  test('does not commit for a payer who returns after the transaction has expired', async (context) => {
    const opened = await openWebpayShop(context, openTestDatabase);
    const token = await goToForm(opened);
    await workUntilSettled(opened);
    const commits = () => opened.standIn.calls.filter((call) => call.startsWith('commit')).length;
    const before = commits();
    await comeBack(opened, token, 'pay');
    await workUntilSettled(opened);
    assert.equal(commits(), before);
    assert.equal(await stageOf(opened), 'expired');
    opened.standIn.reverseUncommitted();
    await assertBalanced(opened);
  });

  test('does not commit an attempt from before a restore until a person releases it', async (context) => {
    const opened = await openWebpayShop(context, openTestDatabase);
    const { app, standIn } = opened;
    const token = await goToForm(opened);
    app.now.advance(1000);
    await beginEpoch(app, [], 0, TESTER);
    await comeBack(opened, token, 'pay');
    assert.deepEqual([standIn.calls.filter((call) => call.startsWith('commit')), standIn.charged()], [[], 0]);
    assert.equal((await readStates(app)).transaction, 'pending');
    await releaseEpoch(app, TESTER, null);
    app.now.advance(60_000);
    await lookUpPayments(app, 10);
    assert.equal((await readStates(app)).transaction, 'completed');
    await assertBalanced(opened);
  });

  test('reports an answer about another order once in the feed and as a conflict each time, and decides nothing', async (context) => {
    const opened = await openWebpayShop(context, openTestDatabase);
    const { app, standIn } = opened;
    const token = await goToForm(opened);
    standIn.fail('commit', 'other_order');
    await comeBack(opened, token, 'pay');
    standIn.fail('status', 'other_amount');
    app.now.advance(60_000);
    await lookUpPayments(app, 10);
    const states = await readStates(app);
    assert.deepEqual(
      [states.transaction, states.attempts, states.events],
      ['pending', ['unknown'], ['created', 'conflict']],
    );
    assert.equal(await readCounter(app.metrics.conflicts), 2);
    app.now.advance(60_000);
    await lookUpPayments(app, 10);
    assert.equal((await readStates(app)).transaction, 'completed');
    await assertBalanced(opened);
  });

  test('leaves the transaction payable when the form could not be opened', async (context) => {
    for (const fault of ['drop_answer', 'error_500', 'malformed'] as const) {
      const opened = await openWebpayShop(context, openTestDatabase);
      const { app, standIn, transaction } = opened;
      standIn.fail('create', fault);
      assert.deepEqual(await startPayment(app, transaction, 'webpay'), { kind: 'asked' });
      app.now.advance(2000);
      await lookUpPayments(app, 10);
      assert.equal(await stageOf(opened), 'payable');
      await comeBack(opened, await goToForm(opened), 'pay');
      await assertBalanced(opened);
    }
  });

  test('looks up a refund whose answer was lost, and books it once', async (context) => {
    const opened = await openWebpayShop(context, openTestDatabase);
    const { app, standIn } = opened;
    await comeBack(opened, await goToForm(opened), 'pay');
    const [paid] = await app.db.query<Transaction>('select * from transactions');
    await acceptedRefund(app, paid as Transaction, 2000);
    standIn.fail('refund', 'drop_answer');
    await carryOutRefunds(app, 10);
    assert.deepEqual(await refundsOf(app, paid as Transaction), [['processing', 2000]]);
    app.now.advance(60_000);
    await carryOutRefunds(app, 10);
    assert.deepEqual(await refundsOf(app, paid as Transaction), [['completed', 2000]]);
    assert.equal(standIn.charged(), (paid?.amount ?? 0) - 2000);
    assert.equal(standIn.calls.filter((call) => call.startsWith('refund')).length, 1);
    assert.deepEqual((await verifyBooks(app)).problems, []);
  });
});
