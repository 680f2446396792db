import { isOfAccountSql } from '../audit/actor.ts';
import { wentBack } from '../books/journal-queries.ts';
import type { InsertTarget, Reader, SqlRow, Tx } from '../db/database.ts';
import { readSum, type Sum } from '../lib/exact-sum.ts';
import type { Recall } from '../lib/recall.ts';
import { chargedBack, unresolvedRefunds } from '../movements/movement-queries.ts';
import type { TransactionKey } from '../transactions/transaction.ts';
import type { Refund, RefundKey } from './refund.ts';

const REFUNDS: InsertTarget = {
  name: 'refunds',
  columns: [
    'id',
    'environment_id',
    'transaction_id',
    'sequence',
    'amount',
    'created_at',
    'next_lookup_at',
    'lookups',
    'state',
    'type',
    'requested_by',
    'idempotency_key',
  ],
};

export async function insertRefund(tx: Tx, row: SqlRow): Promise<Refund> {
  const [refund] = await tx.insertRows<Refund>(REFUNDS, [row], 'returning *');
  return refund as Refund;
}

export async function selectRefund(db: Reader, { id, environment_id }: RefundKey): Promise<Refund | null> {
  const sql = 'select * from refunds where id = $1 and environment_id = $2';
  const [row] = await db.query<Refund>(sql, [id, environment_id]);
  return row ?? null;
}

/** SQL that sums what went back at the method by refunds: it does not count a chargeback, which is no refund. */
const refundedAtMethod = (transactionId: string, environmentId: string) =>
  `(${wentBack(transactionId, environmentId)} - ${chargedBack(transactionId, environmentId)})`;

/**
 * Reads the refund with the amount of its payment that went back by refunds according to the books. Reliable only under
 * the lock of its transaction.
 */
export async function selectRefundBesideBooks(
  tx: Tx,
  { id, environment_id, transaction_id }: Refund,
): Promise<{ refund: Refund; wentBack: number } | null> {
  const [row] = await tx.query<Refund & { went_back: number }>(
    `select r.*, ${refundedAtMethod('$3', '$2')} as went_back from refunds r where r.id = $1 and r.environment_id = $2`,
    [id, environment_id, transaction_id],
  );
  if (row === undefined) return null;
  const { went_back, ...refund } = row;
  return { refund, wentBack: went_back };
}

/**
 * A payment that is refunded: the attempt that collected it, and the amount that went back by refunds according to the
 * books.
 */
export type RefundedPayment = SqlRow & {
  currency: string;
  paid: number;
  payment_method: string | null;
  attempt_id: string;
  external_id: string | null;
  account: string | null;
  /** JSON text. */
  detail: string | null;
  went_back: number;
};

/** Reads the payment of a refund; null: it was never paid. */
export async function selectRefundedPayment(
  db: Reader,
  { transaction_id, environment_id }: Refund,
): Promise<RefundedPayment | null> {
  const [row] = await db.query<RefundedPayment>(
    `select t.currency, t.amount as paid, t.payment_method, a.id as attempt_id, a.external_id, a.account, a.detail,
       ${refundedAtMethod('$1', '$2')} as went_back
     from transactions t join payment_attempts a on a.transaction_id = t.id and a.environment_id = $2 and a.state = 'approved'
     where t.id = $1 and t.environment_id = $2`,
    [transaction_id, environment_id],
  );
  return row ?? null;
}

/** Reads a refund from any environment, for a person who knows only its id. */
export async function selectRefundAnywhere(db: Reader, id: string): Promise<Refund | null> {
  const [row] = await db.query<Refund>('select * from refunds where id = $1', [id]);
  return row ?? null;
}

export async function selectRefundByKey(
  db: Reader,
  { id, environment_id }: TransactionKey,
  key: string,
): Promise<Refund | null> {
  const [row] = await db.query<Refund>(
    'select * from refunds where transaction_id = $1 and environment_id = $2 and idempotency_key = $3',
    [id, environment_id, key],
  );
  return row ?? null;
}

/**
 * Finds the first refund without a key that the same person requested after `since`, of the same type and amount (null:
 * any amount). Ignores failed refunds, because they refunded nothing: a repetition of these is a new request.
 */
export async function selectSameRefund(
  tx: Tx,
  { id, environment_id }: TransactionKey,
  wish: { requestedBy: string; type: string; amount: number | null; since: number },
): Promise<Refund | null> {
  const [row] = await tx.query<Refund>(
    `select * from refunds
     where transaction_id = $1 and environment_id = $6 and idempotency_key is null and type = $3
       and ${isOfAccountSql('requested_by', '$2')}
       and (amount = $4 or $4 = 0) and created_at > $5 and state <> 'failed'
     order by sequence limit 1`,
    [id, wish.requestedBy, wish.type, wish.amount ?? 0, wish.since, environment_id],
  );
  return row ?? null;
}

/** Lists the refunds of a transaction in the order in which they were accepted. */
export function selectRefundsOf(db: Reader, { id, environment_id }: TransactionKey): Promise<Refund[]> {
  return db.query<Refund>('select * from refunds where transaction_id = $1 and environment_id = $2 order by sequence', [
    id,
    environment_id,
  ]);
}

export type ListedRefund = Refund & { currency: string; environment: string; name: string };

export function selectRefunds(db: Reader, limit: number): Promise<ListedRefund[]> {
  return db.query<ListedRefund>(
    `select r.*, t.currency, e.environment, p.name
     from refunds r
     join transactions t on t.id = r.transaction_id and t.environment_id = r.environment_id
     join environments e on e.id = r.environment_id
     join payment_services p on p.id = e.payment_service_id
     order by r.created_at desc, r.id limit $1`,
    [limit],
  );
}

/**
 * Sums the refunded amount of a payment, in minor units. `refunds`: refunds that are completed or in process. `gone`:
 * also unasked refunds that were charged to the merchant. Undecided unasked refunds are left out, because one of them
 * may be the very refund that is requested now. Called under the lock of the transaction to place a refund.
 */
export async function sumGone(
  db: Reader,
  { id, environment_id }: TransactionKey,
): Promise<{ refunds: number; gone: number }> {
  const [row] = await db.query<{ refunds: number; under_way: number; explained: number }>(
    `select cast(coalesce(sum(amount), 0) as bigint) as refunds,
       cast(coalesce(sum(case when state = 'processing' then amount else 0 end), 0) as bigint) as under_way,
       ${wentBack('$1', '$2')} - ${unresolvedRefunds('$1', '$2')} as explained
     from refunds where transaction_id = $1 and environment_id = $2 and state in ('processing', 'completed')`,
    [id, environment_id],
  );
  const { refunds = 0, under_way = 0, explained = 0 } = row ?? {};
  return { refunds, gone: Math.max(refunds, under_way + explained) };
}

/**
 * Sums the part of the fees that refunds of a merchant's payments have used or reserved: `feeWithin` of each payment.
 * SQLite joins a `cross join` in the written order: it starts with the refunds, not with all payments of the merchant.
 */
export async function sumFeesWithin(db: Reader, environmentId: number, currency: string): Promise<Sum> {
  const [row] = await db.query<{ total: string }>(
    `select cast(cast(coalesce(sum(given - own), 0) as bigint) as text) as total from (
       select t.amount - t.fee as own, sum(r.amount) as given
       from refunds r cross join transactions t
       where t.id = r.transaction_id and t.environment_id = r.environment_id and r.environment_id = $1
         and r.state in ('processing', 'completed') and t.currency = $2 and t.fee > 0
       group by t.id, t.amount, t.fee
     ) as back where given > own`,
    [environmentId, currency],
  );
  return readSum(row?.total ?? '0');
}

/** Ends a refund, and with it any contradiction about it. Called under the lock of its transaction. */
export async function endRefund(
  tx: Tx,
  { id, environment_id }: RefundKey,
  end: { state: 'completed' | 'failed'; settledAt: number; nextLookupAt: number; detail: string },
): Promise<Refund> {
  const [row] = await tx.query<Refund>(
    `update refunds set state = $2, settled_at = $3, detail = $4, next_lookup_at = $5, asking = 'held',
       contradicted_at = null where id = $1 and environment_id = $6 returning *`,
    [id, end.state, end.settledAt, end.detail, end.nextLookupAt, environment_id],
  );
  return row as Refund;
}

/**
 * Sets when to look a refund up again; `null`: never. Does nothing if another worker has claimed it since, because that
 * worker sets the next look-up.
 */
export async function postponeRefund(
  tx: Tx,
  { id, environment_id, lookups }: Refund,
  nextLookupAt: number | null,
): Promise<void> {
  await tx.query('update refunds set next_lookup_at = $2 where id = $1 and environment_id = $3 and lookups = $4', [
    id,
    nextLookupAt,
    environment_id,
    lookups,
  ]);
}

/**
 * Records that the refund is about to be requested. Returns false, and then it must not be requested, if another worker
 * has claimed the refund or it has ended.
 */
export async function noteAsked(tx: Tx, claimed: Refund, refundedBefore: number | null, at: number): Promise<boolean> {
  const rows = await tx.query(
    `update refunds set asked_at = $3, asking = 'held', refunded_before = coalesce(refunded_before, $4)
     where id = $1 and environment_id = $5 and lookups = $2 and state = 'processing' returning id`,
    [claimed.id, claimed.lookups, at, refundedBefore, claimed.environment_id],
  );
  return rows.length > 0;
}

/** Undoes the record of `notedAt`: the refund was not requested after all. The order of a person since then stays. */
export async function forgetAsked(tx: Tx, before: Refund, notedAt: number): Promise<void> {
  await tx.query(
    `update refunds set asked_at = $3, asking = $4, refunded_before = $5
     where id = $1 and environment_id = $6 and asked_at = $2 and asking = 'held'`,
    [before.id, notedAt, before.asked_at, before.asking, before.refunded_before, before.environment_id],
  );
}

/**
 * Stops further requests of a refund until a person decides. Stores the time and the reason, unless a contradiction is
 * stored already.
 */
export async function holdRefund(
  tx: Tx,
  { id, environment_id }: RefundKey,
  at: number,
  contradiction: object,
): Promise<void> {
  await tx.query(
    `update refunds set asking = 'held', contradiction = case when contradicted_at is null then $3 else contradiction end,
       contradicted_at = coalesce(contradicted_at, $2) where id = $1 and environment_id = $4`,
    [id, at, JSON.stringify(contradiction), environment_id],
  );
}

/**
 * Lets the worker request a refund again from `at` on, because a person has decided so. Ends the claim of a worker that
 * asks about it meanwhile.
 */
export async function orderRefund(tx: Tx, { id, environment_id }: RefundKey, at: number): Promise<void> {
  await tx.query(
    `update refunds set asking = 'ordered', next_lookup_at = $2, contradicted_at = null,
       lookups = lookups + 1, noted_lookups = noted_lookups + 1
     where id = $1 and environment_id = $3`,
    [id, at, environment_id],
  );
}

/** Ends a contradiction. Its text stays, so that a slow answer does not record it again. */
export async function endContradiction(tx: Tx, { id, environment_id }: RefundKey): Promise<void> {
  await tx.query('update refunds set contradicted_at = null where id = $1 and environment_id = $2', [
    id,
    environment_id,
  ]);
}

export async function hasOpenRefund(tx: Tx, { id, environment_id }: TransactionKey): Promise<boolean> {
  const rows = await tx.query(
    "select id from refunds where transaction_id = $1 and environment_id = $2 and state = 'processing' limit 1",
    [id, environment_id],
  );
  return rows.length > 0;
}

/** Returns when a refund of the transaction last ended, in UTC milliseconds; 0: none has. */
export async function lastRefundEnd(tx: Tx, { id, environment_id }: TransactionKey): Promise<number> {
  const [row] = await tx.query<{ at: number | null }>(
    'select max(settled_at) as at from refunds where transaction_id = $1 and environment_id = $2',
    [id, environment_id],
  );
  return row?.at ?? 0;
}

/**
 * SQL condition: due, not by a method of `$2`, and the first refund of its transaction that has not ended. A method
 * never gets two refunds of one payment at a time, so that its balance of the payment is unambiguous. An ended refund is
 * looked up again only when none is open. A subquery for the method, because PostgreSQL could join all transactions.
 */
const DUE = `next_lookup_at <= $1
  and not ((select t.payment_method from transactions t
    where t.id = refunds.transaction_id and t.environment_id = refunds.environment_id) {named $2})
  and not exists (
  select 1 from refunds earlier
  where earlier.transaction_id = refunds.transaction_id and earlier.environment_id = refunds.environment_id
    and earlier.state = 'processing'
    and (refunds.state <> 'processing' or earlier.sequence < refunds.sequence))`;

/** Returns whether any refund is due, except by the `slow` methods. */
export async function hasDueRefunds(db: Reader, now: number, slow: readonly string[]): Promise<boolean> {
  return (await db.query(`select id from refunds where ${DUE} limit 1`, [now, slow])).length > 0;
}

/** Makes refunds in process due at `now` that would be asked about after `furthest`. */
export async function recallRefunds(tx: Tx, { now, furthest, elsewhere }: Recall): Promise<void> {
  await tx.query(
    `update refunds set next_lookup_at = $1
     where next_lookup_at > $2 and state = 'processing' and not (environment_id {among $3})`,
    [now, furthest, elsewhere],
  );
}

/**
 * Claims the due refunds, except by the `slow` methods. Moves their time to `until`, so that no other worker asks
 * meanwhile, and the refunds of a dead worker become due again. The outer condition repeats a part of the inner one:
 * PostgreSQL checks it again after waiting for another worker's claim of the same row.
 */
export function claimRefunds(
  tx: Tx,
  { now, until, limit, slow }: { now: number; until: number; limit: number; slow: readonly string[] },
): Promise<Refund[]> {
  return tx.query<Refund>(
    `update refunds set next_lookup_at = $3, lookups = lookups + 1, noted_lookups = noted_lookups + 1
     where next_lookup_at <= $1 and id in (
       select id from refunds where ${DUE} order by next_lookup_at limit $4)
     returning *`,
    [now, slow, until, limit],
  );
}
