import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyCallback } from '../../protocol/verify-callback.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { expireTransactions } from '../../src/transactions/expire-transactions.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { selectTransaction } from '../../src/transactions/transaction-queries.ts';
import type { TransactionEvent } from '../../src/transactions/transaction-state.ts';
import { transitionTransaction } from '../../src/transactions/transition-transaction.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';

forEachEngine('moving a transaction', (openTestDatabase) => {
  const ends: [TransactionEvent, string, string, string][] = [
    ['approve', 'completed', 'completed', 'Approved'],
    ['fail', 'failed', 'failed', 'Declined'],
    ['cancel', 'cancelled', 'failed', 'Cancelled'],
    ['expire', 'expired', 'failed', 'Expired'],
  ];
  for (const [event, state, result, message] of ends) {
    test(`by ${event} stores the state, the event and a valid callback in one commit`, async () => {
      const { app, environment, transaction } = await open(openTestDatabase);
      const moved = await move(app, environment, transaction, event);
      assert.equal(moved.kind, 'moved');
      assert.equal(moved.transaction.state, state);
      const events = await app.db.query('select type, sequence from events order by sequence');
      assert.deepEqual(
        events.map((row) => [row.sequence, row.type]),
        [
          [1, 'transaction.created'],
          [2, `transaction.${state}`],
        ],
      );
      const [callback] = await app.db.query<{ body: string; sequence: number; state: string }>(
        'select * from callbacks',
      );
      assert.equal(callback?.sequence, 2);
      assert.equal(callback?.state, 'queued');
      const verified = verifyCallback({
        body: callback?.body,
        secret: environment.secrets[0]?.text as string,
        expected: {
          account: environment.serviceToken,
          reference: 'ORD-1',
          amount: 12_990,
          currency: 'CLP',
          test: true,
        },
      });
      assert.ok(verified.ok);
      assert.equal(verified.data.x_result, result);
      assert.equal(verified.data.x_message, message);
      assert.equal(verified.data.x_amount, '12990.00');
      assert.equal(verified.data.x_gateway_reference, String(transaction.id));
      assert.equal(verified.data.x_timestamp, '2026-01-15T12:00:00.000Z');
    });
  }

  test('records a payment after the end as a conflict, and sends no callback', async () => {
    const { app, environment, transaction } = await open(openTestDatabase);
    const failed = await move(app, environment, transaction, 'fail');
    const late = await move(app, environment, failed.transaction, 'approve');
    assert.equal(late.kind, 'conflict');
    assert.equal(late.transaction.state, 'failed');
    const events = await app.db.query<{ type: string; sequence: number; data: string }>(
      `select type, sequence, data from events where type = 'transaction.conflict'`,
    );
    assert.equal(events.length, 1);
    assert.equal(events[0]?.sequence, 3);
    assert.deepEqual(JSON.parse(events[0]?.data), { state: 'failed', event: 'approve' });
    assert.equal((await app.db.query('select id from callbacks')).length, 1);
  });

  test('does not let data of the payment method replace the fields of a conflict', async () => {
    const { app, environment, transaction } = await open(openTestDatabase);
    const failed = await move(app, environment, transaction, 'fail');
    const cause = { ...causeOf(app, 'approve'), data: { state: 'AUTHORIZED', authorization_code: '001001' } };
    await app.db.transaction((tx) => transitionTransaction(tx, environment, failed.transaction, cause));
    const [event] = await app.db.query<{ data: string }>(`select data from events where type = 'transaction.conflict'`);
    assert.deepEqual(JSON.parse(event?.data ?? ''), {
      state: 'failed',
      event: 'approve',
      authorization_code: '001001',
    });
  });

  test('depends on the current row, not on an earlier read', async () => {
    const { app, environment, transaction } = await open(openTestDatabase);
    await move(app, environment, transaction, 'cancel');
    // The outdated `transaction` is still pending.
    assert.equal((await move(app, environment, transaction, 'approve')).kind, 'conflict');
    assert.equal((await move(app, environment, transaction, 'cancel')).kind, 'already');
    assert.equal((await move(app, environment, transaction, 'expire')).kind, 'ignored');
  });

  test('leaves nothing behind when the commit fails', async () => {
    const { app, environment, transaction } = await open(openTestDatabase);
    await assert.rejects(
      app.db.transaction(async (tx) => {
        await transitionTransaction(tx, environment, transaction, causeOf(app, 'approve'));
        throw new Error('power cut');
      }),
      /power cut/,
    );
    assert.equal((await selectTransaction(app.db, transaction))?.state, 'pending');
    assert.equal((await app.db.query('select id from callbacks')).length, 0);
    assert.equal((await app.db.query('select position from events')).length, 1);
  });

  test('expires due transactions, except those whose payment method has not answered', async () => {
    const { app, environment, transaction } = await open(openTestDatabase);
    const paying = await createTestTransaction(app, environment, { reference: 'ORD-2' });
    await app.db.transaction((tx) =>
      tx.query(
        `insert into payment_attempts (id, environment_id, transaction_id, created_at, lookups, state, payment_method)
         values ('pa_1', $2, $1, 0, 0, 'unknown', 'simulated')`,
        [paying.id, environment.id],
      ),
    );
    app.now.advance(3_599_999);
    assert.equal(await expireTransactions(app, 10), 0);
    app.now.advance(1);
    assert.equal(await expireTransactions(app, 10), 1);
    assert.equal((await selectTransaction(app.db, transaction))?.state, 'expired');
    assert.equal((await selectTransaction(app.db, paying))?.state, 'pending');
    assert.equal(await expireTransactions(app, 10), 0);
  });

  test('expires other transactions when the Secret Token of one merchant cannot be decrypted', async () => {
    const { app, environment, transaction } = await open(openTestDatabase);
    await app.db.transaction((tx) =>
      tx.query(`update secret_tokens set sealed = 'damaged' where environment_id = $1`, [environment.id]),
    );
    app.now.advance(1);
    const other = await createTestTransaction(app, await createTestEnvironment(app));
    app.now.advance(3_600_000);
    assert.equal(await expireTransactions(app, 10), 1);
    assert.equal((await selectTransaction(app.db, transaction))?.state, 'pending');
    assert.equal((await selectTransaction(app.db, other))?.state, 'expired');
    assert.equal(
      await expireTransactions(app, 10),
      0,
      'the count is 0, so that the worker pauses before it tries again',
    );
  });

  test('expires other transactions when more than a batch of one merchant cannot be expired', async () => {
    const { app, environment, transaction } = await open(openTestDatabase);
    const [secret] = await app.db.query<{ sealed: string }>(
      'select sealed from secret_tokens where environment_id = $1',
      [environment.id],
    );
    const sql = 'update secret_tokens set sealed = $2 where environment_id = $1';
    const seal = (text: string) => app.db.transaction((tx) => tx.query(sql, [environment.id, text]));
    await createTestTransaction(app, environment, { reference: 'ORD-2' });
    await seal('damaged');
    app.now.advance(1);
    const other = await createTestTransaction(app, await createTestEnvironment(app));
    app.now.advance(3_600_000);
    assert.equal(await expireTransactions(app, 2), 0);
    assert.equal(await expireTransactions(app, 2), 1);
    assert.equal((await selectTransaction(app.db, other))?.state, 'expired');

    await seal(secret?.sealed as string);
    assert.equal(await expireTransactions(app, 2), 0, 'the merchant is left out for a minute');
    app.now.advance(60_000);
    assert.equal(await expireTransactions(app, 2), 2);
    assert.equal((await selectTransaction(app.db, transaction))?.state, 'expired');
  });
});

async function open(openTestDatabase: Parameters<Parameters<typeof forEachEngine>[1]>[0]) {
  const app = createTestApp(await openTestDatabase());
  const environment = await createTestEnvironment(app);
  const transaction = await createTestTransaction(app, environment);
  return { app, environment, transaction };
}

function causeOf(app: TestApp, event: TransactionEvent) {
  return { event, at: app.now(), paymentMethod: 'simulated', attemptId: null, data: null };
}

function move(app: TestApp, environment: ServiceEnvironment, transaction: Transaction, event: TransactionEvent) {
  return app.db.transaction((tx) => transitionTransaction(tx, environment, transaction, causeOf(app, event)));
}
