import type { InsertWithFollowers, Reader, SqlRow, Tx } from '../db/database.ts';
import { INSERT_CREATED_EVENTS } from '../outbox/feed/feed-queries.ts';
import type { Transaction, TransactionKey } from './transaction.ts';
import type { TransactionState } from './transaction-state.ts';

const NEW_TRANSACTIONS: InsertWithFollowers = {
  table: {
    name: 'transactions',
    columns: [
      'id',
      'environment_id',
      'amount',
      'created_at',
      'expires_at',
      'last_sequence',
      'state',
      'reference',
      'currency',
      'customer_email',
      'session_id',
      'shop_country',
      'url_callback',
      'url_cancel',
      'url_complete',
      'pay_secret',
      'unsigned_fields',
    ],
  },
  unless: 'environment_id, reference',
  key: 'id',
  followers: INSERT_CREATED_EVENTS,
};

/** Inserts the rows whose reference is free, each with its first event, and returns their ids. */
export async function insertTransactions(tx: Tx, rows: readonly SqlRow[]): Promise<number[]> {
  const events = await tx.insertNewRows<{ transaction_id: number }>(NEW_TRANSACTIONS, rows);
  return events.map((event) => event.transaction_id);
}

/** Reserves `count` ids and returns the first. The unused ids of a dead process are never used. */
export async function reserveTransactionIds(tx: Tx, count: number): Promise<number> {
  const [block] = await tx.query<{ next_id: number }>(
    `update id_blocks set next_id = next_id + $1 where name = 'transaction' returning next_id`,
    [count],
  );
  return (block as { next_id: number }).next_id - count;
}

export async function selectByReference(
  db: Reader,
  environmentId: number,
  reference: string,
): Promise<Transaction | null> {
  const [row] = await db.query<Transaction>('select * from transactions where environment_id = $1 and reference = $2', [
    environmentId,
    reference,
  ]);
  return row ?? null;
}

export async function selectTransaction(
  db: Reader,
  { id, environment_id }: TransactionKey,
): Promise<Transaction | null> {
  const sql = 'select * from transactions where id = $1 and environment_id = $2';
  const [row] = await db.query<Transaction>(sql, [id, environment_id]);
  return row ?? null;
}

/** Reads a transaction if it belongs to one of these environments. */
export async function selectTransactionAmong(
  db: Reader,
  id: number,
  environmentIds: readonly number[],
): Promise<Transaction | null> {
  const sql = 'select * from transactions where id = $1 and environment_id {among $2}';
  const [row] = await db.query<Transaction>(sql, [id, environmentIds]);
  return row ?? null;
}

/**
 * Reads a transaction from any environment, for callers that know only its id, such as a person who sees the whole
 * installation.
 */
export async function selectTransactionAnywhere(db: Reader, id: number): Promise<Transaction | null> {
  const [row] = await db.query<Transaction>('select * from transactions where id = $1', [id]);
  return row ?? null;
}

/**
 * Reads a transaction and locks it until the commit. Take this lock before a decision that depends on related rows,
 * such as an open payment attempt.
 *
 * PostgreSQL's update takes the id of its commit before it waits for the row, and the feed is ordered by these ids. The
 * select waits without one, so that the events of a payment are in the feed in the order of their sequence.
 */
export async function lockTransaction(tx: Tx, { id, environment_id }: TransactionKey): Promise<Transaction | null> {
  const [row] = await tx.query<Transaction>(
    `update transactions set state = state
     where id = (select id from transactions where id = $1 and environment_id = $2 {for_change}) and environment_id = $2
     returning *`,
    [id, environment_id],
  );
  return row ?? null;
}

/** SQL that finds an attempt of transaction $1 of environment $2 that its method has approved or not answered yet. */
export const OPEN_ATTEMPT = `select 1 as one from payment_attempts
  where transaction_id = $1 and environment_id = $2 and state in ('started', 'pending', 'unknown', 'approved')`;

/** Returns whether a payment method has approved this transaction or not answered yet. */
export async function hasOpenAttempt(tx: Tx, { id, environment_id }: TransactionKey): Promise<boolean> {
  const rows = await tx.query(OPEN_ATTEMPT, [id, environment_id]);
  return rows.length > 0;
}

export async function countDeclined(db: Reader, { id, environment_id }: TransactionKey): Promise<number> {
  const [row] = await db.query<{ declined: number }>(
    `select count(*) as declined from payment_attempts
     where transaction_id = $1 and environment_id = $2 and state = 'declined'`,
    [id, environment_id],
  );
  return row?.declined ?? 0;
}

/**
 * Returns the last declined attempt, from which the event of an end without payment takes its data. Null: none was
 * declined.
 */
export async function selectLastDeclined(
  tx: Tx,
  { id, environment_id }: TransactionKey,
): Promise<{ id: string; payment_method: string; detail: string | null } | null> {
  const [row] = await tx.query<{ id: string; payment_method: string; detail: string | null }>(
    `select id, payment_method, detail from payment_attempts
     where transaction_id = $1 and environment_id = $2 and state = 'declined' order by settled_at desc, id limit 1`,
    [id, environment_id],
  );
  return row ?? null;
}

/**
 * Changes a state from `from` to `to`, with the next sequence number; no other statement changes a state. Returns null
 * if another writer was first.
 */
export async function updateState(
  tx: Tx,
  { id, environment_id }: TransactionKey,
  change: {
    from: TransactionState;
    to: TransactionState;
    settledAt: number;
    paymentMethod: string | null;
    fee: number;
  },
): Promise<Transaction | null> {
  const [row] = await tx.query<Transaction>(
    `update transactions set state = $3, settled_at = $4, payment_method = $5, fee = $6, last_sequence = last_sequence + 1
     where id = $1 and state = $2 and environment_id = $7 returning *`,
    [id, change.from, change.to, change.settledAt, change.paymentMethod, change.fee, environment_id],
  );
  return row ?? null;
}

/** Takes the next sequence number, for an event that does not change the state. */
export async function advanceSequence(tx: Tx, { id, environment_id }: TransactionKey): Promise<Transaction> {
  const [row] = await tx.query<Transaction>(
    'update transactions set last_sequence = last_sequence + 1 where id = $1 and environment_id = $2 returning *',
    [id, environment_id],
  );
  return row as Transaction;
}

export async function clearUnsignedFields(tx: Tx, environmentId: number, id: number): Promise<void> {
  await tx.query('update transactions set unsigned_fields = null where id = $1 and environment_id = $2', [
    id,
    environmentId,
  ]);
}

/**
 * Lists pending transactions whose time is over, the oldest first, except those with an approved or unanswered attempt.
 * `except`: the environments to leave out.
 */
export function selectExpired(
  db: Reader,
  now: number,
  { limit, except }: { limit: number; except: readonly number[] },
): Promise<TransactionKey[]> {
  return db.query<SqlRow & TransactionKey>(
    `select t.id, t.environment_id from transactions t
     where t.state = 'pending' and t.expires_at <= $1 and not (t.environment_id {among $3})
       and not exists (
         select 1 from payment_attempts a
         where a.transaction_id = t.id and a.environment_id = t.environment_id
           and a.state in ('started', 'pending', 'unknown', 'approved'))
     order by t.expires_at limit $2`,
    [now, limit, except],
  );
}

/** Counts the transactions that can still be paid or have an open attempt. */
export async function countPending(db: Reader): Promise<number> {
  const [row] = await db.query<{ pending: number }>(
    `select count(*) as pending from transactions where state = 'pending'`,
  );
  return row?.pending ?? 0;
}
