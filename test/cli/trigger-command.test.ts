import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Database } from '../../src/db/database.ts';
import { disablePaymentService, enablePaymentService } from '../../src/payment-services/disable-payment-service.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import { forEachEngine, type TestDatabase } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, createTestClock } from '../support/test-app.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

type Triggered = { event: string; transaction: number; reference: string; state: string; refund: string | null };

forEachEngine('trigger', (openTestDatabase) => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-trigger-'));
  after(() => rmSync(folder, { recursive: true }));

  const open = async () => {
    const db = await openTestDatabase();
    const app = createTestApp(db, { now: createTestClock(Date.now()) });
    return { db, app, environment: await createTestEnvironment(app) };
  };
  const run = (db: TestDatabase, words: string[], input?: string) =>
    runCommand(['trigger', ...words], {
      env: { ...process.env, DATABASE_URL: db.url, DATA_DIR: folder, MASTER_KEY: '5a'.repeat(32) },
      ...(input !== undefined && { input }),
    });
  const trigger = async (db: TestDatabase, words: string[], input?: string) => {
    const { stdout, stderr, status } = await run(db, [...words, '--json'], input);
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout) as Triggered;
  };

  test('makes payments with the requested end, whatever the amount, each with its events and its callback', async () => {
    const { db } = await open();
    const ends: [words: string[], event: string, types: string[]][] = [
      [['payment.completed', '--amount', '5001', '--reference', 'ORD-7'], 'transaction.completed', ['completed']],
      [['payment.declined'], 'transaction.failed', ['failed']],
      [['transaction.cancelled'], 'transaction.cancelled', ['cancelled']],
      [['payment.expired'], 'transaction.expired', ['expired']],
    ];
    for (const [words, event, types] of ends) {
      const made = await trigger(db, words);
      assert.equal(made.event, event);
      const told = await eventsOf(db, made.transaction);
      assert.deepEqual(told, ['transaction.created', ...types.map((type) => `transaction.${type}`)], words.join(' '));
      const callbacks = await db.query('select url from callbacks where transaction_id = $1', [made.transaction]);
      assert.deepEqual(
        callbacks.map(({ url }) => url),
        ['http://127.0.0.1:9000/callback'],
      );
    }
    const [first] = await db.query('select amount, reference from transactions order by id limit 1');
    assert.deepEqual([first?.['amount'], first?.['reference']], [5001, 'ORD-7']);
  });

  test('refuses a payment that is too small for the declined refund, and makes none', async () => {
    const { db } = await open();
    const refused = await run(db, ['refund.failed', '--amount', '5000']);
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /^INVALID_AMOUNT: refund\.failed refunds \$5\.001 CLP, .* at least that/);
    assert.deepEqual(await db.query('select id from transactions'), []);
  });

  test('makes refunds that a worker completes or declines, and explains an end that was not requested', async () => {
    const { db, app } = await open();
    let over = false;
    const worker = (async () => {
      while (!over) {
        app.now.advance(1000);
        await carryOutRefunds(app, 10);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    try {
      for (const event of ['refund.completed', 'refund.failed']) {
        const made = await trigger(db, [event]);
        assert.equal(made.state, 'completed');
        assert.ok((await eventsOf(db, made.transaction)).includes(event));
      }
      const declined = await run(db, ['refund.completed', '--amount', '5001']);
      assert.match(declined.stderr, /It became refund\.failed: .*docs\/sandbox\.md/);
    } finally {
      over = true;
      await worker;
    }
    const acts = await db.query("select action from audit_log where action = 'refund.requested'");
    assert.equal(acts.length, 3);
  });

  test('takes the fields of a request from a file, standard input or the command line', async () => {
    const { db } = await open();
    const body = JSON.stringify({ x_currency: 'USD', x_amount: '10.55', x_url_callback: 'http://localhost:4000/hook' });
    const file = join(folder, 'order.json');
    writeFileSync(file, body);
    await trigger(db, ['payment.completed', '--body', file]);
    await trigger(db, ['payment.completed', '--body', '-', '--reference', 'ORD-2'], body);
    await trigger(db, ['payment.completed', '--body', body, '--amount', '11.00']);
    const rows = await db.query('select amount, currency, url_callback from transactions order by id');
    assert.deepEqual(
      rows.map(({ amount, currency, url_callback }) => [amount, currency, url_callback]),
      [1055, 1055, 1100].map((amount) => [amount, 'USD', 'http://localhost:4000/hook']),
    );
  });

  test('creates nothing again for a repeated reference, and names only what its user wrote differently', async () => {
    const { db } = await open();
    const words = ['transaction.cancelled', '--reference', 'ORD-1'];
    const first = await trigger(db, words);
    assert.equal((await trigger(db, words)).transaction, first.transaction);
    const other = await run(db, [...words, '--amount', '5000']);
    assert.match(other.stderr, /^REFERENCE_CONFLICT: [^\n]*which differs in x_amount\./);
    const late = await run(db, ['transaction.expired', '--reference', 'ORD-1']);
    assert.equal(late.status, 1);
    assert.match(late.stderr, /It became transaction\.cancelled: .*another one makes a new transaction\./);
  });

  test('keeps every digit of a number in the body', async () => {
    const { db } = await open();
    await trigger(db, ['transaction.cancelled', '--body', '{"x_reference":12345678901234567890}']);
    const [row] = await db.query('select reference from transactions');
    assert.equal(row?.['reference'], '12345678901234567890');
  });

  test('asks for the URL of callbacks where no private address is called, and sends payers to the same shop', async () => {
    const { db } = await open();
    const settings = { DATABASE_URL: db.url, DATA_DIR: folder, MASTER_KEY: '5a'.repeat(32) };
    const env = { ...process.env, ...settings, ALLOW_PRIVATE_CALLBACKS: 'false' };
    const refused = await runCommand(['trigger', 'payment.completed'], { env });
    assert.equal(refused.status, 64);
    assert.match(refused.stderr, /^USAGE: This service calls no private address\. .*--body '\{"x_url_callback":/);
    for (const wrong of ['nope', 'mailto:a', 'http://shop.example.cl/hook']) {
      const words = ['trigger', 'payment.completed', '--body', JSON.stringify({ x_url_callback: wrong })];
      const { stderr } = await runCommand(words, { env });
      assert.match(stderr, /^INVALID_URL: x_url_callback [^\n]*\n$/, 'the pages have no fault that nobody wrote');
    }
    assert.deepEqual(await db.query('select id from transactions'), []);
    const body = '{"x_url_callback":"https://shop.example.cl/hook?order=1"}';
    const made = await runCommand(['trigger', 'payment.completed', '--body', body], { env });
    assert.equal(made.status, 0, made.stderr);
    const [row] = await db.query('select url_callback, url_cancel, url_complete from transactions');
    assert.deepEqual(Object.values(row ?? {}), [
      'https://shop.example.cl/hook?order=1',
      'https://shop.example.cl/cancel',
      'https://shop.example.cl/complete',
    ]);
  });

  test('says every error of the fields, each on its line', async () => {
    const { db } = await open();
    const signed = ['--body', '{"x_amount":"","x_reference":"","x_session_id":""}'];
    const unsigned = ['--body', '{"x_amount":"1.005","x_url_complete":"nope","x_customer_email":"ana"}'];
    for (const words of [signed, unsigned]) {
      const { stderr, stdout, status } = await run(db, ['payment.completed', ...words, '--json']);
      assert.equal(status, 1);
      const { error } = JSON.parse(stdout);
      assert.equal(error.details.length, 2, stdout);
      assert.equal(stderr, `${error.code}: ${[error.message, ...error.details].join('\n')}\n`);
      const names = [error.message, ...error.details].map((line: string) => /^x_\w+/.exec(line)?.[0]);
      assert.deepEqual(new Set(names), new Set(Object.keys(JSON.parse(words[1] ?? ''))));
    }
  });

  test('refuses invalid requests with the fix, and makes nothing', async () => {
    const { db, app, environment } = await open();
    const refused: [words: string[], says: RegExp][] = [
      [['payment.paid'], /Allowed choices are transaction\.completed/],
      [['payment.completed', '--amount', '15.000'], /INVALID_AMOUNT: 15\.000 is not an amount of CLP: write 15000\./],
      [['payment.completed', '--amount', '10'], /INVALID_AMOUNT: .*at least 500 CLP/],
      [['payment.completed', '--body', '[]'], /^INVALID_OPTION: --body is a JSON object/],
      [['payment.completed', '--body', 'none.json'], /^FILE_UNUSABLE: none\.json cannot be read/],
      [['payment.completed', '--body', '{"x_amount"'], /INVALID_OPTION: --body is a JSON object/],
      [['payment.completed', '--body', '{"x_color":"red"}'], /UNKNOWN_FIELD/],
      [
        ['payment.completed', '--body', `{"x_account_id":"${'0'.repeat(32)}"}`],
        new RegExp(
          `^NOT_FOUND: x_account_id of --body is not a Service .* has ${environment.serviceToken} \\(\\S.*\\)\\.`,
        ),
      ],
      [['payment.completed', '--payment-service', 'ps_x'], /NOT_FOUND: There is no payment service ps_x/],
    ];
    for (const [words, says] of refused) {
      const { status, stderr } = await run(db, words);
      assert.notEqual(status, 0);
      assert.match(stderr, says, words.join(' '));
    }
    const empty = await openTestDatabase();
    assert.match(
      (await run(empty, ['payment.completed'])).stderr,
      /^NOT_FOUND: There is no payment service yet: bin\/rubrica payment-service create/,
      'without a payment service the error names the command that creates one',
    );
    await createTestEnvironment(app);
    assert.match(
      (await run(db, ['payment.completed'])).stderr,
      /There are 2 payment services: say which with --payment-service ID/,
    );
    assert.deepEqual(await db.query('select id from transactions'), []);
    const named = JSON.stringify({ x_account_id: environment.serviceToken });
    const { transaction } = await trigger(db, ['payment.completed', '--body', named]);
    assert.deepEqual(
      (await db.query('select id, environment_id from transactions')).map(({ id, environment_id }) => [
        id,
        environment_id,
      ]),
      [[transaction, environment.id]],
      'the Service Token of a body names its payment service',
    );
  });

  test('makes no payment for a disabled payment service, as its shop cannot, and names the command', async () => {
    const { db, app, environment } = await open();
    const { paymentServiceId: id, serviceToken } = environment;
    await disablePaymentService(app, id, TESTER);
    const body = JSON.stringify({ x_account_id: serviceToken });
    for (const words of [[], ['--payment-service', id], ['--body', body]]) {
      const { status, stderr } = await run(db, ['payment.completed', ...words]);
      assert.equal(status, 1);
      assert.match(stderr, / is disabled, .*: bin\/rubrica payment-service enable ps_\w+\n$/, words.join(' '));
    }
    assert.deepEqual(await db.query('select id from transactions'), []);
    await enablePaymentService(app, id, TESTER);
    await trigger(db, ['payment.completed', '--body', body]);
  });
});

async function eventsOf(db: Database, transaction: number): Promise<unknown[]> {
  const rows = await db.query('select type from events where transaction_id = $1 order by sequence', [transaction]);
  return rows.map(({ type }) => type);
}
