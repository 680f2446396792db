import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cancelTransaction } from '../../src/checkout/cancel-transaction.ts';
import type { PaymentAttempt } from '../../src/checkout/payment-attempt.ts';
import { selectLatestAttempt } from '../../src/checkout/payment-attempt-queries.ts';
import { settlePayment } from '../../src/checkout/settle-payment.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import { dayOf } from '../../src/lib/calendar-day.ts';
import { selectSuspense } from '../../src/movements/movement-queries.ts';
import { recordMovement } from '../../src/movements/record-movement.ts';
import { cancelPayouts } from '../../src/payouts/approval/decide-payouts.ts';
import { setAccountType } from '../../src/payouts/files/set-account-type.ts';
import { readLines } from '../../src/statements/find-statement.ts';
import { importStatement } from '../../src/statements/import-statement.ts';
import { type LineSubject, resolveLine } from '../../src/statements/resolve-line.ts';
import { commandStore } from '../support/command-store.ts';
import { forEachEngine } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
import { createTestApp, createTestClock } from '../support/test-app.ts';
import { createLatePayment } from '../support/test-books.ts';
import { approved, openPayoutDesk, propose, wish } from '../support/test-payouts.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';

forEachEngine('commands that move money, at a terminal', (openTestDatabase) => {
  test('ask for confirmation with the amount, and change nothing after "n"', async (context) => {
    const db = await openTestDatabase();
    // The commands use the clock of the machine.
    const app = createTestApp(db, { now: createTestClock(Date.now()) });
    const desk = await openPayoutDesk(app);
    const [left] = await approved(app, desk, [wish({ amount: 15_000 }), wish({ amount: 20_000 })]);
    const { environment, maker: by } = desk;
    const target = { paymentServiceId: environment.paymentServiceId, environment: environment.environment };
    await recordMovement(app, target, {
      kind: 'payout',
      reference: 'TEF-1',
      amount: 5000,
      commission: 0,
      currency: 'CLP',
      paymentMethod: null,
      by,
    });
    const late = await createLatePayment(app, environment);
    const { folder, env } = commandStore(context, db);
    const as = ['--as', desk.users.maker.email];
    const ask = (words: string, input: string) =>
      runCommand([...words.split(' '), ...as], { env, input: `${input}\n`, isTTY: true });
    const refused = async (words: string, question: RegExp) => {
      const { status, stdout, stderr } = await ask(words, 'n');
      assert.match(stderr, question, words);
      assert.deepEqual([status, stdout, /NOT_CONFIRMED/.test(stderr)], [1, '', true], stderr);
    };
    const money = async () =>
      JSON.stringify([
        await db.query('select id, state from payouts order by id'),
        await db.query('select id from movements order by id'),
        await db.query('select environment_id, link from journal_entries order by 1, 2'),
        await db.query('select id from payout_files'),
        await db.query('select used_as, subject from bank_statement_lines'),
      ]);

    const of = `--payment-service ${environment.paymentServiceId}`;
    const file = `payout file --format santander --account 123456789 --out ${folder} ${of}`;
    const lines = join(folder, 'cartola.csv');
    const day = dayOf(app.now());
    writeFileSync(lines, `Fecha;Descripción;Cargos;Abonos\n${day};ARRIENDO;6.000;\n${day};ABONO;;7.000`);
    const take = `statement import ${lines} --account 123456789`;
    const wishes = [wish({ amount: 1000 }), wish({ amount: 2000 }), wish({ amount: 4000 })];
    const [one, two, three] = await propose(app, desk, wishes);
    await cancelPayouts(app, { owner: environment, by, named: { ids: [two?.id ?? ''] }, reason: 'error' });
    const before = await money();
    await refused(file, /^Write 2 payouts of \$35\.000 CLP in all into files for santander\? /);
    await refused(
      `payout sender set simulated ${of}`,
      /^Let approved payouts of development leave by simulated, and 2 payouts of \$35\.000 CLP in all at once\? /,
    );
    await refused(
      `payout return TEF-1 ${of} --reason error`,
      /^Take back payout TEF-1 of \$5\.000 CLP in development\? /,
    );
    await refused(
      `books resolve --transaction ${late.id} --decision kept --reason error`,
      /^Decide that \$[\d.]+ CLP of transaction \d+ in suspense is kept\? It stays\. /,
    );
    await refused(`payout approve ${one?.id} ${one?.id}`, /Approve 1 payout of \$1\.000 CLP in all\? /);
    if (one !== undefined) await setAccountType(app, one, 'sight', desk.approver);
    await refused(
      `payout approve ${one?.id}`,
      new RegExp(`^Account type sight: ${one?.reference}\nApprove 1 payout of `, 'm'),
    );
    await refused(
      `batch approve ${one?.batch_id}`,
      new RegExp(
        `^Account type sight: (${one?.reference}, ${three?.reference}|${three?.reference}, ${one?.reference})\nApprove 2 payouts of `,
        'm',
      ),
    );
    await refused(`batch approve ${one?.batch_id}`, /Approve 2 payouts of \$5\.000 CLP in all\? /);
    const nothing = (await ask(`batch submit ${left?.batch_id}`, 'n')).stderr;
    assert.ok(nothing.includes('PAYOUT_STATE') && !nothing.includes('[y/N]'), nothing);
    await refused(take, /^Take over 2 lines \(charges \$6\.000 CLP, credits \$7\.000 CLP\) of cartola\.csv\? /);
    assert.equal(await money(), before);

    const { stdout } = await ask(`${take} --yes --json`, '');
    const { id } = JSON.parse(stdout) as { id: string };
    const resolve = `statement resolve ${id} --use other --reason arriendo`;
    await refused(`${resolve} --line 2`, /^Decide that 1 line \(charges \$6\.000 CLP, credits \$0 CLP\) is other\? /);
    await refused(resolve, /^Decide that 2 lines \(charges \$6\.000 CLP, credits \$7\.000 CLP\) is other\? /);
    assert.match((await ask(resolve, 'y')).stdout, /^2 lines are other now\.\n$/);
    await refused(
      `statement resolve ${id} --line 3 --use deposit --from-merchant ${of} --reason aporte`,
      /^Book 1 line \(charges \$0 CLP, credits \$7\.000 CLP\), which is other \(arriendo, [^)]+\) as a new deposit\? \[/,
    );
    writeFileSync(lines, `Fecha;Descripción;Cargos;Abonos\n${day};TRANSFERENCIA;5.000;\n${day};ABONO;;8.000`);
    const { id: second } = JSON.parse((await ask(`${take} --yes --json`, '')).stdout) as { id: string };
    await refused(
      `statement resolve ${second} --line 2 --use payout --to-merchant ${of} --reason abono`,
      /^Book 1 line .* as a new payout\? Its note: a payout to the merchant could be meant\. \[/,
    );

    const made = (await ask(`${file} --yes`, '')).stdout;
    const [, next = ''] = /: bin\/rubrica payout result FILE --file (pf_\w+) --as EMAIL\n$/.exec(made) ?? [];
    assert.ok(made.includes(`(${next})`), 'the next command has the name of the file');
    const results = join(folder, 'resultados.csv');
    writeFileSync(results, 'RUT;Monto;Estado\n12.531.909-2;15.000;Pagado');
    await refused(
      `payout result ${results} --file ${next}`,
      /^Take over what the bank says of 1 payout of \$15\.000 CLP in all\? /,
    );
    // Without a terminal the command does not ask, because a script has said what it wants.
    const quiet = await runCommand([...`payout return TEF-1 ${of} --reason error`.split(' '), ...as], { env });
    assert.deepEqual([quiet.status, quiet.stderr], [0, '']);
  });

  test('write no bank file when the approved payouts change before the answer', async (context) => {
    const db = await openTestDatabase();
    const app = createTestApp(db, { now: createTestClock(Date.now()) });
    const desk = await openPayoutDesk(app);
    await approved(app, desk, [wish({ amount: 15_000 })]);
    const { folder, env } = commandStore(context, db);
    const words = `payout file --format santander --account 123456789 --out ${folder} --payment-service ${desk.environment.paymentServiceId}`;
    const answer = async () => {
      await approved(app, desk, [wish({ amount: 20_000 })]);
      return 'y';
    };
    const as = ['--as', desk.users.maker.email];
    const { status, stderr } = await runCommand([...words.split(' '), ...as], { env, answers: [answer] });
    assert.match(stderr, /^Write 1 payout of \$15\.000 CLP in all into files for santander\? /);
    assert.match(stderr, /PAYOUT_STATE.* The approved payouts or the day have changed since they were shown/);
    assert.equal(status, 1);
    assert.deepEqual(await db.query('select id from payout_files'), []);
  });

  test('decide about the money in suspense that the question named, and leave what came before the answer', async (context) => {
    const db = await openTestDatabase();
    const app = createTestApp(db, { now: createTestClock(Date.now()) });
    const late = await createTestTransaction(app, await createTestEnvironment(app), { amount: 5001 });
    const attempts: PaymentAttempt[] = [];
    for (let attempt = 0; attempt < 2; attempt++) {
      app.now.advance(1);
      await startPayment(app, late, 'simulated');
      attempts.push((await selectLatestAttempt(db, late)) as PaymentAttempt);
    }
    await cancelTransaction(app, late);
    const [first, second] = attempts as [PaymentAttempt, PaymentAttempt];
    const pay = (attempt: PaymentAttempt) => settlePayment(app, attempt, { kind: 'approved', detail: {} });
    await pay(first);
    const { env } = commandStore(context, db);
    const answer = async () => {
      await pay(second);
      return 'y';
    };
    const words = `books resolve --transaction ${late.id} --decision kept --reason seen`.split(' ');
    const { stdout, stderr } = await runCommand(words, { env, answers: [answer] });
    assert.match(stderr, /^Decide that \$5\.001 CLP of transaction \d+ in suspense is kept\? It stays\. /);
    assert.match(stdout, /^\$5\.001 CLP of transaction \d+ are resolved: kept\.\n$/);
    const [open, decided] = await selectSuspense(db, 10);
    assert.deepEqual([open?.entry, open?.decision, decided?.decision], ['2.0', null, 'kept']);
  });

  test('decide nothing about the unknown lines of a statement that has more of them before the answer', async (context) => {
    const db = await openTestDatabase();
    const app = createTestApp(db, { now: createTestClock(Date.now()) });
    const { environment, maker: by, users } = await openPayoutDesk(app);
    const lines = [-700, 7000].map((amount, at) => ({ line: at + 2, day: dayOf(app.now()), amount, text: 'VARIOS' }));
    const evidence = { name: 'cartola.csv', sha256: '00', bytes: 1, excerpt: '' };
    const account = { environment: 'development' as const, paymentServiceId: null, account: '123456789' };
    const { id } = await importStatement(app, { ...account, evidence, by }, { lines, proof: 'nothing' });
    const target = { paymentServiceId: environment.paymentServiceId, environment: environment.environment };
    const wanted = { kind: 'deposit', amount: 7000, commission: 0, currency: 'CLP', paymentMethod: null } as const;
    const recorded = await recordMovement(app, target, { ...wanted, reference: 'AB-1', by });
    assert.ok(recorded.kind === 'recorded');
    const say = (is: LineSubject) =>
      resolveLine(app, { statementId: id ?? '', fileLine: 3, is, reason: 'seen at the bank', by });
    await say({ use: 'deposit', deposit: { id: recorded.movement.id } });
    const { env } = commandStore(context, db);
    const answer = async () => {
      await say({ use: 'suspense' });
      return 'y';
    };
    const words = `statement resolve ${id} --use other --reason arriendo --as ${users.maker.email}`.split(' ');
    const { status, stderr } = await runCommand(words, { env, answers: [answer] });
    assert.match(stderr, /^Decide that 1 line \(charges \$700 CLP, credits \$0 CLP\) is other\? /);
    assert.match(stderr, /The lines have changed since they were shown/);
    assert.equal(status, 1);
    const open = await readLines(app, id ?? '', 'suspense');
    assert.equal(open.length, 2);
  });
});
