import type { SuspendedKind } from '../books/journal-entry.ts';
import { isImportedRefund, wentBack } from '../books/journal-queries.ts';
import { MOVEMENT_COLUMNS } from '../books/movement-hash.ts';
import type { InsertTarget, Reader, SqlRow, Tx } from '../db/database.ts';
import type { RowKey } from '../db/row-key.ts';
import type { Environment } from '../payment-services/payment-service.ts';
import { type Decision, type Movement, type MovementKind, returnReference } from './movement.ts';

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

/** Returns the record that takes back a payout or deposit; null: it was not taken back. */
export function selectReturn(db: Reader, movement: Movement): Promise<Movement | null> {
  const { environment_id } = movement;
  return selectMovement(db, { environment_id, kind: 'resolution', reference: returnReference(movement) });
}

/** Returns a movement by its id, and locks it until the commit. */
export async function lockMovement(tx: Tx, id: string): Promise<Movement | null> {
  const [row] = await tx.query<Movement>('select * from movements where id = $1 {for_update}', [id]);
  return row ?? null;
}

export type ListedMovement = Movement & {
  payment_service_id: string;
  name: string;
  environment: Environment;
  /** When and why it was returned; null: it was not. */
  returned_at: number | null;
  return_reason: string | null;
};

const LISTED = `select m.*, e.payment_service_id, p.name, e.environment, r.created_at as returned_at, r.reason as return_reason
     from movements m
     left join movements r on r.environment_id = m.environment_id and r.kind = 'resolution'
       and r.reference = m.kind || ' ' || m.reference
     join environments e on e.id = m.environment_id
     join payment_services p on p.id = e.payment_service_id`;

/** Lists the newest movements of a kind, each with its return, which is found by `returnReference`. */
export function selectMovements(db: Reader, kind: MovementKind, limit: number): Promise<ListedMovement[]> {
  return db.query<ListedMovement>(`${LISTED} where m.kind = $1 order by m.created_at desc, m.id limit $2`, [
    kind,
    limit,
  ]);
}

/** Returns a payout or deposit by its id, with its return. */
export async function selectListedMovement(db: Reader, id: string): Promise<ListedMovement | null> {
  const [row] = await db.query<ListedMovement>(`${LISTED} where m.id = $1 and m.kind in ('payout', 'deposit')`, [id]);
  return row ?? null;
}

/** `booked`: the kind of its entry in the books; if the entry is missing, the kind of the record. */
export type BookedMovement = Movement & {
  payment_service_id: string;
  name: string;
  environment: string;
  booked: string;
};

/**
 * An empty text matches everything. `text`: a whole id, reference or transaction; the reference of a payout or deposit
 * also finds its return.
 */
export type MovementSearch = { environment: string; kind: string; text: string; from: number; to: number };

/** Lists the newest movements of every kind, from `from` until before `to`. */
export function selectBookedMovements(
  db: Reader,
  { environment, kind, text, from, to }: MovementSearch,
  limit: number,
): Promise<BookedMovement[]> {
  return db.query<BookedMovement>(
    `select m.*, e.payment_service_id, p.name, e.environment, coalesce(j.kind, m.kind) as booked
     from movements m
     join environments e on e.id = m.environment_id
     join payment_services p on p.id = e.payment_service_id
     left join journal_entries j on j.movement_id = m.id and j.environment_id = m.environment_id and j.line = 0
     where $1 in ('', e.environment) and $2 in ('', coalesce(j.kind, m.kind)) and m.created_at >= $3 and m.created_at < $4
       and ($5 in ('', m.id, m.reference, cast(m.transaction_id as text)) or m.reference in ('payout ' || $5, 'deposit ' || $5))
     order by m.created_at desc, m.id limit $6`,
    [environment, kind, from, to, text, limit],
  );
}

/** Lists the newest payouts of some environments from `from` until before `to`. */
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
 * Money in suspense, with the decision about it, if there is one. `late_payment`: a method took it without an order.
 * `unasked_refund`: it went back without a refund of Rúbrica.
 */
export type SuspenseEntry = SqlRow & {
  kind: SuspendedKind;
  environment_id: number;
  payment_service_id: string;
  name: string;
  environment: string;
  /** The entry that put the money into suspense, such as `12.0`. */
  entry: string;
  created_at: number;
  /** Null for money from an acquirer's file that belongs to no known payment. */
  transaction_id: number | null;
  /** The attempt that collected it; null: none. */
  payment_attempt_id: string | null;
  /** The account of the method that took it or refunded it. */
  method_account: string;
  amount: number;
  currency: string;
  decision: Decision | null;
  reason: string | null;
  resolved_at: number | null;
};

const RESOLVES = `m.environment_id = j.environment_id and m.kind = 'resolution' and m.reference = j.link || '.' || j.line`;

/** The same condition as in the index, so that the index is used. */
const SUSPENDED = `j.kind in ('late_payment', 'unasked_refund')`;

const SUSPENSE_ENTRIES = `select j.kind, j.environment_id, e.payment_service_id, p.name, e.environment,
       j.link || '.' || j.line as entry, j.created_at, j.transaction_id, j.payment_attempt_id,
       case j.kind when 'late_payment' then j.debit_account else j.credit_account end as method_account, j.amount, j.currency,
       m.decision, m.reason, m.created_at as resolved_at
     from journal_entries j
     join environments e on e.id = j.environment_id
     join payment_services p on p.id = e.payment_service_id
     left join movements m on ${RESOLVES}`;

/** For a few entries. By `link` alone SQLite would read the whole chain to avoid the sort. */
const IN_ORDER = 'order by j.link + 0';

/** Lists the money that was in suspense or still is, the newest first. */
export function selectSuspense(db: Reader, limit: number): Promise<SuspenseEntry[]> {
  return db.query<SuspenseEntry>(
    `${SUSPENSE_ENTRIES} where ${SUSPENDED}
     order by j.created_at desc, j.environment_id, j.link desc limit $1`,
    [limit],
  );
}

/** Lists the money in suspense of one transaction, in the order of the books. */
export function selectSuspenseOf(db: Reader, transaction: RowKey<number>): Promise<SuspenseEntry[]> {
  return db.query<SuspenseEntry>(
    `${SUSPENSE_ENTRIES} where ${SUSPENDED} and j.transaction_id = $1 and j.environment_id = $2 ${IN_ORDER}`,
    [transaction.id, transaction.environment_id],
  );
}

/** Lists the money in suspense of a link of the books that belongs to no transaction. */
export function selectSuspenseAt(db: Reader, environmentId: number, link: number): Promise<SuspenseEntry[]> {
  return db.query<SuspenseEntry>(
    `${SUSPENSE_ENTRIES} where ${SUSPENDED} and j.environment_id = $1 and j.link = $2 and j.transaction_id is null`,
    [environmentId, link],
  );
}

/**
 * SQL condition: money came for a transaction after it had ended without a payment, and nobody has decided that it was
 * returned to the payer.
 */
export const keepsLateMoney = (transactionId: string, environmentId: string) => `exists (
  select 1 from journal_entries j
  where j.kind = 'late_payment' and j.transaction_id = ${transactionId} and j.environment_id = ${environmentId}
    and not exists (select 1 from movements m where ${RESOLVES} and m.decision = 'returned'))`;

/** Counts the undecided entries in suspense, and returns since when the oldest waits. */
export async function measureUnresolved(db: Reader): Promise<{ count: number; oldest: number | null }> {
  const [row] = await db.query<{ count: number; oldest: number | null }>(
    `select count(*) as count, min(j.created_at) as oldest from journal_entries j
     where ${SUSPENDED} and not exists (select 1 from movements m where ${RESOLVES})`,
  );
  return row ?? { count: 0, oldest: null };
}

/** Counts the undecided entries of some environments from before a time. */
export async function countUnresolvedOf(
  db: Reader,
  environmentIds: readonly number[],
  before: number,
): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*) as count from journal_entries j
     where ${SUSPENDED} and {filter_by}j.environment_id {among $1} and j.created_at < $2
       and not exists (select 1 from movements m where ${RESOLVES})`,
    [environmentIds, before],
  );
  return row?.count ?? 0;
}

/** Lists the undecided entries, the oldest first. */
export function selectUnresolved(db: Reader, limit: number): Promise<SuspenseEntry[]> {
  return db.query<SuspenseEntry>(
    `${SUSPENSE_ENTRIES} where ${SUSPENDED} and m.id is null
     order by j.created_at, j.environment_id, j.link limit $1`,
    [limit],
  );
}

const IS_CHARGEBACK = `exists (select 1 from imported_payments i
  where i.environment_id = j.environment_id and i.link = j.link and not (${isImportedRefund('i')}))`;

/**
 * Lists the undecided unasked refunds of a payment, in the order of the books. Leaves out chargebacks: none is a refund
 * of this service.
 */
export function selectUnresolvedRefunds(tx: Tx, transaction: RowKey<number>): Promise<SuspenseEntry[]> {
  return tx.query<SuspenseEntry>(
    `${SUSPENSE_ENTRIES} where j.kind = 'unasked_refund' and j.transaction_id = $1 and j.environment_id = $2 and m.id is null
     and not ${IS_CHARGEBACK} ${IN_ORDER}`,
    [transaction.id, transaction.environment_id],
  );
}

/** SQL that sums the undecided unasked refunds of a payment. */
export const unresolvedRefunds = (transactionId: string, environmentId: string) => `(
  select cast(coalesce(sum(j.amount), 0) as bigint) from journal_entries j
  where j.kind = 'unasked_refund' and j.transaction_id = ${transactionId} and j.environment_id = ${environmentId}
    and not exists (select 1 from movements m where ${RESOLVES}))`;

/** SQL that sums the chargebacks of a payment that were not won. They went back without a refund at its method. */
export const chargedBack = (transactionId: string, environmentId: string) => `(
  select cast(coalesce(sum(j.amount), 0) as bigint) from journal_entries j
  where j.kind = 'unasked_refund' and j.transaction_id = ${transactionId} and j.environment_id = ${environmentId}
    and ${IS_CHARGEBACK} and not exists (select 1 from movements m where ${RESOLVES} and m.decision = 'returned'))`;

/**
 * Sums the amount of a payment that went back according to the books, the undecided unasked refunds among it
 * (`unresolved`), and the chargebacks among it, which its method does not count as refunded.
 */
export async function sumWentBack(
  db: Reader,
  transaction: RowKey<number>,
): Promise<{ wentBack: number; unresolved: number; chargedBack: number }> {
  const [row] = await db.query<{ total: number; unresolved: number; charged_back: number }>(
    `select ${wentBack('$1', '$2')} as total, ${unresolvedRefunds('$1', '$2')} as unresolved,
       ${chargedBack('$1', '$2')} as charged_back`,
    [transaction.id, transaction.environment_id],
  );
  return { wentBack: row?.total ?? 0, unresolved: row?.unresolved ?? 0, chargedBack: row?.charged_back ?? 0 };
}
