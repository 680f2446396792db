import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { dayOf } from '../../src/lib/calendar-day.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import type { Ended } from '../support/child-process.ts';
import { runCommand } from '../support/run-command.ts';
import { createTestApp, createTestClock } from '../support/test-app.ts';
import { createLatePayment, createPaidTransaction, removeGuards } from '../support/test-books.ts';
import { acceptedRefund } from '../support/test-refunds.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');

suite('books, reconcile and refund on the command line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-cli-'));
  const url = `sqlite:${join(folder, 'rubrica.db')}`;
  // The commands use the clock of the machine, and a payment can be refunded for 90 days.
  const paidAt = Date.now();
  const day = dayOf(paidAt);
  let transaction = 0;
  let paymentService = '';
  after(() => rmSync(folder, { recursive: true }));
  before(async () => {
    const db = openDatabase(url, { connections: 1, pooler: false, onFatal: () => {} });
    await migrate(db);
    const app = createTestApp(db, { now: createTestClock(paidAt) });
    const environment = await createTestEnvironment(app);
    const paid = await createPaidTransaction(app, environment, { reference: '=1+1' });
    await acceptedRefund(app, paid, 2990);
    await carryOutRefunds(app, 1);
    transaction = paid.id;
    paymentService = environment.paymentServiceId;
    await db.close();
  });

  test('books balance prints the debits and credits of each account', async () => {
    const { balances } = await json<{ balances: { account: string; debits: number; credits: number }[] }>(
      'books',
      'balance',
    );
    assert.deepEqual(
      balances.map(({ account, debits, credits }) => [account, debits, credits]),
      [
        ['merchant:payable', 2990, 12_990],
        ['method:simulated:receivable', 12_990, 2990],
      ],
    );
    assert.match(
      (await run('books', 'balance')).stdout,
      /merchant:payable +\$2\.990 CLP +\$12\.990 CLP +-\$10\.000 CLP\n/,
    );
  });

  test('books list prints the newest first, for one transaction or all', async () => {
    const { entries } = await json<{ entries: { kind: string }[] }>('books', 'list');
    assert.deepEqual(
      entries.map(({ kind }) => kind),
      ['refund', 'payment'],
    );
    assert.match(
      (await run('books', 'list', '--transaction', String(transaction))).stdout,
      /\n[\d-]{10} [\d:]{8} -0[34]:00 .* 1\.0 +payment .* CLP\n/,
    );
    const listed = (await run('transaction', 'list')).stdout;
    assert.match(listed, /\$12\.990 CLP +\w+, \$2\.990 CLP refunded +\d{4}-/, 'a refund is beside the state');
    assert.match((await run('books', 'list', '--transaction', '1')).stderr, /^NOT_FOUND: There is no transaction 1/);
    assert.equal((await run('books', 'list', '--limit', '0')).status, 1);
  });

  test('a list that ends at its limit says so, unless a program asks for JSON', async () => {
    const note = 'The list ends after 1 (--limit).\n';
    for (const list of ['books list', 'transaction list', 'refund list']) {
      const words = list.split(' ');
      assert.equal((await run(...words, '--limit', '1')).stderr, note, list);
      assert.equal((await run(...words, '--limit', '1', '--json')).stderr, '', list);
      assert.equal((await run(...words)).stderr, '', list);
    }
  });

  test('reconcile prints the entries of a day, and escapes a reference like a formula in CSV', async () => {
    const report = await run('reconcile', '--date', day, '--environment', 'development', '--csv');
    const [head, payment, refund] = report.stdout.split('\n');
    assert.equal(report.status, 0);
    assert.equal(
      head,
      'ENTRY,WHEN (UTC),KIND,TRANSACTION,REFERENCE,REFUND,AUTHORISATION,AMOUNT,CURRENCY,MOVEMENT,WHEN (CHILE),PAYMENT SERVICE,PAYMENT SERVICE ID,ENVIRONMENT',
    );
    const added = new RegExp(`,${day} [\\d:]{8} -0[34]:00,Test shop,${paymentService},development$`);
    for (const line of [payment, refund]) assert.match(line ?? '', added);
    assert.match(payment ?? '', /^1\/1\.0,[\d: -]{19},payment,\d+,'=1\+1,,\d{6},12990,CLP,,/);
    assert.match(refund ?? '', /,refund,\d+,'=1\+1,0rf_\w+,\d{6},-2990,CLP,,/);
    const { stdout } = await run('reconcile', '--date', day, '--environment', 'development');
    assert.match(
      stdout,
      new RegExp(
        `^ENTRY +WHEN \\(CHILE\\) +KIND .* AMOUNT +MOVEMENT +PAYMENT SERVICE .*\n1/1\\.0 +${day} [\\d:]+ -0[34]:00 +payment .* \\$12\\.990 CLP +Test shop `,
      ),
    );
    assert.deepEqual((await json<{ lines: [] }>('reconcile', '--date', day, '--environment', 'production')).lines, []);
  });

  test('reconcile compares a settlement file, and its exit status says whether everything matched', async () => {
    const [same, other] = ['same.csv', 'other.csv'].map((name) => join(folder, name)) as [string, string];
    writeFileSync(same, `date,buy_order,amount\n${day},${transaction},12990\n${day},${transaction},-2990\n`);
    writeFileSync(other, `date,buy_order,amount\n${day},${transaction},12000\n${day},7,1\n`);
    const compare = (file: string) =>
      run('reconcile', '--settlement', file, '--environment', 'development', '--method', 'simulated');
    const matched = await compare(same);
    assert.equal(matched.status, 0);
    assert.match(matched.stdout, /SETTLED +BOOKED +ENTRY .*\nmatched .* \$12\.990 CLP +\$12\.990 CLP +1\/1\.0 /);
    assert.match(matched.stdout, /2 matched, 0 different, 0 missing in settlement, 0 missing in books/);
    assert.match(matched.stdout, /\nFile +\$10\.000 CLP\nBooks +\$10\.000 CLP\nDifference +\$0 CLP\n$/);
    const report = await run('reconcile', '--settlement', other, '--environment', 'development', '--csv');
    const [head = '', ...rows] = report.stdout.trim().split('\n');
    assert.match(head, /,ENTRY,DIFFERS,PAYMENT SERVICE,PAYMENT SERVICE ID,ENVIRONMENT$/);
    assert.deepEqual(
      rows.map((row) => row.endsWith(`,Test shop,${paymentService},development`)),
      [true, false, true],
    );
    const dollars = join(folder, 'dollars.csv');
    writeFileSync(dollars, `date,buy_order,amount,currency\n${day},${transaction},25.50,USD\n`);
    const two = await run('reconcile', '--settlement', dollars, '--environment', 'development', '--csv');
    const [, inFile = '', inBooks = ''] = two.stdout.split('\n');
    assert.match(inFile, /^different,2,[\d-]+,\d+,25\.50,,USD,1\/1\.0,.*currency/);
    assert.match(inBooks, /^different,2,[\d-]+,\d+,,12990,CLP,1\/1\.0,.*currency/, 'no amount in the other currency');
    const differing = await compare(other);
    assert.equal(differing.status, 1);
    assert.match(differing.stdout, /0 matched, 1 different, 1 missing in settlement, 1 missing in books/);
    assert.match(differing.stdout, /\n {2}refunds that the file does not have +1 +\$2\.990 CLP\n/);
  });

  test('settlement show --open leaves out accepted differences, and says when none is open', async () => {
    const file = join(folder, 'abono.csv');
    writeFileSync(
      file,
      `date,buy_order,amount\n${day},7,5000\n${day},${transaction},12000\n${day},${transaction},-2990\n`,
    );
    const kept = await json<{ id: string }>(
      'settlement',
      'keep',
      file,
      '--environment',
      'development',
      '--method',
      'simulated',
    );
    const causes = async () => {
      const { differences } = await json<{ differences: { cause: string }[] }>('settlement', 'show', kept.id, '--open');
      return differences.map(({ cause }) => cause);
    };
    assert.deepEqual(await causes(), ['payment_missing_in_books', 'other_amount']);
    await run('settlement', 'accept', kept.id, '--cause', 'payment_missing_in_books', '--reason', 'otra tienda');
    assert.deepEqual(await causes(), ['other_amount']);
    const all = await json<{ differences: [] }>('settlement', 'show', kept.id);
    assert.equal(all.differences.length, 2);
    await run('settlement', 'accept', kept.id, '--cause', 'other_amount', '--reason', 'propina');
    assert.match((await run('settlement', 'show', kept.id, '--open')).stdout, /\nNothing is open\.\n$/);
  });

  test('books statement and payment-service funds refuse an unknown currency, such as clp', async () => {
    const ask = (...more: string[]) =>
      run('books', 'statement', paymentService, '--environment', 'development', '--from', day, '--to', day, ...more);
    for (const currency of ['clp', '', 'PESOS']) {
      const { status, stdout, stderr } = await ask('--currency', currency);
      assert.deepEqual([status, stdout], [1, ''], currency);
      assert.match(stderr, /^INVALID_OPTION: .* is not a currency/);
    }
    const funds = ['payment-service', 'funds', paymentService, '--environment', 'development', '--currency', 'clp'];
    assert.match((await run(...funds)).stderr, /^INVALID_OPTION: clp is not a currency/, 'a wrong currency is refused');
    assert.match((await ask()).stdout, /owed after .* \$[\d.]+ CLP\n/);
  });

  test('refund create makes one refund for an idempotency key, and refuses with the reason', async () => {
    const create = (...more: string[]) => run('refund', 'create', String(transaction), ...more);
    const first = await create('--amount', '1000', '--idempotency-key', 'caso 12', '--json');
    assert.equal((JSON.parse(first.stdout) as { state: string }).state, 'processing');
    assert.equal((await create('--amount', '1000', '--idempotency-key', 'caso 12', '--json')).stdout, first.stdout);
    for (const key of ['', ' ', 'caso\n12', 'k'.repeat(201), '4111111111111111'])
      assert.match(
        (await create('--amount', '1', '--idempotency-key', key)).stderr,
        /^INVALID_OPTION: --idempotency-key is/,
        'an empty key, as from an unset variable, is refused',
      );
    assert.match((await create('--amount', '10000')).stderr, /^REFUND_AMOUNT_TOO_HIGH: .* At most --amount \d+\n$/);
    assert.match(
      (await create('--amount', '12.990')).stderr,
      /^INVALID_AMOUNT: 12\.990 is not an amount of CLP: write 12990\.\n$/,
    );
    assert.match((await create()).stderr, /^USAGE: Say how much: --amount 1000, or --type total/);
    assert.match((await run('refund', 'create', '1', '--amount', '1')).stderr, /no transaction 1/);
    assert.equal((await json<{ refunds: [] }>('refund', 'list')).refunds.length, 2);
    assert.match((await run('refund', 'list')).stdout, /SINCE \(CHILE\) +END .* -0[34]:00 +command line/s);
  });

  test('refund create --type total refunds all that is left, once for an idempotency key', async () => {
    const db = openDatabase(url, { connections: 1, pooler: false, onFatal: () => {} });
    const app = createTestApp(db, { now: createTestClock(paidAt) });
    const paid = await createPaidTransaction(app, await createTestEnvironment(app));
    await acceptedRefund(app, paid, 2990);
    const other = await createPaidTransaction(app, await createTestEnvironment(app));
    await db.close();
    const total = (...more: string[]) => run('refund', 'create', String(paid.id), '--type', 'total', ...more);
    const first = await total('--idempotency-key', 'k');
    assert.match(first.stdout, /^Refund 0rf_\w+ of \$10\.000 CLP is processing\.\n$/);
    assert.equal((await total('--idempotency-key', 'k')).stdout, first.stdout);
    assert.match((await total()).stderr, /^ALREADY_REFUNDED/);
    const part = () => run('refund', 'create', String(other.id), '--amount', '990');
    const [one, again] = [await part(), await part()];
    assert.equal(again.stdout, one.stdout);
    assert.match(again.stderr, /^It is the refund of a moment ago\./);
    assert.equal(one.stderr, '');
  });

  test('refund settle ends a refund with evidence and a reason; settle and retry refuse with the reason', async () => {
    const db = openDatabase(url, { connections: 1, pooler: false, onFatal: () => {} });
    const app = createTestApp(db, { now: createTestClock(paidAt) });
    const { id } = await acceptedRefund(app, await createPaidTransaction(app, await createTestEnvironment(app)), 2990);
    await db.close();
    const file = join(folder, 'portal.txt');
    writeFileSync(file, 'Anulado $2.990');
    const settle = (...more: string[]) => run('refund', 'settle', id, '--reason', 'seen in the portal', ...more);
    assert.match((await settle('--outcome', 'completed')).stderr, /^USAGE: .*--evidence/);
    assert.match(
      (await settle('--outcome', 'completed', '--evidence', '/no/file')).stderr,
      /^FILE_UNUSABLE: There is no file \/no\/file\./,
    );
    const retry = await run('refund', 'retry', id, '--reason', 'once more');
    assert.match(retry.stderr, /^ALREADY_DONE: Nothing of refund 0rf_\w+ waits for this decision/);
    const settled = await settle('--outcome', 'completed', '--evidence', file);
    assert.match(settled.stdout, /^Refund 0rf_\w+ of \$2\.990 CLP is completed\.\n$/);
    assert.match((await settle('--outcome', 'failed', '--evidence', file)).stderr, /^ALREADY_DONE: .*in the books/);
    assert.match(
      (await run('refund', 'settle', 'rf_x', '--outcome', 'failed', '--evidence', file, '--reason', 'r')).stderr,
      /^NOT_FOUND/,
    );
    const { decisions } = await json<{ decisions: { refund_id: string; evidence_name: string }[] }>(
      'refund',
      'decisions',
    );
    assert.deepEqual([decisions[0]?.refund_id, decisions[0]?.evidence_name], [id, 'portal.txt']);
    assert.equal((await run('books', 'verify')).status, 0);
  });

  test('payment-service events-url sets an allowed address, refuses others, and removes it', async () => {
    const change = (...more: string[]) => run('payment-service', 'events-url', paymentService, ...more);
    const production = ['--environment', 'production'];
    assert.equal((await change(...production, '--url', 'https://shop.example.cl/refunds')).status, 0);
    assert.match((await change(...production, '--url', 'http://127.0.0.1/refunds')).stderr, /https/);
    const own = await change('--environment', 'development', '--url', 'http://127.0.0.1:8080/trxs');
    assert.match(own.stderr, /leads back/);
    assert.match((await change(...production)).stdout, /visible only in the feed/);
    assert.equal((await run('payment-service', 'events-url', 'ps_x', ...production)).status, 1);
  });

  test('payout create and deposit create record one movement for a reference; no payout exceeds the balance', async () => {
    const target = ['--payment-service', paymentService, '--currency', 'CLP'];
    const payout = (amount: string, reference: string, ...more: string[]) =>
      run('payout', 'create', ...target, '--amount', amount, '--reference', reference, ...more);
    const first = await payout('5000', 'TEF-1', '--json');
    assert.equal((JSON.parse(first.stdout) as { payout: { amount: number } }).payout.amount, 5000);
    assert.match(
      (await payout('5000', 'TEF-1')).stdout,
      /^Payout mv_\w+ of \$5\.000 CLP in \w+ was recorded before\.$/m,
    );
    assert.match((await payout('5001', 'TEF-1')).stderr, /recorded before, as \$5\.000 CLP: nothing was changed/);
    // 10,000 of the payment are left, and a refund of 1,000 of them is in process.
    assert.match(
      (await payout('4001', 'TEF-2')).stderr,
      /^INSUFFICIENT_BALANCE: Only \$4\.000 CLP are available for a payout/,
    );
    assert.match((await payout('0', 'TEF-2')).stderr, /above 0/);
    const refund = await run('refund', 'create', String(transaction), '--amount', '4001');
    assert.match(refund.stderr, /^INSUFFICIENT_BALANCE: The money of the merchant does not cover it: it was paid out/);
    const deposit = (...more: string[]) =>
      run('deposit', 'create', ...target, '--method', 'simulated', '--reference', 'AB-1', ...more);
    assert.equal((await deposit('--amount', '9700', '--commission', '300')).status, 0);
    assert.match((await deposit('--amount', '9700')).stderr, /nothing was changed/);
    assert.match(
      (await run('payout', 'list')).stdout,
      /\nmv_\w+ +[\d-]{10} [\d:]{8} -0[34]:00 .* TEF-1 +command line: \S+@\S+ +— +—\n/,
    );
    assert.match((await run('payout', 'list', '--payment-service', paymentService)).stdout, /TEF-1 /);
    assert.match((await run('deposit', 'list')).stdout, /\$9\.700 CLP +\$300 CLP +AB-1/);
  });

  test('payout return takes back a payout once, and payout list shows the reason', async () => {
    const target = ['--payment-service', paymentService];
    const takeBack = (reference: string, reason: string) =>
      run('payout', 'return', reference, ...target, '--reason', reason);
    assert.match((await takeBack('TEF-1', 'ask x@example.cl')).stderr, /without an e-mail address/);
    assert.match((await takeBack('TEF-9', 'x')).stderr, /^NOT_FOUND: There is no payout TEF-9 in development/);
    assert.match(
      (await takeBack('TEF-1', 'wrong account')).stdout,
      /^Payout mv_\w+ of \$5\.000 CLP .* is taken back\./,
    );
    assert.match((await takeBack('TEF-1', 'wrong account')).stdout, /was taken back before/);
    assert.match((await run('payout', 'list')).stdout, /TEF-1 .* +[\d-]{10} [\d:]{8} -0[34]:00 +wrong account\n/);
    const again = ['--currency', 'CLP', '--amount', '5000', '--reference'];
    assert.match(
      (await run('payout', 'create', ...target, ...again, 'TEF-1')).stderr,
      /^ALREADY_DONE: TEF-1 was recorded before, and taken back/,
    );
    assert.equal((await run('payout', 'create', ...target, ...again, 'TEF-1b')).status, 0);
  });

  test('deposit return takes back a deposit with its commission once, and deposit list shows the reason', async () => {
    const takeBack = (reference: string) =>
      run('deposit', 'return', reference, '--payment-service', paymentService, '--reason', 'another merchant');
    assert.match(
      (await takeBack('AB-9')).stderr,
      /^NOT_FOUND: There is no deposit AB-9 in development: .*deposit list/,
    );
    assert.match(
      (await takeBack('AB-1')).stdout,
      /^Deposit mv_\w+ of \$9\.700 CLP beside a commission of \$300 CLP in development is taken back\./,
    );
    assert.match((await takeBack('AB-1')).stdout, /was taken back before/);
    assert.match((await run('deposit', 'list')).stdout, /AB-1 .* +[\d-]{10} [\d:]{8} -0[34]:00 +another merchant\n/);
  });

  test('payment-service fee sets a rate in parts per million and a fixed amount in minor units', async () => {
    const set = (...more: string[]) =>
      json<object>('payment-service', 'fee', paymentService, '--environment', 'development', '--method', ...more);
    const fee = { id: paymentService, environment: 'development', method: 'simulated', currency: 'CLP' };
    assert.deepEqual(await set('simulated', '--rate', '29500', '--fixed', '50'), {
      ...fee,
      rate_ppm: 29_500,
      fixed: 50,
    });
    assert.match((await run('payment-service', 'fees')).stdout, /simulated +2\.95 % and \$50 CLP/);
    for (const rest of [
      ['cash', '--rate', '1'],
      ['simulated', '--rate', '2.95'],
      ['simulated', '--rate', '1000001'],
    ]) {
      assert.ok('error' in (await set(...rest)), rest.join(' '));
    }
  });

  test('books resolve decides about money in suspense, and books suspense shows it', async () => {
    const db = openDatabase(url, { connections: 1, pooler: false, onFatal: () => {} });
    const app = createTestApp(db, { now: createTestClock(paidAt) });
    const { id: late } = await createLatePayment(app, await createTestEnvironment(app));
    await db.close();
    const resolve = (...more: string[]) => run('books', 'resolve', '--transaction', String(late), ...more);
    assert.match((await run('books', 'suspense')).stdout, /\$5\.001 CLP +open/);
    assert.match((await resolve('--as', 'kept', '--reason', 'asked x@example.cl')).stderr, /without an e-mail address/);
    assert.match(
      (await resolve('--as', 'returned', '--reason', 'annulled')).stdout,
      /\$5\.001 CLP .* are resolved: returned/,
    );
    assert.match((await resolve('--as', 'returned', '--reason', 'again')).stdout, /were resolved before/);
    assert.match((await resolve('--as', 'kept', '--reason', 'no')).stderr, /Something else was decided/);
    assert.match((await run('books', 'suspense')).stdout, /returned .* annulled/);
    assert.match(
      (await run('books', 'resolve', '--transaction', '1', '--as', 'kept', '--reason', 'x')).stderr,
      /ever in/,
    );
  });

  test('books verify exits with 0 for unchanged books, and with 1 and the place of a change', async () => {
    const head = join(folder, 'head.json');
    writeFileSync(head, (await run('books', 'head', '--json')).stdout);
    const withHead = (await run('books', 'verify', '--head', head)).stdout;
    assert.match(withHead, /^\d+ entries in \d chains: every hash/);
    const alone = /\nNothing outside the store was compared\. A person who can write the whole store/;
    assert.doesNotMatch(withHead, alone);
    for (const group of ['books', 'audit']) assert.match((await run(group, 'verify')).stdout, alone);
    const db = openDatabase(url, { connections: 1, pooler: false, onFatal: () => {} });
    await removeGuards(db);
    await db.transaction(async (tx) => {
      await tx.query('update journal_entries set amount = 1 where link = 1');
      await tx.query("update movements set reason = 'never asked' where reason = 'annulled'");
    });
    await db.close();
    const changed = await run('books', 'verify', '--head', head);
    assert.equal(changed.status, 1);
    assert.match(changed.stdout, /environment 1, link 1: its entries, or the hash before it, were changed/);
    assert.match(changed.stdout, /environment \d: movement mv_\w+ is not what its entry says \(entry \d\.0\)/);
    assert.match((await run('books', 'verify', '--head', MAIN)).stderr, /not what books head --json printed/);
    const report = await run('reconcile', '--date', day, '--environment', 'development');
    assert.equal(report.status, 1);
    assert.match(report.stdout, /is not what its entry says \(entry 1\.0\)/);
    const ofMethod = (method: string) =>
      run('reconcile', '--date', day, '--environment', 'development', '--method', method);
    assert.match((await ofMethod('simulated')).stdout, /is not what its entry says \(entry 1\.0\)/);
    const other = await ofMethod('webpay');
    assert.deepEqual(
      [other.status, other.stdout.includes('everything fits')],
      [0, true],
      'problems of other methods do not count',
    );
  });

  test('payment import shows a preview and imports with --yes; books resolve --entry resolves the money', async () => {
    const file = join(folder, 'settled.csv');
    writeFileSync(file, `fecha;orden_compra;monto\n${day};NOT-OURS;4000\n`);
    const args = ['payment', 'import', file, '--payment-service', paymentService, '--method', 'simulated'];
    const shown = await run(...args);
    assert.match(shown.stdout, /NOT-OURS .* would go to suspense .*\n\nNothing was changed: --yes does it\.\n$/);
    assert.match((await run(...args, '--payment-service', 'ps_none')).stderr, /^NOT_FOUND: .*ps_none/);
    const results = async () => (await json<{ lines: { result: string }[] }>(...args, '--yes')).lines[0]?.result;
    assert.deepEqual([await results(), await results()], ['suspense', 'known']);
    const { attention } = await json<{ attention: { kind: string; amount: number; command: string }[] }>(
      'attention',
      'list',
    );
    const waiting = attention.find(({ amount }) => amount === 4000);
    const command = waiting?.command
      .replace('bin/rubrica ', '')
      .replace('returned|kept', 'kept')
      .replace('TEXT', 'known');
    assert.match(command ?? '', /^books resolve --entry \d+\/\d+\.0 --decision kept/);
    assert.match((await run(...(command ?? '').split(' '))).stdout, /4\.000.* of entry .* are resolved: kept\.\n$/);
    // In an installation with several databases, ids can be larger than a billion.
    const far = await run('books', 'resolve', '--entry', '123456789012345/2.0', '--as', 'kept', '--reason', 'known');
    assert.match(far.stderr, /^NOT_FOUND: Nothing of entry 123456789012345\/2\.0 was ever in suspense/);
  });

  test('payment settle refuses an unknown or ended attempt, a missing file and an invalid amount', async () => {
    const file = join(folder, 'settled.csv');
    const settle = async (id: string, ...more: string[]) =>
      (await run('payment', 'settle', id, '--reason', 'seen', '--outcome', 'approved', ...more)).stderr;
    assert.match(await settle('pa_none', '--evidence', file), /^NOT_FOUND: There is no payment attempt pa_none/);
    assert.match(
      await settle('pa_none', '--evidence', join(folder, 'none')),
      /^FILE_UNUSABLE: There is no file .*none\./,
    );
    const { entries } = await json<{ entries: { payment_attempt_id: string | null }[] }>('books', 'list');
    const paid = entries.find(({ payment_attempt_id }) => payment_attempt_id !== null)?.payment_attempt_id ?? '';
    assert.match(await settle(paid, '--evidence', file), /^ALREADY_DONE: Nothing of attempt .* waits for a decision/);
    assert.match(await settle(paid, '--evidence', file, '--amount', '1.000'), /^INVALID_AMOUNT/);
  });

  async function json<Value>(...arguments_: string[]): Promise<Value> {
    return JSON.parse((await run(...arguments_, '--json')).stdout) as Value;
  }

  function run(...arguments_: string[]): Promise<Ended> {
    const env = { ...process.env, DATABASE_URL: url, DATA_DIR: folder, MASTER_KEY: '5a'.repeat(32) };
    return runCommand(arguments_, { env });
  }
});
