import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { availableBalance } from '../../src/books/available-balance.ts';
import { entryName } from '../../src/books/booked-line.ts';
import { listOwners } from '../../src/books/list-books.ts';
import { readSettlement } from '../../src/books/read-settlement.ts';
import { reconcileEntries } from '../../src/books/reconcile-entries.ts';
import { sayRecord } from '../../src/books/say-problem.ts';
import { signedAmount } from '../../src/books/settled-line.ts';
import { selectAccountSums } from '../../src/books/statement-queries.ts';
import { boundsOfDay } from '../../src/lib/calendar-day.ts';
import { describeEvidence } from '../../src/lib/evidence-file.ts';
import { importPayments } from '../../src/movements/import-payments.ts';
import { planImport } from '../../src/movements/plan-import.ts';
import { resolveSuspense } from '../../src/movements/resolve-suspense.ts';
import { returnPayout } from '../../src/movements/return-movement.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import { returnDeposit } from '../../src/statements/return-deposit.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { createLatePayment, createPaidTransaction, removeGuards } from '../support/test-books.ts';
import { deposit, payOut, setTestFee } from '../support/test-movements.ts';
import { approved, openPayoutDesk, wish } from '../support/test-payouts.ts';
import { acceptedRefund } from '../support/test-refunds.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

const KINDS_OF_MOVEMENTS =
  'kept returned deposit commission paid_in payout deposit_returned commission_returned paid_in_returned payout_returned';

forEachEngine('reconciling a day with the books', (openTestDatabase) => {
  test('finds no problem in payments, late payments and refunds', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const paid = await createPaidTransaction(app, environment);
    await createLatePayment(app, environment);
    await acceptedRefund(app, paid, 5001);
    await carryOutRefunds(app, 10);
    await acceptedRefund(app, paid, 990);
    await carryOutRefunds(app, 10);
    await acceptedRefund(app, paid, 2000);
    const scope = { environmentIds: [environment.id], ...boundsOfDay('2026-01-15'), transactionId: 0 };
    const { lines, problems } = await reconcileEntries(app, scope);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      lines.map(({ kind, amount, refunded }) => [kind, amount, refunded]),
      [
        ['payment', 12_990, 990],
        ['late_payment', 5001, 0],
        ['refund', 990, 990],
      ],
    );
    assert.equal(await availableBalance(app, scope, 'CLP'), 10_000);
    assert.equal(await availableBalance(app, { ...scope, transactionId: paid.id }, 'CLP'), 10_000);
    assert.equal(await availableBalance(app, scope, 'USD'), 0);
    const [sums] = await selectAccountSums(app.db, [environment.id]);
    assert.deepEqual([sums?.owed, sums?.reserved, sums?.in_process], [12_000, 2000, 0]);
    const another = { ...scope, ...boundsOfDay('2026-01-16') };
    assert.deepEqual(await reconcileEntries(app, another), { lines: [], problems: [] });
    assert.deepEqual((await reconcileEntries(app, { ...scope, transactionId: paid.id })).lines.length, 2);
    assert.deepEqual((await reconcileEntries(app, { ...scope, environmentIds: [] })).lines, []);
  });

  test('reads only the days between the first entry and the last, even for an unlimited period', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const ever = { environmentIds: [environment.id], from: 0, to: Number.MAX_SAFE_INTEGER, transactionId: 0 };
    assert.deepEqual(await reconcileEntries(app, ever), { lines: [], problems: [] });
    await createPaidTransaction(app, environment);
    app.now.advance(3 * 24 * 3_600_000);
    await createPaidTransaction(app, environment, { reference: 'ORD-LATER' });
    assert.equal((await reconcileEntries(app, ever)).lines.length, 2);
  });

  test('names the owner of entries by payment service and environment', async () => {
    const app = createTestApp(await openTestDatabase());
    const [one, other] = [await createTestEnvironment(app), await createTestEnvironment(app)];
    const owner = (of: typeof one) => ({
      payment_service_id: of.paymentServiceId,
      name: 'Test shop',
      environment: 'development',
    });
    const owners = await listOwners(app, [one.id, other.id]);
    assert.deepEqual(owners, new Map([one, other].map((of) => [of.id, owner(of)])));
    assert.deepEqual([...(await listOwners(app, [other.id])).keys()], [other.id]);
  });

  test('checks fees, deposits, payouts and resolutions against their records', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    await setTestFee(app, environment);
    const paid = await createPaidTransaction(app, environment, { amount: 10_000 });
    const late = await createLatePayment(app, environment);
    await deposit(app, environment, 9000, { commission: 300 });
    await payOut(app, environment, 5000);
    await resolveSuspense(app, late.id, { decision: 'kept', reason: 'delivered', by: TESTER });
    const scope = { environmentIds: [environment.id], ...boundsOfDay('2026-01-15'), transactionId: 0 };
    const { lines, problems } = await reconcileEntries(app, scope);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      lines.map((line) => [entryName(line), line.kind, signedAmount(line)]),
      [
        ['1.0', 'payment', 10_000],
        ['1.1', 'fee', -1050],
        ['2.0', 'late_payment', 5001],
        ['3.0', 'deposit', -9000],
        ['3.1', 'commission', -300],
        ['4.0', 'payout', -5000],
        ['5.0', 'kept', 5001],
      ],
    );
    const ofPayment = { ...scope, transactionId: paid.id };
    assert.equal(await availableBalance(app, ofPayment, 'CLP'), 8950);
    assert.equal(await availableBalance(app, scope, 'CLP'), 8950 - 5000 + 5001);

    await removeGuards(app.db);
    await app.db.transaction(async (tx) => {
      await tx.query("delete from journal_entries where kind in ('fee', 'commission', 'kept')");
      await tx.query("update journal_entries set amount = 1 where kind = 'payout'");
      await tx.query("update journal_entries set kind = 'returned' where kind = 'deposit'");
    });
    const tampered = await reconcileEntries(app, scope);
    assert.deepEqual(
      tampered.problems.map(({ problem, entry, transaction_id, movement_id, payment_method }) => [
        problem,
        entry ?? transaction_id ?? (movement_id === null ? null : 'a movement'),
        payment_method,
      ]),
      [
        ['unexplained', '3.0', 'simulated'],
        ['unexplained', '4.0', null],
        ['unbooked', paid.id, 'simulated'],
        ['unbooked', late.id, 'simulated'],
        ['unbooked', 'a movement', 'simulated'],
      ],
    );
  });

  test('finds a changed record of a movement behind every kind of entry', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const late = [await createLatePayment(app, environment), await createLatePayment(app, environment)];
    const [kept, returned] = late.map(({ id }) => id) as [number, number];
    await resolveSuspense(app, kept, { decision: 'kept', reason: 'delivered', by: TESTER });
    await resolveSuspense(app, returned, { decision: 'returned', reason: 'not delivered', by: TESTER });
    await deposit(app, environment, 2000, { commission: 300, reference: 'D-1' });
    await payOut(app, environment, 1000, { kind: 'deposit', reference: 'D-2' });
    await payOut(app, environment, 500, { reference: 'P-1' });
    const back = { reason: 'by mistake', by: TESTER };
    for (const reference of ['D-1', 'D-2']) await returnDeposit(app, environment, { ...back, reference });
    await returnPayout(app, environment, { ...back, reference: 'P-1' });
    const scope = { environmentIds: [environment.id], ...boundsOfDay('2026-01-15'), transactionId: 0 };
    const { lines, problems } = await reconcileEntries(app, scope);
    assert.deepEqual(problems, []);
    const moved = lines.filter(({ movement_id }) => movement_id !== null);
    assert.deepEqual(moved.map(({ kind }) => kind).join(' '), KINDS_OF_MOVEMENTS);
    await removeGuards(app.db);
    await app.db.transaction((tx) => tx.query("update movements set recorded_by = 'somebody else'"));
    assert.deepEqual(
      (await reconcileEntries(app, scope)).problems.map(({ problem, entry }) => [problem, entry]),
      moved.map((line) => ['unexplained', entryName(line)]),
    );
  });

  test('accepts several payouts to recipients and several imported payments on one day', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const { environment } = desk;
    await approved(app, desk, [wish(), wish()]);
    await approved(app, desk);
    const head = 'fecha;orden_compra;codigo_autorizacion;monto';
    const lines = ['15/01/2026;A-1;1213;5000', '15/01/2026;A-2;1214;5000'];
    const settlement = await readSettlement(Readable.from([[head, ...lines].join('\n')]));
    const into = { environmentId: environment.id, environment: environment.environment, method: 'simulated' };
    const record = { evidence: describeEvidence('settled.csv', Buffer.from(lines.join('\n'))), by: TESTER };
    await importPayments(app, into, await planImport(app, into, settlement), record);
    const scope = { environmentIds: [environment.id], ...boundsOfDay('2026-01-15'), transactionId: 0 };
    const found = await reconcileEntries(app, scope);
    const kinds = ['payment', 'payout_reserved', 'payout_reserved', 'payout_reserved', 'late_payment', 'late_payment'];
    assert.deepEqual([found.lines.map(({ kind }) => kind), found.problems], [kinds, []]);
    await removeGuards(app.db);
    await app.db.transaction((tx) =>
      tx.query("update journal_entries set amount = amount + 1 where kind in ('payout_reserved', 'late_payment')"),
    );
    const payouts = found.lines.flatMap(({ payout_id }) => payout_id ?? []);
    assert.equal(payouts.length, 3);
    assert.deepEqual(
      (await reconcileEntries(app, scope)).problems.map((one) => sayRecord(one).en),
      found.lines.slice(1).map(({ link, line, payout_id }) => {
        const what = payout_id === null ? 'money of no transaction' : `payout ${payout_id}`;
        return `${what} is not what its entry says (entry ${link}.${line})`;
      }),
      'a record without a transaction is named by its payout or as money of no transaction',
    );
  });

  test('names entries without a record, and records without an entry', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const [one, two, three] = [
      await createPaidTransaction(app, environment),
      await createPaidTransaction(app, environment),
      await createPaidTransaction(app, environment),
    ];
    const refund = await acceptedRefund(app, three, 1000);
    await carryOutRefunds(app, 10);
    await removeGuards(app.db);
    await app.db.transaction(async (tx) => {
      await tx.query('delete from journal_entries where transaction_id = $1', [one.id]);
      await tx.query('update journal_entries set amount = 1 where transaction_id = $1', [two.id]);
      await tx.query('delete from journal_entries where refund_id = $1', [refund.id]);
      await tx.query(
        'insert into journal_entries select environment_id, 9, line, created_at, kind, debit_account, credit_account, amount, currency, transaction_id, payment_attempt_id, refund_id, hash, movement_id, movement_hash, owner_hash, record_hash, payout_id from journal_entries where transaction_id = $1',
        [three.id],
      );
    });
    const scope = { environmentIds: [environment.id], ...boundsOfDay('2026-01-15'), transactionId: 0 };
    const { problems } = await reconcileEntries(app, scope);
    assert.deepEqual(
      problems.map((problem) => ({ ...problem })),
      [
        {
          problem: 'unexplained',
          environment_id: environment.id,
          entry: '2.0',
          transaction_id: two.id,
          refund_id: null,
          movement_id: null,
          payout_id: null,
          payment_method: 'simulated',
        },
        {
          problem: 'booked_twice',
          environment_id: environment.id,
          entry: '9.0',
          transaction_id: three.id,
          refund_id: null,
          movement_id: null,
          payout_id: null,
          payment_method: 'simulated',
        },
        {
          problem: 'unbooked',
          environment_id: environment.id,
          entry: null,
          transaction_id: one.id,
          refund_id: null,
          movement_id: null,
          payout_id: null,
          payment_method: 'simulated',
        },
        {
          problem: 'unbooked',
          environment_id: environment.id,
          entry: null,
          transaction_id: three.id,
          refund_id: refund.id,
          movement_id: null,
          payout_id: null,
          payment_method: 'simulated',
        },
      ],
    );
  });
});
