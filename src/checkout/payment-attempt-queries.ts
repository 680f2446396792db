import { LATE_PAYMENT } from '../books/journal-queries.ts';
import type { Database, InsertTarget, SqlRow, Tx } from '../db/database.ts';
import type { TransactionKey } from '../transactions/transaction.ts';
import { OPEN_ATTEMPT } from '../transactions/transaction-queries.ts';
import type { AttemptKey, AttemptState, PaymentAttempt } from './payment-attempt.ts';

type Reader = Pick<Database, 'query'>;

const PAYMENT_ATTEMPTS: InsertTarget = {
  name: 'payment_attempts',
  columns: [
    'id',
    'environment_id',
    'transaction_id',
    'created_at',
    'next_lookup_at',
    'lookups',
    'state',
    'payment_method',
    'account',
  ],
};

/** Rejects when another attempt of the transaction is open or approved: the last guard against paying twice. */
export async function insertAttempt(tx: Tx, row: SqlRow): Promise<void> {
  await tx.insertRows(PAYMENT_ATTEMPTS, [row]);
}

export async function selectAttempt(db: Reader, { id, environment_id }: AttemptKey): Promise<PaymentAttempt | null> {
  const sql = 'select * from payment_attempts where id = $1 and environment_id = $2';
  const [row] = await db.query<PaymentAttempt>(sql, [id, environment_id]);
  return row ?? null;
}

/** Wherever it is: for those who know its id alone, such as a person or the acquirer's file. */
export async function selectAttemptAnywhere(db: Reader, id: string): Promise<PaymentAttempt | null> {
  const [row] = await db.query<PaymentAttempt>('select * from payment_attempts where id = $1', [id]);
  return row ?? null;
}

/** The attempt that decides what the payer sees: the one that is open or approved, else the last. */
export async function selectLatestAttempt(
  db: Reader,
  { id, environment_id }: TransactionKey,
): Promise<PaymentAttempt | null> {
  const [row] = await db.query<PaymentAttempt>(
    `select * from payment_attempts where transaction_id = $1 and environment_id = $2
     order by case when state in ('declined', 'aborted') then 1 else 0 end, created_at desc limit 1`,
    [id, environment_id],
  );
  return row ?? null;
}

/**
 * Whether a method has still to answer for this transaction, has approved it, or took money for it after all: the payer is not asked
 * for more. To be relied on under the lock of the transaction.
 */
export async function mayHaveBeenPaid(tx: Tx, { id, environment_id }: TransactionKey): Promise<boolean> {
  const rows = await tx.query(`${OPEN_ATTEMPT} union all ${LATE_PAYMENT} limit 1`, [id, environment_id]);
  return rows.length > 0;
}

/** Sums the refunds of a payment, in minor units. */
export async function sumGivenBack(db: Reader, { id, environment_id }: TransactionKey): Promise<number> {
  const [row] = await db.query<{ total: number }>(
    `select cast(coalesce(sum(amount), 0) as bigint) as total from refunds
     where transaction_id = $1 and environment_id = $2 and state = 'completed'`,
    [id, environment_id],
  );
  return row?.total ?? 0;
}

export type AttemptEnd = {
  state: 'approved' | 'declined' | 'aborted';
  settledAt: number;
  detail: string;
  /** When the method is asked again whether that is so; null: never. */
  nextLookupAt: number | null;
};

/** The end of an attempt, which is the end of what contradicted it. Called under the lock of its transaction. */
export async function endAttempt(tx: Tx, { id, environment_id }: AttemptKey, end: AttemptEnd): Promise<void> {
  await tx.query(
    `update payment_attempts set state = $2, settled_at = $3, detail = $4, next_lookup_at = $5, asked_until = null,
       contradicted_at = null
     where id = $1 and environment_id = $6`,
    [id, end.state, end.settledAt, end.detail, end.nextLookupAt, environment_id],
  );
}

/** When to ask again about an attempt that has ended without money. An approved one is not asked about. */
export async function scheduleAskAgain(
  tx: Tx,
  { id, environment_id }: AttemptKey,
  nextLookupAt: number | null,
): Promise<void> {
  await tx.query(
    `update payment_attempts set next_lookup_at = $2, asked_until = null
     where id = $1 and environment_id = $3 and state in ('declined', 'aborted')`,
    [id, nextLookupAt, environment_id],
  );
}

/**
 * Keeps that the method is about to be told to take the money, before it is told. Answers false, and then it must not be told,
 * when the claim until `claimedUntil` is another's by now or the attempt has ended.
 */
export async function noteCommitSent(
  tx: Tx,
  { id, environment_id }: AttemptKey,
  { claimedUntil, at }: { claimedUntil: number; at: number },
): Promise<boolean> {
  const rows = await tx.query(
    `update payment_attempts set commit_sent_at = $3, commit_answered_at = null
     where id = $1 and environment_id = $4 and asked_until = $2 and state in ('started', 'pending', 'unknown')
     returning id`,
    [id, claimedUntil, at, environment_id],
  );
  return rows.length > 0;
}

/** The method has said that nothing was taken by the commit that was sent at `sentAt`, nor by any before. */
export async function noteCommitAnswered(
  tx: Tx,
  { id, environment_id }: AttemptKey,
  sentAt: number,
  at: number,
): Promise<void> {
  await tx.query(
    'update payment_attempts set commit_answered_at = $3 where id = $1 and environment_id = $4 and commit_sent_at = $2',
    [id, sentAt, at, environment_id],
  );
}

/** An attempt that has no end yet, and when to ask again. `externalId` null keeps the one there is. */
export async function postponeAttempt(
  tx: Tx,
  { id, environment_id }: AttemptKey,
  wait: { state: AttemptState; nextLookupAt: number; externalId: string | null },
): Promise<void> {
  await tx.query(
    `update payment_attempts set state = $2, next_lookup_at = $3, asked_until = null, external_id = coalesce($4, external_id)
     where id = $1 and environment_id = $5`,
    [id, wait.state, wait.nextLookupAt, wait.externalId, environment_id],
  );
}

export async function hasDueAttempts(db: Reader, now: number): Promise<boolean> {
  const rows = await db.query('select id from payment_attempts where next_lookup_at <= $1 limit 1', [now]);
  return rows.length > 0;
}

/**
 * Takes the attempts that are due, open ones and those to be asked about again, and moves their time to `until`, so that no other worker asks meanwhile and one
 * whose worker died comes back by itself. The outer condition repeats the inner one: PostgreSQL checks it again after
 * waiting for another worker's claim of the same row.
 */
export function claimAttempts(tx: Tx, claim: { now: number; until: number; limit: number }): Promise<PaymentAttempt[]> {
  return tx.query<PaymentAttempt>(
    `update payment_attempts set next_lookup_at = $2, asked_until = $2, lookups = lookups + 1
     where next_lookup_at <= $1 and id in (
       select id from payment_attempts where next_lookup_at <= $1 order by next_lookup_at limit $3)
     returning *`,
    [claim.now, claim.until, claim.limit],
  );
}

/**
 * The same for the attempt of one transaction, at once, unless somebody is asking about it: the process that opened it
 * and has not yet heard from the method, or the one that has claimed it. Null: not found, or taken.
 */
export async function claimAttemptOf(
  tx: Tx,
  { id, environment_id }: TransactionKey,
  claim: { now: number; until: number },
): Promise<PaymentAttempt | null> {
  const [row] = await tx.query<PaymentAttempt>(
    `update payment_attempts set next_lookup_at = $3, asked_until = $3
     where transaction_id = $1 and environment_id = $4 and state in ('pending', 'unknown')
       and coalesce(asked_until, 0) <= $2
     returning *`,
    [id, claim.now, claim.until, environment_id],
  );
  return row ?? null;
}

/** Keeps what a method said that contradicts what is known. The first such answer stays until a person has decided. */
export async function noteContradiction(
  tx: Tx,
  { id, environment_id }: AttemptKey,
  at: number,
  contradiction: string,
): Promise<void> {
  await tx.query(
    `update payment_attempts set contradicted_at = $2, contradiction = $3
     where id = $1 and environment_id = $4 and contradicted_at is null`,
    [id, at, contradiction, environment_id],
  );
}

/** A person has decided about it. */
export async function endContradiction(tx: Tx, { id, environment_id }: AttemptKey): Promise<void> {
  await tx.query('update payment_attempts set contradicted_at = null where id = $1 and environment_id = $2', [
    id,
    environment_id,
  ]);
}

/**
 * Attempts of the time whose method told this authorisation code, also where a spreadsheet has dropped the zeros of its six digits. At
 * most two: one is enough or none.
 */
export async function selectAttemptsByCode(
  db: Reader,
  wanted: { environmentId: number; method: string; amount: number; code: string; from: number; to: number },
): Promise<string[]> {
  const { method, from, to, environmentId, amount, code } = wanted;
  const rows = await db.query<{ id: string }>(
    `select a.id from payment_attempts a
     join transactions t on t.id = a.transaction_id and t.environment_id = a.environment_id
     where a.payment_method = $1 and a.created_at >= $2 and a.created_at < $3 and a.environment_id = $4 and t.amount = $5
       and (a.contradiction like $6 or a.detail like $6 or a.contradiction like $7 or a.detail like $7)
     order by a.id limit 2`,
    [method, from, to, environmentId, amount, toldCode(code), toldCode(code.padStart(6, '0'))],
  );
  return rows.map(({ id }) => id);
}

function toldCode(code: string): string {
  return `%"authorization_code":${JSON.stringify(code).replace(/[%_]/g, '')}%`;
}
