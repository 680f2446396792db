import type { Database, InsertTarget, SqlRow, Tx } from '../db/database.ts';
import type { Refund } from './refund.ts';

type Reader = Pick<Database, 'query'>;

const REFUNDS: InsertTarget = {
  name: 'refunds',
  columns: [
    'id',
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

export async function selectRefund(db: Reader, id: string): Promise<Refund | null> {
  const [row] = await db.query<Refund>('select * from refunds where id = $1', [id]);
  return row ?? null;
}

export async function selectRefundByKey(db: Reader, transactionId: number, key: string): Promise<Refund | null> {
  const [row] = await db.query<Refund>('select * from refunds where transaction_id = $1 and idempotency_key = $2', [
    transactionId,
    key,
  ]);
  return row ?? null;
}

/** In the order in which they were accepted. */
export function selectRefundsOf(db: Reader, transactionId: number): Promise<Refund[]> {
  return db.query<Refund>('select * from refunds where transaction_id = $1 order by sequence', [transactionId]);
}

export type ListedRefund = Refund & { currency: string; environment: string; name: string };

/** The newest refunds of the installation. */
export function selectRefunds(db: Reader, limit: number): Promise<ListedRefund[]> {
  return db.query<ListedRefund>(
    `select r.*, t.currency, e.environment, p.name
     from refunds r
     join transactions t on t.id = r.transaction_id
     join environments e on e.id = t.environment_id
     join payment_services p on p.id = e.payment_service_id
     order by r.created_at desc, r.id limit $1`,
    [limit],
  );
}

/** What of a payment has been given back or is being given back. Called under the lock of the transaction. */
export async function sumReserved(tx: Tx, transactionId: number): Promise<number> {
  return sumOf(tx, transactionId, "state in ('processing', 'completed')");
}

export async function sumCompleted(db: Reader, transactionId: number): Promise<number> {
  return sumOf(db, transactionId, "state = 'completed'");
}

async function sumOf(db: Reader, transactionId: number, condition: string): Promise<number> {
  const [row] = await db.query<{ total: number }>(
    `select cast(coalesce(sum(amount), 0) as bigint) as total from refunds where transaction_id = $1 and ${condition}`,
    [transactionId],
  );
  return row?.total ?? 0;
}

/**
 * What of the fees of a merchant's payments was given back beside his own money, or is being given back: `feeWithin` of
 * each payment, summed up.
 */
export async function sumFeesWithin(tx: Tx, environmentId: number, currency: string): Promise<number> {
  const [row] = await tx.query<{ total: number }>(
    `select cast(coalesce(sum(given - own), 0) as bigint) as total from (
       select t.amount - t.fee as own, sum(r.amount) as given
       from refunds r join transactions t on t.id = r.transaction_id
       where r.state in ('processing', 'completed') and t.environment_id = $1 and t.currency = $2 and t.fee > 0
       group by t.id, t.amount, t.fee
     ) as back where given > own`,
    [environmentId, currency],
  );
  return row?.total ?? 0;
}

/** The end of a refund. Called under the lock of its transaction. */
export async function endRefund(
  tx: Tx,
  end: { id: string; state: 'completed' | 'failed'; settledAt: number; detail: string },
): Promise<Refund> {
  const [row] = await tx.query<Refund>(
    'update refunds set state = $2, settled_at = $3, detail = $4, next_lookup_at = null where id = $1 returning *',
    [end.id, end.state, end.settledAt, end.detail],
  );
  return row as Refund;
}

export async function postponeRefund(tx: Tx, id: string, nextLookupAt: number): Promise<void> {
  await tx.query('update refunds set next_lookup_at = $2 where id = $1', [id, nextLookupAt]);
}

export async function noteAsked(tx: Tx, id: string, at: number): Promise<void> {
  await tx.query('update refunds set asked_at = $2 where id = $1', [id, at]);
}

/**
 * Due, and the first of its transaction that has no end yet: a method is never asked for two refunds of one payment at a
 * time, so that what it says of the payment can be told apart.
 */
const DUE = `state = 'processing' and next_lookup_at <= $1 and not exists (
  select 1 from refunds earlier
  where earlier.transaction_id = refunds.transaction_id and earlier.sequence < refunds.sequence
    and earlier.state = 'processing')`;

export async function hasDueRefunds(db: Reader, now: number): Promise<boolean> {
  const rows = await db.query(`select id from refunds where ${DUE} limit 1`, [now]);
  return rows.length > 0;
}

/**
 * Takes the refunds that are due and moves their time to `until`, so that no other worker asks meanwhile and one whose
 * worker died comes back by itself. The outer condition repeats a part of the inner one: PostgreSQL checks it again after
 * waiting for another worker's claim of the same row.
 */
export function claimRefunds(tx: Tx, claim: { now: number; until: number; limit: number }): Promise<Refund[]> {
  return tx.query<Refund>(
    `update refunds set next_lookup_at = $2, lookups = lookups + 1
     where state = 'processing' and next_lookup_at <= $1 and id in (
       select id from refunds where ${DUE} order by next_lookup_at limit $3)
     returning *`,
    [claim.now, claim.until, claim.limit],
  );
}
