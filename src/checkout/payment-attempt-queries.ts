import { LATE_PAYMENT } from '../books/journal-queries.ts';
import type { InsertTarget, Reader, SqlRow, Tx } from '../db/database.ts';
import type { Recall } from '../lib/recall.ts';
import type { TransactionKey } from '../transactions/transaction.ts';
import { OPEN_ATTEMPT } from '../transactions/transaction-queries.ts';
import type { AttemptKey, AttemptState, PaymentAttempt } from './payment-attempt.ts';

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

/**
 * Inserts an attempt. Rejects if another attempt of the transaction is open or approved: the last guard against paying
 * twice.
 */
export async function insertAttempt(tx: Tx, row: SqlRow): Promise<void> {
  await tx.insertRows(PAYMENT_ATTEMPTS, [row]);
}

export async function selectAttempt(db: Reader, { id, environment_id }: AttemptKey): Promise<PaymentAttempt | null> {
  const sql = 'select * from payment_attempts where id = $1 and environment_id = $2';
  const [row] = await db.query<PaymentAttempt>(sql, [id, environment_id]);
  return row ?? null;
}

/** Returns an attempt and locks its row until the commit, so that a worker that is about to send its commit waits. */
export async function lockAttempt(tx: Tx, { id, environment_id }: AttemptKey): Promise<PaymentAttempt | null> {
  const sql = 'select * from payment_attempts where id = $1 and environment_id = $2 {for_update}';
  const [row] = await tx.query<PaymentAttempt>(sql, [id, environment_id]);
  return row ?? null;
}

/**
 * Reads an attempt from any environment, for callers that know only its id, such as a person or the acquirer's file.
 */
export async function selectAttemptAnywhere(db: Reader, id: string): Promise<PaymentAttempt | null> {
  const [row] = await db.query<PaymentAttempt>('select * from payment_attempts where id = $1', [id]);
  return row ?? null;
}

/** Reads the attempt that is open or approved, otherwise the last. */
export function selectLatestAttempt(db: Reader, transaction: TransactionKey): Promise<PaymentAttempt | null> {
  return selectFirst(db, transaction, `case when state in ('declined', 'aborted') then 1 else 0 end, created_at desc`);
}

/**
 * Reads the attempt that decides how a transaction ends: the one that is open or approved, otherwise the last declined
 * one, as in `selectLastDeclined`, otherwise the last.
 */
export function selectDecidingAttempt(db: Reader, transaction: TransactionKey): Promise<PaymentAttempt | null> {
  const order = `case state when 'declined' then 1 when 'aborted' then 2 else 0 end, settled_at desc, id`;
  return selectFirst(db, transaction, order);
}

/** Reads the first attempt of a transaction in this order. */
async function selectFirst(
  db: Reader,
  { id, environment_id }: TransactionKey,
  order: string,
): Promise<PaymentAttempt | null> {
  const [row] = await db.query<PaymentAttempt>(
    `select * from payment_attempts where transaction_id = $1 and environment_id = $2
     order by ${order} limit 1`,
    [id, environment_id],
  );
  return row ?? null;
}

/**
 * Reads what the attempts so far mean for another one. `mayBePaid`: a method has not answered yet for this transaction,
 * has approved it, or took late money for it; then the payer is asked for no more money. `lately`: how many were opened
 * after `since`, in UTC milliseconds. Reliable only under the lock of the transaction.
 */
export async function readEarlierAttempts(
  tx: Tx,
  { id, environment_id }: TransactionKey,
  since: number,
): Promise<{ mayBePaid: boolean; lately: number }> {
  const [row] = await tx.query<{ paid: number; lately: number }>(
    `select case when exists (${OPEN_ATTEMPT}) or exists (${LATE_PAYMENT}) then 1 else 0 end as paid,
       (select count(*) from payment_attempts
        where transaction_id = $1 and environment_id = $2 and created_at > $3) as lately`,
    [id, environment_id, since],
  );
  return { mayBePaid: row?.paid !== 0, lately: row?.lately ?? 0 };
}

/** Sums the completed refunds of a payment, in minor units. */
export async function sumRefunded(db: Reader, { id, environment_id }: TransactionKey): Promise<number> {
  const [row] = await db.query<{ total: number }>(
    `select cast(coalesce(sum(amount), 0) as bigint) as total from refunds
     where transaction_id = $1 and environment_id = $2 and state = 'completed'`,
    [id, environment_id],
  );
  return row?.total ?? 0;
}

/** Sums the refunds of a payment that were requested and have not failed, in minor units. */
export async function sumRefundsAsked(db: Reader, { id, environment_id }: TransactionKey): Promise<number> {
  const [row] = await db.query<{ total: number }>(
    `select cast(coalesce(sum(amount), 0) as bigint) as total from refunds
     where transaction_id = $1 and environment_id = $2 and state <> 'failed'`,
    [id, environment_id],
  );
  return row?.total ?? 0;
}

export type AttemptEnd = {
  state: 'approved' | 'declined' | 'aborted';
  settledAt: number;
  detail: string;
  /** When to ask the method again whether this end is right; null: never. */
  nextLookupAt: number | null;
};

/** Ends an attempt, and with it any contradiction about it. Called under the lock of its transaction. */
export async function endAttempt(tx: Tx, { id, environment_id }: AttemptKey, end: AttemptEnd): Promise<void> {
  await tx.query(
    `update payment_attempts set state = $2, settled_at = $3, detail = $4, next_lookup_at = $5, asked_until = null,
       contradicted_at = null
     where id = $1 and environment_id = $6`,
    [id, end.state, end.settledAt, end.detail, end.nextLookupAt, environment_id],
  );
}

/**
 * Sets when to ask again about an attempt that ended without money, and ends the claim until `claimedUntil`. Does
 * nothing if another process has taken the claim over, or an approval has ended it.
 */
export async function scheduleAskAgain(
  tx: Tx,
  { id, environment_id }: AttemptKey,
  { claimedUntil, nextLookupAt }: { claimedUntil: number; nextLookupAt: number | null },
): Promise<void> {
  await tx.query(
    `update payment_attempts set next_lookup_at = $2, asked_until = null
     where id = $1 and environment_id = $3 and asked_until = $4`,
    [id, nextLookupAt, environment_id, claimedUntil],
  );
}

/**
 * Records a commit before it is sent to the method. Returns false, and then the commit must not be sent, if another
 * process has taken over the claim until `claimedUntil`, or the attempt has ended.
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

/** Records that the method took nothing by the commit sent at `sentAt`, nor by any earlier one. */
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

/**
 * How an open attempt waits. `externalId` null keeps the stored one. `claimedUntil`: the caller's claim; null: none.
 */
export type AttemptWait = {
  state: AttemptState;
  at: number;
  nextLookupAt: number;
  externalId: string | null;
  claimedUntil: number | null;
};

/**
 * Sets the state of an open attempt, when to ask again, and ends the claim. If another process has claimed the attempt,
 * leaves the claim and the time to it.
 */
export async function postponeAttempt(
  tx: Tx,
  { id, environment_id }: AttemptKey,
  { state, at, nextLookupAt, externalId, claimedUntil }: AttemptWait,
): Promise<void> {
  const isFree = 'asked_until is null or asked_until = $6 or asked_until <= $7';
  await tx.query(
    `update payment_attempts set state = $2, external_id = coalesce($4, external_id),
       next_lookup_at = case when ${isFree} then $3 else next_lookup_at end,
       asked_until = case when ${isFree} then null else asked_until end
     where id = $1 and environment_id = $5`,
    [id, state, nextLookupAt, externalId, environment_id, claimedUntil ?? 0, at],
  );
}

const DUE = 'next_lookup_at <= $1 and not (payment_method {named $2})';

/** Returns whether any attempt is due, except by the `slow` methods. */
export async function hasDueAttempts(db: Reader, now: number, slow: readonly string[]): Promise<boolean> {
  return (await db.query(`select id from payment_attempts where ${DUE} limit 1`, [now, slow])).length > 0;
}

/**
 * Claims the due attempts, except by the `slow` methods: open ones, and ended ones that are asked about again. Moves
 * their time to `until`, so that no other worker asks meanwhile, and the attempts of a dead worker become due again.
 * The outer condition repeats the inner one: PostgreSQL checks it again after waiting for another worker's claim of the
 * same row.
 */
export function claimAttempts(
  tx: Tx,
  { now, until, limit, slow }: { now: number; until: number; limit: number; slow: readonly string[] },
): Promise<PaymentAttempt[]> {
  return tx.query<PaymentAttempt>(
    `update payment_attempts set next_lookup_at = $3, asked_until = $3, lookups = lookups + 1
     where next_lookup_at <= $1 and id in (
       select id from payment_attempts where ${DUE} order by next_lookup_at limit $4)
     returning *`,
    [now, slow, until, limit],
  );
}

/** Makes open attempts due at `now` that would be asked about after `furthest`, and ends their claims. */
export async function recallAttempts(tx: Tx, { now, furthest, elsewhere }: Recall): Promise<void> {
  await tx.query(
    `update payment_attempts set next_lookup_at = $1, asked_until = null
     where next_lookup_at > $2 and state in ('started', 'pending', 'unknown') and not (environment_id {among $3})`,
    [now, furthest, elsewhere],
  );
}

/**
 * Claims the pending or unknown attempt of one transaction at once, unless another process is asking about it. Returns
 * null if there is no such attempt or it is claimed.
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

/** Records an answer of the method that contradicts the known state. The first one stays until a person decides. */
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

export async function endContradiction(tx: Tx, { id, environment_id }: AttemptKey): Promise<void> {
  await tx.query('update payment_attempts set contradicted_at = null where id = $1 and environment_id = $2', [
    id,
    environment_id,
  ]);
}

/** Attempts of a method and an amount that began from `from` on and before `to`. */
export type AttemptsSought = {
  environmentIds: readonly number[];
  method: string;
  amount: number;
  from: number;
  to: number;
};

/**
 * Lists the ids of attempts for which the method reported this authorisation code, with or without leading zeros, which
 * spreadsheets drop. At most two ids: the caller needs a unique match.
 */
export function selectAttemptsByCode(db: Reader, sought: AttemptsSought, code: string): Promise<string[]> {
  const told = '(a.contradiction like $6 or a.detail like $6 or a.contradiction like $7 or a.detail like $7)';
  return selectSought(db, sought, told, [toldCode(code), toldCode(code.padStart(6, '0'))]);
}

/** Returns whether a method has not answered yet about one of these attempts, so that its code is not known. */
export async function hasUnanswered(db: Reader, sought: AttemptsSought): Promise<boolean> {
  const open = `a.state in ('started', 'pending', 'unknown') and coalesce(a.contradiction, a.detail, '') not like $6`;
  return (await selectSought(db, sought, open, ['%"authorization_code":%'])).length > 0;
}

/**
 * SQLite joins a `cross join` in the written order: it starts with the attempts, not with all payments of a merchant.
 */
async function selectSought(
  db: Reader,
  { method, from, to, environmentIds, amount }: AttemptsSought,
  condition: string,
  values: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select a.id from payment_attempts a cross join transactions t
     where t.id = a.transaction_id and t.environment_id = a.environment_id and a.payment_method = $1
       and a.created_at >= $2 and a.created_at < $3 and a.environment_id {among $4} and t.amount = $5
       and ${condition} order by a.id limit 2`,
    [method, from, to, environmentIds, amount, ...values],
  );
  return rows.map(({ id }) => id);
}

function toldCode(code: string): string {
  return `%"authorization_code":${JSON.stringify(code).replace(/[%_]/g, '')}%`;
}
