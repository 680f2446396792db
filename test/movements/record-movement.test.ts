import assert from 'node:assert/strict';
import { test } from 'node:test';
import { availableBalance } from '../../src/books/available-balance.ts';
import { selectBalances } from '../../src/books/balance-queries.ts';
import { listEntries } from '../../src/books/list-books.ts';
import { verifyBooks } from '../../src/books/verify-books.ts';
import type { Database, Tx } from '../../src/db/database.ts';
import { type Sum, subtract } from '../../src/lib/exact-sum.ts';
import { selectMovements } from '../../src/movements/movement-queries.ts';
import { type MovementWish, type Recording, recordMovement } from '../../src/movements/record-movement.ts';
import { readFeed } from '../../src/outbox/feed/read-feed.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { setFee } from '../../src/payment-services/set-fee.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createLatePayment, createPaidTransaction, selectOverdrawn } from '../support/test-books.ts';
import { deposit, payOut, setTestFee } from '../support/test-movements.ts';
import { acceptedRefund, refund } from '../support/test-refunds.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { untilVisible } from '../support/until-visible.ts';

forEachEngine('fees', (openTestDatabase) => {
  test('a fee is a separate entry in the link of its payment', async () => {
    const { app, environment } = await open(openTestDatabase);
    await setTestFee(app, environment);
    const paid = await createPaidTransaction(app, environment, { amount: 10_000 });
    assert.equal(paid.fee, 1050);
    const entries = (await listEntries(app, paid, 10)).toReversed();
    assert.deepEqual(
      entries.map(({ link, line, kind, debit_account, credit_account, amount }) => [
        `${link}.${line}`,
        kind,
        debit_account,
        credit_account,
        amount,
      ]),
      [
        ['1.0', 'payment', 'method:simulated:receivable', 'merchant:payable', 10_000],
        ['1.1', 'fee', 'merchant:payable', 'fees:income', 1050],
      ],
    );
    assert.equal(await available(app, environment), 8950);
  });

  test('a fee applies only to payments of its environment, method and currency', async () => {
    const { app, environment } = await open(openTestDatabase);
    await setTestFee(app, environment);
    const other = await createTestEnvironment(app);
    assert.equal((await createPaidTransaction(app, other)).fee, 0);
    assert.equal((await createPaidTransaction(app, environment, { currency: 'USD' })).fee, 0);
    assert.deepEqual(
      (await listEntries(app, null, 10)).map(({ kind }) => kind),
      ['payment', 'payment'],
    );
  });

  test('a changed fee does not affect earlier payments', async () => {
    const { app, environment } = await open(openTestDatabase);
    await setTestFee(app, environment);
    const { paymentServiceId, environment: name } = environment;
    await createPaidTransaction(app, environment, { amount: 10_000 });
    const target = { paymentServiceId, environment: name, method: 'simulated', currency: 'CLP' };
    assert.equal(await setFee(app, target, { rate_ppm: 0, fixed: 0 }, TESTER), true);
    assert.equal((await createPaidTransaction(app, environment, { amount: 10_000 })).fee, 0);
    assert.equal(await available(app, environment), 18_950);
    assert.equal(await setFee(app, { ...target, paymentServiceId: 'ps_x' }, { rate_ppm: 1, fixed: 0 }, TESTER), false);
  });

  test('a full refund returns the whole payment, and the merchant owes the fee', async () => {
    const { app, environment } = await open(openTestDatabase);
    await setTestFee(app, environment);
    const paid = await createPaidTransaction(app, environment, { amount: 10_000 });
    await acceptedRefund(app, paid, 10_000);
    await carryOutRefunds(app, 1);
    assert.equal(await available(app, environment), -1050);
    assert.deepEqual(await payOut(app, environment, 1), { kind: 'refused', most: 0 });
  });
});

forEachEngine('payouts', (openTestDatabase, engine) => {
  test('a deposit of a merchant has no commission, whoever records it', async () => {
    const { app, environment } = await open(openTestDatabase);
    const target = { paymentServiceId: environment.paymentServiceId, environment: environment.environment };
    const wish = {
      kind: 'deposit',
      reference: 'DEP-1',
      amount: 1000,
      commission: 10,
      currency: 'CLP',
      by: TESTER,
    } as const;
    await assert.rejects(recordMovement(app, target, { ...wish, paymentMethod: null }), /Only a payment method/);
    assert.deepEqual(await app.db.query('select id from movements'), []);
  });

  test('a payout moves money from the bank to the merchant, and the feed has its event', async () => {
    const { app, environment } = await open(openTestDatabase);
    await createPaidTransaction(app, environment, { amount: 10_000 });
    const recording = await payOut(app, environment, 9000, { reference: 'TEF-1' });
    assert.equal(recording.kind, 'recorded');
    const [entry] = await listEntries(app, null, 1);
    assert.deepEqual(
      [entry?.kind, entry?.debit_account, entry?.credit_account, entry?.amount, entry?.transaction_id],
      ['payout', 'merchant:payable', 'bank', 9000, null],
    );
    assert.equal(await available(app, environment), 1000);
    const listed = await selectMovements(app.db, 'payout', 10);
    assert.deepEqual(
      listed.map(({ id, reference }) => [id, reference]),
      [[entry?.movement_id, 'TEF-1']],
    );
    await untilVisible(app);
    const { events } = await readFeed(app, { id: 'u', environmentIds: new Set([environment.id]) }, null, 100);
    const told = events.at(-1);
    assert.deepEqual(
      [told?.type, told?.transaction, told?.payment_service, told?.environment],
      ['payout.recorded', null, environment.paymentServiceId, 'development'],
    );
    assert.deepEqual(told?.data, {
      payout: { id: entry?.movement_id, reference: 'TEF-1', amount: '9000.00', currency: 'CLP' },
    });
    assert.deepEqual((await verifyBooks(app)).problems, []);
  });

  test('the same reference again is the same payout, and a different payout is refused', async () => {
    const { app, environment } = await open(openTestDatabase);
    await createPaidTransaction(app, environment, { amount: 10_000 });
    const say = (amount: number, changes: Partial<MovementWish> = {}) =>
      payOut(app, environment, amount, { reference: 'once', ...changes });
    const kinds = (await Promise.all(Array.from({ length: 16 }, () => say(9000)))).map(({ kind }) => kind);
    assert.deepEqual(kinds.toSorted(), ['recorded', ...Array.from({ length: 15 }, () => 'replayed')].toSorted());
    assert.equal((await say(9001)).kind, 'different');
    assert.equal((await say(9000, { currency: 'USD' })).kind, 'different');
    assert.equal(await available(app, environment), 1000);
    const other = await createTestEnvironment(app);
    await createPaidTransaction(app, other, { amount: 10_000 });
    assert.equal((await payOut(app, other, 9000, { reference: 'once' })).kind, 'recorded');
  });

  test('no payout exceeds the available balance, which excludes pending refunds and money in suspense', async () => {
    const { app, environment } = await open(openTestDatabase);
    const paid = await createPaidTransaction(app, environment, { amount: 10_000 });
    await createLatePayment(app, environment);
    await acceptedRefund(app, paid, 3000);
    assert.deepEqual(await payOut(app, environment, 7001), { kind: 'refused', most: 7000 });
    assert.deepEqual(await payOut(app, environment, 1, { currency: 'USD' }), { kind: 'refused', most: 0 });
    assert.equal((await payOut(app, environment, 7000)).kind, 'recorded');
    assert.deepEqual(await payOut(app, environment, 1), { kind: 'refused', most: 0 });
    const unknown = { ...environment, paymentServiceId: 'ps_x' };
    assert.deepEqual(await payOut(app, unknown, 1), { kind: 'unknown' });
  });

  test('money that was paid out cannot be refunded, but later payments can cover the refund', async () => {
    const { app, environment } = await open(openTestDatabase);
    const paid = await createPaidTransaction(app, environment, { amount: 10_000 });
    await payOut(app, environment, 9000);
    const refused = await refund(app, paid, 1001);
    assert.equal(refused.kind === 'refused' && refused.refusal.code, 'INSUFFICIENT_BALANCE');
    await createPaidTransaction(app, environment, { amount: 6000 });
    assert.equal((await refund(app, paid, 7000)).kind, 'accepted');
    assert.equal(await available(app, environment), 0);
  });

  test('after a full payout fees cover no refund, until new payments do', async () => {
    const { app, environment } = await open(openTestDatabase);
    await setTestFee(app, environment);
    const paid = await createPaidTransaction(app, environment, { amount: 10_000 });
    await payOut(app, environment, 8950);
    for (const amount of [1, 1050, 10_000]) assert.equal(await refusalOf(app, paid, amount), 'INSUFFICIENT_BALANCE');
    await createPaidTransaction(app, environment, { amount: 6000 });
    assert.equal(await available(app, environment), 5350);
    assert.equal(await refusalOf(app, paid, 5351), 'INSUFFICIENT_BALANCE');
    assert.equal(await refusalOf(app, paid, 5350), null);
    assert.equal(await available(app, environment), 0);
  });

  test('before a payout every payment can be refunded in full, and the merchant owes the fees', async () => {
    const { app, environment } = await open(openTestDatabase);
    await setTestFee(app, environment);
    const payments = [
      await createPaidTransaction(app, environment, { amount: 10_000 }),
      await createPaidTransaction(app, environment, { amount: 10_000 }),
      await createPaidTransaction(app, environment, { amount: 10_000 }),
    ] as const;
    assert.equal(await refusalOf(app, payments[0], 10_000), null);
    for (const part of [9500, 499, 1]) assert.equal(await refusalOf(app, payments[1], part), null);
    assert.equal(await refusalOf(app, payments[2], 10_000), null);
    assert.equal(await available(app, environment), -3 * 1050);
  });

  test('after a payout the merchant never owes more than the fees of the refunded payments', async () => {
    const { app, environment } = await open(openTestDatabase);
    await setTestFee(app, environment);
    const first = await createPaidTransaction(app, environment, { amount: 10_000 });
    const second = await createPaidTransaction(app, environment, { amount: 10_000 });
    assert.equal(await refusalOf(app, first, 10_000), null);
    assert.equal((await payOut(app, environment, 7900)).kind, 'recorded');
    assert.equal(await available(app, environment), 0);
    assert.equal(await refusalOf(app, second, 1051), 'INSUFFICIENT_BALANCE');
    assert.equal(await refusalOf(app, second, 1050), null);
    assert.equal(await refusalOf(app, second, 1), 'INSUFFICIENT_BALANCE');
    const other = await createPaidTransaction(app, environment, { amount: 6000, currency: 'USD' });
    assert.equal((await payOut(app, environment, 1000, { currency: 'USD' })).kind, 'recorded');
    assert.equal(await refusalOf(app, other, 5001), 'INSUFFICIENT_BALANCE', 'fees of another currency cover nothing');
    assert.equal(await refusalOf(app, other, 5000), null);
    assert.deepEqual(await selectOverdrawn(app.db), []);
  });

  test('concurrent payouts and refunds take exactly the available balance', async () => {
    const { app, environment } = await open(openTestDatabase);
    const payments = await Promise.all(
      Array.from({ length: 4 }, () => createPaidTransaction(app, environment, { amount: 10_000 })),
    );
    const payouts = Array.from({ length: 32 }, () => payOut(app, environment, 2500));
    // Separate apps, because one process handles the refunds of a merchant one after the other.
    const refundOf = (paid: Transaction) => refund(createTestApp(app.db), paid, 2500);
    const refunds = payments.flatMap((paid) => Array.from({ length: 4 }, () => refundOf(paid)));
    const taken = [...(await Promise.all(payouts)), ...(await Promise.all(refunds))].filter(
      ({ kind }) => kind === 'recorded' || kind === 'accepted',
    );
    assert.equal(taken.length, 16);
    assert.equal(await available(app, environment), 0);
    assert.deepEqual(await selectOverdrawn(app.db), []);
    assert.deepEqual((await verifyBooks(app)).problems, []);
  });

  test('the database refuses to change or delete a movement', async () => {
    const { app, environment } = await open(openTestDatabase);
    await createPaidTransaction(app, environment, { amount: 10_000 });
    await payOut(app, environment, 9000);
    for (const sql of ['update movements set amount = 1', 'delete from movements']) {
      await assert.rejects(
        app.db.transaction((tx) => tx.query(sql)),
        /append-only/,
      );
    }
  });

  // SQLite has one writer, so a missing lock has no effect there.
  if (engine === 'postgres') {
    test('planted bug: without the lock two payouts take the same balance', async () => {
      const { app, environment } = await open(openTestDatabase);
      await createPaidTransaction(app, environment, { amount: 10_000 });
      const unlocked = createTestApp(withoutLock(app.db));
      const both = await Promise.all([payOut(unlocked, environment, 10_000), payOut(unlocked, environment, 10_000)]);
      assert.deepEqual(
        both.map(({ kind }) => kind),
        ['recorded', 'recorded'],
      );
      assert.equal((await selectOverdrawn(app.db)).length, 1);
    });
  }
});

forEachEngine('deposits', (openTestDatabase) => {
  test('a deposit moves money from the payment method to the bank, and its commission to the acquirer', async () => {
    const { app, environment } = await open(openTestDatabase);
    await createPaidTransaction(app, environment, { amount: 10_000 });
    assert.equal((await deposit(app, environment, 9700, { commission: 300 })).kind, 'recorded');
    const sums = (await selectBalances(app.db)).map(({ account, debits, credits }) => [
      account,
      subtract(debits, credits),
    ]);
    assert.deepEqual(sums, [
      ['bank', 9700],
      ['fees:acquirer', 300],
      ['merchant:payable', -10_000],
      ['method:simulated:receivable', 0],
    ]);
    assert.equal(await available(app, environment), 10_000);
  });

  test('a deposit is recorded once for each reference, and never exceeds what the method owes', async () => {
    const { app, environment } = await open(openTestDatabase);
    await createPaidTransaction(app, environment, { amount: 10_000 });
    const say = (amount: number, commission: number) =>
      deposit(app, environment, amount, { reference: 'abono-1', commission });
    assert.deepEqual(await say(9800, 201), { kind: 'refused', most: 10_000 });
    const kinds = (await Promise.all(Array.from({ length: 8 }, () => say(9800, 200)))).map(({ kind }) => kind);
    assert.equal(kinds.filter((kind) => kind === 'recorded').length, 1);
    assert.equal(kinds.filter((kind) => kind === 'replayed').length, 7);
    assert.equal((await say(9800, 0)).kind, 'different');
    assert.equal(
      (await deposit(app, environment, 9800, { reference: 'abono-1', paymentMethod: 'webpay', commission: 200 })).kind,
      'different',
    );
    assert.deepEqual(await deposit(app, environment, 1), { kind: 'refused', most: 0 });
  });

  test('concurrent deposits record exactly what the method owes', async () => {
    const { app, environment } = await open(openTestDatabase);
    await createPaidTransaction(app, environment, { amount: 10_000 });
    const all: Recording[] = await Promise.all(Array.from({ length: 16 }, () => deposit(app, environment, 2500)));
    assert.equal(all.filter(({ kind }) => kind === 'recorded').length, 4);
  });
});

async function open(openTestDatabase: OpenTestDatabase) {
  const app = createTestApp(await openTestDatabase());
  return { app, environment: await createTestEnvironment(app) };
}

function available(app: TestApp, { id }: ServiceEnvironment): Promise<Sum> {
  return availableBalance(app, { environmentIds: [id], transactionId: 0 }, 'CLP');
}

/** Requests a refund. Returns the reason of a refusal, or null. */
async function refusalOf(app: TestApp, paid: Transaction, amount: number): Promise<string | null> {
  const creation = await refund(app, paid, amount);
  return creation.kind === 'refused' ? creation.refusal.code : null;
}

/**
 * Plants a check-then-act bug: locks nothing, and after reading the balance each refund waits until the other has read
 * it.
 */
function withoutLock(db: Database): Database {
  let read = 0;
  const both = Promise.withResolvers<void>();
  const unlocked = (tx: Tx): Tx => ({
    ...tx,
    query: async (sql, parameters) => {
      if (sql.startsWith('update environments set')) return [];
      const rows = await tx.query<never>(sql, parameters);
      if (sql.includes('as reserved') && ++read === 2) both.resolve();
      if (sql.includes('as reserved')) await both.promise;
      return rows;
    },
  });
  return { ...db, transaction: (work) => db.transaction((tx) => work(unlocked(tx))) };
}
