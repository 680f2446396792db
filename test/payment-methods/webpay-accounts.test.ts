import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import type { App } from '../../src/app.ts';
import { reconcileEntries } from '../../src/books/reconcile-entries.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import { migrate } from '../../src/db/migrate.ts';
import { findMethodKey, removeMethodSettings } from '../../src/payment-services/method-settings.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { selectTransaction } from '../../src/transactions/transaction-queries.ts';
import { readStates } from '../checkout/checkout-case.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { acceptedRefund, refundsOf } from '../support/test-refunds.ts';
import { createTestTransaction } from '../support/test-shop.ts';
import { TEST_ACCOUNT } from '../support/webpay-case.ts';
import {
  assertBalanced,
  comeBack,
  goToForm,
  openWebpayShop,
  stageOf,
  switchAccount,
  type WebpayShop,
  webpayOf,
  workUntilSettled,
} from '../support/webpay-shop.ts';

const OTHER = { account: '597087654321', key: 'o'.repeat(64) };
const KEYS = { [TEST_ACCOUNT.account]: TEST_ACCOUNT.key, [OTHER.account]: OTHER.key };

/**
 * Changes by an operator while a payment is under way. In the stand-in only the account that created a token knows it.
 */
const CHANGES: [name: string, change: (shop: WebpayShop) => Promise<unknown>][] = [
  ['another account was set', (shop) => switchAccount(shop, OTHER)],
  ['the account was removed', ({ app, environment }) => removeMethodSettings(app, webpayOf(environment), TESTER)],
];

async function accountsOf({ app }: { app: App }): Promise<(string | null)[]> {
  const rows = await app.db.query<{ account: string | null }>(
    'select account from payment_attempts order by created_at',
  );
  return rows.map(({ account }) => account);
}

forEachEngine('changing the account at Webpay', (openTestDatabase) => {
  for (const [name, change] of CHANGES) {
    test(`settles and refunds by the account that was paid, for a payer on the form when ${name}`, async (context) => {
      const shop = await openWebpayShop(context, openTestDatabase, { keys: KEYS });
      const { app, standIn, environment } = shop;
      const token = await goToForm(shop);
      await change(shop);
      app.now.advance(1000);
      await comeBack(shop, token, 'pay');
      assert.equal(await stageOf(shop), 'completed');
      await assertBalanced(shop);

      const paid = (await selectTransaction(app.db, shop.transaction)) as Transaction;
      await acceptedRefund(app, paid, 2000);
      await carryOutRefunds(app, 10);
      standIn.fail('refund', 'drop_answer');
      await acceptedRefund(app, paid, 990);
      await carryOutRefunds(app, 10);
      app.now.advance(60_000);
      await carryOutRefunds(app, 10);
      assert.deepEqual(await refundsOf(app, paid), [
        ['completed', 2000],
        ['completed', 990],
      ]);
      assert.equal(standIn.charged(), paid.amount - 2990);
      const scope = { environmentIds: [environment.id], from: 0, to: app.now() + 1, transactionId: 0 };
      const { lines, problems } = await reconcileEntries(app, scope);
      assert.deepEqual([lines.map(({ amount }) => amount), problems], [[paid.amount, 2000, 990], []]);
    });

    test(`lets the worker settle the payment of a payer who had closed the tab when ${name}`, async (context) => {
      const shop = await openWebpayShop(context, openTestDatabase, { keys: KEYS });
      shop.standIn.choose(await goToForm(shop), 'pay');
      await change(shop);
      await workUntilSettled(shop);
      assert.equal((await readStates(shop.app)).transaction, 'completed');
      await assertBalanced(shop);
    });
  }

  test('uses the new account for the next payment, also for the second attempt of a transaction', async (context) => {
    const shop = await openWebpayShop(context, openTestDatabase, { keys: KEYS });
    await comeBack(shop, await goToForm(shop), 'abort');
    await switchAccount(shop, OTHER);
    await comeBack(shop, await goToForm(shop), 'pay');
    assert.deepEqual(await accountsOf(shop), [TEST_ACCOUNT.account, OTHER.account]);
    await assertBalanced(shop);
  });

  test('looks up earlier payments with the new key of the same account', async (context) => {
    const keys: Record<string, string> = { [TEST_ACCOUNT.account]: TEST_ACCOUNT.key };
    const shop = await openWebpayShop(context, openTestDatabase, { keys });
    const token = await goToForm(shop);
    keys[TEST_ACCOUNT.account] = 'n'.repeat(64);
    await switchAccount(shop, { account: TEST_ACCOUNT.account, key: 'n'.repeat(64) });
    await comeBack(shop, token, 'pay');
    assert.equal(await stageOf(shop), 'completed');
    await assertBalanced(shop);
  });

  test('raises an alarm for each payment and refund with a key that Transbank refuses, until it is corrected', async (context) => {
    const shop = await openWebpayShop(context, openTestDatabase, { keys: KEYS });
    await comeBack(shop, await goToForm(shop), 'pay');
    const paid = (await selectTransaction(shop.app.db, shop.transaction)) as Transaction;
    const lines: Record<string, unknown>[] = [];
    const log = pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line)) });
    const app = { ...shop.app, log };

    await switchAccount(shop, { ...TEST_ACCOUNT, key: 'w'.repeat(64) });
    await acceptedRefund(app, paid, 2000);
    await carryOutRefunds(app, 10);
    const next = await createTestTransaction(app, shop.environment, { reference: 'NEXT' });
    assert.deepEqual(await startPayment(app, next, 'webpay'), { kind: 'asked' });
    assert.deepEqual(
      lines.map(({ level, alarm, method, question }) => [level, alarm, method, question]),
      [
        [50, 'credentials_refused', 'webpay', 'look_up_refund'],
        [50, 'credentials_refused', 'webpay', 'start'],
      ],
    );
    assert.doesNotMatch(JSON.stringify(lines), /wwww|kkkk/);
    assert.equal(await answersOf(app, 'credentials_refused'), 2);

    await switchAccount(shop, TEST_ACCOUNT);
    app.now.advance(5 * 60_000);
    await carryOutRefunds(app, 10);
    app.now.advance(5 * 60_000);
    await carryOutRefunds(app, 10);
    assert.deepEqual(await refundsOf(app, paid), [['completed', 2000]]);
    assert.equal(await answersOf(app, 'credentials_refused'), 2);
  });

  test('keeps the account of payments from before accounts were stored', async (context) => {
    const shop = await openWebpayShop(context, openTestDatabase, { keys: KEYS });
    await goToForm(shop);
    await shop.db.close();
    const db = await openTestDatabase({ url: shop.db.url });
    await db.transaction(async (tx) => {
      for (const statement of BEFORE_ACCOUNTS) await tx.query(statement);
    });
    assert.deepEqual(await migrate(db), ['0007-method-accounts.sql']);

    const app = createTestApp(db);
    assert.deepEqual(await accountsOf({ app }), [TEST_ACCOUNT.account]);
    const key = await findMethodKey(app, shop.environment.id, 'webpay', TEST_ACCOUNT.account);
    assert.equal(key, TEST_ACCOUNT.key);
  });
});

async function answersOf({ metrics }: App, outcome: string): Promise<number | undefined> {
  const { values } = await metrics.methodAnswers.get();
  return values.find(({ labels }) => labels.outcome === outcome)?.value;
}

/** The older schema: one account for each environment and method, and attempts without an account. */
const BEFORE_ACCOUNTS = [
  `create table payment_method_settings (
     environment_id bigint not null references environments (id), payment_method text not null, account text not null,
     sealed_key text not null, created_at bigint not null, primary key (environment_id, payment_method))`,
  `insert into payment_method_settings
     select environment_id, payment_method, account, sealed_key, created_at from payment_method_accounts`,
  'drop table payment_method_accounts',
  'alter table payment_attempts drop column account',
  `delete from schema_migrations where name = '0007-method-accounts.sql'`,
];
