import type { Database, InsertTarget, SqlRow, Tx } from '../db/database.ts';
import type { AttemptState, PaymentAttempt } from './payment-attempt.ts';

type Reader = Pick<Database, 'query'>;

const PAYMENT_ATTEMPTS: InsertTarget = {
  name: 'payment_attempts',
  columns: ['id', 'transaction_id', 'created_at', 'next_lookup_at', 'lookups', 'state', 'payment_method', 'account'],
};

/** Rejects when another attempt of the transaction is open or approved: the last guard against paying twice. */
export async function insertAttempt(tx: Tx, row: SqlRow): Promise<void> {
  await tx.insertRows(PAYMENT_ATTEMPTS, [row]);
}

export async function selectAttempt(db: Reader, id: string): Promise<PaymentAttempt | null> {
  const [row] = await db.query<PaymentAttempt>('select * from payment_attempts where id = $1', [id]);
  return row ?? null;
}

/** The attempt that decides what the payer sees: the one that is open or approved, else the last. */
export async function selectLatestAttempt(db: Reader, transactionId: number): Promise<PaymentAttempt | null> {
  const [row] = await db.query<PaymentAttempt>(
    `select * from payment_attempts where transaction_id = $1
     order by case when state in ('declined', 'aborted') then 1 else 0 end, created_at desc limit 1`,
    [transactionId],
  );
  return row ?? null;
}

/** What of a payment has been given back, in minor units. */
export async function sumGivenBack(db: Reader, transactionId: number): Promise<number> {
  const [row] = await db.query<{ total: number }>(
    `select cast(coalesce(sum(amount), 0) as bigint) as total from refunds
     where transaction_id = $1 and state = 'completed'`,
    [transactionId],
  );
  return row?.total ?? 0;
}

/** The end of an attempt. Called under the lock of its transaction. */
export async function endAttempt(
  tx: Tx,
  end: { id: string; state: 'approved' | 'declined' | 'aborted'; settledAt: number; detail: string },
): Promise<void> {
  await tx.query(
    'update payment_attempts set state = $2, settled_at = $3, detail = $4, next_lookup_at = null, asked_until = null where id = $1',
    [end.id, end.state, end.settledAt, end.detail],
  );
}

/** An attempt that has no end yet, and when to ask again. `externalId` null keeps the one there is. */
export async function postponeAttempt(
  tx: Tx,
  wait: { id: string; state: AttemptState; nextLookupAt: number; externalId: string | null },
): Promise<void> {
  await tx.query(
    `update payment_attempts set state = $2, next_lookup_at = $3, asked_until = null, external_id = coalesce($4, external_id)
     where id = $1`,
    [wait.id, wait.state, wait.nextLookupAt, wait.externalId],
  );
}

export async function hasDueAttempts(db: Reader, now: number): Promise<boolean> {
  const rows = await db.query(
    `select id from payment_attempts
     where state in ('started', 'pending', 'unknown') and next_lookup_at <= $1 limit 1`,
    [now],
  );
  return rows.length > 0;
}

/**
 * Takes the open attempts that are due and moves their time to `until`, so that no other worker asks meanwhile and one
 * whose worker died comes back by itself. The outer condition repeats the inner one: PostgreSQL checks it again after
 * waiting for another worker's claim of the same row.
 */
export function claimAttempts(tx: Tx, claim: { now: number; until: number; limit: number }): Promise<PaymentAttempt[]> {
  return tx.query<PaymentAttempt>(
    `update payment_attempts set next_lookup_at = $2, asked_until = $2, lookups = lookups + 1
     where state in ('started', 'pending', 'unknown') and next_lookup_at <= $1 and id in (
       select id from payment_attempts
       where state in ('started', 'pending', 'unknown') and next_lookup_at <= $1
       order by next_lookup_at limit $3)
     returning *`,
    [claim.now, claim.until, claim.limit],
  );
}

/**
 * The same for the attempt of one transaction, at once, unless somebody is asking about it: the process that opened it
 * and has not yet heard from the method, or whoever has claimed it. Null: there is none, or it is taken.
 */
export async function claimAttemptOf(
  tx: Tx,
  claim: { transactionId: number; now: number; until: number },
): Promise<PaymentAttempt | null> {
  const [row] = await tx.query<PaymentAttempt>(
    `update payment_attempts set next_lookup_at = $3, asked_until = $3
     where transaction_id = $1 and state in ('pending', 'unknown') and coalesce(asked_until, 0) <= $2
     returning *`,
    [claim.transactionId, claim.now, claim.until],
  );
  return row ?? null;
}

/** Keeps what a method said that contradicts what is known. The first such answer stays until a person has decided. */
export async function noteContradiction(tx: Tx, id: string, at: number, contradiction: string): Promise<void> {
  await tx.query(
    'update payment_attempts set contradicted_at = $2, contradiction = $3 where id = $1 and contradicted_at is null',
    [id, at, contradiction],
  );
}
