import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { readSettlement } from '../../src/books/read-settlement.ts';
import { describeEvidence } from '../../src/lib/evidence-file.ts';
import { importPayments } from '../../src/movements/import-payments.ts';
import { planImport } from '../../src/movements/plan-import.ts';
import { resolveSuspense } from '../../src/movements/resolve-suspense.ts';
import { sealFeed } from '../../src/outbox/feed/seal-feed.ts';
import { setEventsUrl } from '../../src/outbox/webhooks/set-events-url.ts';
import type { Environment } from '../../src/payment-services/payment-service.ts';
import { beginFacts } from '../../src/proof/begin-facts.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import { decideRefund } from '../../src/refunds/decide-refund.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { TESTER } from './test-actor.ts';
import type { TestApp } from './test-app.ts';
import { createLatePayment, createPaidTransaction } from './test-books.ts';
import { deposit, payOut, setTestFee } from './test-movements.ts';
import { acceptedRefund } from './test-refunds.ts';
import { createTestEnvironment } from './test-shop.ts';
import { untilVisible } from './until-visible.ts';

/** One of the merchants: an environment and its names. */
export type Merchant = { id: number; token: string; owner: string; kind: Environment };

/**
 * Fills an empty store: two merchants with payments, fees, late money, a payout, and refunds that are completed and in
 * process.
 */
export async function fillStore(app: TestApp) {
  await beginFacts(app);
  const merchants: Merchant[] = [];
  const transactions: Transaction[] = [];
  for (let shop = 0; shop < 2; shop++) {
    const environment = await createTestEnvironment(app);
    const { id, serviceToken, paymentServiceId } = environment;
    merchants.push({ id, token: serviceToken, owner: paymentServiceId, kind: 'development' });
    await setTestFee(app, environment);
    await setEventsUrl(app, { paymentServiceId, environment: 'development' }, 'https://shop.example.cl/events', TESTER);
    app.now.advance(1000);
    const paid = await createPaidTransaction(app, environment, { amount: 20_000 + shop });
    const other = await createPaidTransaction(app, environment, { amount: 30_000 + shop });
    const late = await createLatePayment(app, environment);
    await resolveSuspense(app, late.id, { decision: 'kept', reason: 'delivered', by: TESTER });
    await deposit(app, environment, 9000, { commission: 300 });
    await payOut(app, environment, 5000);
    await acceptedRefund(app, paid, 1000);
    await carryOutRefunds(app, 10);
    app.now.advance(1000);
    transactions.push(paid, other, late);
  }
  const [one, two] = merchants as [Merchant, Merchant];
  await decideSomething(app, one, transactions[1] as Transaction);
  const [paid, other, late] = transactions as [Transaction, Transaction, Transaction];
  await acceptedRefund(app, paid, 700);
  for (let link = 0; link < 2; link++) {
    await createPaidTransaction(app, await createTestEnvironment(app));
    await untilVisible(app);
    assert.ok((await sealFeed(app)) > 0);
  }
  const [sibling] = await app.db.query<{ id: number }>(
    "select id from environments where payment_service_id = $1 and environment = 'production'",
    [one.owner],
  );
  return { app, one, two, sibling: sibling?.id ?? 0, paid, other, late };
}

/** Ends a refund by a person, and books money that only the acquirer's file has. */
async function decideSomething(app: TestApp, { id: environmentId, kind }: Merchant, paid: Transaction): Promise<void> {
  const evidence = describeEvidence('portal.csv', Buffer.from('15/01/2026;1213;7000'));
  const { id } = await acceptedRefund(app, paid, 300);
  await decideRefund(app, id, { outcome: 'failed', reason: 'seen in the portal', evidence, by: TESTER });
  const scope = { environmentId, environment: kind, method: 'simulated' };
  const file = Readable.from(['fecha;codigo_autorizacion;monto\n15/01/2026;991213;7000\n']);
  const steps = await planImport(app, scope, await readSettlement(file));
  await importPayments(app, scope, steps, { evidence, by: TESTER });
}
