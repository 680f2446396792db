import assert from 'node:assert/strict';
import type { App } from '../../src/app.ts';
import { cancelTransaction } from '../../src/checkout/cancel-transaction.ts';
import { findPayment } from '../../src/checkout/find-payment.ts';
import { lookUpPaymentOf, lookUpPayments } from '../../src/checkout/look-up-payments.ts';
import { noteReturn } from '../../src/checkout/note-return.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import type { FetchOutcome } from '../../src/lib/network/safe-fetch.ts';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { readFeed } from '../../src/outbox/feed/read-feed.ts';
import { sealFeed } from '../../src/outbox/feed/seal-feed.ts';
import { findCallback, listCallbacks, resendCallback } from '../../src/outbox/resend-callback.ts';
import type { PaymentOutcome } from '../../src/payment-methods/payment-method.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import { findRefund } from '../../src/refunds/find-refund.ts';
import { selectRefundsOf } from '../../src/refunds/refund-queries.ts';
import { indexPayments } from '../../src/search/index-payments.ts';
import { showPayment } from '../../src/search/show-payment.ts';
import { expireTransactions } from '../../src/transactions/expire-transactions.ts';
import { findTransaction } from '../../src/transactions/find-transaction.ts';
import { payToken, type Transaction } from '../../src/transactions/transaction.ts';
import { TESTER } from './test-actor.ts';
import type { TestApp } from './test-app.ts';
import { acceptedRefund, refundingMethod } from './test-refunds.ts';
import { createTestTransaction } from './test-shop.ts';
import { untilVisible } from './until-visible.ts';

const HOUR = 3_600_000;

/** Returns the parts for the app of `runJourneys`: a method and a shop that respond as each journey needs. */
export function journeyParts(): { script: JourneyScript; parts: Pick<App, 'paymentMethods' | 'fetch'> } {
  const script: JourneyScript = { status: 200, starts: [], lookups: [] };
  const method = {
    ...refundingMethod(),
    start: async (): Promise<PaymentOutcome> => script.starts.shift() ?? APPROVED,
    lookup: async (): Promise<PaymentOutcome> => script.lookups.shift() ?? APPROVED,
  };
  const answer = (): FetchOutcome => {
    return { kind: 'answered', status: script.status, retryAfter: null, excerpt: '', durationMs: 1 };
  };
  return { script, parts: { paymentMethods: [method], fetch: async () => answer() } };
}

export type JourneyScript = { status: number; starts: PaymentOutcome[]; lookups: PaymentOutcome[] };

const APPROVED: PaymentOutcome = { kind: 'approved', detail: { authorization_code: '001234' } };
const PENDING: PaymentOutcome = { kind: 'pending' };

/** Runs everything that happens to payments, refunds and callbacks of a merchant in daily use. */
export async function runJourneys(app: TestApp, script: JourneyScript, environment: ServiceEnvironment): Promise<void> {
  const paid = await pay(app, environment, `PAID-${environment.id}`);
  await goWrong(app, script, environment);
  await deliver(app, script, environment, paid);
  await refund(app, environment, paid);
  await read(app, environment, paid);
}

async function pay(app: TestApp, environment: ServiceEnvironment, reference: string): Promise<Transaction> {
  const made = await createTestTransaction(app, environment, { reference });
  const again = await createTestTransaction(app, environment, { reference });
  assert.equal(again.id, made.id);
  await startPayment(app, made, 'simulated');
  const payment = await findPayment(app, payToken(made));
  assert.equal(payment?.stage, 'completed');
  return payment.transaction;
}

/** Payments without an answer, declined, cancelled, expired, approved too late, and returned by the browser. */
async function goWrong(app: TestApp, script: JourneyScript, environment: ServiceEnvironment): Promise<void> {
  const open = (name: string) => createTestTransaction(app, environment, { reference: `${name}-${environment.id}` });
  const waiting = await open('WAITING');
  script.starts.push(PENDING);
  await startPayment(app, waiting, 'simulated');
  await lookUpPaymentOf(app, waiting, {});
  assert.equal((await findPayment(app, payToken(waiting)))?.stage, 'completed');
  const late = await open('LATE');
  script.starts.push({ kind: 'unknown' });
  await startPayment(app, late, 'simulated');
  script.lookups.push({ kind: 'aborted', detail: {} }, APPROVED);
  app.now.advance(60_000);
  await lookUpPayments(app, 10);
  await cancelTransaction(app, late);
  const declined = await open('DECLINED');
  script.starts.push({ kind: 'declined', detail: {} }, { kind: 'declined', detail: {} });
  await startPayment(app, declined, 'simulated');
  await startPayment(app, declined, 'simulated');
  await cancelTransaction(app, declined);
  const failed = await findPayment(app, payToken(declined));
  assert.equal(failed?.stage, 'failed');
  if (failed !== null) await noteReturn(app, failed);
  await open('EXPIRED');
  app.now.advance(HOUR);
  assert.equal(await expireTransactions(app, 10), 1);
}

/** Callbacks refused, failed, disabled, resent and delivered. */
async function deliver(app: TestApp, script: JourneyScript, environment: ServiceEnvironment, paid: Transaction) {
  for (const status of [500, 400, 503, 410, 200]) {
    script.status = status;
    app.now.advance(10 * HOUR);
    await deliverDue(app);
  }
  const [callback] = await listCallbacks(app, { transactionId: paid.id }, 1);
  await resendCallback(app, callback?.id ?? 0, TESTER);
  await pay(app, environment, `MORE-${environment.id}`);
  await deliverDue(app);
  assert.equal((await findCallback(app, callback?.id ?? 0))?.callback.state, 'delivered');
}

async function deliverDue(app: TestApp): Promise<void> {
  const delivery = createCallbackDelivery(app);
  await delivery.poll();
  await delivery.drain();
}

async function refund(app: TestApp, environment: ServiceEnvironment, paid: Transaction): Promise<void> {
  const accepted = await acceptedRefund(app, paid, 1000);
  await carryOutRefunds(app, 10);
  assert.equal((await findRefund(app, paid, accepted.id))?.state, 'completed');
  app.now.advance(2 * HOUR);
  await carryOutRefunds(app, 10);
  assert.equal((await selectRefundsOf(app.db, paid)).length, 1);
  assert.equal(accepted.environment_id, environment.id);
}

async function read(app: TestApp, environment: ServiceEnvironment, paid: Transaction): Promise<void> {
  const environmentIds = new Set([environment.id]);
  await untilVisible(app);
  await sealFeed(app);
  await indexPayments(app);
  assert.ok((await readFeed(app, { id: 'us_1', environmentIds }, null, 100)).events.length > 5);
  assert.equal((await findTransaction(app, String(paid.id), environmentIds))?.id, paid.id);
  assert.ok((await showPayment(app, String(paid.id), environmentIds))?.timeline.length);
}
