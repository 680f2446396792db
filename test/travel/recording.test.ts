import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startPayment } from '../../src/checkout/start-payment.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createRefund } from '../../src/refunds/create-refund.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { selectTransaction } from '../../src/transactions/transaction-queries.ts';
import { advanceClock } from '../../src/travel/advance-clock.ts';
import type { Entry } from '../../src/travel/recording.ts';
import { forEachEngine } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';

forEachEngine('record and replay', (openTestDatabase) => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-recording-'));
  after(() => rmSync(folder, { recursive: true }));

  test('a recording repeats the run in another store and reports differences', async () => {
    const db = await openTestDatabase();
    const now = Object.assign(systemClock(), { advance: () => {} });
    const app = createTestApp(db, { now });
    const environment = await createTestEnvironment(app);
    const secrets = [environment.serviceToken, ...environment.secrets.map(({ text }) => text)];
    const create = (reference: string, amount: number, currency = 'CLP') =>
      createTestTransaction(app, environment, {
        reference,
        amount,
        currency,
        urlCallback: 'http://127.0.0.1:9/callback?token=of-the-shop',
      });
    const paid = await create('ORD-PAID', 12_990);
    await startPayment(app, paid, 'simulated');
    await advanceClock(app, 60_000, TESTER);
    await startPayment(app, await create('ORD-LATE', 5_002), 'simulated');
    const wish = { amount: 990, type: 'parcial', idempotencyKey: null, by: TESTER } as const;
    await createRefund(app, (await selectTransaction(db, paid)) as Transaction, wish);
    await create('ORD-EXPIRED', 1_000);
    await create('ORD-IN-UF', 20_500, 'CLF');
    await createTestTransaction(app, environment, { reference: 'pl_x-1', urlCallback: '', urlComplete: '' });
    await advanceClock(app, 86_400_000, TESTER);
    const env = { ...process.env, DATABASE_URL: db.url, DATA_DIR: join(folder, 'one'), MASTER_KEY: '5a'.repeat(32) };
    for (const event of ['payment.declined', 'payment.cancelled', 'payment.expired'])
      assert.equal((await runCommand(['trigger', event], { env })).status, 0, event);

    const file = join(folder, `run-${db.engine}.jsonl`);
    const recorded = await runCommand(['record', '--since', '2020-01-01', '--out', file], { env });
    assert.equal(recorded.status, 0, recorded.stderr);
    const text = readFileSync(file, 'utf8');
    for (const secret of [...secrets, paid.pay_secret, 'of-the-shop', paid.customer_email])
      assert.ok(!text.includes(secret), 'the file has no secret');
    const entries = text
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line) as Entry);
    const kinds = Map.groupBy(entries, ({ kind }) => kind);
    assert.deepEqual(
      ['request', 'payment', 'cancel', 'refund'].map((kind) => kinds.get(kind as Entry['kind'])?.length),
      [7, 3, 2, 1],
    );

    const intoFolder = await runCommand(['record', '--since', '2020-01-01', '--out', folder], { env });
    assert.match(intoFolder.stderr, /^INVALID_OPTION: --out .* is a folder/, 'a folder is refused before the run');

    const inUse = await runCommand(['replay', file], { env });
    assert.match(inUse.stderr, /^STORE_IN_USE: .* a store of its own/, 'a replay needs a separate store');

    const other = { ...env, DATABASE_URL: (await openTestDatabase()).url, DATA_DIR: join(folder, 'other') };
    const same = await runCommand(['replay', file], { env: other });
    assert.equal(same.stdout, `All ${entries.length} entries are the same.\n`, same.stderr);
    assert.equal(same.status, 0);

    // As by a service with two settings of TRANSACTION_MINUTES in turn. A replay has a server for each.
    let requests = 0;
    const minutes = (said: string, value: string) => (requests++ % 2 === 0 ? said : `"minutes":${Number(value) - 1}`);
    const restarted = text.replace(/"minutes":([\d.]+)/g, minutes);
    assert.notEqual(restarted, text);
    writeFileSync(file, restarted);
    const third = { ...env, DATABASE_URL: (await openTestDatabase()).url, DATA_DIR: join(folder, 'third') };
    const mixed = await runCommand(['replay', file], { env: third });
    assert.equal(mixed.stdout, `All ${entries.length} entries are the same.\n`, mixed.stderr);

    // As recorded by a version with other behaviour.
    const changed = text
      .replace('"x_amount":"2.05"', '"x_amount":"2.051"')
      .replace('"transaction.expired"', '"transaction.cancelled"')
      .replace(/("type":"parcial","outcome":)"completed"/, '$1"failed"');
    writeFileSync(file, changed);
    const different = await runCommand(['replay', file, '--json'], { env: other });
    assert.equal(different.status, 1, different.stderr);
    const { differences } = JSON.parse(different.stdout) as { differences: Record<string, string>[] };
    assert.deepEqual(
      differences.map(({ reference, what, was, is }) => [reference, what, was, is]),
      [
        ['ORD-PAID', 'refund 1', '990 failed', '990 completed'],
        ['ORD-EXPIRED', 'event 2', 'transaction.cancelled', 'transaction.expired'],
        ['ORD-IN-UF', 'request', 'answered 200', 'answered 400 INVALID_AMOUNT'],
        ['ORD-IN-UF', 'event 1', 'transaction.created', null],
        ['ORD-IN-UF', 'event 2', 'transaction.expired', null],
      ],
    );
    writeFileSync(file, 'no recording');
    assert.match((await runCommand(['replay', file], { env: other })).stderr, /FILE_UNUSABLE: .* is not a recording/);
  });
});
