import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectUnbooked } from '../../src/books/reconciliation-queries.ts';
import { decidePayment } from '../../src/checkout/decide-payment.ts';
import { selectLatestAttempt } from '../../src/checkout/payment-attempt-queries.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import { describeEvidence } from '../../src/lib/evidence-file.ts';
import { selectDeliverySample, selectMethodOutcomes, selectPaidHours } from '../../src/search/today-queries.ts';
import { scriptMethod } from '../checkout/checkout-case.ts';
import { forEachEngine } from '../support/engines.ts';
import { explain, listenToStatements } from '../support/heard-statements.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

forEachEngine('figures of today', (openTestDatabase, engine) => {
  test('a user of one merchant sees only its own hours', async () => {
    const app = createTestApp(await openTestDatabase());
    const own = await createTestEnvironment(app, 'development');
    const other = await createTestEnvironment(app, 'development');
    const since = app.now();
    app.now.advance(3_600_000);
    for (const environment of [own, other]) await createPaidTransaction(app, environment);
    const hours = async (ids: number[] | null) =>
      (await selectPaidHours(app.db, since, ids)).map(({ hour, payments, amount }) => ({ hour, payments, amount }));
    assert.deepEqual(await hours([own.id]), [{ hour: 1, payments: 1, amount: 12_990 }]);
    assert.deepEqual(await hours(null), [{ hour: 1, payments: 2, amount: 25_980 }]);
    assert.deepEqual(await hours([]), []);
  });

  test('development and production payments have separate sums', async () => {
    const method = { ...scriptMethod(), code: 'simulated' };
    const made = createTestApp(await openTestDatabase(), { paymentMethods: [method] });
    const earned = await createTestEnvironment(made, 'production');
    const tested = await createTestEnvironment(made, 'development');
    await createPaidTransaction(made, earned, { amount: 5_000 });
    await createPaidTransaction(made, tested, { amount: 700 });
    const figures = async (mode: 'production' | 'development', paymentServices?: string[]) => {
      const app = { ...made, config: { ...made.config, mode } };
      await using server = await startTestServer(app);
      const user = await createTestUser(app, { role: 'finance', may: [], ...(paymentServices && { paymentServices }) });
      const page = (await server.get('/console', user.console)).text;
      return [...page.matchAll(/<p>(Cobrado[^<]*)<\/p><strong>([^<]*)</g)].map(([, name, sum]) => `${name} ${sum}`);
    };
    assert.deepEqual(await figures('production'), ['Cobrado $5.000 CLP', 'Cobrado · desarrollo $700 CLP']);
    assert.deepEqual(await figures('development'), ['Cobrado $700 CLP', 'Cobrado · producción $5.000 CLP']);
    assert.deepEqual(await figures('production', [tested.paymentServiceId]), [
      'Cobrado $0 CLP',
      'Cobrado · desarrollo $700 CLP',
    ]);
  });

  test('a day is read by the index of completed payments, not among all payments of the merchant', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id } = await createTestEnvironment(app);
    await fillWithPaid(app, id);
    const listening = listenToStatements(app);
    const now = app.now();
    await selectPaidHours(listening.app.db, now, null);
    await selectUnbooked(listening.app.db, { environmentIds: [id], from: now, to: now + 86_400_000, transactionId: 0 });
    assert.equal(listening.heard.length, 2);
    for (const statement of listening.heard) {
      const plan = (await explain(app, statement)).join('\n');
      assert.match(plan, /\btransactions_completed\b/, `${engine}: ${statement.sql}\n${plan}`);
      assert.doesNotMatch(plan, /\btransactions_reference\b/, `${engine}: ${statement.sql}\n${plan}`);
    }
  });

  test('one merchant’s first page reads only its own entries', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id } = await createTestEnvironment(app);
    await fillWithPaid(app, id);
    const listening = listenToStatements(app);
    await selectPaidHours(listening.app.db, app.now() - 86_400_000, [id]);
    const [statement] = listening.heard;
    assert.ok(statement);
    const plan = (await explain(app, statement)).join('\n');
    assert.match(plan, /\bjournal_entries_of_day\b/, plan);
    assert.doesNotMatch(plan, /\btransactions_completed\b|Seq Scan on transactions|SCAN t\b/, plan);
  });

  test('the share of approved attempts counts ended attempts of the newest orders for each method', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    for (const state of ['approved', 'declined', 'unknown', 'approved']) {
      await createPaidTransaction(app, environment);
      const set = 'update payment_attempts set state = $1 where transaction_id = (select max(id) from transactions)';
      await app.db.transaction((tx) => tx.query(set, [state]));
    }
    const outcomes = async (orders: number) =>
      (await selectMethodOutcomes(app.db, orders))
        .map(({ payment_method, state }) => `${payment_method} ${state}`)
        .sort();
    assert.deepEqual(await outcomes(1000), ['simulated approved', 'simulated approved', 'simulated declined']);
    assert.deepEqual(await outcomes(3), ['simulated approved', 'simulated declined']);
  });

  test('a method’s time counts from the commit request, and aborted attempts have none', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const set = async (changes: string) => {
      await createPaidTransaction(app, environment);
      const sql = `update payment_attempts set ${changes} where transaction_id = (select max(id) from transactions)`;
      await app.db.transaction((tx) => tx.query(sql));
    };
    await set('created_at = 1000, settled_at = 61000, commit_sent_at = 60000, commit_answered_at = 60700');
    await set(`created_at = 1000, settled_at = 1250, state = 'declined'`);
    await set(`created_at = 1000, settled_at = 90000, state = 'aborted'`);
    const took = (await selectMethodOutcomes(app.db, 10)).map(({ state, took_ms }) => [state, took_ms] as const);
    assert.deepEqual(Object.fromEntries(took), { aborted: null, approved: 700, declined: 250 });
  });

  test('an attempt that a person ended is no answer of its method', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    await createPaidTransaction(app, environment);
    const waiting = await createTestTransaction(app, environment, { amount: 5004 });
    await startPayment(app, waiting, 'simulated');
    const attempt = await selectLatestAttempt(app.db, waiting);
    assert.ok(attempt !== null);
    const evidence = describeEvidence('portal.txt', Buffer.from('paid'));
    const wish = { outcome: 'approved', taken: null, reason: 'seen in the portal', evidence, by: TESTER } as const;
    assert.equal(await decidePayment(app, attempt.id, wish), 'decided');
    assert.equal((await selectMethodOutcomes(app.db, 10)).length, 1);
  });

  test('the first page reads only the newest payment attempts', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id } = await createTestEnvironment(app);
    await fillWithPaid(app, id);
    const listening = listenToStatements(app);
    await selectMethodOutcomes(listening.app.db, 10);
    await selectDeliverySample(listening.app.db, 10);
    for (const statement of listening.heard) {
      const plan = (await explain(app, statement)).join('\n');
      assert.doesNotMatch(
        plan,
        /Seq Scan on (?:transactions|payment_attempts|callbacks)|SCAN (?:a|c|payment_attempts)\b/,
        plan,
      );
      assert.match(plan, /payment_attempts_of_transaction|payment_attempts_open|delivery_attempts|SCAN d$/m, plan);
    }
  });
});

/** Adds earlier payments of a merchant. PostgreSQL gets statistics for its plans; SQLite plans without them. */
async function fillWithPaid(app: TestApp, environmentId: number): Promise<void> {
  await app.db.transaction(async (tx) => {
    await tx.query(
      `insert into transactions (id, environment_id, amount, created_at, expires_at, settled_at, last_sequence, state, reference,
         currency, customer_email, session_id, shop_country, url_callback, url_cancel, url_complete, pay_secret)
       with recursive n (i) as (select 1 union all select i + 1 from n where i < 5000)
       select 1000000 + i, $1, 1000, cast($2 as bigint) - i * 1000, $2, cast($2 as bigint) - i * 1000, 2, 'completed', 'OLD-' || i, 'CLP', 'ana@example.cl', '1', 'CL',
         'https://shop.example/callback', 'https://shop.example/no', 'https://shop.example/yes', 'sealed' from n`,
      [environmentId, app.now() - 1000],
    );
    await tx.query(
      `insert into payment_attempts (id, environment_id, transaction_id, created_at, settled_at, lookups, state, payment_method)
       select 'pa_old_' || id, environment_id, id, created_at, settled_at, 0, 'approved', 'simulated' from transactions`,
    );
    if (app.db.engine === 'postgres') await tx.query('analyze transactions, payment_attempts');
  });
}
