import assert from 'node:assert/strict';
import { verifyBooks } from '../../src/books/verify-books.ts';
import { findPayment } from '../../src/checkout/find-payment.ts';
import { lookUpPaymentOf, lookUpPayments } from '../../src/checkout/look-up-payments.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import type { PaymentMethod } from '../../src/payment-methods/payment-method.ts';
import { findEnvironmentById } from '../../src/payment-services/find-environment.ts';
import { findMethodKey, type MethodSettings, setMethodSettings } from '../../src/payment-services/method-settings.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import { expireTransactions } from '../../src/transactions/expire-transactions.ts';
import { payToken, type Transaction } from '../../src/transactions/transaction.ts';
import { selectTransaction } from '../../src/transactions/transaction-queries.ts';
import { readStates } from '../checkout/checkout-case.ts';
import type { OpenTestDatabase, TestDatabase } from './engines.ts';
import { TESTER } from './test-actor.ts';
import { createTestApp, createTestClock, type TestApp } from './test-app.ts';
import { createTestEnvironment, createTestTransaction } from './test-shop.ts';
import { broughtBy, type Ending, openWebpay, TEST_ACCOUNT } from './webpay-case.ts';
import type { PayerChoice, StandInOptions, WebpayStandIn } from './webpay-stand-in.ts';

export type WebpayShop = {
  app: TestApp;
  db: TestDatabase;
  standIn: WebpayStandIn;
  method: PaymentMethod;
  environment: ServiceEnvironment;
  transaction: Transaction;
};

/** Creates a production transaction of a merchant with Webpay. */
export async function openWebpayShop(
  context: Ending,
  openTestDatabase: OpenTestDatabase,
  options: StandInOptions = {},
): Promise<WebpayShop> {
  const db = await openTestDatabase();
  const now = createTestClock();
  const keyOf = (environmentId: number, account: string) => findMethodKey(app, environmentId, 'webpay', account);
  const { standIn, method } = await openWebpay(context, { ...options, now, keyOf });
  const app = createTestApp(db, { now, paymentMethods: [method] });
  const { id, paymentServiceId } = await createTestEnvironment(app, 'production');
  await setMethodSettings(app, webpayOf({ paymentServiceId }), TEST_ACCOUNT, TESTER);
  now.advance(1000);
  const environment = (await findEnvironmentById(app, id)) as ServiceEnvironment;
  return { app, db, standIn, method, environment, transaction: await createTestTransaction(app, environment) };
}

/** Changes the account by which the shop collects. */
export async function switchAccount({ app, environment }: WebpayShop, settings: MethodSettings): Promise<void> {
  await setMethodSettings(app, webpayOf(environment), settings, TESTER);
  app.now.advance(1000);
}

/** Returns the key of a payment service's Webpay settings in production. */
export function webpayOf({ paymentServiceId }: Pick<ServiceEnvironment, 'paymentServiceId'>) {
  return { paymentServiceId, environment: 'production', method: 'webpay' } as const;
}

/** Presses the payer's button and opens the form. Returns the token. */
export async function goToForm({ app, transaction }: WebpayShop): Promise<string> {
  const start = await startPayment(app, transaction, 'webpay');
  assert.ok(start.kind === 'redirect', `the payment begins: ${JSON.stringify(start)}`);
  return start.fields['token_ws'] as string;
}

export async function comeBack(
  { app, standIn, transaction }: WebpayShop,
  token: string,
  choice: PayerChoice,
): Promise<void> {
  await lookUpPaymentOf(app, transaction, broughtBy(standIn.choose(token, choice)));
}

export type PaidShop = WebpayShop & { paid: Transaction; token: string };

/** Opens such a shop on the day after the payer paid. */
export async function openPaidWebpayShop(context: Ending, openTestDatabase: OpenTestDatabase): Promise<PaidShop> {
  const shop = await openWebpayShop(context, openTestDatabase);
  const token = await goToForm(shop);
  await comeBack(shop, token, 'pay');
  shop.standIn.nextDay();
  return { ...shop, token, paid: (await selectTransaction(shop.app.db, shop.transaction)) as Transaction };
}

/** Runs the worker of refunds for ten hours of simulated time. */
export async function workTenHours({ app }: Pick<WebpayShop, 'app'>): Promise<void> {
  for (let round = 0; round < 40; round++) {
    await carryOutRefunds(app, 10);
    app.now.advance(15 * 60_000);
  }
}

/** Runs the worker for an hour of simulated time. */
export async function workUntilSettled({ app }: Pick<WebpayShop, 'app'>): Promise<void> {
  for (let round = 0; round < 60; round++) {
    app.now.advance(60_000);
    await lookUpPayments(app, 10);
    await expireTransactions(app, 10);
  }
}

export async function stageOf({ app, transaction }: WebpayShop): Promise<string | undefined> {
  return (await findPayment(app, payToken(transaction)))?.stage;
}

/** Asserts that the shop's state, the books and the bank's charges agree. */
export async function assertBalanced({
  app,
  standIn,
  transaction,
}: Pick<WebpayShop, 'app' | 'standIn' | 'transaction'>): Promise<void> {
  const { transaction: state } = await readStates(app);
  assert.equal(standIn.charged(), state === 'completed' ? transaction.amount : 0, `the transaction is ${state}`);
  const [booked] = await app.db.query<{ total: number }>(
    `select cast(coalesce(sum(amount), 0) as bigint) as total from journal_entries where debit_account = 'method:webpay:receivable'`,
  );
  assert.equal(booked?.total, standIn.charged());
  assert.deepEqual((await verifyBooks(app)).problems, []);
}
