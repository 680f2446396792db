import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { selectBalances } from '../../src/books/balance-queries.ts';
import { type JournalEntry, type Posting, paymentPosting, type Transfer } from '../../src/books/journal-entry.ts';
import { insertEntries } from '../../src/books/journal-queries.ts';
import { linkHash } from '../../src/books/link-hash.ts';
import { type MovementColumn, movementHash } from '../../src/books/movement-hash.ts';
import { postEntries } from '../../src/books/post-entries.ts';
import { verifyBooks } from '../../src/books/verify-books.ts';
import type { SqlValue } from '../../src/db/database.ts';
import { splitStatements } from '../../src/db/migrate.ts';
import type { Sum } from '../../src/lib/exact-sum.ts';
import { GENESIS } from '../../src/lib/hash-chain.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { selectTransaction } from '../../src/transactions/transaction-queries.ts';
import { recordConflict } from '../../src/transactions/transition-transaction.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createLatePayment, createPaidTransaction } from '../support/test-books.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';

forEachEngine('the books', (openTestDatabase) => {
  test('a completed payment moves the amount from the method to the merchant', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const paid = await createPaidTransaction(app, environment, { amount: 12_990 });
    const [entry, ...others] = await entriesOf(app);
    assert.deepEqual(others, []);
    const [attempt] = await app.db.query<{ id: string }>('select id from payment_attempts');
    const { hash, ...content } = entry as JournalEntry;
    const { owner_hash, record_hash, ...moved } = content;
    for (const covered of [owner_hash, record_hash]) assert.match(covered ?? '', /^[0-9a-f]{64}$/);
    assert.deepEqual(moved, {
      environment_id: environment.id,
      link: 1,
      line: 0,
      created_at: app.now(),
      kind: 'payment',
      debit_account: 'method:simulated:receivable',
      credit_account: 'merchant:payable',
      amount: 12_990,
      currency: 'CLP',
      transaction_id: paid.id,
      payment_attempt_id: attempt?.id ?? null,
      refund_id: null,
      movement_id: null,
      movement_hash: null,
      payout_id: null,
    });
    assert.equal(hash, linkHash(GENESIS, [content]));
  });

  test('a late payment for an ended transaction goes to suspense', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const late = await createLatePayment(app, environment);
    const [entry] = await entriesOf(app);
    assert.equal(entry?.kind, 'late_payment');
    assert.equal(entry?.transaction_id, late.id);
    assert.equal(entry?.credit_account, 'suspense');
    assert.deepEqual(await balances(app), [
      ['method:simulated:receivable', 'CLP', 5001, 0],
      ['suspense', 'CLP', 0, 5001],
    ]);
  });

  test('an attempt’s payment is booked once, even if its method reports it again', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const { id, environment_id } = await createLatePayment(app, environment);
    const [attempt] = await app.db.query<{ id: string }>('select id from payment_attempts');
    const late = await selectTransaction(app.db, { id, environment_id });
    const cause = {
      event: 'approve' as const,
      at: app.now(),
      paymentMethod: 'simulated',
      attemptId: attempt?.id ?? null,
      data: null,
    };
    const again = await app.db.transaction((tx) => recordConflict(tx, late as Transaction, cause));
    assert.equal(again.kind, 'conflict');
    assert.equal((await entriesOf(app)).length, 1);
    const collected = { methodCode: 'simulated', attemptId: cause.attemptId, taken: 5001 };
    const posting = paymentPosting('late_payment', late as Transaction, collected, app.now());
    assert.equal(await app.db.transaction((tx) => postEntries(tx, posting)), 1);
    const [entry, ...others] = await app.db.query<JournalEntry>('select * from journal_entries');
    assert.equal(others.length, 0);
    const twice = { ...(entry as JournalEntry), link: 2 };
    await assert.rejects(
      app.db.transaction((tx) => insertEntries(tx, [twice])),
      /unique/i,
    );
  });

  test('a transaction that ends without a payment gets no entry', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    await assert.rejects(createPaidTransaction(app, environment, { amount: 5001 }), /is pending/);
    assert.deepEqual(await entriesOf(app), []);
  });

  test('a failed commit leaves no part of a posting', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    await createPaidTransaction(app, environment);
    const posting = await createPosting(app, environment, { amount: 2 });
    await assert.rejects(
      app.db.transaction(async (tx) => {
        await postEntries(tx, posting);
        throw new Error('power cut');
      }),
      /power cut/,
    );
    assert.equal((await entriesOf(app)).length, 1);
    await app.db.transaction((tx) => postEntries(tx, posting));
    assert.deepEqual((await verifyBooks(app)).problems, []);
    assert.deepEqual(
      (await entriesOf(app)).map(({ link, amount }) => [link, amount]),
      [
        [1, 12_990],
        [2, 2],
      ],
    );
  });

  test('a posting of several entries is one link', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const { transfers, ...rest } = await createPosting(app, environment);
    const fee = { kind: 'fee' as const, debit: 'merchant:payable', credit: 'fees:income', amount: 29, currency: 'CLP' };
    await app.db.transaction((tx) => postEntries(tx, { ...rest, transfers: [...transfers, fee] }));
    const entries = await entriesOf(app);
    assert.deepEqual(
      entries.map(({ link, line }) => [link, line]),
      [
        [1, 0],
        [1, 1],
      ],
    );
    assert.equal(new Set(entries.map(({ hash }) => hash)).size, 1);
    const { entries: count, problems } = await verifyBooks(app);
    assert.deepEqual([count, problems], [2, []]);
  });

  const refused: [string, Partial<Transfer>][] = [
    ['an amount of zero', { amount: 0 }],
    ['a negative amount', { amount: -1 }],
    ['money from an account to itself', { debit: 'fees', credit: 'fees' }],
  ];
  for (const [what, changes] of refused) {
    test(`the database refuses an entry that moves ${what}`, async () => {
      const app = createTestApp(await openTestDatabase());
      const environment = await createTestEnvironment(app);
      const posting = await createPosting(app, environment, changes);
      await assert.rejects(app.db.transaction((tx) => postEntries(tx, posting)));
      assert.deepEqual(await entriesOf(app), []);
    });
  }

  test('the database refuses to change or delete an entry', async () => {
    const app = createTestApp(await openTestDatabase());
    await createPaidTransaction(app, await createTestEnvironment(app));
    const statements = [
      'update journal_entries set amount = 1',
      "update journal_entries set hash = ''",
      'delete from journal_entries',
      ...(app.db.engine === 'postgres' ? ['truncate journal_entries'] : []),
    ];
    for (const sql of statements) {
      await assert.rejects(
        app.db.transaction((tx) => tx.query(sql)),
        /append-only/,
      );
    }
    assert.equal((await entriesOf(app)).length, 1);
  });

  test('each environment has separate books', async () => {
    const app = createTestApp(await openTestDatabase());
    const development = await createTestEnvironment(app, 'development');
    const production = await createTestEnvironment(app, 'production');
    await createPaidTransaction(app, development, { amount: 7000 });
    const posting = await createPosting(app, production, { amount: 9000 });
    await app.db.transaction((tx) => postEntries(tx, posting));
    const rows = await selectBalances(app.db);
    assert.deepEqual(
      rows
        .filter(({ account }) => account === 'merchant:payable')
        .map(({ environment, credits }) => [environment, credits]),
      [
        ['development', 7000],
        ['production', 9000],
      ],
    );
    const links = (await entriesOf(app)).map(({ environment_id, link }) => [environment_id, link]);
    assert.deepEqual(links, [
      [development.id, 1],
      [production.id, 1],
    ]);
  });

  test('concurrent postings form one chain without gaps, and never deadlock', async () => {
    const app = createTestApp(await openTestDatabase());
    const environments = [await createTestEnvironment(app), await createTestEnvironment(app)];
    const payments = Array.from({ length: 40 }, (_, index) =>
      createPaidTransaction(app, environments[index % 2] as ServiceEnvironment),
    );
    await Promise.all(payments);
    const { entries, problems, records, balances: sums, owners } = await verifyBooks(app);
    assert.deepEqual(
      { entries, problems, records, sums, owners },
      { entries: 40, problems: [], records: [], sums: [], owners: [] },
    );
  });

  test('the migration computes the balances of existing entries', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    await createPaidTransaction(app, environment, { amount: 7000 });
    await createPaidTransaction(app, environment, { amount: 10_55, currency: 'USD' });
    const before = await selectBalances(app.db);
    const file = join(import.meta.dirname, '../../migrations/0006-fees-and-movements.sql');
    const summing = splitStatements(readFileSync(file, 'utf8')).at(-1) as string;
    await app.db.transaction(async (tx) => {
      await tx.query('delete from account_balances');
      await tx.query(summing);
    });
    assert.deepEqual(await selectBalances(app.db), before);
    assert.deepEqual((await verifyBooks(app)).balances, []);
  });

  test('creating a transaction does not touch the books', async () => {
    const app = createTestApp(await openTestDatabase());
    await createTestTransaction(app, await createTestEnvironment(app));
    assert.deepEqual(await app.db.query('select link from journal_heads'), []);
  });
});

// The hashes were computed with sha256sum from the text that docs/finance.md describes.
test('the hash of a link is computed as documented', () => {
  const entry = {
    environment_id: 1,
    link: 1,
    line: 0,
    created_at: 1_768_478_400_000,
    kind: 'payment' as const,
    debit_account: 'method:simulated:receivable',
    credit_account: 'merchant:payable',
    amount: 12_990,
    currency: 'CLP',
    transaction_id: 1001,
    payment_attempt_id: 'pa_1',
    refund_id: null,
    movement_id: null,
    movement_hash: null,
    owner_hash: null,
    record_hash: null,
  };
  const first = linkHash(GENESIS, [entry]);
  assert.equal(first, 'c5d9172d9930225e69d1f4e4a0176917c3ca3b593698a4dcdc0515adc194a4a4');
  assert.equal(
    linkHash(first, [{ ...entry, link: 2 }]),
    'bfa7131808fef2d5fbca983e59b0b9990dad48d4a630727911c9a844853998ae',
  );
  const payout = {
    ...entry,
    link: 2,
    kind: 'payout' as const,
    debit_account: 'merchant:payable',
    credit_account: 'bank',
    amount: 9000,
    transaction_id: null,
    payment_attempt_id: null,
    movement_id: 'mv_1',
  };
  assert.equal(linkHash(first, [payout]), '39565487b768c747df64f831770b7e2b621517a2b2a88784eba9c7d9bffa128d');
  const movement: Record<MovementColumn, SqlValue> = {
    id: 'mv_1',
    environment_id: 1,
    kind: 'payout',
    reference: 'TEF-8812',
    amount: 9000,
    commission: 0,
    currency: 'CLP',
    created_at: 1_768_478_400_000,
    recorded_by: 'command line',
    payment_method: null,
    transaction_id: null,
    decision: null,
    reason: null,
  };
  const hash = movementHash((column) => movement[column]);
  assert.equal(hash, 'aa489a3e9a068c2dd3b6e4b7efd46d2db8b2211c5f3fd92045a1a7b07d2e38f4');
  assert.equal(
    linkHash(first, [{ ...payout, movement_hash: hash }]),
    '5c22a43c573b427fd8a22399a95ab36bfbf1aff33e155ce79520efe3f9f612fd',
  );
});

async function createPosting(
  app: TestApp,
  environment: ServiceEnvironment,
  changes: Partial<Transfer> = {},
): Promise<Posting> {
  const transaction = await createTestTransaction(app, environment);
  const posting = paymentPosting(
    'payment',
    transaction,
    { methodCode: 'simulated', attemptId: null, taken: transaction.amount },
    app.now(),
  );
  return { ...posting, transfers: [{ ...posting.transfers[0], ...changes }] };
}

async function entriesOf(app: TestApp): Promise<JournalEntry[]> {
  const rows = await app.db.query<JournalEntry>('select * from journal_entries order by environment_id, link, line');
  return rows.map((row) => ({ ...row }));
}

async function balances(app: TestApp): Promise<[string, string, Sum, Sum][]> {
  return (await selectBalances(app.db)).map(({ account, currency, debits, credits }) => [
    account,
    currency,
    debits,
    credits,
  ]);
}
