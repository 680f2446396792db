import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { listAttention } from '../../src/attention/list-attention.ts';
import { compareWithBooks } from '../../src/books/compare-with-books.ts';
import { readSettlement } from '../../src/books/read-settlement.ts';
import { verifyBooks } from '../../src/books/verify-books.ts';
import { decidePayment } from '../../src/checkout/decide-payment.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import type { SqlRow, Tx } from '../../src/db/database.ts';
import { describeEvidence } from '../../src/lib/evidence-file.ts';
import { importPayments } from '../../src/movements/import-payments.ts';
import { planImport } from '../../src/movements/plan-import.ts';
import { resolveImported, resolveSuspense } from '../../src/movements/resolve-suspense.ts';
import type { PaymentOutcome } from '../../src/payment-methods/payment-method.ts';
import { lockFunds } from '../../src/payment-services/lock-funds.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import {
  approved,
  type CheckoutCase,
  openCheckout,
  openOtherProcess,
  readAttempt,
  readStates,
  scriptMethod,
} from '../checkout/checkout-case.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { leaveFor } from '../support/moving-shop.ts';
import { TESTER } from '../support/test-actor.ts';
import { acceptedRefund, refundingMethod } from '../support/test-refunds.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';
import { untilQueued } from '../support/until-queued.ts';

const HEAD = 'fecha;orden_compra;codigo_autorizacion;monto';

/** Opens an attempt with the answer `said` of its method. Returns its id. */
async function openAttempt(
  openTestDatabase: OpenTestDatabase,
  said: PaymentOutcome,
): Promise<CheckoutCase & { id: string }> {
  const opened = await openCheckout(openTestDatabase, { method: scriptMethod({ start: async () => said }) });
  await startPayment(opened.app, opened.transaction, 'scripted');
  return { ...opened, id: (await readAttempt(opened.app)).id };
}

type Importing = Pick<CheckoutCase, 'app' | 'environment'> & { compared?: readonly number[] };

function scopeOf({ environment, compared = [environment.id] }: Importing) {
  return { environmentId: environment.id, environment: environment.environment, method: 'scripted', compared };
}

/** A payment with a completed refund of 2000. `id`: of its attempt. */
async function openRefunded(openTestDatabase: OpenTestDatabase) {
  const method = { ...scriptMethod(), refunds: refundingMethod().refunds };
  const opened = await openCheckout(openTestDatabase, { method });
  const { app } = opened;
  await startPayment(app, opened.transaction, 'scripted');
  const { id } = await readAttempt(app);
  await acceptedRefund(app, opened.transaction, 2000);
  await carryOutRefunds(app, 10);
  return { opened, app, id };
}

async function plan(opened: Importing, ...lines: string[]) {
  const settlement = await readSettlement(Readable.from([[HEAD, ...lines].join('\n')]));
  return planImport(opened.app, scopeOf(opened), settlement);
}

async function carryOut(opened: Importing, ...lines: string[]) {
  const evidence = describeEvidence('settled.csv', Buffer.from(lines.join('\n')));
  const steps = await plan(opened, ...lines);
  return importPayments(opened.app, scopeOf(opened), steps, { evidence, by: TESTER });
}

/** Imports chargebacks. Returns what the import did with each line, and why. */
async function chargeBack(opened: Importing, ...lines: string[]): Promise<string[]> {
  const file = [`${HEAD};tipo`, ...lines.map((line) => `${line};Contracargo`)].join('\n');
  const steps = await planImport(opened.app, scopeOf(opened), await readSettlement(Readable.from([file])));
  const evidence = describeEvidence('settled.csv', Buffer.from(file));
  const done = await importPayments(opened.app, scopeOf(opened), steps, { evidence, by: TESTER });
  return done.map(({ does, note }) => `${does}: ${note}`);
}

const resultsOf = (steps: readonly { does: string }[]) => steps.map(({ does }) => does);

async function sumsOf({ app }: Pick<CheckoutCase, 'app'>): Promise<Record<string, number>> {
  const rows = await app.db.query<{ account: string; sum: number }>(
    'select account, cast(sum(debits - credits) as bigint) as sum from account_balances where debits <> credits group by account',
  );
  return Object.fromEntries(rows.map(({ account, sum }) => [account, sum]));
}

async function assertVerified({ app }: Pick<CheckoutCase, 'app'>): Promise<void> {
  const { problems, records, balances } = await verifyBooks(app);
  assert.deepEqual([problems, records, balances], [[], [], []]);
  assert.deepEqual((await verifyStore(app)).findings, []);
}

forEachEngine('importing payments of a settlement file', (openTestDatabase) => {
  test('settles the attempt of a buy order once, with the code of the file', async () => {
    const opened = await openAttempt(openTestDatabase, { kind: 'unknown' });
    const line = `15/01/2026;${opened.id};1213;12990`;
    const unnamed = [
      '15/01/2026;;1213;12990',
      '15/01/2026;;0;12990',
      '15/01/2026;;1213;12991',
      '09/01/2026;;1213;12990',
    ];
    const unanswered = ['left', 'left', 'suspense', 'suspense'];
    assert.deepEqual(resultsOf(await plan(opened, ...unnamed)), unanswered, 'the method may tell its code later');
    assert.deepEqual(resultsOf(await plan(opened, line)), ['settle']);
    assert.deepEqual((await readStates(opened.app)).attempts, ['unknown'], 'a preview changes nothing');
    assert.deepEqual(resultsOf(await carryOut(opened, line)), ['settle']);
    assert.deepEqual(await readStates(opened.app), {
      transaction: 'completed',
      attempts: ['approved'],
      events: ['created', 'completed'],
      callbacks: 1,
    });
    assert.match((await readAttempt(opened.app)).detail ?? '', /"authorization_code":"1213"/);
    assert.deepEqual(resultsOf(await carryOut(opened, line)), ['known']);
    assert.deepEqual(await sumsOf(opened), { 'method:scripted:receivable': 12_990, 'merchant:payable': -12_990 });
    await assertVerified(opened);
  });

  test('settles the attempt of a transaction id, only if the method has no buy orders', async () => {
    for (const without of [true, false]) {
      const scripted = scriptMethod({ start: async () => ({ kind: 'unknown' }) });
      const method = without ? { ...scripted, hasNoBuyOrders: true as const } : scripted;
      const opened = await openCheckout(openTestDatabase, { method });
      await startPayment(opened.app, opened.transaction, 'scripted');
      const line = `15/01/2026;${opened.transaction.id};1213;12990`;
      const { id } = await readAttempt(opened.app);
      assert.deepEqual(resultsOf(await plan(opened, line)), [without ? 'settle' : 'suspense']);
      assert.deepEqual(resultsOf(await carryOut(opened, without ? line : `15/01/2026;${id};1213;12990`)), ['settle']);
      assert.deepEqual((await readStates(opened.app)).attempts, ['approved']);
      const again = [line, `16/01/2026;${id};1213;12990`];
      assert.deepEqual(resultsOf(await plan(opened, ...again)), without ? ['known', 'known'] : ['suspense', 'known']);
      await assertVerified(opened);
    }
  });

  test('takes no line of a payment that was declined, and leaves one whose money went back to a person', async () => {
    const opened = await openAttempt(openTestDatabase, { kind: 'declined', detail: { authorization_code: '000000' } });
    const scope = scopeOf(opened);
    const planned = async (name: string, state: string) => {
      const file = `${HEAD};${name}\n15/01/2026;${opened.id};000000;12990;${state}\n15/01/2026;;0;12990;${state}\n`;
      return resultsOf(await planImport(opened.app, scope, await readSettlement(Readable.from([file]))));
    };
    const names = ['Estado', 'Estado Transacción', 'Status', 'Resultado', 'Tipo'];
    for (const name of names) {
      for (const state of [
        'Rechazada',
        'RECHAZADO por emisor',
        'Transacción rechazada',
        'Fallida',
        'FAILED',
        'No autorizada',
      ])
        assert.deepEqual(await planned(name, state), [], `${name} ${state}`);
    }
    for (const state of ['Anulada', 'Parcialmente anulada', 'Reversada', 'NULLIFIED', 'PARTIALLY_NULLIFIED'])
      assert.deepEqual(await planned('Estado', state), ['left', 'left'], state);
    for (const state of ['Aprobada', 'AUTHORIZED', 'Pagada', 'Pendiente de abono', ''])
      assert.deepEqual(await planned('Estado', state), ['settle', 'suspense'], state);
  });

  test('books a line with a code of zeros to suspense: acquirers give this code to payments that they declined', async () => {
    const opened = await openAttempt(openTestDatabase, { kind: 'declined', detail: { authorization_code: '000000' } });
    for (const code of ['000000', '0'])
      assert.deepEqual(resultsOf(await plan(opened, `15/01/2026;;${code};12990`)), ['suspense'], code);
    assert.deepEqual(resultsOf(await plan(opened, `15/01/2026;${opened.id};0;12990`)), ['settle'], 'by its buy order');
  });

  test('takes a sale whose deposit was declined, if the column may be about the deposit', async () => {
    const opened = await openAttempt(openTestDatabase, { kind: 'unknown' });
    const planned = async (name: string, state: string) => {
      const file = `${HEAD};${name}\n15/01/2026;${opened.id};012345;12990;${state}\n`;
      const settlement = await readSettlement(Readable.from([file]));
      return [settlement.declined, resultsOf(await planImport(opened.app, scopeOf(opened), settlement))];
    };
    for (const name of ['Estado', 'Status', 'Resultado'])
      for (const state of ['Rechazado', 'Pago rechazado', 'Iniciado', 'Expirado'])
        assert.deepEqual(await planned(name, state), [[], ['settle']], `${name} ${state}`);
    for (const name of ['Estado Transacción', 'Estado Venta', 'Transaction Status', 'Tipo'])
      assert.deepEqual(await planned(name, 'Rechazada'), [[2], []], name);
  });

  test('books each line once, even if the import was killed and runs again', async () => {
    const opened = await openAttempt(openTestDatabase, { kind: 'unknown' });
    const others = ['OTHER-1;777;4000', 'OTHER-2;778;5000', 'OTHER-3;779;6000'].map((line) => `15/01/2026;${line}`);
    const lines = [`15/01/2026;${opened.id};1213;12990`, ...others];
    const { db } = opened.app;
    let commits = 0;
    const transaction: typeof db.transaction = async (...work) => {
      if (commits++ === 2) throw new Error('killed');
      return db.transaction(...work);
    };
    const killed = { ...opened, app: { ...opened.app, db: { ...db, transaction } } };
    await assert.rejects(carryOut(killed, ...lines), /killed/);
    assert.deepEqual(resultsOf(await carryOut(opened, ...lines)), ['known', 'known', 'suspense', 'suspense']);
    assert.deepEqual(resultsOf(await carryOut(opened, ...lines)), ['known', 'known', 'known', 'known']);
    assert.deepEqual(await sumsOf(opened), {
      'method:scripted:receivable': 27_990,
      'merchant:payable': -12_990,
      suspense: -15_000,
    });
    await assertVerified(opened);
  });

  test('finds a payment without a buy order by authorisation code, amount and day', async () => {
    const detail = { reason: 'given_back_elsewhere', authorization_code: '1213' };
    const opened = await openAttempt(openTestDatabase, { kind: 'contradiction', detail });
    const other = await createTestTransaction(opened.app, opened.environment, { reference: 'ORD-2', amount: 500 });
    await startPayment(opened.app, other, 'scripted');
    const lines = [
      '15/01/2026;;1213;12990',
      '15/01/2026;;1214;12990',
      '15/01/2026;;1213;12991',
      '09/01/2026;;1213;12990',
    ];
    assert.deepEqual(resultsOf(await plan(opened, ...lines)), ['settle', 'suspense', 'suspense', 'suspense']);
  });

  test('books a line of no transaction to suspense once, where it waits for a person', async () => {
    const opened = await openAttempt(openTestDatabase, approved);
    const line = '15/01/2026;OTHER-1;777;4000';
    assert.deepEqual(resultsOf(await carryOut(opened, line, line)), ['suspense', 'left']);
    assert.deepEqual(resultsOf(await carryOut(opened, line)), ['known']);
    opened.app.now.advance(30 * 24 * 60 * 60_000);
    assert.deepEqual(resultsOf(await carryOut(opened, line)), ['known']);
    await assertVerified(opened);
    const [row, ...others] = await listAttention(opened.app, 'suspense', 10);
    assert.deepEqual([row?.transaction, row?.amount, others], [null, 4000, []]);
    const { id } = opened.environment;
    assert.equal(row?.command, `bin/rubrica books resolve --entry ${id}/2.0 --decision returned|kept --reason TEXT`);
    const decided = { decision: 'kept' as const, reason: 'the shop knows it', by: TESTER };
    const place = { environmentId: id, link: 2, entry: '2.0' };
    const both = () => [1, 2].map(() => resolveImported(opened.app, place, decided));
    let asked: ReturnType<typeof both> = [];
    await opened.app.db.transaction(async (tx) => {
      await lockFunds(tx, id, 'CLP');
      asked = both();
      await untilQueued(opened.app.db, 2);
    });
    assert.deepEqual((await Promise.all(asked)).map(({ kind }) => kind).toSorted(), ['already', 'resolved']);
    assert.equal((await resolveImported(opened.app, { ...place, link: 1 }, decided)).kind, 'nothing');
    assert.deepEqual(await sumsOf(opened), { 'method:scripted:receivable': 16_990, 'merchant:payable': -16_990 });
    assert.deepEqual(await listAttention(opened.app, null, 10), []);
    await assertVerified(opened);
  });

  test('books a line of weeks ago once', async () => {
    const opened = await openAttempt(openTestDatabase, { kind: 'unknown' });
    const line = '01/01/2026;OTHER-1;777;4000';
    assert.deepEqual(resultsOf(await carryOut(opened, line)), ['suspense']);
    assert.deepEqual(resultsOf(await carryOut(opened, line)), ['imported']);
    assert.deepEqual(await sumsOf(opened), { 'method:scripted:receivable': 4000, suspense: -4000 });
  });

  test('books lines of weeks ago so that a comparison of the file has them, and one of the day of the import lacks none', async () => {
    const opened = await openAttempt(openTestDatabase, { kind: 'unknown' });
    const { app, environment } = opened;
    app.now.advance(40 * 24 * 60 * 60_000);
    const rows = [`15/01/2026;${opened.id};1213;12990`, '16/01/2026;OTHER-1;777;4000'];
    assert.deepEqual(resultsOf(await carryOut(opened, ...rows)), ['settle', 'suspense']);
    const charge = `20/01/2026;${opened.id};1213;12990`;
    assert.match(String(await chargeBack(opened, charge)), /^suspense/);
    const compare = async (...lines: string[]) => {
      const read = await readSettlement(Readable.from([[`${HEAD};tipo`, ...lines].join('\n')]));
      const found = await compareWithBooks(app, [environment.id], 'scripted', read);
      return found?.compared.map(({ kind, differs }) => [kind, ...differs].join(' '));
    };
    const file = [...rows.map((row) => `${row};Venta`), `${charge};Contracargo`];
    assert.deepEqual(await compare(...file), ['matched', 'matched', 'matched']);
    assert.deepEqual(await compare('24/02/2026;NEW-1;1;500;Venta'), ['missing_in_books']);
  });

  test('compares a line while it books it with those of its amount, not with all of its day', async () => {
    const opened = await openAttempt(openTestDatabase, { kind: 'unknown' });
    const { app } = opened;
    const lines = Array.from({ length: 30 }, (_, at) => `01/01/2026;OTHER-${at};${at};${1000 + at}`);
    const steps = await plan(opened, ...lines);
    let most = 0;
    const counting = (asker: Pick<Tx, 'query'>): Pick<Tx, 'query'> => ({
      query: async (sql, parameters) => {
        const rows = await asker.query<SqlRow>(sql, parameters);
        most = Math.max(most, rows.length);
        return rows as never;
      },
    });
    const db: typeof app.db = {
      ...app.db,
      ...counting(app.db),
      transaction: (work, kind) => app.db.transaction((tx) => work({ ...tx, ...counting(tx) }), kind),
    };
    const evidence = describeEvidence('settled.csv', Buffer.from(lines.join('\n')));
    const done = await importPayments({ ...app, db }, scopeOf(opened), steps, { evidence, by: TESTER });
    assert.deepEqual(new Set(resultsOf(done)), new Set(['suspense']));
    assert.ok(most < 10, `a statement read ${most} rows`);
  });

  test('leaves a line of weeks ago to a person, if it may be an imported one with another day', async () => {
    const opened = await openAttempt(openTestDatabase, { kind: 'unknown' });
    const [line, next] = ['01/01/2026;OTHER-1;777;4000', '02/01/2026;OTHER-1;777;4000'] as const;
    assert.deepEqual(resultsOf(await carryOut(opened, line)), ['suspense']);
    assert.deepEqual(resultsOf(await carryOut(opened, next)), ['left']);
    assert.deepEqual(resultsOf(await carryOut(opened, next, line)), ['suspense', 'imported'], 'the file has both');
    assert.deepEqual(resultsOf(await carryOut(opened, next)), ['imported']);
    assert.deepEqual(await sumsOf(opened), { 'method:scripted:receivable': 8000, suspense: -8000 });
  });

  test('does not book a line again from an export with other columns or with a code shortened by a spreadsheet', async () => {
    const opened = await openAttempt(openTestDatabase, { kind: 'unknown' });
    const once = { 'method:scripted:receivable': 8000, suspense: -8000 };
    const lines = ['01/01/2026;OTHER-1;001213;4000', '02/01/2026;;001213;4000'];
    assert.deepEqual(resultsOf(await carryOut(opened, ...lines)), ['suspense', 'suspense']);
    for (const [line, expected] of [
      ['01/01/2026;OTHER-1;1213;4000', 'imported'],
      ['01/01/2026;OTHER-1;;4000', 'imported'],
      ['02/01/2026;;1213;4000', 'imported'],
      ['01/01/2026;;001213;4000', 'left'],
      ['02/01/2026;OTHER-2;;4000', 'left'],
      ['01/01/2026;OTHER-1;001214;4000', 'left'],
    ] as const)
      assert.deepEqual(resultsOf(await carryOut(opened, line)), [expected], line);
    assert.deepEqual(await sumsOf(opened), once);
    const others = ['01/01/2026;OTHER-2;001214;4000', '02/01/2026;;001214;4000', '03/01/2026;;001213;4000'];
    assert.deepEqual(resultsOf(await plan(opened, ...others)), ['suspense', 'suspense', 'suspense']);
  });

  test('does not book a payment again that a person settled weeks later, even without its buy order', async () => {
    const opened = await openAttempt(openTestDatabase, { kind: 'unknown' });
    opened.app.now.advance(20 * 24 * 60 * 60_000);
    const evidence = describeEvidence('portal.pdf', Buffer.from('the portal shows it'));
    const wish = { outcome: 'approved', taken: null, authorizationCode: '001213', evidence } as const;
    const decided = await decidePayment(opened.app, opened.id, { ...wish, reason: 'the portal shows it', by: TESTER });
    assert.equal(decided, 'decided');
    const lines = ['15/01/2026;;001213;12990', '15/01/2026;;1213;12990'];
    for (const line of lines) assert.deepEqual(resultsOf(await carryOut(opened, line)), ['known'], line);
    assert.equal((await sumsOf(opened))['method:scripted:receivable'], 12_990);
    const read = await readSettlement(Readable.from([`${HEAD}\n15/01/2026;${opened.id};001213;12990`]));
    const found = await compareWithBooks(opened.app, [opened.environment.id], 'scripted', read);
    assert.deepEqual(
      found?.compared.map(({ kind, differs }) => [kind, ...differs]),
      [['different', 'date']],
      'a comparison does not say that the books lack it',
    );
    for (const part of ['4330;2/3', '12990;2/3', '4330;']) {
      const text = `${HEAD};cuota\n15/01/2026;${opened.id};001213;${part}`;
      const later = await compareWithBooks(
        opened.app,
        [opened.environment.id],
        'scripted',
        await readSettlement(Readable.from([text])),
      );
      const kinds = later?.compared.map(({ kind }) => kind);
      assert.deepEqual(kinds, ['missing_in_books'], `${part}: the file of the sale has all of it`);
    }
  });

  test('finds a payment with its excess as one line of the file, on its day and weeks later', async () => {
    for (const days of [0, 20]) {
      const opened = await openAttempt(openTestDatabase, { kind: 'unknown' });
      opened.app.now.advance(days * 24 * 60 * 60_000);
      const evidence = describeEvidence('portal.pdf', Buffer.from('15000'));
      const wish = { outcome: 'approved', taken: 15_000, evidence, reason: 'in the portal', by: TESTER } as const;
      assert.equal(await decidePayment(opened.app, opened.id, wish), 'decided');
      const read = await readSettlement(Readable.from([`${HEAD}\n15/01/2026;${opened.id};001213;15000`]));
      const found = await compareWithBooks(opened.app, [opened.environment.id], 'scripted', read);
      assert.deepEqual(
        found?.compared.map(({ kind, differs }) => [kind, ...differs]),
        [days === 0 ? ['matched'] : ['different', 'date']],
      );
      assert.deepEqual(resultsOf(await carryOut(opened, `15/01/2026;${opened.id};001213;15000`)), ['known']);
    }
  });

  test('counts a repeated code once, and leaves a code of several payments to a person', async () => {
    const opened = await openAttempt(openTestDatabase, approved);
    const twice = ['15/01/2026;;001234;12990', '16/01/2026;;001234;12990'];
    assert.deepEqual(resultsOf(await plan(opened, ...twice)), ['known', 'left']);
    const detail = { reason: 'given_back_elsewhere', authorization_code: '7' };
    const open = await openAttempt(openTestDatabase, { kind: 'contradiction', detail });
    await startPayment(
      open.app,
      await createTestTransaction(open.app, open.environment, { reference: 'ORD-2' }),
      'scripted',
    );
    assert.deepEqual(resultsOf(await plan(open, '15/01/2026;;7;12990')), ['left']);
  });

  test('books a chargeback once to suspense, never more than is left of its payment, and a person decides', async () => {
    const opened = await openAttempt(openTestDatabase, approved);
    const { app, id, transaction } = opened;
    const evidence = describeEvidence('settled.csv', Buffer.from('chargebacks'));
    const charge = async (...lines: string[]) => {
      const file = [`${HEAD};tipo`, ...lines.map((line) => `${line};Contracargo`)].join('\n');
      const steps = await planImport(app, scopeOf(opened), await readSettlement(Readable.from([file])));
      return resultsOf(await importPayments(app, scopeOf(opened), steps, { evidence, by: TESTER }));
    };
    const part = `20/02/2026;${id};1234;7000`;
    assert.deepEqual(await charge('20/02/2026;pa_other;1234;7000', part, part, `21/02/2026;${id};1234;7000`), [
      'left',
      'suspense',
      'left',
      'left',
    ]);
    for (const same of [part, `20/02/2026;${id};;-7000`]) assert.deepEqual(await charge(same), ['imported'], same);
    assert.deepEqual(await charge(`22/02/2026;${id};1234;5991`), ['left']);
    const other = { ...opened, app: await openOtherProcess(openTestDatabase, opened) };
    const chargeOf = async ({ app }: Importing, line: string) => {
      const file = `${HEAD};tipo\n${line};Contracargo`;
      const steps = await planImport(app, scopeOf(opened), await readSettlement(Readable.from([file])));
      return async () => resultsOf(await importPayments(app, scopeOf(opened), steps, { evidence, by: TESTER }));
    };
    const columns = [
      await chargeOf(opened, `22/02/2026;${id};1234;2000`),
      await chargeOf(other, `22/02/2026;${id};;2000`),
    ];
    const parts = await Promise.all(columns.map((carry) => carry()));
    assert.deepEqual(parts.flat().sort(), ['imported', 'suspense'], 'also from exports with other columns');
    const whole = `23/02/2026;${id};1234;3990`;
    // Planned before either is booked: a plan made in between says that no more is left.
    const planned = [await chargeOf(opened, whole), await chargeOf(other, whole)];
    const both = await Promise.all(planned.map((carry) => carry()));
    assert.deepEqual(both.flat().sort(), ['imported', 'suspense'], 'also in concurrent imports of one file');
    const [waiting] = await listAttention(app, 'suspense', 10);
    assert.deepEqual([waiting?.transaction, waiting?.amount], [transaction.id, 7000]);
    assert.deepEqual(await sumsOf(opened), { 'merchant:payable': -12_990, suspense: 12_990 });
    const decided = { decision: 'kept', reason: 'the merchant bears it', by: TESTER } as const;
    assert.equal((await resolveSuspense(app, transaction.id, decided)).kind, 'resolved');
    assert.deepEqual(await sumsOf(opened), {});
    const told = await app.db.query<{ type: string; data: string }>(
      `select type, data from events where type in ('transaction.conflict', 'transaction.resolved') order by sequence`,
    );
    const of = (amount: string) => ({ state: 'completed', amount, currency: 'CLP' });
    const [first] = told.map(({ data }) => JSON.parse(data));
    assert.deepEqual(first, { charged_back: '7000.00', currency: 'CLP', state: 'completed', event: 'chargeback' });
    assert.deepEqual(
      told.map(({ type }) => type),
      [...Array(3).fill('transaction.conflict'), ...Array(3).fill('transaction.resolved')],
    );
    const { entry, ...last } = JSON.parse(told.at(-1)?.data ?? '');
    assert.deepEqual(last, { ...of('3990.00'), decision: 'kept', booked: 'charged' });
    assert.match(entry, /^\d+\.0$/);
    assert.deepEqual((await verifyStore(app)).findings, []);
  });

  test('books another chargeback of a payment, and leaves one that may be the same with another day', async () => {
    const { opened, app, id } = await openRefunded(openTestDatabase);
    const evidence = describeEvidence('settled.csv', Buffer.from('chargebacks'));
    const charge = async (...lines: [day: string, amount: number, order?: number][]) => {
      const rows = lines.map(([day, sum, order = id]) => `${day}/01/2026;${order};1234;${sum};Contracargo`);
      const file = [`${HEAD};tipo`, ...rows];
      const steps = await planImport(app, scopeOf(opened), await readSettlement(Readable.from([file.join('\n')])));
      return resultsOf(await importPayments(app, scopeOf(opened), steps, { evidence, by: TESTER }));
    };
    assert.deepEqual(await charge(['15', 1000]), ['suspense'], 'a refund of another amount is another matter');
    assert.deepEqual(await charge(['16', 500]), ['suspense'], 'a file of another day, with another amount');
    assert.deepEqual(await charge(['16', 1000]), ['left'], 'perhaps the first one');
    assert.deepEqual(await charge(['15', 1000], ['16', 1000], ['16', 500]), ['imported', 'suspense', 'imported']);
    assert.deepEqual(await charge(['15', 1000], ['16', 1000], ['16', 500]), ['imported', 'imported', 'imported']);
    assert.deepEqual(await charge(['17', 300, opened.transaction.id]), ['suspense'], 'a method without buy orders');
    assert.equal((await sumsOf(opened)).suspense, 2800);
    assert.deepEqual((await verifyStore(app)).findings, []);
  });

  test('knows a refund of the books on its day, and leaves another amount, another day and a repeated line to a person', async () => {
    const { opened, app, id } = await openRefunded(openTestDatabase);
    const planned = async (...lines: [amount: number, type: string, day?: number][]) => {
      const rows = lines.map(([amount, type, day = 15]) => `${day}/01/2026;${id};1234;${amount};${type}`);
      const file = [`${HEAD};tipo`, ...rows].join('\n');
      return resultsOf(await planImport(app, scopeOf(opened), await readSettlement(Readable.from([file]))));
    };
    assert.deepEqual(await planned([2000, 'Anulación']), ['known']);
    assert.deepEqual(await planned([1999, 'Anulación']), ['left']);
    for (const day of [14, 16])
      assert.deepEqual(await planned([2000, 'Reversa', day]), ['left'], 'perhaps another one');
    assert.deepEqual(await planned([2000, 'Anulación'], [2000, 'Anulación']), ['known', 'left']);
    assert.deepEqual(await planned([2000, 'Contracargo']), ['suspense'], 'beside our refund, which has its own line');
    for (const types of [['Contracargo', 'Anulación'] as const, ['Anulación', 'Contracargo'] as const]) {
      const of = types.map((type) => (type === 'Anulación' ? 'known' : 'suspense'));
      assert.deepEqual(await planned([2000, types[0]], [2000, types[1]]), of, 'the file has both');
    }
    assert.deepEqual(
      await planned([2000, 'Contracargo'], [2000, 'Contracargo'], [2000, 'Anulación']),
      ['suspense', 'left', 'known'],
      'a repeated line',
    );
  });

  test('leaves a chargeback of a payment that the books do not have to a person', async () => {
    const opened = await openAttempt(openTestDatabase, { kind: 'unknown' });
    const planned = async (type: string, order: string | number = opened.id) => {
      const file = `${HEAD};tipo\n15/01/2026;${order};1213;12990;${type}\n`;
      const [step] = await planImport(opened.app, scopeOf(opened), await readSettlement(Readable.from([file])));
      return `${step?.does}: ${step?.note}`;
    };
    assert.equal(await planned('Contracargo'), 'left: a chargeback of a payment that is not in the books');
    assert.match(await planned('Reversa de contracargo'), /^left: money that was refunded/);
    for (const type of ['Contracargo ganado', 'Chargeback won'])
      assert.equal(await planned(type), 'left: a chargeback that was won: bin/rubrica books resolve', type);
    const unpaid = await createTestTransaction(opened.app, opened.environment, { reference: 'UNPAID-1' });
    assert.equal(await planned('Contracargo', unpaid.id), 'left: a chargeback of no payment of ours');
  });

  test('leaves a chargeback in the file of another payment method to a person', async () => {
    const opened = await openAttempt(openTestDatabase, approved);
    const file = `${HEAD};tipo\n15/01/2026;${opened.id};1213;12990;Contracargo\n`;
    const scope = { ...scopeOf(opened), method: 'simulated' };
    const [step] = await planImport(opened.app, scope, await readSettlement(Readable.from([file])));
    assert.equal(`${step?.does}: ${step?.note}`, 'left: a chargeback of no payment of ours');
  });

  test('books a chargeback of a sale that was imported on the same day', async () => {
    const opened = await openAttempt(openTestDatabase, { kind: 'unknown' });
    const line = `15/01/2026;${opened.id};1213;12990`;
    assert.deepEqual(resultsOf(await carryOut(opened, line)), ['settle']);
    assert.deepEqual(await chargeBack(opened, line), [
      'suspense: a chargeback: bin/rubrica books resolve decides who bears it',
    ]);
    assert.equal((await sumsOf(opened)).suspense, 12_990);
    await assertVerified(opened);
  });

  test('leaves booked lines, refunds, other amounts and payments of another merchant alone', async () => {
    const opened = await openAttempt(openTestDatabase, {
      kind: 'approved',
      detail: { buy_order: 'B-1', authorization_code: '1' },
    });
    const before = await sumsOf(opened);
    const lines = ['15/01/2026;B-1;1;12990', '15/01/2026;B-1;1;12991', '15/01/2026;B-2;2;-500'];
    assert.deepEqual(resultsOf(await carryOut(opened, lines[0] as string, lines[2] as string)), ['known', 'left']);
    assert.deepEqual(resultsOf(await carryOut(opened, lines[1] as string)), ['known']);
    assert.deepEqual(await sumsOf(opened), before);
    const elsewhere = { ...opened, environment: { ...opened.environment, id: opened.environment.id + 1 } };
    assert.deepEqual(resultsOf(await plan(elsewhere, `15/01/2026;${opened.id};9;12990`)), ['left']);
  });

  test('leaves a payment of a merchant that is not named, and settles it once the merchant is named', async () => {
    const detail = { reason: 'given_back_elsewhere', authorization_code: '1213' };
    const own = await openAttempt(openTestDatabase, { kind: 'contradiction', detail });
    const stranger = { ...own, environment: await createTestEnvironment(own.app) };
    const lines = ['15/01/2026;;1213;12990', '15/01/2026;;777;4000'];
    assert.deepEqual(
      (await plan(stranger, ...lines)).map(({ does, note }) => [does, note]),
      [
        ['left', 'a payment of a payment service that was not named'],
        ['suspense', 'no payment of ours'],
      ],
    );
    const compared = [stranger.environment.id, own.environment.id];
    assert.deepEqual(resultsOf(await carryOut({ ...stranger, compared }, ...lines)), ['settle', 'suspense']);
    assert.deepEqual(resultsOf(await carryOut({ ...stranger, compared }, ...lines)), ['known', 'known']);
    const imported = 'select amount, environment_id from imported_payments order by amount';
    assert.deepEqual(
      (await own.app.db.query(imported)).map(({ amount, environment_id }) => [amount, environment_id]),
      [
        [4000, stranger.environment.id],
        [12_990, own.environment.id],
      ],
      'each line is in the books of its merchant',
    );
    await assertVerified(own);
  });

  test('does not book money in suspense again for another merchant, from an export with other columns', async () => {
    const opened = await openAttempt(openTestDatabase, { kind: 'unknown' });
    const other = { ...opened, environment: await createTestEnvironment(opened.app) };
    assert.deepEqual(resultsOf(await carryOut(opened, '15/01/2026;OTHER-1;777;4000')), ['suspense']);
    for (const [line, expected] of [
      ['15/01/2026;OTHER-1;777;4000', 'imported'],
      ['15/01/2026;OTHER-1;;4000', 'imported'],
      ['15/01/2026;;777;4000', 'left'],
      ['15/01/2026;OTHER-2;778;4000', 'suspense'],
    ] as const)
      assert.deepEqual(resultsOf(await carryOut(other, line)), [expected], line);
    assert.deepEqual(await sumsOf(opened), { 'method:scripted:receivable': 8000, suspense: -8000 });
    await assertVerified(opened);
  });

  test('leaves a payment of a merchant that moved to another database, and continues', async () => {
    const opened = await openAttempt(openTestDatabase, { kind: 'unknown' });
    const other = { ...opened, environment: await createTestEnvironment(opened.app) };
    await leaveFor(opened.app, opened.environment);
    opened.app.now.advance(2_000);
    const lines = [`15/01/2026;${opened.id};1213;12990`, '15/01/2026;OTHER-1;777;4000'];
    const compared = [other.environment.id, opened.environment.id];
    const steps = await carryOut({ ...other, compared }, ...lines);
    assert.deepEqual(
      steps.map(({ does, note }) => [does, note]),
      [
        ['left', 'a payment of a payment service in another database'],
        ['suspense', 'no payment of ours'],
      ],
    );
    await assert.rejects(plan(opened, ...lines), { code: 'PAYMENT_SERVICE_MOVED' });
    assert.deepEqual(await sumsOf(opened), { 'method:scripted:receivable': 4000, suspense: -4000 });
  });

  test('books money of no known payment once in concurrent imports of exports with other columns', async () => {
    const opened = await openAttempt(openTestDatabase, { kind: 'unknown' });
    const environment = await createTestEnvironment(opened.app);
    const other = { ...opened, environment, app: await openOtherProcess(openTestDatabase, opened) };
    const evidence = describeEvidence('settled.csv', Buffer.from('other columns'));
    const imports = [
      { of: opened, lines: ['15/01/2026;OTHER-1;777;4000', `15/01/2026;${opened.id};778;12990`] },
      { of: other, lines: ['15/01/2026;OTHER-1;;4000', '15/01/2026;;778;12990'] },
    ];
    const planned = await Promise.all(imports.map(async ({ of, lines }) => ({ of, steps: await plan(of, ...lines) })));
    assert.deepEqual(
      planned.map(({ steps }) => resultsOf(steps)),
      [
        ['suspense', 'settle'],
        ['suspense', 'suspense'],
      ],
    );
    await Promise.all(
      planned.map(({ of, steps }) => importPayments(of.app, scopeOf(of), steps, { evidence, by: TESTER })),
    );
    const sums = await sumsOf(opened);
    assert.equal(sums['method:scripted:receivable'], 16_990);
    await assertVerified(opened);
  });

  test('books each line once in concurrent imports of one file', async () => {
    const opened = await openAttempt(openTestDatabase, { kind: 'unknown' });
    const other = { ...opened, app: await openOtherProcess(openTestDatabase, opened) };
    const lines = [`15/01/2026;${opened.id};1213;12990`, '15/01/2026;OTHER-1;777;4000'];
    await Promise.all([carryOut(opened, ...lines), carryOut(other, ...lines)]);
    await carryOut(opened, ...lines);
    const sums = { 'method:scripted:receivable': 16_990, 'merchant:payable': -12_990, suspense: -4000 };
    assert.deepEqual(await sumsOf(opened), sums);
    await assertVerified(opened);
  });
});
