import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { App } from '../../src/app.ts';
import { verifyBooks } from '../../src/books/verify-books.ts';
import type { Database, Tx } from '../../src/db/database.ts';
import { resolveSuspense } from '../../src/movements/resolve-suspense.ts';
import { readFunds } from '../../src/payment-services/lock-funds.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { createRefund, type RefundCreation } from '../../src/refunds/create-refund.ts';
import type { Refund } from '../../src/refunds/refund.ts';
import { settleRefund } from '../../src/refunds/settle-refund.ts';
import { lockTransaction } from '../../src/transactions/transaction-queries.ts';
import { startChild } from '../support/child-process.ts';
import { forEachEngine, type OpenTestDatabase, type TestDatabase } from '../support/engines.ts';
import { listenToStatements } from '../support/heard-statements.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { deposit, payOut, setTestFee } from '../support/test-movements.ts';
import { refund, refundsOf } from '../support/test-refunds.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { untilQueued } from '../support/until-queued.ts';

forEachEngine('accepting refunds', (openTestDatabase, engine) => {
  test('accepts exactly one of 64 full refunds from 2 processes at once', async () => {
    const { db, paid, app } = await open(openTestDatabase);
    assert.equal(await acceptedByProcesses(db, paid.id, paid.amount), 1);
    assert.deepEqual(await refundsOf(app, paid), [['processing', 10_000]]);
  });

  test('accepts exactly two of 64 refunds of half the amount from 2 processes at once', async () => {
    const { db, paid, app } = await open(openTestDatabase);
    assert.equal(await acceptedByProcesses(db, paid.id, paid.amount / 2, 'a key for each'), 2);
    assert.deepEqual(await refundsOf(app, paid), [
      ['processing', 5000],
      ['processing', 5000],
    ]);
  });

  test('accepts one of 64 identical refunds without a key from 2 processes at once', async () => {
    const { db, paid, app } = await open(openTestDatabase);
    assert.equal(await acceptedByProcesses(db, paid.id, 100), 1);
    assert.deepEqual(await refundsOf(app, paid), [['processing', 100]]);
  });

  test('replays an identical refund without a key for a minute, unless amount, requester or key differ', async () => {
    const { app, paid } = await open(openTestDatabase);
    const first = await refund(app, paid, 100);
    app.now.advance(59_999);
    assert.deepEqual(await refund(app, paid, 100), { kind: 'replayed', refund: refundIn(first) });
    for (const [amount, changes] of [
      [101, {}],
      [100, { requestedBy: 'us_other' }],
      [100, { idempotencyKey: 'one' }],
      [100, { idempotencyKey: 'two' }],
    ] as const) {
      assert.equal((await refund(app, paid, amount, changes)).kind, 'accepted');
    }
    app.now.advance(1);
    assert.equal((await refund(app, paid, 100)).kind, 'accepted');
  });

  test('makes one of two equal refunds confirmed at once, and the other when its person has seen it', async () => {
    const { app, paid } = await open(openTestDatabase);
    const confirm = (idempotencyKey: string, equalSeen: string) => {
      const wish = { amount: 4000, type: 'parcial', idempotencyKey, equalSeen, by: TESTER } as const;
      return createRefund(createTestApp(app.db), paid, wish);
    };
    let asked: ReturnType<typeof confirm>[] = [];
    await app.db.transaction(async (tx) => {
      await lockTransaction(tx, paid);
      asked = [confirm('one', ''), confirm('two', '')];
      await untilQueued(app.db, 2);
    });
    const done = await Promise.all(asked);
    assert.deepEqual(done.map(({ kind }) => kind).toSorted(), ['accepted', 'equal_made']);
    assert.equal(new Set(done.map((one) => refundIn(one).id)).size, 1);
    const [seen] = done.map(refundIn);
    const key = seen?.idempotency_key ?? '';
    assert.equal((await confirm(key, '')).kind, 'replayed', 'a second click is the same refund');
    assert.equal((await confirm('three', seen?.id ?? '')).kind, 'accepted');
  });

  test('does not refund again what was refunded in the portal and charged to the merchant', async () => {
    const { app, paid } = await open(openTestDatabase);
    const first = refundIn(await refund(app, paid, 1000));
    // The merchant refunded another 6,000 in the portal of the method.
    await settleRefund(app, first, { kind: 'approved', detail: {}, refunded: 7000 });
    assert.equal(refusalIn(await refund(app, paid, 9001)), 'REFUND_AMOUNT_TOO_HIGH');
    const decision = { decision: 'kept', reason: 'the merchant did it', by: TESTER } as const;
    assert.equal((await resolveSuspense(app, paid.id, decision)).kind, 'resolved');
    assert.equal(refusalIn(await refund(app, paid, 3001)), 'REFUND_AMOUNT_TOO_HIGH');
    const allThatIsLeft = { amount: null, type: 'total', idempotencyKey: null, by: TESTER } as const;
    const rest = refundIn(await createRefund(app, paid, allThatIsLeft));
    assert.equal(rest.amount, 3000);
    assert.equal(refusalIn(await refund(app, paid, 1)), 'ALREADY_REFUNDED');
    await settleRefund(app, rest, { kind: 'approved', detail: {}, refunded: 10_000 });
    assert.equal(refusalIn(await refund(app, paid, 1)), 'ALREADY_REFUNDED');
    assert.deepEqual((await verifyBooks(app)).problems, []);
  });

  test('counts the fee of a payment once, so a merchant who owes more than fees gets no further refund', async () => {
    const { app, environment } = await open(openTestDatabase);
    await setTestFee(app, environment);
    const [paid, other] = [await pay(app, environment), await pay(app, environment)];
    const failed = refundIn(await refund(app, await pay(app, environment), 10_000));
    await settleRefund(app, failed, { kind: 'declined', detail: {} });
    // The merchant's part of each payment is 8,950 of 10,000.
    assert.equal((await refund(app, paid, 9500)).kind, 'accepted');
    const first = refundIn(await refund(app, other, 1000));
    const { available } = await readFunds(app.db, environment.id, 'CLP');
    await payOut(app, environment, Number(available));
    await settleRefund(app, first, { kind: 'approved', detail: {}, refunded: 2000 });
    await resolveSuspense(app, other.id, { decision: 'kept', reason: 'the merchant did it', by: TESTER });
    assert.equal((await readFunds(app.db, environment.id, 'CLP')).available, -1000);
    assert.equal(refusalIn(await refund(app, paid, 500)), 'INSUFFICIENT_BALANCE');
    await deposit(app, environment, 450, { paymentMethod: null });
    assert.equal((await refund(app, paid, 500)).kind, 'accepted');
  });

  test('reads the refunds of the store for a refund that is not covered only if fees could cover it', async () => {
    const { app, environment, paid } = await open(openTestDatabase);
    const empty = async () =>
      payOut(app, environment, Number((await readFunds(app.db, environment.id, 'CLP')).available));
    const reads = async (transaction: typeof paid, amount: number, expected: string) => {
      const listening = listenToStatements(app);
      const creation = await refund(listening.app, transaction, amount);
      assert.equal(creation.kind === 'refused' ? creation.refusal.code : creation.kind, expected);
      return listening.all.filter(({ sql }) => /given - own/.test(sql)).length;
    };
    await empty();
    assert.equal(await reads(paid, 500, 'INSUFFICIENT_BALANCE'), 0, 'without a fee');
    await setTestFee(app, environment);
    const other = await pay(app, environment);
    await empty();
    assert.equal(await reads(paid, 5000, 'INSUFFICIENT_BALANCE'), 0, 'above all fees');
    assert.ok((await reads(paid, 1000, 'INSUFFICIENT_BALANCE')) > 0, 'no refund gave a fee back');
    await deposit(app, environment, 8950, { paymentMethod: null });
    assert.equal(await reads(other, 10_000, 'accepted'), 0, 'its fee covers the rest');
    assert.equal(await reads(paid, 1000, 'INSUFFICIENT_BALANCE'), 0, 'the merchant owes all fees already');
  });

  test('accepts a failed refund again immediately, without a key', async () => {
    const { app, paid } = await open(openTestDatabase);
    const first = refundIn(await refund(app, paid, 100));
    await settleRefund(app, first, { kind: 'declined', detail: {} });
    const second = await refund(app, paid, 100);
    assert.equal(second.kind, 'accepted');
    assert.notEqual(refundIn(second).id, first.id);
    await settleRefund(app, refundIn(second), { kind: 'declined', detail: {} });
    const wish = { amount: 100, type: 'parcial', idempotencyKey: null, by: TESTER } as const;
    const seen = await createRefund(app, paid, { ...wish, equalSeen: '' });
    assert.equal(seen.kind, 'accepted', 'a failed refund is no equal refund that the person must see');
  });

  test('accepts one of 64 refunds with the same key at once', async () => {
    const { app, paid } = await open(openTestDatabase);
    const creations = await Promise.all(
      Array.from({ length: 64 }, () => refund(app, paid, 100, { idempotencyKey: 'once' })),
    );
    assert.equal(creations.filter(({ kind }) => kind === 'accepted').length, 1);
    assert.equal(creations.filter(({ kind }) => kind === 'replayed').length, 63);
    assert.deepEqual(await refundsOf(app, paid), [['processing', 100]]);
  });

  test('accepts one of 8 concurrent refunds of the remainder', async () => {
    const { app, paid } = await open(openTestDatabase);
    await refund(app, paid, 2990);
    const rest = { amount: null, type: 'total', idempotencyKey: null, by: TESTER } as const;
    const creations = await Promise.all(Array.from({ length: 8 }, () => createRefund(app, paid, rest)));
    assert.equal(creations.filter(({ kind }) => kind === 'accepted').length, 1);
    assert.equal(creations.filter(({ kind }) => kind === 'replayed').length, 7);
    assert.deepEqual(await refundsOf(app, paid), [
      ['processing', 2990],
      ['processing', 7010],
    ]);
  });

  test('accepts equal refunds of two payments within a minute, without a key', async () => {
    const { app, paid, environment } = await open(openTestDatabase);
    const other = await createPaidTransaction(app, environment);
    assert.equal((await refund(app, paid, 100)).kind, 'accepted');
    assert.equal((await refund(app, other, 100)).kind, 'accepted');
    assert.deepEqual(await refundsOf(app, other), [['processing', 100]]);
  });

  test('scopes a key to its transaction', async () => {
    const { app, paid, environment } = await open(openTestDatabase);
    const other = await createPaidTransaction(app, environment);
    assert.equal((await refund(app, paid, 100, { idempotencyKey: 'k' })).kind, 'accepted');
    assert.equal((await refund(app, other, 100, { idempotencyKey: 'k' })).kind, 'accepted');
    assert.equal((await refund(app, paid, 100, { idempotencyKey: 'k', type: 'total' })).kind, 'reused');
  });

  // SQLite has one writer, so a missing lock has no effect there.
  if (engine === 'postgres') {
    test('planted bug: without the row lock two refunds read the same sum and both are accepted', async () => {
      const { db, paid, environment } = await open(openTestDatabase);
      const unlocked = withoutLock(db);
      // Otherwise the merchant's balance would refuse the second refund.
      await createPaidTransaction(createTestApp(unlocked), environment, { amount: 10_000 });
      const keys = ['one', 'two'].map((idempotencyKey) => ({ idempotencyKey }));
      // Separate apps, because one process handles the refunds of a merchant one after the other.
      const creations = await Promise.all(keys.map((key) => refund(createTestApp(unlocked), paid, paid.amount, key)));
      assert.deepEqual(
        creations.map(({ kind }) => kind),
        ['accepted', 'accepted'],
      );
    });
  }
});

async function open(openTestDatabase: OpenTestDatabase) {
  const db = await openTestDatabase();
  const app = createTestApp(db);
  const environment = await createTestEnvironment(app);
  return { db, app, environment, paid: await pay(app, environment) };
}

function pay(app: App, environment: ServiceEnvironment) {
  return createPaidTransaction(app, environment, { amount: 10_000 });
}

function refusalIn(creation: RefundCreation): string {
  assert.ok('refusal' in creation, JSON.stringify(creation));
  return creation.refusal.code;
}

function refundIn(creation: RefundCreation): Refund {
  assert.ok('refund' in creation, JSON.stringify(creation));
  return creation.refund;
}

/** Requests 64 concurrent refunds in 2 processes. Returns how many were accepted. */
async function acceptedByProcesses(
  db: TestDatabase,
  transactionId: number,
  amount: number,
  keys: 'no key' | 'a key for each' = 'no key',
): Promise<number> {
  const start = (_: unknown, number: number) => {
    const key = keys === 'no key' ? 'null' : `\`${number} \${each}\``;
    const args = ['--input-type=module-typescript', '--eval', programOf(db.url, transactionId, amount, key)];
    return startChild('node', args, { cwd: import.meta.dirname });
  };
  const processes = await Promise.all(Array.from({ length: 2 }, start));
  await Promise.all(processes.map((one) => one.until(({ stdout }) => stdout.includes('ready'))));
  for (const one of processes) one.stdin.end();
  const ended = await Promise.all(processes.map((one) => one.ended));
  for (const { status, stderr } of ended) assert.equal(status, 0, stderr);
  return ended.map(({ stdout }) => stdout.match(/accepted/g)?.length ?? 0).reduce((sum, one) => sum + one);
}

function programOf(url: string, transactionId: number, amount: number, key: string): string {
  return `
    import { openDatabase } from '../../src/db/open-database.ts';
    import { selectTransactionAnywhere } from '../../src/transactions/transaction-queries.ts';
    import { createTestApp } from '../support/test-app.ts';
    import { refund } from '../support/test-refunds.ts';
    const db = openDatabase(${JSON.stringify(url)}, { connections: 4, pooler: false, onFatal: () => {} });
    const app = createTestApp(db);
    const transaction = await selectTransactionAnywhere(db, ${transactionId});
    process.stdout.write('ready ');
    for await (const _ of process.stdin);
    const tell = ({ kind }) => process.stdout.write(kind + ' ');
    // On a slow machine the store gives up who waits for long; nothing is stored then.
    const ask = (_, each) => refund(app, transaction, ${amount}, { idempotencyKey: ${key} }).then(tell, () => {});
    await Promise.all(Array.from({ length: 32 }, ask));
    await db.close();
  `;
}

/**
 * Plants a missing lock: reads the row without a lock, and after the sum each refund waits until the other has summed
 * up.
 */
function withoutLock(db: Database): Database {
  let summed = 0;
  const both = Promise.withResolvers<void>();
  const unlocked = (tx: Tx): Tx => ({
    ...tx,
    query: async (sql, parameters) => {
      const locks = sql.startsWith('update transactions set state = state');
      const rows = await tx.query<never>(
        locks ? 'select * from transactions where id = $1 and environment_id = $2' : sql,
        parameters,
      );
      if (sql.includes('sum(amount)') && ++summed === 2) both.resolve();
      if (sql.includes('sum(amount)')) await both.promise;
      return rows;
    },
  });
  return { ...db, transaction: (work) => db.transaction((tx) => work(unlocked(tx))) };
}
