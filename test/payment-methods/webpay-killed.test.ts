import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { verifyBooks } from '../../src/books/verify-books.ts';
import { lookUpPaymentOf, lookUpPayments } from '../../src/checkout/look-up-payments.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { selectTransaction } from '../../src/transactions/transaction-queries.ts';
import { readStates } from '../checkout/checkout-case.ts';
import { startChild } from '../support/child-process.ts';
import { forEachEngine } from '../support/engines.ts';
import { acceptedRefund, refundsOf } from '../support/test-refunds.ts';
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
import type { PayerChoice, WebpayVerb } from '../support/webpay-stand-in.ts';

/**
 * The moments of a kill while the process waits for Transbank: before the call has an effect there, or after it and
 * before the answer is stored.
 */
const MOMENTS = [
  ['before', 'stall'],
  ['after', 'late'],
] as const;

forEachEngine('a process that is killed while it calls Webpay', (openTestDatabase, engine) => {
  const open = (context: TestContext) => openWebpayShop(context, openTestDatabase);

  for (const [turn, [when, fault]] of MOMENTS.entries()) {
    let number = turn;
    // No statement runs while Webpay is asked, so on PostgreSQL each case has only one of the two moments.
    const killedTest = (name: string, work: (context: TestContext) => Promise<void>) => {
      number++;
      if (engine === 'sqlite' || number % 2 === 0) test(`${when} ${name}`, work);
    };
    const killAt = (shop: WebpayShop, verb: WebpayVerb, work: string) => kill(shop, { verb, fault, work });

    killedTest(`creating the payment: the payer sees no form, and pays by another attempt`, async (context) => {
      const shop = await open(context);
      await killAt(shop, 'create', `startPayment(app, transaction, 'webpay')`);
      assert.deepEqual((await readStates(shop.app)).attempts, ['started']);
      assert.equal((await startPayment(shop.app, shop.transaction, 'webpay')).kind, 'refused');
      await workUntil(shop, 'payable');
      await comeBack(shop, await goToForm(shop), 'pay');
      await assertPaidOnce(shop, ['aborted', 'approved']);
    });

    const ends: [choice: PayerChoice, stage: string, attempts: string[]][] = [
      ['pay', 'completed', ['approved']],
      ['decline', 'payable', ['declined']],
      ['abort', 'payable', ['aborted']],
    ];
    for (const [choice, stage, attempts] of ends) {
      killedTest(
        `committing for a payer who returned by "${choice}": the payment is ${stage} once`,
        async (context) => {
          const shop = await open(context);
          const returned = broughtBy(shop.standIn.choose(await goToForm(shop), choice));
          const work = `lookUpPaymentOf(app, transaction, ${JSON.stringify(returned)})`;
          await killAt(shop, 'commit', work);
          // The payer reloads. This process cannot know whether the other one is still asking.
          await lookUpPaymentOf(shop.app, shop.transaction, returned);
          assert.equal(await stageOf(shop), 'in_progress');
          shop.app.now.advance(30_000);
          await lookUpPaymentOf(shop.app, shop.transaction, returned);
          assert.equal(await stageOf(shop), stage);
          assert.deepEqual((await readStates(shop.app)).attempts, attempts);
          await assertBalanced(shop);
        },
      );
    }

    killedTest(
      `committing in the worker for a payer who had closed the tab: the payment is completed once`,
      async (context) => {
        const shop = await open(context);
        shop.standIn.choose(await goToForm(shop), 'pay');
        shop.app.now.advance(60_000);
        await killAt(shop, 'commit', 'lookUpPayments(app, 10)');
        await workUntilSettled(shop);
        await assertPaidOnce(shop, ['approved']);
      },
    );

    killedTest(`reading the status after a lost commit: the payment is completed once`, async (context) => {
      const shop = await open(context);
      const token = await goToForm(shop);
      shop.standIn.fail('commit', 'drop_answer');
      await comeBack(shop, token, 'pay');
      shop.app.now.advance(2000);
      await killAt(shop, 'status', 'lookUpPayments(app, 10)');
      await workUntilSettled(shop);
      await assertPaidOnce(shop, ['approved']);
    });

    for (const day of ['the same day', 'the next day'] as const) {
      killedTest(`a refund in full on ${day}: it is refunded once or waits for a person`, async (context) => {
        const { shop, paid } = await openPaid(context);
        if (day === 'the next day') shop.standIn.nextDay();
        await acceptedRefund(shop.app, paid, paid.amount);
        await killAt(shop, 'refund', 'carryOutRefunds(app, 10)');
        await assertGivenBackOnce(shop, paid, when === 'after' ? paid.amount : 0);
      });
    }

    killedTest(`a partial refund: it is refunded once or waits for a person`, async (context) => {
      const { shop, paid } = await openPaid(context);
      await acceptedRefund(shop.app, paid, 2000);
      await killAt(shop, 'refund', 'carryOutRefunds(app, 10)');
      await assertGivenBackOnce(shop, paid, when === 'after' ? 2000 : 0);
    });

    killedTest(`reading the status after a lost refund: it is refunded once`, async (context) => {
      const { shop, paid } = await openPaid(context);
      await acceptedRefund(shop.app, paid, 2000);
      shop.standIn.fail('refund', 'drop_answer');
      await carryOutRefunds(shop.app, 10);
      shop.app.now.advance(60_000);
      await killAt(shop, 'status', 'carryOutRefunds(app, 10)');
      await assertGivenBackOnce(shop, paid, 2000);
    });
  }

  async function openPaid(context: TestContext): Promise<{ shop: WebpayShop; paid: Transaction }> {
    const shop = await open(context);
    await comeBack(shop, await goToForm(shop), 'pay');
    return { shop, paid: (await selectTransaction(shop.app.db, shop.transaction)) as Transaction };
  }
});

/** Runs `work` in another process on the shop's store, and kills it at its first call of the verb. */
async function kill(
  { db, app, transaction, standIn }: WebpayShop,
  { verb, fault, work }: { verb: WebpayVerb; fault: 'stall' | 'late'; work: string },
): Promise<void> {
  standIn.fail(verb, fault);
  const program = programOf({ url: db.url, standIn: standIn.url, now: app.now(), id: transaction.id, work });
  const args = ['--input-type=module-typescript', '--eval', program];
  const child = await startChild('node', args, { cwd: import.meta.dirname });
  await Promise.race([standIn.waiting(), child.ended]);
  const { signal, stdout, stderr } = await child.end('SIGKILL');
  assert.equal(signal, 'SIGKILL', `the process ends only by the kill: ${stdout}${stderr}`);
  standIn.release();
}

function programOf(given: { url: string; standIn: string; now: number; id: number; work: string }): string {
  return `
    import { lookUpPaymentOf, lookUpPayments } from '../../src/checkout/look-up-payments.ts';
    import { startPayment } from '../../src/checkout/start-payment.ts';
    import { openDatabase } from '../../src/db/open-database.ts';
    import { createSafeFetch } from '../../src/lib/network/safe-fetch.ts';
    import { createWebpayMethod } from '../../src/payment-methods/webpay-method.ts';
    import { findMethodKey } from '../../src/payment-services/method-settings.ts';
    import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
    import { selectTransactionAnywhere } from '../../src/transactions/transaction-queries.ts';
    import { createTestApp, createTestClock } from '../support/test-app.ts';
    const db = openDatabase(${JSON.stringify(given.url)}, { connections: 4, pooler: false, onFatal: () => {} });
    const { fetch } = createSafeFetch();
    const now = createTestClock(${given.now});
    const keyOf = (environmentId, account) => findMethodKey(app, environmentId, 'webpay', account);
    const method = createWebpayMethod({ fetch, now, baseUrl: ${JSON.stringify(given.standIn)}, keyOf });
    const app = createTestApp(db, { now, paymentMethods: [method] });
    const transaction = await selectTransactionAnywhere(db, ${given.id});
    await ${given.work};
    process.stdout.write('ended');
    process.exit();
  `;
}

async function workUntil(shop: WebpayShop, stage: string): Promise<void> {
  for (let seconds = 0; (await stageOf(shop)) !== stage && seconds < 120; seconds += 10) {
    shop.app.now.advance(10_000);
    await lookUpPayments(shop.app, 10);
  }
  assert.equal(await stageOf(shop), stage);
}

async function assertPaidOnce(shop: WebpayShop, attempts: string[]): Promise<void> {
  const { transaction, events, callbacks, ...states } = await readStates(shop.app);
  assert.deepEqual([transaction, events, callbacks], ['completed', ['created', 'completed'], 1]);
  assert.deepEqual(states.attempts, attempts);
  await assertBalanced(shop);
}

/** Asserts that `amount` was refunded once. With 0 nothing was refunded, and the refund waits for a person. */
async function assertGivenBackOnce({ app, standIn }: WebpayShop, paid: Transaction, amount: number): Promise<void> {
  for (let minutes = 0; minutes < 10; minutes++) {
    app.now.advance(60_000);
    await carryOutRefunds(app, 10);
  }
  const states = (await refundsOf(app, paid)).map(([state]) => state);
  assert.deepEqual(states, [amount > 0 ? 'completed' : 'processing']);
  assert.equal(standIn.charged(), paid.amount - amount);
  const booked = await app.db.query(`select amount from journal_entries where kind = 'refund'`);
  assert.deepEqual(
    booked.map((entry) => entry['amount']),
    amount > 0 ? [amount] : [],
  );
  assert.deepEqual((await verifyBooks(app)).problems, []);
}
