import assert from 'node:assert/strict';
import { test } from 'node:test';
import { availableBalance } from '../../src/books/available-balance.ts';
import { selectBalances } from '../../src/books/balance-queries.ts';
import { listEntries } from '../../src/books/list-books.ts';
import { reconcileEntries } from '../../src/books/reconcile-entries.ts';
import { signedAmount } from '../../src/books/settled-line.ts';
import { verifyBooks } from '../../src/books/verify-books.ts';
import { boundsOfDay } from '../../src/lib/calendar-day.ts';
import type { Sum } from '../../src/lib/exact-sum.ts';
import { selectMovements, selectSuspense } from '../../src/movements/movement-queries.ts';
import { returnPayout } from '../../src/movements/return-movement.ts';
import { lockFunds } from '../../src/payment-services/lock-funds.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { returnDeposit } from '../../src/statements/return-deposit.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { leaveFor } from '../support/moving-shop.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createLatePayment, createPaidTransaction, removeGuards } from '../support/test-books.ts';
import { deposit, payOut } from '../support/test-movements.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { untilQueued } from '../support/until-queued.ts';

forEachEngine('a returned payout', (openTestDatabase) => {
  test('is booked in reverse, and its amount is available again', async () => {
    const { app, environment } = await open(openTestDatabase);
    await payOut(app, environment, 9000, { reference: 'TEF-1' });
    const taken = await takeBack(app, environment, 'TEF-1');
    assert.deepEqual([taken.kind, 'movement' in taken && taken.movement.amount], ['returned', 9000]);
    const [entry] = await listEntries(app, null, 1);
    assert.deepEqual(
      [entry?.kind, entry?.debit_account, entry?.credit_account, entry?.amount, entry?.transaction_id],
      ['payout_returned', 'bank', 'merchant:payable', 9000, null],
    );
    assert.equal(await available(app, environment), 10_000);
    const bank = (await selectBalances(app.db)).find(({ account }) => account === 'bank');
    assert.deepEqual([bank?.debits, bank?.credits], [9000, 9000]);
    const [listed] = await selectMovements(app.db, 'payout', 10);
    assert.deepEqual([listed?.returned_at, listed?.return_reason], [entry?.created_at, 'wrong account']);
  });

  test('agrees with the day and the chain, and a changed or missing entry of it is named', async () => {
    const { app, environment } = await open(openTestDatabase);
    await payOut(app, environment, 9000, { reference: 'TEF-1' });
    await takeBack(app, environment, 'TEF-1');
    const scope = { environmentIds: [environment.id], ...boundsOfDay('2026-01-15'), transactionId: 0 };
    const { lines, problems } = await reconcileEntries(app, scope);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      lines.map((line) => [line.kind, line.movement_reference, signedAmount(line)]),
      [
        ['payment', null, 10_000],
        ['payout', 'TEF-1', -9000],
        ['payout_returned', 'payout TEF-1', 9000],
      ],
    );
    const verified = await verifyBooks(app);
    assert.deepEqual([verified.problems, verified.records, verified.balances], [[], [], []]);
    await removeGuards(app.db);
    await app.db.transaction((tx) => tx.query("update movements set amount = 1 where kind = 'resolution'"));
    const changed = (await verifyBooks(app)).records;
    assert.deepEqual(
      changed.map(({ problem, entry }) => [problem, entry]),
      [['unexplained', '3.0']],
    );
    await app.db.transaction((tx) => tx.query("delete from journal_entries where kind = 'payout_returned'"));
    assert.deepEqual(
      (await reconcileEntries(app, scope)).problems.map(({ problem }) => problem),
      ['unbooked'],
    );
  });

  test('is returned once by concurrent requests, and a new payout needs a new reference', async () => {
    const { app, environment } = await open(openTestDatabase);
    await payOut(app, environment, 9000, { reference: 'TEF-1' });
    const takeAll = () => [1, 2].map(() => takeBack(app, environment, 'TEF-1'));
    let asked: ReturnType<typeof takeAll> = [];
    await app.db.transaction(async (tx) => {
      await lockFunds(tx, environment.id, 'CLP');
      asked = takeAll();
      await untilQueued(app.db, 2);
    });
    const all = await Promise.all(asked);
    assert.deepEqual(all.map(({ kind }) => kind).toSorted(), ['already', 'returned']);
    assert.equal((await payOut(app, environment, 9000, { reference: 'TEF-1' })).kind, 'returned');
    assert.equal(await available(app, environment), 10_000);
    assert.equal((await payOut(app, environment, 9000, { reference: 'TEF-2' })).kind, 'recorded');
    assert.equal(await available(app, environment), 1000);
  });

  test('must be a recorded payout of the same environment', async () => {
    const { app, environment } = await open(openTestDatabase);
    await payOut(app, environment, 1000, { reference: 'TEF-1' });
    await deposit(app, environment, 1000, { reference: 'AB-1' });
    const other = await createTestEnvironment(app);
    assert.deepEqual(await takeBack(app, other, 'TEF-1'), { kind: 'nothing' });
    assert.deepEqual(await takeBack(app, environment, 'AB-1'), { kind: 'nothing' });
    assert.deepEqual(await takeBack(app, environment, 'payout TEF-1'), { kind: 'nothing' });
    assert.deepEqual(await takeBack(app, { ...environment, paymentServiceId: 'ps_x' }, 'TEF-1'), { kind: 'unknown' });
    assert.equal(await available(app, environment), 9000);
  });

  test('does not resolve money in suspense, even if its reference looks like an entry', async () => {
    const { app, environment } = await open(openTestDatabase);
    await createLatePayment(app, environment);
    const [late] = await selectSuspense(app.db, 1);
    await payOut(app, environment, 1000, { reference: late?.entry as string });
    assert.equal((await takeBack(app, environment, late?.entry as string)).kind, 'returned');
    assert.equal((await selectSuspense(app.db, 1))[0]?.decision, null);
  });

  test('cannot be overspent by payouts that run concurrently with the return', async () => {
    const { app, environment } = await open(openTestDatabase);
    await payOut(app, environment, 10_000, { reference: 'TEF-1' });
    const back = takeBack(app, environment, 'TEF-1');
    const payouts = await Promise.all(Array.from({ length: 8 }, () => payOut(app, environment, 2500)));
    assert.equal((await back).kind, 'returned');
    const recorded = payouts.filter(({ kind }) => kind === 'recorded').length;
    assert.ok(recorded <= 4);
    assert.equal(await available(app, environment), 10_000 - 2500 * recorded);
  });
});

forEachEngine('movements of a payment service that has moved', (openTestDatabase) => {
  test('are neither recorded nor taken back, and the refusal has its address', async () => {
    const { app, environment } = await open(openTestDatabase);
    await payOut(app, environment, 9000, { reference: 'TEF-1' });
    await deposit(app, environment, 500, { reference: 'DEP-1' });
    await leaveFor(app, environment);
    const moved = {
      code: 'PAYMENT_SERVICE_MOVED',
      message: /^The payment service is served at https:\/\/pay-2\.example\.cl/,
    };
    const wish = { reference: 'DEP-1', reason: 'never came', by: TESTER };
    await assert.rejects(payOut(app, environment, 100), moved);
    await assert.rejects(deposit(app, environment, 100), moved);
    await assert.rejects(takeBack(app, environment, 'TEF-1'), moved);
    await assert.rejects(returnDeposit(app, environment, wish), moved);
    const { length } = await app.db.query('select id from movements');
    assert.equal(length, 2);
  });
});

async function open(openTestDatabase: OpenTestDatabase) {
  const app = createTestApp(await openTestDatabase());
  const environment = await createTestEnvironment(app);
  await createPaidTransaction(app, environment, { amount: 10_000 });
  app.now.advance(1000);
  return { app, environment };
}

function takeBack(app: TestApp, { paymentServiceId, environment }: ServiceEnvironment, reference: string) {
  app.now.advance(1000);
  const wish = { reference, reason: 'wrong account', by: TESTER };
  return returnPayout(app, { paymentServiceId, environment }, wish);
}

function available(app: TestApp, { id }: ServiceEnvironment): Promise<Sum> {
  return availableBalance(app, { environmentIds: [id], transactionId: 0 }, 'CLP');
}
