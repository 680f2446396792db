import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runChild } from '../support/child-process.ts';
import { commandStore } from '../support/command-store.ts';
import { forEachEngine } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

forEachEngine('month show', (openTestDatabase) => {
  test('prints amounts with the decimals of their currency, and names the merchant', async (context) => {
    const db = await openTestDatabase();
    const { env } = commandStore(context, db);
    const app = createTestApp(db);
    const environment = await createTestEnvironment(app);
    await createPaidTransaction(app, environment, { currency: 'USD', amount: 129_050 });
    await createPaidTransaction(app, environment, { amount: 12_990 });
    const show = (...more: string[]) => runCommand(['month', 'show', '2026-01', ...more], { env });
    const { stdout } = await show();
    assert.match(stdout, / 1290\.50 USD\n/);
    assert.match(stdout, / \$12\.990 CLP\n/);
    // The list names the payment service, not only the number of the environment in the store.
    assert.match(stdout, new RegExp(`${environment.paymentServiceId} +Test shop +development +\\$12`));
    const earlier = await runCommand(['month', 'show', '2025-12'], { env });
    assert.match(earlier.stdout, /nothing was owed to any merchant in development/);
    const { owed } = JSON.parse((await show('--json')).stdout) as { owed: { owed: string }[] };
    assert.deepEqual(
      owed.map((one) => one.owed),
      ['12990', '129050'],
    );
    const refused = await runCommand(['month', 'close', '2999-12'], { env });
    assert.equal(refused.status, 1);
    assert.match(
      refused.stderr,
      /^MONTH_NOT_READY: It cannot be closed yet\. 2999-12 has not ended, or ended less than 10 minutes ago\.\n$/,
      'nothing else stands against it',
    );
    assert.match(stdout, /^2026-01 is open\.\n/);
    const before = await runCommand(['month', 'close', '2025-12'], { env });
    assert.match(
      before.stderr,
      /^INVALID_OPTION: 2025-12 is before the first payment service: .* Choose a later month/,
    );
  });

  test('of a closed month says apart what came after the close', async (context) => {
    const db = await openTestDatabase();
    const { folder, env } = commandStore(context, db);
    await createTestEnvironment(createTestApp(db));
    const closed = await runCommand(['month', 'close', '2026-01', '--json'], { env });
    assert.equal(closed.status, 0, closed.stderr);
    const show = async () => (await runCommand(['month', 'show', '2026-01'], { env })).stdout;
    assert.doesNotMatch(await show(), /Since then/);
    const file = join(folder, 'abono.csv');
    writeFileSync(file, 'fecha;orden de compra;monto\n2026-01-15;A1;1000\n');
    await runCommand(['settlement', 'keep', file], { env });
    assert.match(await show(), /^2026-01 was closed by .*\.\nSince then: 1 difference not accepted\.\n/);
  });
});

forEachEngine('settlement keep', (openTestDatabase) => {
  test('keeps two files from pipes as two settlements', async (context) => {
    const db = await openTestDatabase();
    const { env } = commandStore(context, db);
    await createTestEnvironment(createTestApp(db));
    for (const day of ['2026-10-15', '2026-10-16']) {
      const keep = `"$0" "$1" settlement keep <(printf 'fecha;orden de compra;monto\\n${day};A1;1000\\n')`;
      const { status, stderr } = await runChild('bash', ['-c', keep, process.execPath, MAIN], { env });
      assert.equal(status, 0, stderr);
    }
    const { stdout } = await runCommand(['settlement', 'list', '--json'], { env });
    const { settlements } = JSON.parse(stdout) as { settlements: { first_day: string; open: number }[] };
    assert.deepEqual(settlements.map(({ first_day, open }) => `${first_day}: ${open}`).sort(), [
      '2026-10-15: 1',
      '2026-10-16: 1',
    ]);
  });
});

forEachEngine('settlement accept', (openTestDatabase) => {
  test('refuses an empty or unknown --cause, and accepts only differences of the given one', async (context) => {
    const db = await openTestDatabase();
    const { folder, env } = commandStore(context, db);
    await createTestEnvironment(createTestApp(db));
    const file = join(folder, 'abono.csv');
    writeFileSync(file, 'fecha;orden de compra;monto\n2026-10-15;A1;1000\n2026-10-15;A2;-700\n');
    const kept = await runCommand(['settlement', 'keep', file, '--json'], { env });
    const { id, open: differences } = JSON.parse(kept.stdout) as { id: string; open: number };
    const month = await runCommand(['month', 'show', '2026-10'], { env });
    const open = / 2 differences not accepted\.\n {2}not accepted: bin\/rubrica settlement list\n/;
    assert.match(month.stdout, new RegExp(`^2026-10 [^:]*:${open.source}`), 'only what is not zero');
    const close = await runCommand(['month', 'close', '2026-10'], { env });
    assert.match(close.stderr, new RegExp(`^MONTH_NOT_READY: .*:${open.source}$`));
    assert.equal(differences, 2);
    const accept = (cause: string) =>
      runCommand(['settlement', 'accept', id, '--cause', cause, '--reason', 'otro abono'], { env });
    for (const cause of ['', 'payment_missing']) {
      const { status, stderr } = await accept(cause);
      assert.equal(status, 64, stderr);
      assert.match(stderr, /payment_missing_in_books/);
    }
    const shown = async () => (await runCommand(['settlement', 'show', id], { env })).stdout;
    const hint =
      /can be booked.*\n {2}bin\/rubrica payment import abono\.csv --payment-service ID --environment \w+ --method \w+\n$/;
    assert.match(await shown(), hint);
    assert.match((await accept('payment_missing_in_books')).stdout, /^1 difference is accepted/);
    assert.match(await shown(), hint, 'the refund may be a chargeback');
    assert.match((await accept('refund_missing_in_books')).stdout, /^1 difference is accepted/);
    assert.doesNotMatch(await shown(), /can be booked/);
    const again = await runCommand(['settlement', 'keep', file], { env });
    assert.match(again.stdout, /^sf_\w+: 0 open differences: bin\/rubrica settlement show sf_\w+\n$/);
  });

  test('and show name the newer comparison of a file that was compared again', async (context) => {
    const db = await openTestDatabase();
    const { folder, env } = commandStore(context, db);
    await createTestEnvironment(createTestApp(db));
    const file = join(folder, 'abono.csv');
    writeFileSync(file, 'fecha;orden de compra;monto\n2026-10-15;A1;1000\n');
    const keep = async () => {
      const { stdout } = await runCommand(['settlement', 'keep', file, '--json'], { env });
      return (JSON.parse(stdout) as { id: string }).id;
    };
    const [earlier, newer] = [await keep(), await keep()];
    const says = `The same file was compared again, and only that comparison counts: bin/rubrica settlement show ${newer}\n`;
    const { stdout } = await runCommand(['settlement', 'show', earlier, '--open'], { env });
    assert.ok(stdout.includes(says), stdout);
    assert.doesNotMatch(stdout, /can be booked/);
    const words = ['settlement', 'accept', earlier, '--line', '2', '--reason', 'otro abono'];
    assert.equal((await runCommand(words, { env })).stderr, `ALREADY_DONE: ${says}`);
    assert.doesNotMatch((await runCommand(['settlement', 'show', newer], { env })).stdout, /compared again/);
  });
});

const MAIN = join(import.meta.dirname, '../../src/main.ts');
