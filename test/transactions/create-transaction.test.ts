import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { cancelTransaction } from '../../src/checkout/cancel-transaction.ts';
import { createTransaction } from '../../src/transactions/create-transaction.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { createTestEnvironment, createTestTransaction, testInput } from '../support/test-shop.ts';

forEachEngine('creating a transaction', (openTestDatabase) => {
  test('stores the row and its first event together', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const transaction = await createTestTransaction(app, environment, { unsignedFields: '{"x_products":[]}' });
    assert.equal(transaction.state, 'pending');
    assert.equal(transaction.amount, 12_990);
    assert.equal(transaction.expires_at, transaction.created_at + 3_600_000);
    assert.equal(transaction.unsigned_fields, '{"x_products":[]}');
    const events = await app.db.query('select type, sequence, transaction_id from events');
    assert.deepEqual(
      events.map((row) => ({ ...row })),
      [{ type: 'transaction.created', sequence: 1, transaction_id: transaction.id }],
    );
  });

  test('answers an identical repeat with the first transaction', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const first = await createTestTransaction(app, environment);
    const again = await createTransaction(app, environment, testInput());
    assert.equal(again.kind, 'replayed');
    assert.equal(again.transaction.id, first.id);
    assert.equal(again.transaction.pay_secret, first.pay_secret);
  });

  const differences: [string, Parameters<typeof testInput>[0]][] = [
    ['x_amount', { amount: 12_991 }],
    ['x_currency', { currency: 'USD' }],
    ['x_customer_email', { customerEmail: 'other@example.cl' }],
    ['x_shop_country', { shopCountry: 'PE' }],
    ['x_url_callback', { urlCallback: 'https://other.example.cl/' }],
    ['x_url_cancel', { urlCancel: 'https://other.example.cl/' }],
    ['x_url_complete', { urlComplete: 'https://other.example.cl/' }],
  ];
  test('answers a reference with changed fields with a conflict that names them, and stores nothing', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const first = await createTestTransaction(app, environment);
    for (const [name, change] of differences) {
      const outcome = await createTransaction(app, environment, testInput(change));
      assert.deepEqual(outcome, { kind: 'conflict', transaction: outcome.transaction, fields: [name] });
      assert.equal(outcome.transaction.id, first.id);
    }
    assert.deepEqual(await counts(app.db), { transactions: 1, events: 1 });
  });

  test('accepts the same order with a new session id as a repeat', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const first = await createTestTransaction(app, environment);
    const view = (changes = {}) =>
      createTransaction(app, environment, testInput({ sessionId: 'session-2', ...changes }));
    const again = await view();
    assert.deepEqual([again.kind, again.transaction.id], ['replayed', first.id]);
    assert.equal((again.transaction as Transaction).session_id, 'session-1');
    const other = await view({ amount: 12_991 });
    assert.deepEqual(other.kind === 'conflict' && other.fields, ['x_amount', 'x_session_id']);
    assert.deepEqual(await counts(app.db), { transactions: 1, events: 1 });
  });

  test('answers a new session id with a conflict when the first transaction can no longer be paid', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const view = (reference: string) =>
      createTransaction(app, environment, testInput({ reference, sessionId: 'session-2' }));
    const ended = await createTestTransaction(app, environment, { reference: 'ended' });
    await cancelTransaction(app, ended);
    assert.equal((await view('ended')).kind, 'conflict');
    await createTestTransaction(app, environment, { reference: 'late' });
    app.now.advance(3_599_999);
    assert.equal((await view('late')).kind, 'replayed');
    app.now.advance(1);
    assert.equal((await view('late')).kind, 'conflict');
  });

  test('creates one transaction for concurrent views of an order with different session ids', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const view = (index: number) => createTransaction(app, environment, testInput({ sessionId: `session-${index}` }));
    const outcomes = await Promise.all(Array.from({ length: 600 }, (_, index) => view(index)));
    assert.equal(new Set(outcomes.map(({ transaction }) => transaction.id)).size, 1);
    const kinds = Map.groupBy(outcomes, ({ kind }) => kind);
    assert.deepEqual([kinds.get('created')?.length, kinds.get('replayed')?.length], [1, 599]);
    assert.deepEqual(await counts(app.db), { transactions: 1, events: 1 });
  });

  test('does not compare unsigned fields', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    await createTestTransaction(app, environment);
    const again = await createTransaction(app, environment, testInput({ unsignedFields: '{"x_document":{}}' }));
    assert.equal(again.kind, 'replayed');
  });

  test('distinguishes references by environment, letter case and trailing text', async () => {
    const app = createTestApp(await openTestDatabase());
    const one = await createTestEnvironment(app, 'development');
    const other = await createTestEnvironment(app, 'production');
    const inputs = ['ORD-1', 'ord-1', 'ORD-1 ', 'ÓRD-1'];
    for (const environment of [one, other]) {
      for (const reference of inputs) {
        assert.equal((await createTransaction(app, environment, testInput({ reference }))).kind, 'created');
      }
    }
  });

  test('creates one transaction for concurrent requests with one reference, within and across batches', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const ask = (index: number) => createTransaction(app, environment, testInput({ amount: 1000 + (index % 2) }));
    const outcomes = await Promise.all(Array.from({ length: 600 }, (_, index) => ask(index)));
    const kinds = outcomes.map(({ kind }) => kind);
    assert.equal(kinds.filter((kind) => kind === 'created').length, 1);
    assert.equal(kinds.filter((kind) => kind === 'conflict').length, 300);
    assert.equal(new Set(outcomes.map(({ transaction }) => transaction.id)).size, 1);
    assert.deepEqual(await counts(app.db), { transactions: 1, events: 1 });
  });

  test('gives ids that no other process on the same store gives', async () => {
    const db = await openTestDatabase();
    const [one, other] = [createTestApp(db), createTestApp(db)];
    const environment = await createTestEnvironment(one);
    const ids = new Set<number>();
    for (const app of [one, other, one, other]) {
      const created = await createTransaction(app, environment, testInput({ reference: `ORD-${ids.size}` }));
      ids.add((created.transaction as Transaction).id);
    }
    assert.equal(ids.size, 4);
  });

  test('fails when the counter of ids has gone back, as after a restore under a running process', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const { id } = await createTestTransaction(app, environment);
    await app.db.transaction((tx) => tx.query('update id_blocks set next_id = next_id - 1'));
    const next = () => createTransaction(app, environment, testInput({ reference: 'NEXT' }));
    await assert.rejects(next, { code: 'STORAGE_UNAVAILABLE' });
    const other = createTestApp(app.db);
    const outcome = await createTransaction(other, environment, testInput({ reference: 'ORD-1' }));
    assert.equal(outcome.transaction.id, id, 'the first transaction is there');
  });

  test('takes only one id from the counter when a process creates one transaction', async () => {
    const db = await openTestDatabase();
    const environment = await createTestEnvironment(createTestApp(db));
    const ids: number[] = [];
    for (const n of [1, 2, 3]) {
      const input = testInput({ reference: `ORD-${n}` });
      ids.push((await createTransaction(createTestApp(db), environment, input)).transaction.id);
    }
    assert.deepEqual(ids, [1001, 1002, 1003]);
  });

  test('succeeds for every request when the answers of two concurrent batches arrive in reverse order', async () => {
    const db = await openTestDatabase();
    let calls = 0;
    let second = (): void => {};
    const secondAnswered = new Promise<void>((resolve) => {
      second = resolve;
    });
    // Delays the first answer until after the second, if there is a second.
    const transaction: typeof db.transaction = async (work) => {
      const call = ++calls;
      const result = await db.transaction(work);
      if (call === 1) await Promise.race([secondAnswered, setTimeout(200)]);
      if (call === 2) second();
      return result;
    };
    const app = createTestApp({ ...db, transaction });
    const environment = await createTestEnvironment({ ...app, db });
    const outcomes = await Promise.all(
      Array.from({ length: 300 }, (_, index) =>
        createTransaction(app, environment, testInput({ reference: `ORDER-${index}` })),
      ),
    );
    const ids = new Set(outcomes.map((outcome) => outcome.transaction.id));
    assert.equal(ids.size, 300);
  });
});

async function counts(db: { query: ReturnType<typeof createTestApp>['db']['query'] }) {
  const [transactions] = await db.query<{ n: number }>('select count(*) as n from transactions');
  const [events] = await db.query<{ n: number }>('select count(*) as n from events');
  return { transactions: transactions?.n, events: events?.n };
}
