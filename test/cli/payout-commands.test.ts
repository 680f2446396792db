import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { listAttention } from '../../src/attention/list-attention.ts';
import type { Tx } from '../../src/db/database.ts';
import { dayOf } from '../../src/lib/calendar-day.ts';
import { cancelPayouts } from '../../src/payouts/approval/decide-payouts.ts';
import { setAccountType } from '../../src/payouts/files/set-account-type.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import { payableBalance } from '../../src/payouts/payout-balance.ts';
import { lockPayouts } from '../../src/payouts/payout-queries.ts';
import { recordContradiction } from '../../src/payouts/settling/record-contradiction.ts';
import { transitionPayouts } from '../../src/payouts/transition-payouts.ts';
import { runChild } from '../support/child-process.ts';
import { commandStore } from '../support/command-store.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { makeWorkbook } from '../support/make-workbook.ts';
import { pastMidnight } from '../support/past-midnight.ts';
import { runCommand } from '../support/run-command.ts';
import { createTestApp, createTestClock } from '../support/test-app.ts';
import { openPayoutDesk, propose, wish } from '../support/test-payouts.ts';
import { untilQueued } from '../support/until-queued.ts';

const CSV = [
  'RUT;Banco;Cuenta;Nombre;Monto;Glosa;Correo',
  '12.531.909-2;BancoEstado;12531909;Ana Núñez;15000;Factura 1;ana@example.cl',
  '11.111.111-1;1;00990011223;Pedro Soto;20000;Factura 2;',
  ';;;;35000;TOTAL;',
].join('\n');

/** A sheet with a hidden row, as a filter leaves it. */
const HIDING = `<worksheet><sheetData>${CSV.split('\n')
  .map((line, at) => {
    const cells = line.split(';').map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`);
    return `<row r="${at + 1}"${at === 2 ? ' hidden="1"' : ''}>${cells.join('')}</row>`;
  })
  .join('')}</sheetData></worksheet>`;

type Printed = {
  batch: string;
  total: number;
  replayed: boolean;
  payouts: { id: string; account: string; state: string }[];
};

async function setUp(context: TestContext, openTestDatabase: OpenTestDatabase) {
  const db = await openTestDatabase();
  // The commands use the clock of the machine.
  const app = createTestApp(db, { now: createTestClock(Date.now()) });
  const desk = await openPayoutDesk(app);
  const { folder, env } = commandStore(context, db);
  const file = join(folder, 'nomina.csv');
  writeFileSync(file, CSV);
  const run = async (...words: string[]) => {
    const { status, stdout, stderr } = await runCommand(words, { env });
    return { status, stdout, stderr, json: (stdout.startsWith('{') ? JSON.parse(stdout) : null) as never };
  };
  const as = (who: 'maker' | 'approver') => ['--json', '--as', desk.users[who].email];
  const propose = (path = file) =>
    run('payout', 'propose', path, '--payment-service', desk.environment.paymentServiceId, ...as('maker'));
  return { app, db, env, desk, folder, file, run, as, propose };
}

forEachEngine('payout commands', (openTestDatabase) => {
  test('turn a file into a batch that another person approves, and record each person in the audit log', async (context) => {
    const { db, desk, file, run, as, propose } = await setUp(context, openTestDatabase);
    const made = (await propose()).json as Printed;
    assert.deepEqual([made.total, made.payouts.length, made.replayed], [35_000, 2, false]);
    assert.equal(((await propose()).json as Printed).replayed, true);
    const words = ['payout', 'propose', file, '--payment-service', desk.environment.paymentServiceId];
    const said = await run(...words, '--as', desk.users.maker.email);
    assert.match(said.stdout, new RegExp(`proposed before\\.\nbin/rubrica batch approve ${made.batch} --as EMAIL\n$`));
    const detail = await run('payout', 'show', made.payouts[0]?.id ?? '');
    assert.match(
      detail.stdout,
      / state +awaiting approval\n/,
      'a sentence has words, a list the code that --state takes',
    );
    assert.doesNotMatch(detail.stdout, /savings/);
    const { id: one = '' } = made.payouts[0] ?? {};
    await run('payout', 'account-type', one, 'savings', '--as', desk.users.maker.email);
    assert.match((await run('payout', 'show', one)).stdout, / account +\S+ at \d{3}, savings\n/);
    assert.match((await run('batch', 'list')).stdout, / \d awaiting approval /);
    const own = await run('batch', 'approve', made.batch, ...as('maker'));
    assert.deepEqual(
      [own.status, (own.json as { code: string } | null)?.code ?? own.stderr.includes('PERMISSION')],
      [1, true],
    );
    assert.match(own.stderr, /^PERMISSION_MISSING: You proposed it yourself.*another person approves it/);
    const { json } = await run('batch', 'approve', made.batch, '--reason', 'nomina', ...as('approver'));
    assert.deepEqual([(json as { state: string }).state, (json as { total: number }).total], ['approved', 35_000]);
    const [first = { id: '' }] = made.payouts;
    const cancelled = await run('payout', 'cancel', first.id, '--reason', 'x', '--as', desk.users.maker.email);
    assert.match(cancelled.stdout, /^1 payout of \$\d+\.000 CLP in all, cancelled\.\n$/);
    const shown = (await run('payout', 'show', first.id, '--json')).json as {
      state: string;
      reason: string;
      amount: number;
    };
    assert.deepEqual([shown.state, shown.reason], ['cancelled', 'x']);
    const listed = (await run('payout', 'list', '--state', 'approved', '--json')).json as Printed;
    const other = (await run('payment-service', 'create', '--name', 'Otra', '--json')).json as { id: string };
    const of = async (id: string, ...more: string[]) =>
      ((await run('payout', 'list', '--payment-service', id, '--json', ...more)).json as Printed).payouts.length;
    assert.deepEqual([await of(desk.environment.paymentServiceId), await of(other.id)], [2, 0]);
    assert.equal(await of(desk.environment.paymentServiceId, '--state', 'cancelled'), 1);
    assert.equal(await of(desk.environment.paymentServiceId, '--amount', String(shown.amount)), 1);
    assert.equal(await of(desk.environment.paymentServiceId, '--amount', '35000'), 0);
    assert.match((await run('payout', 'list', '--payment-service', 'ps_x')).stderr, /^NOT_FOUND: .*ps_x/);
    assert.equal((await run('payout', 'list', '--payment-service', other.id)).stdout, 'There is no such payout.\n');
    assert.equal(listed.payouts.length, 1);
    const ended = await run(...words, '--as', desk.users.maker.email);
    assert.match(ended.stdout, new RegExp(`proposed before\\.\nbin/rubrica batch show ${made.batch}\n$`));
    const rows = await db.query("select actor, action from audit_log where action like 'payout.%' order by link");
    const { maker, approver } = desk.users;
    assert.deepEqual(
      rows.map(({ actor, action }) => [actor, action]),
      [
        [maker.email, 'payout.proposed'],
        [maker.email, 'payout.account_type_set'],
        [approver.email, 'payout.approved'],
        [maker.email, 'payout.cancelled'],
      ],
    );
    const log = JSON.stringify(await db.query('select * from audit_log'));
    assert.doesNotMatch(log, /12531909|990011223|Núñez/);
  });

  test('approve nothing if a payout or an account type changes during the question, until it is asked again', async (context) => {
    const { app, desk, env } = await setUp(context, openTestDatabase);
    const { environment: owner, maker: by } = desk;
    const [first, second] = (await propose(app, desk, [wish(), wish()])) as [Payout, Payout];
    const words = ['batch', 'approve', first.batch_id as string, '--as', desk.users.approver.email];
    const approve = (meanwhile: () => Promise<unknown>) => {
      const answer = () => meanwhile().then(() => 'y');
      return runCommand(words, { env, answers: [answer] });
    };
    const changes = [
      () => setAccountType(app, second, 'savings', by),
      () => cancelPayouts(app, { owner, named: { ids: [first.id] }, by, reason: 'repetido' }),
    ];
    for (const change of changes)
      assert.match((await approve(change)).stderr, /PAYOUT_STATE.*have changed since they were shown/);
    assert.match((await approve(async () => {})).stdout, /^1 payout of \$10\.000 CLP in all, approved\.\n$/);
  });

  test('warn when each payout of a file is covered, but not their sum', async (context) => {
    const { app, desk, file, run, propose } = await setUp(context, openTestDatabase);
    const covered = (await propose()).json as Printed & { warnings: unknown[] };
    assert.deepEqual(covered.warnings, []);
    const half = Math.ceil(Number(await payableBalance(app, desk.environment.id)) / 2) + 1;
    const row = (n: number) => `12.531.909-2;BancoEstado;12531909;Ana Núñez;${half};Factura ${n};ana@example.cl`;
    writeFileSync(file, [CSV.split('\n')[0], row(1), row(2)].join('\n'));
    const made = (await propose()).json as typeof covered;
    assert.match(JSON.stringify(made.warnings), /NOT_COVERED.*in all, and only .* are available/);
    assert.doesNotMatch(JSON.stringify(made.payouts), /NOT_COVERED/);
    const { paymentServiceId } = desk.environment;
    const said = await run('payout', 'propose', file, '--payment-service', paymentServiceId, '--as', desk.maker.name);
    assert.match(said.stdout, /\n! .* in all, and only .* are available: not all can be approved now\.\n/);
  });

  test('name approved payouts beside their entries in reconcile and books list', async (context) => {
    await pastMidnight();
    const { run, as, propose } = await setUp(context, openTestDatabase);
    const made = (await propose()).json as Printed;
    await run('batch', 'approve', made.batch, ...as('approver'));
    type Line = { kind: string; reference: string; payout_id: string };
    const whole = ['reconcile', '--date', dayOf(Date.now()), '--environment', 'development'];
    const { lines } = (await run(...whole, '--json')).json as { lines: Line[] };
    const reserved = lines.filter(({ kind }) => kind === 'payout_reserved');
    assert.deepEqual(
      reserved.map(({ payout_id }) => payout_id).toSorted(),
      made.payouts.map(({ id }) => id).toSorted(),
    );
    const shown = (await run('payout', 'list', '--json')).json as { payouts: { id: string; reference: string }[] };
    const csv = (await run(...whole, '--csv')).stdout;
    const entries = (await run('books', 'list')).stdout;
    for (const { id, reference } of shown.payouts) {
      assert.equal(reserved.find(({ payout_id }) => payout_id === id)?.reference, reference);
      assert.match(csv, new RegExp(`,payout_reserved,,${reference},,,-\\d+,CLP,${id},`));
      assert.match(entries, new RegExp(` payout_reserved +${id} `));
    }
  });

  test('read a workbook like a CSV, and name the line of a bad row', async (context) => {
    const { folder, propose } = await setUp(context, openTestDatabase);
    const rows = CSV.split('\n').map((line) => line.split(';'));
    const path = join(folder, 'nomina.xlsx');
    writeFileSync(path, await makeWorkbook([{ name: 'Nomina', rows }]));
    assert.equal(((await propose(path)).json as Printed).total, 35_000);
    const asDay = rows.map((row) =>
      row.map((cell) => (cell === '00990011223' ? { value: 1_234_567, format: 1 } : cell)),
    );
    writeFileSync(path, await makeWorkbook([{ name: 'Nomina', rows: asDay }]));
    assert.match((await propose(path)).stderr, /\nLine 3: A spreadsheet has destroyed this account number/);
    const english = join(folder, 'payroll.csv');
    writeFileSync(english, CSV.replace(/^.*/, 'RUT;bank;account;name;amount;message;e-mail'));
    const { total, payouts } = (await propose(english)).json as Printed;
    assert.deepEqual([total, payouts.length], [35_000, 2], 'a file with the columns in the help is read');
    const bad = join(folder, 'bad.csv');
    writeFileSync(bad, CSV.replace('12.531.909-2', '12.531.909-3').replace(';20000;', ';20.000;'));
    const refused = await propose(bad);
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /\nLine 3: The amount cannot be paid/);
    const [, ...details] = refused.stderr.trimEnd().split('\n');
    const error = { code: 'INVALID_PAYOUT', message: 'Nothing was proposed.', details };
    assert.deepEqual(refused.json, { error }, 'JSON has every refused row too');
    writeFileSync(bad, CSV.replace('12.531.909-2', '12531909').replace('00990011223', '9,90011E+10'));
    const untold = await propose(bad);
    assert.match(
      untold.stderr,
      /Line 2: .* Write the RUT with its hyphen, such as 12345678-5\.\nLine 3: A spreadsheet has/,
    );
    writeFileSync(bad, CSV.replace('12.531.909-2', '12.531.909-3').replace('00990011223', '900000000002'));
    const { stderr } = await propose(bad);
    assert.match(
      stderr,
      /Line 2: The check character does not fit the number: .*\nLine 3: The account does not match the recipient: /,
    );
    const [titles, row = ''] = CSV.replace('12.531.909-2', '12.531.909-3').split('\n');
    writeFileSync(bad, `${titles}\n${`${row}\n`.repeat(53)}`);
    assert.match((await propose(bad)).stderr, /\nLine 51: .*\nand 3 more\n$/);
    writeFileSync(bad, CSV.replace('Ana Núñez', 'Ana\tNúñez'));
    assert.match((await propose(bad)).stderr, /Line 2: The name cannot be used\. Write it on one line, without tabs/);
    writeFileSync(bad, CSV.replace('Ana Núñez', 'Totalpack Ltda.'));
    assert.equal(((await propose(bad)).json as Printed).total, 35_000, 'a payee named Totalpack is paid');
    const hiding = { 'xl/worksheets/sheet1.xml': HIDING };
    writeFileSync(path, await makeWorkbook([{ name: 'Nomina', rows }], hiding));
    assert.match(
      (await propose(path)).stderr,
      /^INVALID_PAYOUT: The spreadsheet hides these rows, [^:]*: 3\. Show them /,
    );
    const sheets = ['Enero', 'Febrero', 'Vacía', 'Oculta'].map((name, at) => ({
      name,
      hidden: at === 3,
      rows: at === 2 ? rows.slice(0, 1) : rows,
    }));
    writeFileSync(path, await makeWorkbook(sheets));
    assert.match(
      (await propose(path)).stderr,
      /^INVALID_PAYOUT: More than one sheet has such a table: Enero, Febrero\. /,
    );
    writeFileSync(bad, CSV.replace('ana@example.cl', 'ana@, pedro@example.cl'));
    assert.match((await propose(bad)).stderr, /Line 2: The e-mail cannot be used/, 'a wrong e-mail address is refused');
  });

  test('read a file from a pipe', async (context) => {
    const { env, desk, file } = await setUp(context, openTestDatabase);
    const words = ['payout', 'propose', '--payment-service', desk.environment.paymentServiceId, '--json', '--as'];
    const propose = `"$0" "$@" <(cat '${file}')`;
    const main = join(import.meta.dirname, '../../src/main.ts');
    const whole = ['-c', propose, process.execPath, main, ...words, desk.users.maker.email];
    const { stdout, stderr } = await runChild('bash', whole, { env: { ...env, PATH: process.env['PATH'] } });
    assert.equal((JSON.parse(stdout) as Printed).total, 35_000, stderr);
  });

  test('accept the bank’s results for a file whose stored bytes were altered', async (context) => {
    const { app, desk, folder, run, as, propose } = await setUp(context, openTestDatabase);
    const { batch } = (await propose()).json as Printed;
    await run('batch', 'approve', batch, ...as('approver'));
    const of = ['--payment-service', desk.environment.paymentServiceId, '--out', folder];
    const wish = ['payout', 'file', '--format', 'santander', '--account', '123456789', ...of, ...as('maker')];
    const { files } = (await run(...wish)).json as { files: { id: string }[] };
    await app.db.transaction((tx) => tx.query("update payout_files set sealed_content = 'x'"));
    const result = join(folder, 'resultados.csv');
    writeFileSync(result, 'RUT;Monto;Estado\n12.531.909-2;15.000;Pagado');
    const taken = await run('payout', 'result', result, '--file', files[0]?.id ?? '', ...as('maker'));
    assert.deepEqual(
      [taken.status, (taken.json as { settled: object[] } | null)?.settled.length],
      [0, 1],
      taken.stderr,
    );
  });

  test('say of a bank file in development that its payouts are tests', async (context) => {
    const { desk, folder, run, as, propose } = await setUp(context, openTestDatabase);
    const made = (await propose()).json as Printed;
    await run('batch', 'approve', made.batch, ...as('approver'));
    const of = ['--payment-service', desk.environment.paymentServiceId, '--format', 'santander'];
    const payer = ['--account', '123456789', '--out', folder, '--as', desk.users.maker.email];
    const { stdout, stderr } = await run('payout', 'file', ...of, ...payer);
    assert.match(stdout, /\nThese payouts are tests, of development\. Do not take the file to a bank/, stderr);
  });

  test('refuse a missing folder for files, and after a failed write name the command that writes the file again', async (context) => {
    const { db, desk, folder, run, as, propose } = await setUp(context, openTestDatabase);
    const made = (await propose()).json as Printed;
    await run('batch', 'approve', made.batch, ...as('approver'));
    const of = ['--payment-service', desk.environment.paymentServiceId, '--format', 'santander'];
    const write = (out: string) => run('payout', 'file', ...of, '--account', '123456789', '--out', out, ...as('maker'));
    const states = async () => (await db.query('select distinct state from payouts')).map(({ state }) => state);
    const refused = await write(join(folder, 'none'));
    assert.match(refused.stderr, /INVALID_OPTION: --out: there is no folder/);
    assert.deepEqual(await states(), ['approved']);
    const full = await write('/proc');
    const [, id = '', command = ''] =
      /is kept.*: bin\/rubrica payout files (pf_\w+)( --out) FILE/.exec(full.stderr) ?? [];
    assert.deepEqual([full.status, command, await states()], [1, ' --out', ['sent']], full.stderr);
    const path = join(folder, 'again.txt');
    const { status, json } = await run('payout', 'files', id, '--out', path, '--json');
    assert.equal(status, 0);
    assert.ok(readFileSync(path).length > 0);
    const [file] = (json as { files: Record<string, unknown>[] }).files;
    const { environment_id, created_at } = file ?? {};
    assert.deepEqual([environment_id, typeof created_at], [desk.environment.id, 'number'], 'as in 0.1.0, for scripts');
  });

  test('name every file that could not be written', async (context) => {
    const { desk, folder, run, as, propose } = await setUp(context, openTestDatabase);
    const path = join(folder, 'many.csv');
    const rows = Array.from(
      { length: 101 },
      (_, row) => `11.111.111-1;1;00990011223;Pedro Soto;${2_000 + row};${row};`,
    );
    writeFileSync(path, [CSV.split('\n', 1)[0], ...rows].join('\n'));
    const made = (await propose(path)).json as Printed;
    await run('batch', 'approve', made.batch, ...as('approver'));
    const of = ['--payment-service', desk.environment.paymentServiceId, '--format', 'bancochile-masivas'];
    const payer = ['--account', '123456789', '--rut', '76123456-0', '--out', '/proc'];
    const { stderr } = await run('payout', 'file', ...of, ...payer, ...as('maker'));
    assert.equal(stderr.match(/bin\/rubrica payout files pf_\w+ --out FILE/g)?.length, 2, stderr);
  });

  test('book the money of a contradicted failed payout as attention says, and end the contradiction with clear', async (context) => {
    const { app, db, desk, file, run, as, propose } = await setUp(context, openTestDatabase);
    const made = (await propose()).json as Printed;
    const [{ id } = { id: '' }] = made.payouts;
    await run('batch', 'approve', made.batch, ...as('approver'));
    const owner = desk.environment;
    await app.db.transaction((tx) => transitionPayouts(tx, owner, { ids: [id], to: 'sent', at: Date.now() }));
    const seen = ['--evidence', file, '--reason', 'the bank says so', ...as('maker')];
    for (const outcome of ['failed', 'confirmed']) await run('payout', 'settle', id, '--outcome', outcome, ...seen);
    const reasonOf = async () => (await listAttention(app, 'payout', 10)).map(({ reason }) => reason);
    const [, words = ''] = /bin\/rubrica (payout create [^.]+)\./.exec((await reasonOf()).join()) ?? [];
    const booked = await run(...words.split(' '), '--yes', ...as('maker'));
    assert.equal(booked.status, 0, booked.stderr);
    const recorded = await db.query("select reference, amount from movements where kind = 'payout'");
    assert.deepEqual(
      recorded.map(({ reference, amount }) => [reference, amount]),
      [[id, made.total - 20_000]],
    );
    assert.match(
      (await run('payout', 'clear', id, ...seen.filter((word) => word !== '--json'))).stdout,
      new RegExp(`^${id} is in "Refused by the bank" \\(failed\\); nothing contradicts it now\\.\n$`),
    );
    assert.deepEqual(await reasonOf(), []);
    const again = await run('payout', 'settle', id, '--outcome', 'failed', ...seen.filter((word) => word !== '--json'));
    assert.equal(again.stdout, '1 payout was in that state already: nothing changed.\n');
  });

  test('settle shows what contradicts a payout, and refuses a contradiction that began since', async (context) => {
    const { app, db, env, desk, file, run, as, propose } = await setUp(context, openTestDatabase);
    const { payouts, batch } = (await propose()).json as Printed;
    const [{ id } = { id: '' }] = payouts;
    await run('batch', 'approve', batch, ...as('approver'));
    const owner = desk.environment;
    await app.db.transaction((tx) => transitionPayouts(tx, owner, { ids: [id], to: 'sent', at: Date.now() }));
    const words = [
      'payout',
      'settle',
      id,
      '--outcome',
      'confirmed',
      '--evidence',
      file,
      '--reason',
      'seen',
      ...as('maker'),
    ];
    const contradict = (tx: Tx) => recordContradiction(tx, { id, environment_id: owner.id }, 'returned', Date.now());
    // On SQLite a command waits before it reads the payout, or after: nobody can see which.
    if (db.engine === 'postgres') {
      const late = await app.db.transaction(async (tx) => {
        await lockPayouts(tx, { environmentId: owner.id, ids: [id] });
        const settling = run(...words);
        await untilQueued(db);
        await contradict(tx);
        return { settling };
      });
      assert.match((await late.settling).stderr, /^PAYOUT_STATE: .* has changed since it was shown\./);
    } else await app.db.transaction(contradict);
    const { stderr } = await runCommand(words, { env, input: 'n\n', isTTY: true });
    assert.match(stderr, new RegExp(`^${id} is "?[^"]+"?.*, and somebody says "[^"]+"\\. Say that ${id} of `));
  });
});
