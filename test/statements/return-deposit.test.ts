import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { availableBalance } from '../../src/books/available-balance.ts';
import { selectBalances } from '../../src/books/balance-queries.ts';
import { reconcileEntries } from '../../src/books/reconcile-entries.ts';
import { signedAmount } from '../../src/books/settled-line.ts';
import { verifyBooks } from '../../src/books/verify-books.ts';
import type { Problem } from '../../src/error-catalogue.ts';
import { boundsOfDay } from '../../src/lib/calendar-day.ts';
import { closeMonth } from '../../src/movements/close-month.ts';
import { lockMovement, selectBookedMovements, selectMovements } from '../../src/movements/movement-queries.ts';
import { lockFunds } from '../../src/payment-services/lock-funds.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { readLines } from '../../src/statements/find-statement.ts';
import { importStatement } from '../../src/statements/import-statement.ts';
import { resolveLine } from '../../src/statements/resolve-line.ts';
import { returnDeposit } from '../../src/statements/return-deposit.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction, removeGuards } from '../support/test-books.ts';
import { deposit, payOut } from '../support/test-movements.ts';
import { openPayoutDesk } from '../support/test-payouts.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { untilQueued } from '../support/until-queued.ts';

forEachEngine('a deposit that is taken back', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    await createPaidTransaction(app, environment, { amount: 10_000 });
    const takeBack = (reference: string, of = environment, by = TESTER) => {
      app.now.advance(1000);
      const { paymentServiceId } = of;
      const wish = { reference, reason: 'another merchant', by };
      return returnDeposit(app, { paymentServiceId, environment: of.environment }, wish);
    };
    const balanceOf = async (account: string) => {
      const found = (await selectBalances(app.db)).find((one) => one.account === account);
      return Number(found?.debits ?? 0) - Number(found?.credits ?? 0);
    };
    const available = () => availableBalance(app, { environmentIds: [environment.id], transactionId: 0 }, 'CLP');
    const importLine = async (text: string) => {
      const evidence = { name: 'cartola.csv', sha256: hash('sha256', text), bytes: 1, excerpt: '' };
      const account = { environment: 'development' as const, paymentServiceId: null, account: '123456789' };
      const line = { line: 1, day: '2026-01-15', amount: 5000, text };
      return importStatement(app, { ...account, evidence, by: TESTER }, { lines: [line], proof: 'balance' });
    };
    return { app, environment, takeBack, balanceOf, available, importLine };
  };

  test('is owed by its method again with its commission, once, and cannot be recorded again under its reference', async () => {
    const { app, environment, takeBack, balanceOf, available } = await open();
    await deposit(app, environment, 9000, { reference: 'AB-1', commission: 300 });
    assert.equal(await balanceOf('method:simulated:receivable'), 700);
    assert.equal((await takeBack('AB-1')).kind, 'returned');
    assert.equal((await takeBack('AB-1')).kind, 'already');
    const accounts = ['method:simulated:receivable', 'bank', 'fees:acquirer'];
    assert.deepEqual(await Promise.all(accounts.map(balanceOf)), [10_000, 0, 0]);
    assert.equal(await available(), 10_000);
    const [listed] = await selectMovements(app.db, 'deposit', 10);
    assert.equal(listed?.return_reason, 'another merchant');
    const search = { environment: '', kind: '', text: 'AB-1', from: 0, to: app.now() + 1 };
    const found = await selectBookedMovements(app.db, search, 10);
    assert.deepEqual(
      found.map(({ booked }) => booked),
      ['deposit_returned', 'deposit'],
    );
    assert.equal((await deposit(app, environment, 9000, { reference: 'AB-1' })).kind, 'returned');
    assert.equal((await deposit(app, environment, 9700, { reference: 'AB-2', commission: 300 })).kind, 'recorded');
  });

  test('is taken back already when it is taken back again, although the merchant has used the rest', async () => {
    const { app, environment, takeBack, available } = await open();
    await payOut(app, environment, 5000, { kind: 'deposit', reference: 'D-1' });
    assert.equal((await takeBack('D-1')).kind, 'returned');
    await payOut(app, environment, 9000);
    assert.equal(await available(), 1000);
    assert.equal((await takeBack('D-1')).kind, 'already');
  });

  test('agrees with the day and the chain, and a changed or missing entry of it is named', async () => {
    const { app, environment, takeBack } = await open();
    await deposit(app, environment, 9000, { reference: 'AB-1', commission: 300 });
    await takeBack('AB-1');
    const scope = { environmentIds: [environment.id], ...boundsOfDay('2026-01-15'), transactionId: 0 };
    const { lines, problems } = await reconcileEntries(app, scope);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      lines.slice(1).map((line) => [line.kind, line.movement_reference, signedAmount(line)]),
      [
        ['deposit', 'AB-1', -9000],
        ['commission', 'AB-1', -300],
        ['deposit_returned', 'deposit AB-1', 9000],
        ['commission_returned', 'deposit AB-1', 300],
      ],
    );
    const verified = await verifyBooks(app);
    assert.deepEqual([verified.problems, verified.records, verified.balances], [[], [], []]);
    await removeGuards(app.db);
    await app.db.transaction((tx) => tx.query("update movements set commission = 1 where kind = 'resolution'"));
    const changed = (await verifyBooks(app)).records;
    assert.deepEqual(
      changed.map(({ problem, entry }) => [problem, entry]),
      [
        ['unexplained', '3.0'],
        ['unexplained', '3.1'],
      ],
    );
    await app.db.transaction((tx) => tx.query("delete from journal_entries where kind = 'commission_returned'"));
    const missing = (await reconcileEntries(app, scope)).problems.map(({ problem }) => problem);
    assert.deepEqual(missing.toSorted(), ['unbooked', 'unexplained']);
  });

  test('is no longer the merchant’s if the merchant had paid it in, and is refused once the merchant has used it', async () => {
    const { app, environment, takeBack, balanceOf, available } = await open();
    await deposit(app, environment, 5000, { reference: 'TRF-1', paymentMethod: null });
    await payOut(app, environment, 12_000, { reference: 'TEF-1' });
    assert.deepEqual(await takeBack('TRF-1'), { kind: 'refused', most: 3000 });
    await createPaidTransaction(app, environment, { amount: 2000 });
    assert.equal((await takeBack('TRF-1')).kind, 'returned');
    assert.deepEqual([await available(), await balanceOf('bank')], [0, -12_000]);
    assert.deepEqual((await verifyBooks(app)).records, []);
  });

  test('belongs to the month in which it is taken back: a closed month stays as it was closed', async () => {
    const { app, environment, takeBack, available } = await open();
    await deposit(app, environment, 5000, { reference: 'TRF-1', paymentMethod: null });
    app.now.advance(30 * 86_400_000);
    const close = () => closeMonth(app, '2026-01', environment.environment, TESTER);
    assert.equal(await close(), null);
    assert.equal((await takeBack('TRF-1')).kind, 'returned');
    const closed = await close();
    assert.deepEqual([closed?.isAsClosed, closed?.owed[0]?.owed], [true, '15000']);
    assert.equal(await available(), 10_000);
    assert.equal((await verifyStore(app)).ok, true);
  });

  test('must be a recorded deposit of the same environment', async () => {
    const { app, environment, takeBack } = await open();
    await payOut(app, environment, 1000, { reference: 'TEF-1' });
    await deposit(app, environment, 1000, { reference: 'AB-1' });
    assert.deepEqual(await takeBack('TEF-1'), { kind: 'nothing' });
    assert.deepEqual(await takeBack('deposit AB-1'), { kind: 'nothing' });
    assert.deepEqual(await takeBack('AB-1', await createTestEnvironment(app)), { kind: 'nothing' });
    assert.deepEqual(await takeBack('AB-1', { ...environment, paymentServiceId: 'ps_x' }), { kind: 'unknown' });
  });

  test('is refused if a bank statement has it, and afterwards is no deposit of a line', async () => {
    const { app, environment, takeBack, importLine } = await open();
    const wish = { paymentMethod: null };
    await deposit(app, environment, 5000, { ...wish, reference: 'TRF-0116' });
    const { id } = await importLine('TRANSFERENCIA TRF-0116');
    const arrived = await takeBack('TRF-0116');
    assert.equal(arrived.kind === 'arrived' && arrived.line.statement_id, id);
    const { environment: other, maker } = await openPayoutDesk(app);
    const never = await deposit(app, other, 5000, { ...wish, reference: 'TRF-0117' });
    assert.equal((await takeBack('TRF-0117', other)).kind, 'returned');
    const taken = await importLine('TRANSFERENCIA TRF-0117');
    assert.equal(taken.uses.suspense, 1);
    const is = { use: 'deposit' as const, deposit: { id: 'movement' in never ? never.movement.id : '' } };
    const decision = { statementId: taken.id ?? '', fileLine: 1, is, reason: 'it came', by: maker };
    await assert.rejects(resolveLine(app, decision), (error: Problem) => /was taken back/.test(error.message));
  });

  test('leaves the line that a person had named for it in suspense, where it can be booked anew', async () => {
    const { app, takeBack, importLine } = await open();
    const { environment: other, maker } = await openPayoutDesk(app);
    await createPaidTransaction(app, other, { amount: 10_000 });
    const statementId = (await importLine('ABONO')).id ?? '';
    const is = (paymentServiceId: string, paymentMethod: string | null) => {
      const deposit = { paymentServiceId, paymentMethod, commission: 0 };
      const decided = { statementId, fileLine: 1, is: { use: 'deposit' as const, deposit } };
      return resolveLine(app, { ...decided, reason: `of ${paymentMethod}`, by: maker });
    };
    await is(other.paymentServiceId, null);
    const reference = `${statementId}/1`;
    const refused = takeBack(reference, other);
    await assert.rejects(refused, (error: Problem) => error.code === 'PERSON_NEEDED');
    const taken = await takeBack(reference, other, maker);
    assert.equal(taken.kind === 'returned' && taken.line?.file_line, 1);
    const [line] = await readLines(app, statementId, null);
    assert.deepEqual([line?.used_as, line?.subject, line?.resolved_by, line?.reason], ['suspense', null, null, null]);
    assert.equal((await verifyStore(app)).ok, true);
    const [booked] = await is(other.paymentServiceId, 'simulated');
    assert.equal((await is(other.paymentServiceId, 'simulated'))[0]?.subject, booked?.subject, 'once');
    assert.equal((await takeBack(`${reference}-2`, other, maker)).kind, 'returned');
    assert.equal((await verifyStore(app)).ok, true);
    await app.db.transaction((tx) => tx.query("update bank_statement_lines set used_as = 'deposit', subject = 'mv_x'"));
    assert.equal((await verifyStore(app)).ok, false);
  });

  test('is either taken back or matched by a line of a statement that is imported at the same time', async () => {
    const { app, environment, takeBack, importLine } = await open();
    const recording = await deposit(app, environment, 5000, { paymentMethod: null, reference: 'TRF-0116' });
    let asked: Promise<[{ kind: string }, Awaited<ReturnType<typeof importLine>>]> | undefined;
    await app.db.transaction(async (tx) => {
      await lockMovement(tx, 'movement' in recording ? recording.movement.id : '');
      asked = Promise.all([takeBack('TRF-0116'), importLine('TRANSFERENCIA TRF-0116')]);
      await untilQueued(app.db, 2);
    });
    const [back, { uses }] = (await asked) ?? assert.fail();
    assert.ok(['returned 0', 'arrived 1'].includes(`${back.kind} ${uses.deposit}`), `${back.kind} ${uses.deposit}`);
  });

  test('is taken back once by concurrent requests', async () => {
    const { app, environment, takeBack, balanceOf } = await open();
    await deposit(app, environment, 9000, { reference: 'AB-1' });
    let asked: ReturnType<typeof takeBack>[] = [];
    await app.db.transaction(async (tx) => {
      await lockFunds(tx, environment.id, 'CLP');
      asked = [takeBack('AB-1'), takeBack('AB-1')];
      await untilQueued(app.db, 2);
    });
    const kinds = (await Promise.all(asked)).map(({ kind }) => kind);
    assert.deepEqual(kinds.toSorted(), ['already', 'returned']);
    assert.equal(await balanceOf('bank'), 0);
  });
});
