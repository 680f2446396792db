import type { InsertTarget, Reader, SqlRow, Tx } from '../db/database.ts';
import type { Acceptance, KeptDifference, KeptSettlement } from './settlement.ts';

const SETTLEMENTS: InsertTarget = {
  name: 'settlements',
  columns: [
    'id',
    'environment',
    'payment_service_id',
    'payment_method',
    'file_name',
    'file_sha256',
    'first_day',
    'last_day',
    'kept_at',
    'kept_by',
    'matched',
    'totals',
    'replaced_at',
  ],
};

const DIFFERENCES: InsertTarget = {
  name: 'settlement_differences',
  columns: [
    'settlement_id',
    'number',
    'cause',
    'file_line',
    'day',
    'buy_order',
    'entry',
    'transaction_id',
    'settled',
    'booked',
    'currency',
    'accepted_at',
    'accepted_by',
    'reason',
  ],
};

export async function insertSettlement(
  tx: Tx,
  settlement: KeptSettlement,
  differences: readonly KeptDifference[],
): Promise<void> {
  await tx.insertRows(SETTLEMENTS, [settlement]);
  if (differences.length > 0) await tx.insertRows(DIFFERENCES, differences);
}

/** The condition that a file `s` has an open difference. */
const HAS_OPEN = `exists (select 1 from settlement_differences d where d.settlement_id = s.id and d.accepted_at is null)`;

/**
 * Lists the files, the newest first, each with its number of open differences; with `openOnly` only files that have
 * some. Leaves out replaced comparisons.
 */
export function selectSettlements(
  db: Reader,
  limit: number,
  openOnly = false,
): Promise<(KeptSettlement & { open: number })[]> {
  return db.query(
    `select s.*, (select count(*) from settlement_differences d where d.settlement_id = s.id and d.accepted_at is null) as open
     from settlements s where s.replaced_at is null ${openOnly ? `and ${HAS_OPEN}` : ''} order by s.kept_at desc, s.id limit $1`,
    [limit],
  );
}

/**
 * Makes concurrent comparisons of the same payment service (null: of all) wait until the commit. Selects the row
 * `for update` and does not write it, because a payment service that has moved away refuses writes.
 */
export async function lockComparison(tx: Tx, paymentServiceId: string | null): Promise<void> {
  await tx.query("select id from payment_services where $1 in ('', id) order by id limit 1 {for_update}", [
    paymentServiceId ?? '',
  ]);
}

/** Locks a file until the commit. Returns false if it does not exist or was compared again. */
export async function lockSettlement(tx: Tx, id: string): Promise<boolean> {
  const sql = 'select id from settlements where id = $1 and replaced_at is null {for_update}';
  return (await tx.query(sql, [id])).length === 1;
}

export async function selectSettlement(db: Reader, id: string): Promise<KeptSettlement | null> {
  const [row] = await db.query<KeptSettlement>('select * from settlements where id = $1', [id]);
  return row ?? null;
}

/** A file and the books that it is compared with. */
export type FileOfBooks = Pick<KeptSettlement, 'environment' | 'payment_service_id' | 'payment_method' | 'file_sha256'>;

const OF_FILE = `environment = $1 and coalesce(payment_service_id, '') = $2 and payment_method = $3 and file_sha256 = $4
       and replaced_at is null`;

/** Returns the id of the newest comparison of a file that no other has replaced. */
export async function selectNewestComparison(db: Reader, file: FileOfBooks): Promise<string | null> {
  const [row] = await db.query<{ id: string }>(
    `select id from settlements where ${OF_FILE} order by kept_at desc, id limit 1`,
    [file.environment, file.payment_service_id ?? '', file.payment_method, file.file_sha256],
  );
  return row?.id ?? null;
}

/**
 * Marks the earlier comparisons of the same file with the same books as replaced, and returns them. Earlier versions
 * left several of them.
 */
export function replaceEarlier(tx: Tx, settlement: KeptSettlement): Promise<KeptSettlement[]> {
  const { environment, payment_service_id, payment_method, file_sha256, kept_at } = settlement;
  return tx.query<KeptSettlement>(`update settlements set replaced_at = $5 where ${OF_FILE} returning *`, [
    environment,
    payment_service_id ?? '',
    payment_method,
    file_sha256,
    kept_at,
  ]);
}

export function selectDifferences(db: Reader, settlementId: string): Promise<KeptDifference[]> {
  return db.query<KeptDifference>('select * from settlement_differences where settlement_id = $1 order by number', [
    settlementId,
  ]);
}

/** Accepts the open differences of a cause, of a line of the file, or with a number; null: any. */
export function updateAccepted(
  tx: Tx,
  { settlementId, cause, number, line }: Pick<Acceptance, 'settlementId' | 'cause' | 'number' | 'line'>,
  by: { at: number; name: string; reason: string },
): Promise<KeptDifference[]> {
  return tx.query<KeptDifference>(
    `update settlement_differences set accepted_at = $4, accepted_by = $5, reason = $6
     where settlement_id = $1 and $2 in ('', cause) and ($3 < 0 or number = $3) and ($7 < 0 or file_line = $7)
       and accepted_at is null returning *`,
    [settlementId, cause ?? '', number ?? -1, by.at, by.name, by.reason, line ?? -1],
  );
}

/** Counts the open differences of files whose last day is among these days, without files of some payment services. */
export async function countOpenDifferences(
  db: Reader,
  environment: string,
  { first, last }: { first: string; last: string },
  without: readonly string[],
): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*) as count from settlements s join settlement_differences d on d.settlement_id = s.id
     where s.environment = $1 and s.last_day >= $2 and s.last_day <= $3 and s.replaced_at is null and d.accepted_at is null
       and not (coalesce(s.payment_service_id, '') {named $4})`,
    [environment, first, last, without],
  );
  return row?.count ?? 0;
}

/** A file with open differences and their sum, in minor units as text, because it may exceed a double. */
export type OpenSettlement = SqlRow &
  Pick<KeptSettlement, 'id' | 'environment' | 'payment_service_id' | 'file_name' | 'kept_at'> & {
    open: number;
    currency: string;
    currencies: number;
    difference: string;
  };

/** Lists the files with open differences, the oldest first. */
export function selectOpenSettlements(db: Reader, limit: number): Promise<OpenSettlement[]> {
  return db.query<OpenSettlement>(
    `select s.id, s.environment, s.payment_service_id, s.file_name, s.kept_at, count(*) as open, min(d.currency) as currency,
       count(distinct d.currency) as currencies,
       cast(cast(sum(coalesce(d.settled, 0) - coalesce(d.booked, 0)) as bigint) as text) as difference
     from settlement_differences d join settlements s on s.id = d.settlement_id
     where d.accepted_at is null and s.replaced_at is null
     group by s.id, s.environment, s.payment_service_id, s.file_name, s.kept_at order by s.kept_at, s.id limit $1`,
    [limit],
  );
}

export async function measureOpenSettlements(db: Reader): Promise<{ count: number; oldest: number | null }> {
  const [row] = await db.query<{ count: number; oldest: number | null }>(
    `select count(*) as count, min(s.kept_at) as oldest from settlements s
     where s.replaced_at is null and ${HAS_OPEN}`,
  );
  return row ?? { count: 0, oldest: null };
}

export type ClosedMonth = SqlRow & {
  month: string;
  environment: string;
  closed_at: number;
  closed_by: string;
  /** JSON: `MonthOwed[]`. */
  owed: string;
};

export async function selectClosedMonth(db: Reader, month: string, environment: string): Promise<ClosedMonth | null> {
  const [row] = await db.query<ClosedMonth>('select * from closed_months where month = $1 and environment = $2', [
    month,
    environment,
  ]);
  return row ?? null;
}

/**
 * Returns whether the clock of a development installation returned to real time after the month was closed. Entries
 * that were posted since may have times of the closed month.
 */
export async function wentBackSinceClose(db: Reader, { month, environment }: ClosedMonth): Promise<boolean> {
  const rows = await db.query(
    `select 1 as one from audit_log r where r.action = 'clock.reset'
       and r.link > (select max(c.link) from audit_log c where c.action = 'month.closed' and c.subject = $1) limit 1`,
    [`${month} ${environment}`],
  );
  return rows.length > 0;
}

/** Closes a month; returns false if it is closed already. */
export async function insertClosedMonth(tx: Tx, row: ClosedMonth): Promise<boolean> {
  const rows = await tx.query(
    `insert into closed_months (month, environment, closed_at, closed_by, owed) values ($1, $2, $3, $4, $5)
     on conflict (month, environment) do nothing returning month`,
    [row.month, row.environment, row.closed_at, row.closed_by, row.owed],
  );
  return rows.length === 1;
}
