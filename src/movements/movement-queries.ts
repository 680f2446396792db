import type { SuspendedKind } from '../books/journal-entry.ts';
import { wentBack } from '../books/journal-queries.ts';
import { MOVEMENT_COLUMNS } from '../books/movement-hash.ts';
import type { Database, InsertTarget, SqlRow, Tx } from '../db/database.ts';
import type { RowKey } from '../db/row-key.ts';
import type { Decision, Movement, MovementKind } from './movement.ts';

type Reader = Pick<Database, 'query'>;

const MOVEMENTS: InsertTarget = { name: 'movements', columns: MOVEMENT_COLUMNS };

export async function insertMovement(tx: Tx, movement: Movement): Promise<void> {
  await tx.insertRows(MOVEMENTS, [movement]);
}

export async function selectMovement(
  db: Reader,
  { environment_id, kind, reference }: Pick<Movement, 'environment_id' | 'kind' | 'reference'>,
): Promise<Movement | null> {
  const [row] = await db.query<Movement>(
    'select * from movements where environment_id = $1 and kind = $2 and reference = $3',
    [environment_id, kind, reference],
  );
  return row ?? null;
}

/** Finds a movement by its id alone, and keeps it until the commit. */
export async function lockMovement(tx: Tx, id: string): Promise<Movement | null> {
  const [row] = await tx.query<Movement>('select * from movements where id = $1 {for_update}', [id]);
  return row ?? null;
}

export type ListedMovement = Movement & {
  payment_service_id: string;
  name: string;
  environment: string;
  /** When and why it was taken back, if it was. */
  returned_at: number | null;
  return_reason: string | null;
};

const LISTED = `select m.*, e.payment_service_id, p.name, e.environment, r.created_at as returned_at, r.reason as return_reason
     from movements m
     left join movements r on r.environment_id = m.environment_id and r.kind = 'resolution'
       and r.reference = m.kind || ' ' || m.reference
     join environments e on e.id = m.environment_id
     join payment_services p on p.id = e.payment_service_id`;

/** The newest of a kind, each with its return: the reference of that is `returnReference`. */
export function selectMovements(db: Reader, kind: MovementKind, limit: number): Promise<ListedMovement[]> {
  return db.query<ListedMovement>(`${LISTED} where m.kind = $1 order by m.created_at desc, m.id limit $2`, [
    kind,
    limit,
  ]);
}

/** The newest payouts of some environments, in a span of time; `to` is not in it. */
export function selectPayouts(
  db: Reader,
  { environmentIds, from, to }: { environmentIds: readonly number[]; from: number; to: number },
  limit: number,
): Promise<ListedMovement[]> {
  return db.query<ListedMovement>(
    `${LISTED} where m.kind = 'payout' and m.environment_id {among $1} and m.created_at >= $2 and m.created_at < $3
     order by m.created_at desc, m.id limit $4`,
    [environmentIds, from, to, limit],
  );
}

/**
 * Money in suspense, with what was decided about it, if anything was: `late_payment`, that a method took and no order asked
 * for; `unasked_refund`, that went back and no refund asked for.
 */
export type SuspenseEntry = SqlRow & {
  kind: SuspendedKind;
  environment_id: number;
  payment_service_id: string;
  name: string;
  environment: string;
  /** The entry that booked it, such as `12.0`. */
  entry: string;
  created_at: number;
  /** Null for money of the acquirer's file that is of nothing we know. */
  transaction_id: number | null;
  /** The account of the method that took it or refunded it. */
  method_account: string;
  amount: number;
  currency: string;
  decision: Decision | null;
  reason: string | null;
  resolved_at: number | null;
};

const RESOLVES = `m.environment_id = j.environment_id and m.kind = 'resolution' and m.reference = j.link || '.' || j.line`;

/** As its index has it. */
const SUSPENDED = `j.kind in ('late_payment', 'unasked_refund')`;

const SUSPENSE_ENTRIES = `select j.kind, j.environment_id, e.payment_service_id, p.name, e.environment,
       j.link || '.' || j.line as entry, j.created_at, j.transaction_id,
       case j.kind when 'late_payment' then j.debit_account else j.credit_account end as method_account, j.amount, j.currency,
       m.decision, m.reason, m.created_at as resolved_at
     from journal_entries j
     join environments e on e.id = j.environment_id
     join payment_services p on p.id = e.payment_service_id
     left join movements m on ${RESOLVES}`;

/** Of a few entries: by `link` alone SQLite would read the whole chain to save the sort. */
const IN_ORDER = 'order by j.link + 0';

/** The newest first. */
export function selectSuspense(db: Reader, limit: number): Promise<SuspenseEntry[]> {
  return db.query<SuspenseEntry>(
    `${SUSPENSE_ENTRIES} where ${SUSPENDED}
     order by j.created_at desc, j.environment_id, j.link desc limit $1`,
    [limit],
  );
}

/** Of one transaction, in the order of the books. */
export function selectSuspenseOf(db: Reader, transaction: RowKey<number>): Promise<SuspenseEntry[]> {
  return db.query<SuspenseEntry>(
    `${SUSPENSE_ENTRIES} where ${SUSPENDED} and j.transaction_id = $1 and j.environment_id = $2 ${IN_ORDER}`,
    [transaction.id, transaction.environment_id],
  );
}

/** Lists the money in suspense in a link of the books that is of no transaction. */
export function selectSuspenseAt(db: Reader, environmentId: number, link: number): Promise<SuspenseEntry[]> {
  return db.query<SuspenseEntry>(
    `${SUSPENSE_ENTRIES} where ${SUSPENDED} and j.environment_id = $1 and j.link = $2 and j.transaction_id is null`,
    [environmentId, link],
  );
}

/**
 * A part of a statement: whether money came late for a transaction, after it had ended without a payment, and nobody has decided that it
 * went back to the payer.
 */
export const keepsLateMoney = (transactionId: string, environmentId: string) => `exists (
  select 1 from journal_entries j
  where j.kind = 'late_payment' and j.transaction_id = ${transactionId} and j.environment_id = ${environmentId}
    and not exists (select 1 from movements m where ${RESOLVES} and m.decision = 'returned'))`;

/** Money about which nobody has decided: how much of it there is, and since when the oldest waits. */
export async function measureUnresolved(db: Reader): Promise<{ count: number; oldest: number | null }> {
  const [row] = await db.query<{ count: number; oldest: number | null }>(
    `select count(*) as count, min(j.created_at) as oldest from journal_entries j
     where ${SUSPENDED} and not exists (select 1 from movements m where ${RESOLVES})`,
  );
  return row ?? { count: 0, oldest: null };
}

/** The same of some environments, as far as it came before a time. */
export async function countUnresolvedOf(
  db: Reader,
  environmentIds: readonly number[],
  before: number,
): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*) as count from journal_entries j
     where ${SUSPENDED} and j.environment_id {among $1} and j.created_at < $2
       and not exists (select 1 from movements m where ${RESOLVES})`,
    [environmentIds, before],
  );
  return row?.count ?? 0;
}

/** The same, the oldest first. */
export function selectUnresolved(db: Reader, limit: number): Promise<SuspenseEntry[]> {
  return db.query<SuspenseEntry>(
    `${SUSPENSE_ENTRIES} where ${SUSPENDED} and m.id is null
     order by j.created_at, j.environment_id, j.link limit $1`,
    [limit],
  );
}

/** Lists the amounts of a payment that went back unasked, and about which nobody has decided. */
export function selectUnresolvedOf(tx: Tx, transaction: RowKey<number>): Promise<SuspenseEntry[]> {
  return tx.query<SuspenseEntry>(
    `${SUSPENSE_ENTRIES} where j.kind = 'unasked_refund' and j.transaction_id = $1 and j.environment_id = $2 and m.id is null ${IN_ORDER}`,
    [transaction.id, transaction.environment_id],
  );
}

/** A part of a statement. Sums what went back of a payment that no refund asked for, and about which nobody has decided. */
export const unresolvedRefunds = (transactionId: string, environmentId: string) => `(
  select cast(coalesce(sum(j.amount), 0) as bigint) from journal_entries j
  where j.kind = 'unasked_refund' and j.transaction_id = ${transactionId} and j.environment_id = ${environmentId}
    and not exists (select 1 from movements m where ${RESOLVES}))`;

/** Sums what went back of a payment by the books. `unresolved`: the part that no refund asked for, and about which nobody has decided. */
export async function sumWentBack(
  tx: Tx,
  transaction: RowKey<number>,
): Promise<{ wentBack: number; unresolved: number }> {
  const [row] = await tx.query<{ total: number; unresolved: number }>(
    `select ${wentBack('$1', '$2')} as total, ${unresolvedRefunds('$1', '$2')} as unresolved`,
    [transaction.id, transaction.environment_id],
  );
  return { wentBack: row?.total ?? 0, unresolved: row?.unresolved ?? 0 };
}
