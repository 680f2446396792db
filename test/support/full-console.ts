import { Readable } from 'node:stream';
import type { Actor } from '../../src/audit/actor.ts';
import { makeApiToken } from '../../src/auth/tokens/make-api-token.ts';
import { userActor } from '../../src/auth/user-actor.ts';
import { readSettlement } from '../../src/books/read-settlement.ts';
import { selectLatestAttempt } from '../../src/checkout/payment-attempt-queries.ts';
import { settlePayment } from '../../src/checkout/settle-payment.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import { drawDemoLogo } from '../../src/cli/run/demo-logo.ts';
import { typedQuery } from '../../src/console/kept-typing.ts';
import type { Database } from '../../src/db/database.ts';
import { beginEpoch } from '../../src/epochs/begin-epoch.ts';
import { dayOf } from '../../src/lib/calendar-day.ts';
import { describeEvidence } from '../../src/lib/evidence-file.ts';
import { queueReceipt } from '../../src/mail/queue-receipt.ts';
import { keepSettlement } from '../../src/movements/keep-settlement.ts';
import { selectSuspense } from '../../src/movements/movement-queries.ts';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { createPaymentLink } from '../../src/payment-links/create-payment-link.ts';
import type { LinkWish } from '../../src/payment-links/payment-link.ts';
import type { PaymentOutcome } from '../../src/payment-methods/payment-method.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { type LookChanges, setLook } from '../../src/payment-services/set-look.ts';
import { makePayoutFiles } from '../../src/payouts/files/make-payout-files.ts';
import { noteVerification } from '../../src/proof/run-verification.ts';
import { type ReportLine, reportOf } from '../../src/proof/verification-report.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { holdRefund } from '../../src/refunds/refund-queries.ts';
import { requestRefund } from '../../src/refunds/request-refund.ts';
import { storeRefusedRequests } from '../../src/refused-requests/store-refused-requests.ts';
import { ROUTES } from '../../src/server/routes.ts';
import { importStatement } from '../../src/statements/import-statement.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { TESTER } from './test-actor.ts';
import { createTestApp, type TestApp } from './test-app.ts';
import { createLatePayment, createPaidTransaction } from './test-books.ts';
import { deposit } from './test-movements.ts';
import { approved, openPayoutDesk, propose } from './test-payouts.ts';
import { acceptedRefund } from './test-refunds.ts';
import type { TestServer } from './test-server.ts';
import { createTestEnvironment, createTestTransaction, signedBody } from './test-shop.ts';
import { createTestUser } from './test-user.ts';

/** Creates a service whose shops accept no callback. */
export function createConsoleApp(db: Database): TestApp {
  return createTestApp(db, {
    fetch: async () => ({ kind: 'answered', status: 404, retryAfter: null, excerpt: 'no such page', durationMs: 1 }),
  });
}

const LINK: LinkWish = {
  amount: 12_990,
  currency: 'CLP',
  subject: 'Inscripción 2026',
  uses: 'many',
  expiresAt: null,
  urlCallback: null,
};
const LOOK: LookChanges = {
  colour: '#1f6f4a',
  site: 'https://casaverde.example.cl/',
  logo: { image: { type: 'image/png', width: 88, height: 88 }, bytes: drawDemoLogo() },
};

/**
 * Fills every screen of the console: a payment whose callback fails, payouts, a settlement, links, tokens, people and a
 * restore that waits for its release.
 */
export async function fillConsole(app: TestApp, server: TestServer) {
  const environment = await createTestEnvironment(app);
  const payment = await createPaidTransaction(app, environment, { reference: 'ORD-7' });
  const late = await createLatePayment(app, environment);
  const delivery = createCallbackDelivery(app);
  await delivery.poll();
  await delivery.drain();
  await queueMail(app, payment);
  const deposited = await deposit(app, environment, 1000);
  const { payout, left, file, statement } = await payOut(app);
  await createPaymentLink(app, environment.id, LINK, TESTER);
  await createPaymentLink(app, environment.id, { ...LINK, subject: 'Cuota 1', expiresAt: app.now() + 1 }, TESTER);
  app.now.advance(1);
  await setLook(app, environment.paymentServiceId, LOOK, TESTER);
  const other = await createTestUser(app, { role: 'support', may: [], refundLimits: { CLP: 1000 } });
  const request = await ask(app, payment, userActor({ ...other, role: 'support' }, '192.0.2.1'));
  const program = await createTestUser(app, { may: ['payments:read'] });
  await makeApiToken(app, program.id, { name: 'till 4', expiresAt: app.now() }, TESTER);
  const settlement = await settle(app);
  await server.post('/trxs', { json: signedBody(environment.serviceToken, 'wrong') });
  await storeRefusedRequests(app);
  const doubted = await endAttempt(app, environment, 'ORD-9', CONTRADICTION);
  const unpaid = await endAttempt(app, environment, 'ORD-10', { kind: 'declined', detail: { reason: 'funds' } });
  const doubtedRefund = await doubtRefund(app, environment);
  await verify(app);
  // Last, because it ends every session.
  await beginEpoch(app, [], 0, TESTER);
  const owner = await createTestUser(app, { role: 'owner', may: [] });
  const merchant = environment.paymentServiceId;
  const { batch_id: batch } = payout;
  const ids: Record<string, string | null | undefined> = {
    '/console/accounts/:id': merchant,
    '/console/movements/:id': 'movement' in deposited ? deposited.movement.id : '',
    '/console/settlements/:id': settlement,
    '/console/settlements/:id/book': settlement,
    '/console/payouts/:id': payout.id,
    '/console/payouts/:id/approve': payout.id,
    '/console/payouts/:id/settle': left,
    '/console/recipients/:id': payout.recipient_id,
    '/console/payout-files/:id': file,
    '/console/statements/:id': statement,
    '/console/batches/:id': batch,
    '/console/batches/:id/approve': batch,
    '/console/payments/:id': String(payment.id),
    '/console/suspense/:id': `t${late.id}-${await entryOf(app, late)}`,
    '/console/callbacks/:id': '1',
    '/console/merchants/:id': merchant,
    '/console/merchants/:id/links': merchant,
    '/console/merchants/:id/look': merchant,
    '/console/merchants/:id/look/preview': merchant,
    '/console/staff/:id': other.id,
    '/console/staff/:id/rights': other.id,
    '/console/staff/:id/token': other.id,
  };
  const screens = SCREENS.flatMap((route) => {
    // In the month before, no merchant is owed anything.
    if (route === '/console/months') return [{ route, path: `${route}?month=2026-01` }];
    if (!route.includes(':')) return [{ route, path: route }];
    const id = ids[route];
    return id === undefined || id === null ? [] : [{ route, path: route.replace(':id', id) }];
  });
  const typed = typedQuery({ app, user: owner }, { amount: '1000', reason: 'doble' });
  const questions = [
    { route: '/console/merchants/:id/rotate', path: `/console/merchants/${merchant}/rotate?environment=development` },
    { route: '/console/staff/:id/confirm', path: `/console/staff/${other.id}/confirm?act=disable` },
    { route: '/console/statements/:id', path: `/console/statements/${statement}?use=suspense&line=3` },
    {
      route: '/console/payments/:id/requests/:request/approve',
      path: `/console/payments/${payment.id}/requests/${request}/approve`,
    },
    { route: '/console/payments/:id/attempts/:attempt/settle', path: doubted },
    { route: '/console/payments/:id/attempts/:attempt/settle', path: unpaid },
    { route: '/console/payments/:id', path: unpaid.replace(/\/attempts.*/, '') },
    { route: '/console/payments/:id/refunds/:refund/settle', path: doubtedRefund },
    { route: '/console/payments/:id/refund', path: `/console/payments/${payment.id}/refund?${typed}` },
  ];
  return { owner, environment, screens: [...screens, ...questions] };
}

/** Every page in the table of endpoints that a signed-in person can open. */
const SCREENS = ROUTES.filter(({ method, access }) => method === 'GET' && access === 'session')
  .map(({ paths: [path] }) => path)
  .filter((path) => path !== '/console/live');

/** Stores a verification of the books that finds a change of each sort. */
async function verify(app: TestApp): Promise<void> {
  const { ok: _, ...right } = await reportOf(app, await verifyStore(app));
  const place = { environment_id: 1, since: app.now() };
  const said = 'fee of webpay 597055555532 CLP: rate_ppm was 29500, is 31000; fixed was 50, is 0';
  const lines: ReportLine[] = [
    { kind: 'books_changed', ...place, en: 'link 3: deleted', es: 'eslabón 3: se borró' },
    { kind: 'fee_changed', ...place, en: said, es: null },
  ];
  const outside = [{ source: '/var/lib/rubrica/anchors', anchors: 0, first_day: null, last_day: null }];
  await noteVerification(app, { ...right, ok: false, outside, lines, found: { books_changed: 1, fee_changed: 2 } });
}

/** Queues a receipt, which waits: without SMTP_URL none leaves. */
function queueMail(app: TestApp, transaction: Transaction): Promise<void> {
  const receipt = { transaction, refundId: null, address: 'buyer@example.cl', at: app.now() };
  return app.db.transaction((tx) => queueReceipt(tx, 'es', receipt));
}

/** Returns the entry of the money of a transaction that is in suspense. */
async function entryOf(app: TestApp, { id }: Transaction): Promise<string> {
  return (await selectSuspense(app.db, 10)).find((one) => one.transaction_id === id)?.entry ?? '';
}

/** Requests a refund that waits for another person. Returns its id. */
async function ask(app: TestApp, paid: Transaction, by: Actor): Promise<string> {
  const making = await requestRefund(app, paid, { amount: 5000, type: 'parcial', reason: 'llegó roto', by });
  if (!('request' in making)) throw new Error('There is no request');
  return making.request.id;
}

const CONTRADICTION: PaymentOutcome = { kind: 'contradiction', detail: { reason: 'two_ends', status: 'REVERSED' } };

/** Creates a payment whose method says this of its attempt. Returns the path of the form that ends it. */
async function endAttempt(app: TestApp, environment: ServiceEnvironment, reference: string, said: PaymentOutcome) {
  const transaction = await createTestTransaction(app, environment, { reference, amount: 5004 });
  await startPayment(app, transaction, 'simulated');
  const attempt = await selectLatestAttempt(app.db, transaction);
  if (attempt === null) throw new Error('There is no attempt');
  await settlePayment(app, attempt, said);
  return `/console/payments/${transaction.id}/attempts/${attempt.id}/settle`;
}

/** Creates a refund whose method says that more went back. Returns the path of the form that ends it. */
async function doubtRefund(app: TestApp, environment: ServiceEnvironment): Promise<string> {
  const paid = await createPaidTransaction(app, environment, { reference: 'ORD-8' });
  const refund = await acceptedRefund(app, paid, 1000);
  const said = { event: 'refund_unasked', unasked: '1000.00', currency: 'CLP' };
  await app.db.transaction((tx) => holdRefund(tx, refund, app.now(), said));
  return `/console/payments/${paid.id}/refunds/${refund.id}/settle`;
}

/** Creates a payout in a bank file that a statement confirms, and another that waits. */
async function payOut(app: TestApp) {
  const desk = await openPayoutDesk(app);
  const [filed] = await approved(app, desk);
  const [made] = await makePayoutFiles(app, {
    owner: desk.environment,
    by: desk.maker,
    format: 'santander',
    payer: { account: '1', rut: '', name: '', agreement: '' },
    batchId: filed?.batch_id ?? '',
  });
  const [payout] = await propose(app, desk);
  if (payout === undefined) throw new Error('There is no payout');
  const account = { environment: 'development', paymentServiceId: null, account: '123456789' } as const;
  const evidence = { name: 'cartola de enero.xls', sha256: '0'.repeat(64), bytes: 1, excerpt: '' };
  const day = dayOf(app.now());
  const lines = [
    { line: 2, day, amount: -10_000, text: 'TEF 12531909-2' },
    { line: 3, day, amount: 2_500_000, text: 'ABONO' },
  ];
  const { id } = await importStatement(app, { ...account, evidence, by: desk.maker }, { lines, proof: 'balance' });
  return { payout, left: filed?.id, file: made?.file.id, statement: id };
}

/** Creates a settlement with one line that matches no payment. */
async function settle(app: TestApp): Promise<string> {
  const content = Buffer.from('fecha;orden de compra;monto\n2026-01-15;999999;7000\n');
  const settlement = await readSettlement(Readable.from([content]));
  const scope = { environment: 'development', paymentServiceId: null, method: 'simulated' } as const;
  const evidence = describeEvidence('abono.csv', content);
  const kept = await keepSettlement(app, scope, settlement, { evidence, by: TESTER });
  if (kept.kind !== 'kept') throw new Error(`The settlement is ${kept.kind}`);
  return kept.id;
}
