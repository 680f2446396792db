import assert from 'node:assert/strict';
import type { App } from '../../src/app.ts';
import { cancelTransaction } from '../../src/checkout/cancel-transaction.ts';
import type { PaymentAttempt } from '../../src/checkout/payment-attempt.ts';
import { selectLatestAttempt } from '../../src/checkout/payment-attempt-queries.ts';
import { settlePayment } from '../../src/checkout/settle-payment.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import type { Database, SqlRow, Tx } from '../../src/db/database.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import type { Transaction, TransactionInput } from '../../src/transactions/transaction.ts';
import { selectTransaction } from '../../src/transactions/transaction-queries.ts';
import { createTestTransaction } from './test-shop.ts';

let orders = 0;

/** Creates a transaction that was paid with the simulated method, in separate commits as in production. */
export async function createPaidTransaction(
  app: App,
  environment: ServiceEnvironment,
  changes: Partial<TransactionInput> = {},
): Promise<Transaction> {
  const transaction = await createTestTransaction(app, environment, { reference: `PAID-${++orders}`, ...changes });
  await startPayment(app, transaction, 'simulated');
  const paid = (await selectTransaction(app.db, transaction)) as Transaction;
  if (paid.state !== 'completed') throw new Error(`The transaction is ${paid.state}`);
  return paid;
}

/** Creates a transaction whose payer gave up after a decline, and whose method later reported that it has the money. */
export async function createLatePayment(
  app: App,
  environment: ServiceEnvironment,
  changes: Partial<TransactionInput> = {},
): Promise<Transaction> {
  const reference = `LATE-${++orders}`;
  const transaction = await createTestTransaction(app, environment, { reference, amount: 5001, ...changes });
  await startPayment(app, transaction, 'simulated');
  await cancelTransaction(app, transaction);
  const attempt = (await selectLatestAttempt(app.db, transaction)) as PaymentAttempt;
  await settlePayment(app, attempt, { kind: 'approved', detail: {} });
  return transaction;
}

/** Removes the triggers that protect the books, as an attacker with the database's password would do first. */
export function removeGuards(db: Database): Promise<void> {
  return db.transaction(async (tx) => {
    for (const table of ['journal_entries', 'movements']) {
      for (const event of ['updated', 'deleted']) {
        await tx.query(`drop trigger ${table}_not_${event}${db.engine === 'postgres' ? ` on ${table}` : ''}`);
      }
    }
    await tx.query('drop index journal_entries_of_attempt');
    await tx.query('drop index journal_entries_of_refund');
    await tx.query('drop index journal_entries_of_movement');
    if (db.engine === 'sqlite') return;
    const keys = await tx.query<{ name: string }>(
      `select conname as name from pg_constraint where contype = 'f' and conrelid = 'journal_entries'::regclass`,
    );
    for (const { name } of keys) await tx.query(`alter table journal_entries drop constraint ${name}`);
  });
}

/** Removes every trigger. */
export async function removeTriggers(db: Database): Promise<void> {
  const triggers = await db.query<{ name: string; place: string }>(
    db.engine === 'sqlite'
      ? "select name, tbl_name as place from sqlite_master where type = 'trigger'"
      : 'select tgname as name, tgrelid::regclass::text as place from pg_trigger where not tgisinternal',
  );
  await db.transaction(async (tx) => {
    for (const { name, place } of triggers) {
      await tx.query(`drop trigger ${name}${db.engine === 'postgres' ? ` on ${place}` : ''}`);
    }
  });
}

/** Lets a transaction write references to missing rows, as a person who edits the store can. */
export async function looseKeys({ engine }: Pick<Database, 'engine'>, tx: Tx): Promise<void> {
  const loose = 'set local session_replication_role = replica';
  await tx.query(engine === 'sqlite' ? 'pragma defer_foreign_keys = on' : loose);
}

/** Runs `work` in a transaction and rolls it back. */
export async function undone<Result>(app: App, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  const rolledBack = new Error('rolled back');
  let result: Result | undefined;
  await assert.rejects(
    app.db.transaction(async (tx) => {
      result = await work(tx);
      throw rolledBack;
    }),
    rolledBack,
  );
  return result as Result;
}

/** Returns the app with reads through `tx`, which see its changes. */
export function readingThrough(app: App, tx: Tx): App {
  return { ...app, db: { ...app.db, query: (sql, parameters) => tx.query(sql, parameters) } };
}

/**
 * Lists transactions whose refunds exceed the payment or whose entries do not match their states. One statement, so
 * that it sees one snapshot despite concurrent writes.
 */
export function selectWrongBooks(db: Pick<Database, 'query'>): Promise<SqlRow[]> {
  return db.query(`
  select t.id, t.state, t.amount, t.fee, given.reserved, given.completed, booked.paid, booked.back, booked.kept
  from transactions t
  join (
    select x.id, coalesce(sum(case when r.state in ('processing', 'completed') then r.amount else 0 end), 0) as reserved,
      coalesce(sum(case when r.state = 'completed' then r.amount else 0 end), 0) as completed
    from transactions x left join refunds r on r.transaction_id = x.id group by x.id
  ) as given on given.id = t.id
  join (
    select x.id, coalesce(sum(case when j.kind = 'payment' then j.amount else 0 end), 0) as paid,
      coalesce(sum(case when j.kind = 'fee' then j.amount else 0 end), 0) as kept,
      coalesce(sum(case when j.kind = 'refund' then j.amount else 0 end), 0) as back
    from transactions x left join journal_entries j on j.transaction_id = x.id group by x.id
  ) as booked on booked.id = t.id
  where given.reserved > t.amount or booked.back <> given.completed or booked.kept <> t.fee
    or booked.paid <> case when t.state = 'completed' then t.amount else 0 end`);
}

/**
 * Lists environments that paid out more than the money left of their merchants' payments after fees and refunds. It
 * reads states and movements, not the books. For tests with one currency.
 */
export function selectOverdrawn(db: Pick<Database, 'query'>): Promise<SqlRow[]> {
  return db.query(`
  select e.id from environments e
  where (select coalesce(sum(m.amount), 0) from movements m where m.environment_id = e.id and m.kind = 'payout')
    > (select coalesce(sum(left_over.amount), 0) from (
         select t.amount - t.fee - coalesce(sum(r.amount), 0) as amount
         from transactions t left join refunds r on r.transaction_id = t.id and r.state in ('processing', 'completed')
         where t.environment_id = e.id and t.state = 'completed'
         group by t.id, t.amount, t.fee
       ) as left_over where left_over.amount > 0)
    + (select coalesce(sum(m.amount), 0) from movements m where m.environment_id = e.id and m.decision = 'kept')`);
}
