import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { dayOf } from '../../src/lib/calendar-day.ts';
import { makePayoutFiles } from '../../src/payouts/files/make-payout-files.ts';
import { commandStore } from '../support/command-store.ts';
import { forEachEngine } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
import { createTestApp, createTestClock } from '../support/test-app.ts';
import { approved, openPayoutDesk, wish } from '../support/test-payouts.ts';

forEachEngine('statement commands', (openTestDatabase) => {
  test('import, show and resolve a statement; one that contradicts itself changes nothing', async (context) => {
    const db = await openTestDatabase();
    // The commands use the clock of the machine.
    const app = createTestApp(db, { now: createTestClock(Date.now()) });
    const desk = await openPayoutDesk(app);
    const [payout] = await approved(app, desk, [wish({ amount: 15_000 })]);
    const payer = { account: '123456789', rut: '', name: '', agreement: '' };
    const files = { owner: desk.environment, by: desk.maker, format: 'santander', payer, batchId: null };
    await makePayoutFiles(app, files);
    const { folder, env } = commandStore(context, db);
    const run = async (...words: string[]) => {
      const { status, stdout, stderr } = await runCommand([...words, '--json'], { env });
      return { status, stderr, json: (stdout.startsWith('{') ? JSON.parse(stdout) : {}) as Record<string, unknown> };
    };
    const as = ['--as', desk.users.maker.email];
    const file = join(folder, 'cartola.csv');
    const day = dayOf(app.now());
    const write = (balance: string) =>
      writeFileSync(
        file,
        `Fecha;Descripción;Cargos;Abonos;Saldo\n${day};TEF 12.531.909-2;15.000;;985.000\n${day};ARRIENDO;5.000;;${balance}`,
      );
    write('990.000');
    const take = () => run('statement', 'import', file, '--account', '123456789', ...as);
    const refused = await take();
    assert.deepEqual([refused.status, (await db.query('select id from bank_statements')).length], [1, 0]);
    assert.match(refused.stderr, /balance of line/);
    write('980.000');
    const { json: taken } = await take();
    assert.deepEqual(
      [taken['settled'], taken['uses'], taken['proof']],
      [[payout?.id], { payout: 1, return: 0, deposit: 0, suspense: 1, other: 0 }, 'balance'],
    );
    const id = String(taken['id']);
    assert.deepEqual([(await take()).json['known'], (await take()).json['id']], [2, id]);
    const { json: again } = await run('statement', 'import', file, '--account', '1-234.567-89', ...as);
    assert.deepEqual([again['known'], again['id']], [2, id], 'an account number is read as a person writes it');
    const { json: shown } = await run('statement', 'show', id, '--open');
    assert.deepEqual(
      (shown['lines'] as { line: number; use: string }[]).map(({ line, use }) => [line, use]),
      [[3, 'suspense']],
    );
    const mistyped = async (statement: string, line: string, of: 'payout' | 'deposit') => {
      const named = ['--line', line, '--use', of, `--${of}`, 'mv_x', '--reason', 'x', ...as];
      const { stderr } = await run('statement', 'resolve', statement, ...named);
      assert.match(stderr, new RegExp(`^NOT_FOUND: There is no ${of} mv_x: bin/rubrica ${of} list\n$`));
    };
    await mistyped(id, '3', 'payout');
    const none = await run('statement', 'resolve', id, '--line', '99', '--use', 'other', '--reason', 'x', ...as);
    assert.match(
      none.stderr,
      /^NOT_FOUND: That line is explained already, or the statement has no such line: `bin\/rubrica statement show st_\w+ --open` lists those/,
    );
    const resolved = await run('statement', 'resolve', id, '--use', 'other', '--reason', 'arriendo', ...as);
    assert.equal(resolved.status, 0);
    const { stdout: nothingOpen } = await runCommand(['statement', 'show', id, '--open'], { env });
    assert.match(nothingOpen, /^cartola\.csv, .*:\nNo line is in suspense\.\n$/);
    const { json: listed } = await run('statement', 'list');
    const [one] = listed['statements'] as { open: number; account: string }[];
    assert.deepEqual([one?.open, one?.account], [0, '…6789']);
    await mistyped(id, '3', 'payout');
    const merchant = ['--use', 'payout', '--to-merchant', '--payment-service', desk.environment.paymentServiceId];
    const ownerless = ['--line', '3', '--use', 'payout', '--to-merchant', '--reason', 'cargo'];
    const { stderr: whose } = await run('statement', 'resolve', id, ...ownerless, ...as);
    assert.match(whose, /^PAYMENT_SERVICE_AMBIGUOUS: .* or --payment-service ID\./);
    const corrected = await run('statement', 'resolve', id, '--line', '3', ...merchant, '--reason', 'cargo', ...as);
    assert.deepEqual([corrected.status, (corrected.json['lines'] as { use: string }[])[0]?.use], [0, 'payout']);
    const earlier = { use: 'other', reason: 'arriendo', resolved_by: desk.users.maker.email };
    assert.deepEqual(corrected.json['replaced'], earlier, 'the earlier decision is shown');
    const wrong = ['--use', 'suspense', '--reason', 'de otro pago', ...as];
    assert.match((await run('statement', 'resolve', id, ...wrong)).stderr, /suspense needs --line/);
    const again3 = await run('statement', 'resolve', id, '--line', '3', ...wrong);
    const undo = `payout return ${id}/3 --payment-service ${desk.environment.paymentServiceId} --environment development`;
    assert.match(again3.stderr, new RegExp(`^PAYOUT_STATE: .* was booked with this line\\. .*: bin/rubrica ${undo}\n`));
    const { stdout: reopened } = await runCommand(['statement', 'resolve', id, '--line', '2', ...wrong], { env });
    assert.equal(
      reopened,
      `The line is in suspense: bin/rubrica statement resolve ${id} --line 2 --use USE --reason TEXT\n`,
    );
    writeFileSync(file, `Fecha;Descripción;Cargos;Abonos\n${day};ABONO;0;5.000\n`);
    const { stdout } = await runCommand(['statement', 'import', file, '--account', '987654321', ...as], { env });
    assert.match(stdout, /^1 line, and it has no balances or totals to check; 0 had come with another file\.\n/);
    assert.match(stdout, /\nNew: 0 payouts, 0 returns, 0 deposits, 1 in suspense\.\n/);
    const second = /show (st_\w+)/.exec(stdout)?.[1] ?? '';
    await mistyped(second, '2', 'deposit');
    const ofMerchant = ['--use', 'deposit', '--from-merchant', '--payment-service', desk.environment.paymentServiceId];
    const kept = ['--line', '2', ...ofMerchant, '--commission', '500', '--reason', 'abono', ...as];
    assert.match((await run('statement', 'resolve', second, ...kept)).stderr, /^INVALID_OPTION: --commission is for/);
    const paid = await db.query("select amount from journal_entries where kind in ('paid_in', 'commission')");
    assert.deepEqual(paid, [], 'no merchant is credited with more than it paid in');
    const target = ['--payment-service', desk.environment.paymentServiceId, '--environment', 'development'];
    const paidIn = ['--from-merchant', '--amount', '6000', '--currency', 'CLP', '--reference', 'TRF-0116'];
    assert.equal((await run('deposit', 'create', ...paidIn, ...target)).status, 0);
    writeFileSync(file, `Fecha;Descripción;Cargos;Abonos\n${day};TRF-0116;0;6.000\n`);
    const { json: matched } = await run('statement', 'import', file, '--account', '987654321', ...as);
    const came = await run('deposit', 'return', 'TRF-0116', '--reason', 'x', ...target, ...as);
    const how = `bin/rubrica statement resolve ${String(matched['id'])} --line 2 --use suspense --reason TEXT\n`;
    assert.match(came.stderr, new RegExp(`^PAYOUT_STATE: An import matched line 2 of .*: ${how}`));
    const rows = await db.query("select actor, action from audit_log where action like 'statement.%' order by link");
    const { email } = desk.users.maker;
    assert.deepEqual(
      rows.map(({ actor, action }) => [actor, action]),
      [
        [email, 'statement.imported'],
        [email, 'statement.line_resolved'],
        [email, 'statement.line_resolved'],
        [email, 'statement.line_reopened'],
        [email, 'statement.imported'],
        [email, 'statement.imported'],
      ],
    );
  });
});
