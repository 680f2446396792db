import { cancelTransaction } from '../../src/checkout/cancel-transaction.ts';
import type { PaymentAttempt } from '../../src/checkout/payment-attempt.ts';
import { selectLatestAttempt } from '../../src/checkout/payment-attempt-queries.ts';
import { settlePayment } from '../../src/checkout/settle-payment.ts';
import { drawDemoLogo } from '../../src/cli/run/demo-logo.ts';
import type { Database } from '../../src/db/database.ts';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { createPaymentLink } from '../../src/payment-links/create-payment-link.ts';
import { endPaymentLink } from '../../src/payment-links/end-payment-link.ts';
import type { LinkWish } from '../../src/payment-links/payment-link.ts';
import type { PaymentMethod } from '../../src/payment-methods/payment-method.ts';
import { simulatedMethod, simulatedTransfer } from '../../src/payment-methods/simulated-method.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { setLook } from '../../src/payment-services/set-look.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import { expireTransactions } from '../../src/transactions/expire-transactions.ts';
import { payToken, type Transaction, type TransactionInput } from '../../src/transactions/transaction.ts';
import { selectTransaction } from '../../src/transactions/transaction-queries.ts';
import { approved, scriptMethod } from '../checkout/checkout-case.ts';
import { TESTER } from './test-actor.ts';
import { createTestApp, type TestApp } from './test-app.ts';
import { acceptedRefund } from './test-refunds.ts';
import { startTestServer, type TestServer } from './test-server.ts';
import { createTestEnvironment, createTestTransaction } from './test-shop.ts';

/**
 * A page that payers see. `press`: the language of the payer who presses its first button. The page appears only after
 * that press, which works once.
 */
export type PayState = { name: string; path: string; press?: string };

const HOUR = 3_600_000;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const LINES = [
  { name: 'Maceta de barro', quantity: 2, price: 7990 },
  { name: 'Despacho a Ñuñoa', quantity: 1, price: 9000 },
];
const ORDER: Partial<TransactionInput> = { amount: 24_980, unsignedFields: JSON.stringify({ x_products: LINES }) };
const DOLLARS = { currency: 'USD', amount: 1055, unsignedFields: null };
const LINK: LinkWish = {
  amount: 24_980,
  currency: 'CLP',
  subject: 'Taller de cerámica',
  uses: 'one',
  expiresAt: null,
  urlCallback: null,
};

/** A method for US dollars only, with a separate page, and a method for euros only, whose outcome stays unknown. */
const BANKS: readonly PaymentMethod[] = [
  {
    ...scriptMethod({
      start: async () => ({ kind: 'redirect', externalId: '1', url: 'https://bank.example.cl/', fields: {} }),
    }),
    code: 'bank',
    name: 'Banco',
    accepts: ({ currency }) => currency === 'USD',
  },
  {
    ...scriptMethod({ start: async () => ({ kind: 'unknown' }), lookup: async () => ({ kind: 'unknown' }) }),
    code: 'silent',
    name: 'Silencio',
    accepts: ({ currency }) => currency === 'EUR',
  },
];

/** Opens a shop with a look, and a payment in every state that a payer can see. The clock stands still. */
export async function openPayStates(db: Database) {
  const shop = { status: 200 };
  const simulated = [simulatedMethod, simulatedTransfer].map((method): PaymentMethod => {
    return { ...method, accepts: (of) => of.currency === 'CLP' && method.accepts(of) };
  });
  const base = createTestApp(db, {
    paymentMethods: [...simulated, ...BANKS],
    mailer: { send: async () => ({ kind: 'accepted' }) } as unknown as TestApp['mailer'],
    fetch: async () => ({ kind: 'answered', status: shop.status, retryAfter: null, excerpt: '', durationMs: 1 }),
  });
  const app: TestApp = { ...base, config: { ...base.config, operatorName: 'Pagos del Sur' } };
  const environment = await createTestEnvironment(app);
  await setLook(
    app,
    environment.paymentServiceId,
    {
      colour: '#1f6f4a',
      site: 'https://casaverde.example.cl/',
      contact: 'ayuda@casaverde.example.cl',
      legalName: 'Casa Verde SpA',
      rut: '76111222-8',
      terms: 'https://casaverde.example.cl/terminos',
      logo: { image: { type: 'image/png', width: 88, height: 88 }, bytes: drawDemoLogo() },
    },
    TESTER,
  );
  const server = await startTestServer(app);
  const till = { app, server, environment };
  const states = [...(await endedStates(till, shop)), ...(await linkStates(till)), ...(await openStates(till))];
  return { app, server, states };
}

type Till = { app: TestApp; server: TestServer; environment: ServiceEnvironment };

async function order({ app, environment }: Till, name: string, changes: Partial<TransactionInput> = {}) {
  const reference = `CV-${name.replaceAll(' ', '-')}`;
  const transaction = await createTestTransaction(app, environment, { ...ORDER, reference, ...changes });
  return { name, transaction, path: `/pay/${payToken(transaction)}` };
}

async function pay(till: Till, name: string, changes: Partial<TransactionInput> = {}, method = 'simulated', times = 1) {
  const made = await order(till, name, changes);
  for (let attempt = 0; attempt < times; attempt++) {
    await till.server.post(made.path, { headers: FORM, body: `method=${method}` });
  }
  return made;
}

/** Creates the states that need time to pass first, because they advance the clock. */
async function endedStates(till: Till, shop: { status: number }): Promise<PayState[]> {
  const { app } = till;
  const receipt = await pay(till, 'receipt');
  const refunded = await pay(till, 'refunded');
  const partly = await pay(till, 'partly refunded');
  for (const [{ transaction }, amount] of [
    [refunded, 24_980],
    [partly, 9000],
  ] as const) {
    await acceptedRefund(app, (await selectTransaction(app.db, transaction)) as Transaction, amount);
  }
  await carryOutRefunds(app, 10);
  await deliver(app);
  const silent = await pay(till, 'paid and shop down');
  shop.status = 503;
  await deliver(app);
  shop.status = 200;
  const expired = await order(till, 'expired');
  app.now.advance(2 * HOUR);
  await expireTransactions(app, 10);
  const review = await pay(till, 'under review', { amount: 5011 });
  await cancelTransaction(app, review.transaction);
  await settlePayment(app, (await selectLatestAttempt(app.db, review.transaction)) as PaymentAttempt, approved);
  const cancelled = await order(till, 'cancelled');
  await cancelTransaction(app, cancelled.transaction);
  return [receipt, refunded, partly, silent, expired, review, cancelled];
}

async function deliver(app: TestApp): Promise<void> {
  const delivery = createCallbackDelivery(app);
  await delivery.poll();
  await delivery.drain();
}

async function linkStates({ app, server, environment }: Till): Promise<PayState[]> {
  const make = async (changes: Partial<LinkWish> = {}) =>
    (await createPaymentLink(app, environment.id, { ...LINK, ...changes }, TESTER)).link;
  const [open, used, ended, expired] = [
    await make(),
    await make(),
    await make(),
    await make({ expiresAt: app.now() + 1 }),
  ];
  const pressed = await server.post(`/link/${used.id}`);
  const path = URL.parse(pressed.headers.get('location') ?? '')?.pathname ?? '';
  await server.post(path, { headers: FORM, body: 'method=simulated' });
  await endPaymentLink(app, ended.id, null, TESTER);
  app.now.advance(1);
  return [
    { name: 'link', path: `/link/${open.id}` },
    { name: 'link used up', path: `/link/${used.id}` },
    { name: 'link ended', path: `/link/${ended.id}` },
    { name: 'link expired', path: `/link/${expired.id}` },
    { name: 'poster', path: `/link/${open.id}/poster` },
    { name: 'no such link', path: '/link/pl_00000000000000000000' },
    { name: 'receipt of a link', path },
  ];
}

async function openStates(till: Till): Promise<PayState[]> {
  const fresh = await order(till, 'choice of methods');
  return [
    fresh,
    { name: 'cancel question', path: `${fresh.path}/cancel` },
    await order(till, 'one method', DOLLARS),
    { ...(await order(till, 'redirect', DOLLARS)), press: 'es-CL' },
    { ...(await order(till, 'redirect in English', DOLLARS)), press: 'en-US' },
    await order(till, 'no method', { currency: 'PYG' }),
    { ...(await order(till, 'long amount', { amount: 123_456_789_012, unsignedFields: null })) },
    await pay(till, 'declined', { amount: 5011, unsignedFields: null }),
    await pay(till, 'last try', { amount: 5010, unsignedFields: null }, 'simulated', 4),
    await pay(till, 'failed', { amount: 5010, unsignedFields: null }, 'simulated', 5),
    await pay(till, 'in progress', { amount: 5002, unsignedFields: null }),
    await pay(till, 'finding out', { currency: 'EUR', amount: 5000, unsignedFields: null }, 'silent'),
    await pay(till, 'paid'),
    { name: 'no such payment', path: '/pay/rt-0000000000000000000000' },
  ];
}
