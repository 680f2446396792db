import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { listAttention } from '../../src/attention/list-attention.ts';
import { verifyBooks } from '../../src/books/verify-books.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { selectTransaction } from '../../src/transactions/transaction-queries.ts';
import { type Child, startChild } from '../support/child-process.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { refund } from '../support/test-refunds.ts';
import { createTestTransaction } from '../support/test-shop.ts';
import { comeBack, goToForm, openWebpayShop, type WebpayShop } from '../support/webpay-shop.ts';

const PAYMENTS = 3;
const PARTS = [3000, 2000, 3000];
/** How much faster the clocks of the processes run: a claim of one minute lasts two seconds. */
const HASTE = 30;
const WORK_MS = 2500;

/** Lost responses, lost requests, and everything between; `status` shows the balance. */
const FAULTS = [
  ['refund', 'drop_answer'],
  ['refund', 'drop_request'],
  ['refund', 'error_500'],
  ['refund', 'malformed'],
  ['refund', 'reversed'],
  ['status', 'drop_answer'],
  ['status', 'error_500'],
] as const;

forEachEngine('refunds under kills with a failing acquirer', (openTestDatabase) => {
  for (const processes of [1, 3]) {
    test(`with ${processes} processes, every refund at the acquirer is booked exactly or waits for a person`, async (context) => {
      const { shop, paid } = await openPaid(context, openTestDatabase);
      for (const amount of PARTS) {
        for (const payment of paid) {
          await refund(shop.app, payment.transaction, amount, { idempotencyKey: `${amount} ${Math.random()}` });
        }
      }
      for (const [verb, fault] of FAULTS) shop.standIn.fail(verb, fault);
      const workers = await Promise.all(Array.from({ length: processes }, () => startWorker(shop)));
      await pause(WORK_MS / 3);
      // Meanwhile a person works in the acquirer's portal, and a process dies and is restarted.
      shop.standIn.refundInPortal(paid[0]?.token as string, 700);
      await workers[0]?.end('SIGKILL');
      workers[0] = await startWorker(shop);
      await pause(WORK_MS);
      for (const worker of workers) await worker.end('SIGKILL');
      await workForDays(shop);
      await assertBooked(shop);
    });
  }
});

type Paid = { transaction: Transaction; token: string };

async function openPaid(context: TestContext, openTestDatabase: OpenTestDatabase) {
  const shop = await openWebpayShop(context, openTestDatabase);
  const paid: Paid[] = [];
  for (let payment = 0; payment < PAYMENTS; payment++) {
    const transaction = await createTestTransaction(shop.app, shop.environment, { reference: `PAID-${payment}` });
    const one = { ...shop, transaction };
    const token = await goToForm(one);
    await comeBack(one, token, 'pay');
    paid.push({ token, transaction: (await selectTransaction(shop.app.db, transaction)) as Transaction });
  }
  shop.standIn.nextDay();
  return { shop, paid };
}

async function startWorker({ db, app, standIn }: WebpayShop): Promise<Child> {
  const program = `
    import { openDatabase } from '../../src/db/open-database.ts';
    import { createSafeFetch } from '../../src/lib/network/safe-fetch.ts';
    import { createWebpayMethod } from '../../src/payment-methods/webpay-method.ts';
    import { findMethodKey } from '../../src/payment-services/method-settings.ts';
    import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
    import { createTestApp } from '../support/test-app.ts';
    const db = openDatabase(${JSON.stringify(db.url)}, { connections: 4, pooler: false, onFatal: () => {} });
    const { fetch } = createSafeFetch();
    const now = () => ${app.now()} + (Date.now() - ${Date.now()}) * ${HASTE};
    const keyOf = (environmentId, account) => findMethodKey(app, environmentId, 'webpay', account);
    const method = createWebpayMethod({ fetch, now, baseUrl: ${JSON.stringify(standIn.url)}, keyOf });
    const app = createTestApp(db, { now, paymentMethods: [method] });
    process.stdout.write('ready');
    for (;;) {
      await carryOutRefunds(app, 3).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  `;
  const child = await startChild('node', ['--input-type=module-typescript', '--eval', program], {
    cwd: import.meta.dirname,
  });
  await child.until(({ stdout }) => stdout.includes('ready'));
  return child;
}

/** Runs one worker from a time after every claim of the others. */
async function workForDays({ app, standIn }: WebpayShop): Promise<void> {
  app.now.advance(4 * 60_000 * HASTE);
  standIn.holdBalances(null);
  for (let round = 0; round < 60; round++) {
    await carryOutRefunds(app, 100);
    app.now.advance(2 * 3_600_000);
  }
}

async function assertBooked({ app, standIn }: WebpayShop): Promise<void> {
  const given = standIn.refundedAmounts().reduce((sum, amount) => sum + amount, 0);
  assert.ok(given > 700, 'money was refunded');
  const faults = standIn.calls.filter((call) => /dropped|500/.test(call));
  assert.ok(faults.length > 0, 'faults happened');
  const [booked] = await app.db.query<{ total: number }>(
    `select cast(coalesce(sum(amount), 0) as bigint) as total from journal_entries
     where kind in ('refund', 'unasked_refund') and credit_account like 'method:%'`,
  );
  assert.equal(booked?.total, given);
  const { problems, records, balances } = await verifyBooks(app);
  assert.deepEqual([problems, records, balances], [[], [], []]);
  const open = await app.db.query<{ id: string }>("select id from refunds where state = 'processing'");
  const listed = new Set((await listAttention(app, 'refund', 100)).map(({ id }) => id));
  for (const { id } of open) assert.ok(listed.has(id), `${id} waits, so it is listed`);
}
