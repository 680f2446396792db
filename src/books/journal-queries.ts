import type { InsertTarget, Reader, SqlRow, Tx } from '../db/database.ts';
import type { RowKey } from '../db/row-key.ts';
import { GENESIS } from '../lib/hash-chain.ts';
import { type JournalEntry, type Posting, SUSPENSE } from './journal-entry.ts';
import { LINKED_COLUMNS } from './link-hash.ts';
import type { OwnerOfBooks, RecordBehind } from './record-hash.ts';

const JOURNAL_ENTRIES: InsertTarget = {
  name: 'journal_entries',
  columns: [...LINKED_COLUMNS, 'hash'],
};

export async function insertEntries(tx: Tx, rows: readonly JournalEntry[]): Promise<void> {
  await tx.insertRows(JOURNAL_ENTRIES, rows);
}

/**
 * Returns whether the money that an attempt collected is in the books, by the index of line 0. Reliable only under the
 * lock of its transaction.
 */
export async function hasEntryOfAttempt(db: Reader, attempt: RowKey<string>): Promise<boolean> {
  const rows = await db.query(
    'select 1 as booked from journal_entries where payment_attempt_id = $1 and environment_id = $2 and line = 0',
    [attempt.id, attempt.environment_id],
  );
  return rows.length > 0;
}

/** SQL that finds money that a method took for transaction $1 of environment $2 although no order asked for it. */
export const LATE_PAYMENT = `select 1 as one from journal_entries
  where transaction_id = $1 and environment_id = $2 and kind = 'late_payment'`;

/**
 * Returns whether a method took money for a transaction that no order asked for, also if a person has decided about it
 * since.
 */
export async function hasLatePayment(db: Reader, transaction: RowKey<number>): Promise<boolean> {
  const rows = await db.query(`${LATE_PAYMENT} limit 1`, [transaction.id, transaction.environment_id]);
  return rows.length > 0;
}

/**
 * Returns whether this service has refunded a payment or is refunding it, or its method has refunded money that nobody
 * requested. A failed refund does not count, and neither does money that an acquirer's file says went back.
 */
export async function hasOwnRefund(db: Reader, { id, environment_id }: RowKey<number>): Promise<boolean> {
  const rows = await db.query(
    `select 1 as one from refunds where transaction_id = $1 and environment_id = $2 and state <> 'failed'
     union all
     select 1 from journal_entries j
     where j.transaction_id = $1 and j.environment_id = $2 and j.kind = 'unasked_refund' and not exists (
       select 1 from imported_payments i where i.environment_id = j.environment_id and i.link = j.link)
     limit 1`,
    [id, environment_id],
  );
  return rows.length > 0;
}

/**
 * SQL condition: a line that took money back, of `imported_payments`, is a refund. The key of such a line says so after
 * its currency, see `lineKeyOf`; any other one is a chargeback.
 */
export const isImportedRefund = (imported: string) =>
  `${imported}.line_key like '%"' || ${imported}.currency || '","refund"%'`;

/**
 * SQL that sums the amount of a payment that went back at its method according to the books: refunds and unasked
 * refunds, less the amounts that the method has recovered. A refund out of suspense does not count, because its unasked
 * refund counts.
 */
export const wentBack = (transactionId: string, environmentId: string) => `(
  select cast(coalesce(sum(case when kind = 'recovered' then -amount else amount end), 0) as bigint)
  from journal_entries where transaction_id = ${transactionId} and environment_id = ${environmentId}
    and (kind in ('unasked_refund', 'recovered') or (kind = 'refund' and credit_account <> '${SUSPENSE}')))`;

/**
 * Reads the records behind an entry: the owner of the books, and the transaction, payment attempt and refund. Reads
 * them from the store, as they are in this commit, because the hash of the entry describes the store. `booked`: the
 * link that already has the money of this attempt, or null.
 */
export async function selectBehind(
  tx: Tx,
  environmentId: number,
  of: Pick<Posting, 'transactionId' | 'paymentAttemptId' | 'refundId'>,
): Promise<OwnerOfBooks & RecordBehind & { booked: number | null }> {
  const [row] = await tx.query<SqlRow & OwnerOfBooks & RecordBehind & { booked: number | null }>(
    `select e.id as environment_id, e.payment_service_id, e.environment, e.service_token, ${RECORD_COLUMNS},
       (select link from journal_entries where payment_attempt_id = $3 and environment_id = $1 and line = 0) as booked
     from environments e
     left join transactions t on t.id = $2 and t.environment_id = $1
     left join payment_attempts a on a.id = $3 and a.environment_id = $1
     left join refunds r on r.id = $4 and r.environment_id = $1
     where e.id = $1`,
    [environmentId, of.transactionId, of.paymentAttemptId ?? null, of.refundId ?? null],
  );
  if (row === undefined) throw new Error('A posting of no environment');
  return row;
}

/** The columns of transaction `t` and attempt `a` that record-hash.ts names. */
export const PAYMENT_COLUMNS = `t.environment_id as transaction_environment_id, t.amount as transaction_amount,
       t.currency as transaction_currency, t.created_at as transaction_created_at, t.reference,
       a.transaction_id as attempt_transaction_id, a.payment_method as attempt_method, a.account as attempt_account,
       a.state as attempt_state, a.detail as payment_detail`;

/** The same columns, and the columns of refund `r`. */
export const RECORD_COLUMNS = `${PAYMENT_COLUMNS},
       r.transaction_id as refund_transaction_id, r.sequence as refund_sequence, r.amount as refund_amount,
       r.created_at as refund_created_at, r.type as refund_type, r.requested_by as refund_requested_by,
       r.idempotency_key as refund_idempotency_key, r.settled_at as refund_settled_at, r.detail as refund_detail`;

/** The chains of an environment, by the table of their ends. */
export type HeadsTable = 'journal_heads' | 'book_fact_heads';

/** The last link of a chain. */
export type HeadRow = SqlRow & { environment_id: number; link: number; hash: string };

/**
 * Takes the number of the next link and locks the end of the chain until the commit. Returns the number with the hash
 * of the previous link, or `GENESIS` for the first.
 */
export async function advanceHead(
  tx: Tx,
  heads: HeadsTable,
  environmentId: number,
): Promise<{ link: number; hash: string }> {
  const [head] = await tx.query<HeadRow>(
    `insert into ${heads} (environment_id, link, hash) values ($1, 1, $2)
     on conflict (environment_id) do update set link = ${heads}.link + 1
     returning environment_id, link, hash`,
    [environmentId, GENESIS],
  );
  return head as HeadRow;
}

export async function updateHead(tx: Tx, heads: HeadsTable, environmentId: number, hash: string): Promise<void> {
  await tx.query(`update ${heads} set hash = $2 where environment_id = $1`, [environmentId, hash]);
}

export async function selectHead(db: Reader, heads: HeadsTable, environmentId: number): Promise<HeadRow | null> {
  const [head] = await db.query<HeadRow>(`select environment_id, link, hash from ${heads} where environment_id = $1`, [
    environmentId,
  ]);
  return head ?? null;
}

/** Lists every environment that has entries or a head of their chain, so also one that has lost either. */
export async function selectBookedEnvironments(db: Reader): Promise<number[]> {
  const rows = await db.query<{ environment_id: number }>(
    `select environment_id from journal_heads union select environment_id from journal_entries order by environment_id`,
  );
  return rows.map((row) => row.environment_id);
}

/** Lists the environments whose chain of entries has begun, at little cost. */
export async function selectChainedEnvironments(db: Reader): Promise<number[]> {
  const rows = await db.query<{ environment_id: number }>('select environment_id from journal_heads order by 1');
  return rows.map((row) => row.environment_id);
}

export type Owner = { payment_service_id: string; name: string; environment: string };

const OWNED_ENTRIES = `select j.*, e.payment_service_id, p.name, e.environment
     from journal_entries j
     join environments e on e.id = j.environment_id
     join payment_services p on p.id = e.payment_service_id`;

/** Lists the newest entries of an environment. */
export function selectEntriesIn(db: Reader, environmentId: number, limit: number): Promise<(JournalEntry & Owner)[]> {
  return db.query<JournalEntry & Owner>(
    `${OWNED_ENTRIES} where j.environment_id = $1 order by j.created_at desc, j.link desc, j.line desc limit $2`,
    [environmentId, limit],
  );
}

/**
 * Lists the newest entries of a transaction. Sorts by `link + 0`, because by `link` SQLite would read the whole chain
 * to avoid the sort.
 */
export function selectEntriesOf(
  db: Reader,
  transaction: RowKey<number>,
  limit: number,
): Promise<(JournalEntry & Owner)[]> {
  return db.query<JournalEntry & Owner>(
    `${OWNED_ENTRIES} where j.transaction_id = $1 and j.environment_id = $2
     order by j.link + 0 desc, j.line desc limit $3`,
    [transaction.id, transaction.environment_id, limit],
  );
}

/** Returns the entries of a payout in their order. By its environment SQLite would read the whole chain. */
export function selectEntriesOfPayout(db: Reader, payout: RowKey<string>): Promise<JournalEntry[]> {
  return db.query<JournalEntry>(
    'select * from journal_entries where payout_id = $1 and {filter_by}environment_id = $2 order by link + 0, line',
    [payout.id, payout.environment_id],
  );
}

/** Returns the owner of the books of an environment with the columns that are hashed; null: no such environment. */
export async function selectOwnerOf(db: Reader, environmentId: number): Promise<OwnerOfBooks | null> {
  const [row] = await db.query<SqlRow & OwnerOfBooks>(
    `select id as environment_id, payment_service_id, environment, service_token from environments where id = $1`,
    [environmentId],
  );
  return row ?? null;
}

export function selectOwners(
  db: Reader,
  environmentIds: readonly number[],
): Promise<(Owner & { environment_id: number })[]> {
  return db.query(
    `select e.id as environment_id, e.payment_service_id, p.name, e.environment
     from environments e join payment_services p on p.id = e.payment_service_id where e.id {among $1}`,
    [environmentIds],
  );
}

/** Lists the end of every chain, to be stored where this service cannot write. */
export function selectHeads(db: Reader): Promise<(HeadRow & Owner)[]> {
  return db.query<HeadRow & Owner>(
    `select h.environment_id, e.payment_service_id, p.name, e.environment, h.link, h.hash
     from journal_heads h
     join environments e on e.id = h.environment_id
     join payment_services p on p.id = e.payment_service_id
     order by p.created_at, h.environment_id`,
  );
}
