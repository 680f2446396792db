import type { Database, InsertTarget, SqlRow, Tx } from '../db/database.ts';
import type { JournalEntry } from './journal-entry.ts';

type Reader = Pick<Database, 'query'>;

const JOURNAL_ENTRIES: InsertTarget = {
  name: 'journal_entries',
  columns: [
    'environment_id',
    'link',
    'line',
    'created_at',
    'kind',
    'debit_account',
    'credit_account',
    'amount',
    'currency',
    'transaction_id',
    'payment_attempt_id',
    'refund_id',
    'movement_id',
    'movement_hash',
    'hash',
  ],
};

export async function insertEntries(tx: Tx, rows: readonly JournalEntry[]): Promise<void> {
  await tx.insertRows(JOURNAL_ENTRIES, rows);
}

/** Whether what an attempt collected is in the books. Called under the lock of its transaction. */
export async function hasEntryOfAttempt(tx: Tx, paymentAttemptId: string): Promise<boolean> {
  const rows = await tx.query('select 1 as booked from journal_entries where payment_attempt_id = $1 limit 1', [
    paymentAttemptId,
  ]);
  return rows.length > 0;
}

/** Whether a method took money for a transaction that no order asked for, whatever was decided about it. */
export async function hasLatePayment(db: Reader, transactionId: number): Promise<boolean> {
  const rows = await db.query(
    `select 1 as late from journal_entries where transaction_id = $1 and kind = 'late_payment' limit 1`,
    [transactionId],
  );
  return rows.length > 0;
}

/** The last link of a chain. */
export type HeadRow = SqlRow & { environment_id: number; link: number; hash: string };

/**
 * Takes the number of the next link and keeps other postings of the environment away until the commit.
 * Answers it with the hash that is still that of the link before, `genesis` for the first.
 */
export async function advanceHead(
  tx: Tx,
  environmentId: number,
  genesis: string,
): Promise<{ link: number; hash: string }> {
  const [head] = await tx.query<HeadRow>(
    `insert into journal_heads (environment_id, link, hash) values ($1, 1, $2)
     on conflict (environment_id) do update set link = journal_heads.link + 1
     returning environment_id, link, hash`,
    [environmentId, genesis],
  );
  return head as HeadRow;
}

export async function updateHead(tx: Tx, environmentId: number, hash: string): Promise<void> {
  await tx.query('update journal_heads set hash = $2 where environment_id = $1', [environmentId, hash]);
}

export async function selectHead(db: Reader, environmentId: number): Promise<HeadRow | null> {
  const [head] = await db.query<HeadRow>(
    'select environment_id, link, hash from journal_heads where environment_id = $1',
    [environmentId],
  );
  return head ?? null;
}

/** Every environment that has books, or whose books have lost their entries or their head. */
export async function selectBookedEnvironments(db: Reader): Promise<number[]> {
  const rows = await db.query<{ environment_id: number }>(
    `select environment_id from journal_heads union select environment_id from journal_entries order by environment_id`,
  );
  return rows.map((row) => row.environment_id);
}

/** Whose books they are. */
export type Owner = { payment_service_id: string; name: string; environment: string };

/** The newest entries, of one transaction or of all (0). */
export function selectEntries(db: Reader, transactionId: number, limit: number): Promise<(JournalEntry & Owner)[]> {
  return db.query<JournalEntry & Owner>(
    `select j.*, e.payment_service_id, p.name, e.environment
     from journal_entries j
     join environments e on e.id = j.environment_id
     join payment_services p on p.id = e.payment_service_id
     where j.transaction_id = $1 or $1 = 0
     order by j.created_at desc, j.environment_id, j.link desc, j.line desc limit $2`,
    [transactionId, limit],
  );
}

/** Whose the books of these environments are. */
export function selectOwners(
  db: Reader,
  environmentIds: readonly number[],
): Promise<(Owner & { environment_id: number })[]> {
  return db.query(
    `select e.id as environment_id, e.payment_service_id, p.name, e.environment
     from environments e join payment_services p on p.id = e.payment_service_id where e.id in {ids}`,
    [JSON.stringify(environmentIds)],
  );
}

export function selectHeads(db: Reader): Promise<(HeadRow & Owner)[]> {
  return db.query<HeadRow & Owner>(
    `select h.environment_id, e.payment_service_id, p.name, e.environment, h.link, h.hash
     from journal_heads h
     join environments e on e.id = h.environment_id
     join payment_services p on p.id = e.payment_service_id
     order by p.created_at, h.environment_id`,
  );
}
