import type { Reader } from '../db/database.ts';
import type { IdSpan } from '../lib/walk.ts';
import type { JournalEntry } from './journal-entry.ts';
import { isImportedRefund, PAYMENT_COLUMNS, RECORD_COLUMNS } from './journal-queries.ts';
import { MOVEMENT_COLUMNS, type MovementColumn } from './movement-hash.ts';
import { PAYOUT_COLUMNS, type PayoutValues } from './payout-hash.ts';

/** The environments, from when until before when (UTC milliseconds), and one transaction (0: all). */
export type ReconciliationScope = {
  environmentIds: readonly number[];
  from: number;
  to: number;
  transactionId: number;
};

/** An entry with the record that it explains, as the store has that record now. Amounts are in minor units. */
export type BookedLine = JournalEntry &
  PayoutValues & {
    reference: string | null;
    transaction_amount: number | null;
    transaction_fee: number | null;
    transaction_currency: string | null;
    transaction_state: string | null;
    transaction_method: string | null;
    transaction_environment_id: number | null;
    transaction_created_at: number | null;
    transaction_settled_at: number | null;
    unsigned_fields: string | null;
    /** The attempt that collected; for a refund or a resolution, the attempt that it concerns. */
    attempt_id: string | null;
    attempt_state: string | null;
    attempt_transaction_id: number | null;
    attempt_method: string | null;
    attempt_account: string | null;
    /** The amount of a line imported from an acquirer's file that belongs to no known transaction. */
    imported_amount: number | null;
    imported_currency: string | null;
    imported_buy_order: string | null;
    imported_code: string | null;
    /** The day that the acquirer's file of the import has; null: the entry is of no such line. */
    imported_day: string | null;
    /** Of an unasked refund, which line of a file took the money back; null: it was not imported. */
    imported_type: 'chargeback' | 'refund' | null;
    /** The amount that the method took according to a person's decision; null: no decision. */
    decided_amount: number | null;
    /** JSON text: the method's answer about the payment. */
    payment_detail: string | null;
    refund_sequence: number | null;
    refund_created_at: number | null;
    refund_requested_by: string | null;
    refund_idempotency_key: string | null;
    refund_type: 'total' | 'parcial' | null;
    refund_amount: number | null;
    refund_state: string | null;
    refund_transaction_id: number | null;
    refund_settled_at: number | null;
    refund_detail: string | null;
    movement_kind: 'payout' | 'deposit' | 'resolution' | null;
    movement_reference: string | null;
    movement_amount: number | null;
    movement_commission: number | null;
    movement_currency: string | null;
    movement_environment_id: number | null;
    movement_created_at: number | null;
    movement_recorded_by: string | null;
    movement_payment_method: string | null;
    movement_transaction_id: number | null;
    movement_decision: 'returned' | 'kept' | null;
    movement_reason: string | null;
    payout_state: string | null;
    /** The refunded amount of the transaction until now. */
    refunded: number;
  };

/** The columns of the movement, if it still exists. Its id is in the entry. */
const COLUMNS_OF_MOVEMENT = MOVEMENT_COLUMNS.filter((column: MovementColumn) => column !== 'id')
  .map((column) => `m.${column} as movement_${column}`)
  .join(', ');

/** The columns of the payout. Its id and its environment are in the entry. */
const COLUMNS_OF_PAYOUT = [...PAYOUT_COLUMNS, 'state']
  .filter((column) => column !== 'id')
  .map((column) => `po.${column} as payout_${column}`)
  .join(', ');

const END_OF_TRANSACTION = `t.fee as transaction_fee, t.state as transaction_state, t.payment_method as transaction_method,
       t.settled_at as transaction_settled_at`;

const BOOKED_LINES = `select j.*, a.id as attempt_id, ${RECORD_COLUMNS}, ${END_OF_TRANSACTION},
       i.amount as imported_amount, i.currency as imported_currency, i.buy_order as imported_buy_order,
       i.authorization_code as imported_code, i.settled_on as imported_day,
       case when j.kind <> 'unasked_refund' or i.id is null then null
         when ${isImportedRefund('i')} then 'refund' else 'chargeback' end as imported_type,
       (select d.taken from payment_decisions d
        where d.payment_attempt_id = a.id and d.environment_id = j.environment_id and d.taken is not null) as decided_amount,
       t.unsigned_fields, r.state as refund_state, ${COLUMNS_OF_MOVEMENT}, ${COLUMNS_OF_PAYOUT},
       (select cast(coalesce(sum(given.amount), 0) as bigint) from refunds given
        where given.transaction_id = j.transaction_id and given.environment_id = j.environment_id and given.state = 'completed') as refunded
     from journal_entries j
     left join transactions t on t.id = j.transaction_id and t.environment_id = j.environment_id
     left join refunds r on r.id = j.refund_id and r.environment_id = j.environment_id
     left join movements m on m.id = j.movement_id and m.environment_id = j.environment_id
     left join payouts po on po.id = j.payout_id and po.environment_id = j.environment_id
     left join imported_payments i on i.environment_id = j.environment_id and i.link = j.link
     left join payment_attempts a on a.environment_id = j.environment_id and a.id = coalesce(j.payment_attempt_id, (
       select l.payment_attempt_id from journal_entries l
       where l.transaction_id = j.transaction_id and l.environment_id = j.environment_id and m.kind = 'resolution' and l.link || '.' || l.line = m.reference), (
       select p.id from payment_attempts p
       where p.transaction_id = j.transaction_id and p.environment_id = j.environment_id and p.state = 'approved'))`;

/** Lists the lines of a span of time. Sorts by `link + 0`, as `selectEntriesOf` does. */
export function selectBookedLines(db: Reader, scope: ReconciliationScope): Promise<BookedLine[]> {
  return db.query<BookedLine>(
    `${BOOKED_LINES}
     where j.environment_id {among $1} and j.created_at >= $2 and j.created_at < $3
       and (j.transaction_id = $4 or $4 = 0)
     order by j.environment_id, j.link + 0, j.line`,
    parametersOf(scope),
  );
}

/** Lists the lines of some links of an environment, of any day. */
export function selectLinesOfLinks(db: Reader, environmentId: number, links: readonly number[]): Promise<BookedLine[]> {
  return db.query<BookedLine>(`${BOOKED_LINES} where j.environment_id = $1 and j.link {among $2}`, [
    environmentId,
    links,
  ]);
}

/** A link of the books. `day`: of an imported line, the day in its file; null: not imported. */
export type LinkOfDay = { environment_id: number; link: number; day: string | null };

/** Lists the links of the lines that were imported with a day of a file, or at a time. */
export function selectImportedLinks(
  db: Reader,
  environmentIds: readonly number[],
  { first, last, from, to }: { first: string; last: string; from: number; to: number },
): Promise<LinkOfDay[]> {
  return db.query<LinkOfDay>(
    `select i.environment_id, coalesce(i.link, j.link) as link, i.settled_on as day
     from imported_payments i
     left join journal_entries j on j.payment_attempt_id = i.payment_attempt_id and j.environment_id = i.environment_id and j.line = 0
     where i.environment_id {among $1}
       and (i.settled_on >= $2 and i.settled_on <= $3 or i.imported_at >= $4 and i.imported_at < $5)`,
    [environmentIds, first, last, from, to],
  );
}

/** The names that an acquirer's file has for money that was imported from it. */
export type ImportedNames = Pick<BookedLine, 'environment_id' | 'link' | 'imported_buy_order' | 'imported_code'>;

/** Reads the names of the imported lines in these links of an environment. */
export function selectImportedNames(
  db: Reader,
  environmentId: number,
  links: readonly number[],
): Promise<ImportedNames[]> {
  return db.query<ImportedNames>(
    `select environment_id, link, buy_order as imported_buy_order, authorization_code as imported_code
     from imported_payments where environment_id = $1 and link {among $2}`,
    [environmentId, links],
  );
}

/** Lists the links that have the money of these payment attempts. */
export function selectLinksOfAttempts(
  db: Reader,
  environmentIds: readonly number[],
  attemptIds: readonly string[],
): Promise<LinkOfDay[]> {
  return db.query<LinkOfDay>(
    `select environment_id, link, null as day from journal_entries
     where payment_attempt_id {named $1} and environment_id {among $2} and line = 0`,
    [attemptIds, environmentIds],
  );
}

/**
 * Lists the links since `since` of money of the payments of these attempts that went back and whose day no file has
 * told: without a refund of this service, or by one that was requested before `requestedBefore` and ended later.
 */
export function selectWentBackLater(
  db: Reader,
  environmentIds: readonly number[],
  attemptIds: readonly string[],
  { since, requestedBefore }: { since: number; requestedBefore: number },
): Promise<LinkOfDay[]> {
  return db.query<LinkOfDay>(
    `select j.environment_id, j.link, null as day from payment_attempts a
     join journal_entries j on j.transaction_id = a.transaction_id and j.environment_id = a.environment_id
     left join refunds r on r.id = j.refund_id and r.environment_id = j.environment_id
     where a.id {named $1} and a.environment_id {among $2} and j.created_at >= $3
       and (j.kind = 'refund' and r.created_at < $4 or j.kind = 'unasked_refund' and not exists (
         select 1 from imported_payments i where i.environment_id = j.environment_id and i.link = j.link))`,
    [attemptIds, environmentIds, since, requestedBefore],
  );
}

/**
 * Returns the part of a span of time that has entries: from the first until just after the last. Empty
 * without an entry.
 */
export async function selectBookedSpan(
  db: Reader,
  { environmentIds, from, to }: ReconciliationScope,
): Promise<{ from: number; to: number }> {
  const within = 'from journal_entries where environment_id {among $1} and created_at >= $2 and created_at < $3';
  const [span] = await db.query<{ first: number | null; last: number | null }>(
    `select (select min(created_at) ${within}) as first, (select max(created_at) ${within}) as last`,
    [environmentIds, from, to],
  );
  return { from: span?.first ?? from, to: (span?.last ?? from - 1) + 1 };
}

/** Selects a line with only the columns of its payment. */
const PAID_LINES = `select j.*, a.id as attempt_id, ${PAYMENT_COLUMNS}, ${END_OF_TRANSACTION}
     from journal_entries j
     left join transactions t on t.id = j.transaction_id and t.environment_id = j.environment_id
     left join payment_attempts a on a.id = j.payment_attempt_id and a.environment_id = j.environment_id`;

/**
 * Reads the next lines of an environment after a place in its chain. Nearly all lines are payments. Payments are read
 * without the columns that are null for them, which makes `books verify` take a tenth less time.
 */
export async function selectBookedLinesAfter(
  db: Reader,
  environmentId: number,
  after: { link: number; line: number },
  limit: number,
): Promise<BookedLine[]> {
  const lines = await db.query<BookedLine>(
    `${PAID_LINES}
     where j.environment_id = $1 and (j.link, j.line) > ($2, $3) order by j.link, j.line limit $4`,
    [environmentId, after.link, after.line, limit],
  );
  const others = lines.filter((line) => !isOfPayment(line)).map(({ link }) => link);
  if (others.length === 0) return lines;
  const whole = await db.query<BookedLine>(
    `${BOOKED_LINES} where j.environment_id = $1 and j.link {among $2} and (j.link, j.line) > ($3, $4)`,
    [environmentId, others, after.link, after.line],
  );
  const byPlace = new Map(whole.map((line) => [`${line.link} ${line.line}`, line]));
  return lines.map((line) => byPlace.get(`${line.link} ${line.line}`) ?? line);
}

function isOfPayment(line: BookedLine): boolean {
  const names = line.refund_id ?? line.movement_id ?? line.payout_id;
  return (line.kind === 'payment' || line.kind === 'fee') && names === null && line.payment_attempt_id !== null;
}

/** A completed payment or refund, or a recorded movement, that no entry explains. */
export type Unbooked = {
  environment_id: number;
  transaction_id: number | null;
  refund_id: string | null;
  movement_id: string | null;
  /** The method that collected the payment, or that a deposit came from; null: none. */
  payment_method: string | null;
};

const UNBOOKED_PAYMENT = `(
  not exists (select 1 from journal_entries j
    where j.transaction_id = t.id and j.environment_id = t.environment_id and j.kind = 'payment')
  or t.fee > 0 and not exists (select 1 from journal_entries j
    where j.transaction_id = t.id and j.environment_id = t.environment_id and j.kind = 'fee'))`;

const UNBOOKED_REFUNDS = `select r.environment_id, r.transaction_id, r.id as refund_id, null as movement_id, t.payment_method
     from refunds r
     left join transactions t on t.id = r.transaction_id and t.environment_id = r.environment_id
     where r.state = 'completed' and not exists (
       select 1 from journal_entries j
       where j.transaction_id = r.transaction_id and j.environment_id = r.environment_id and j.refund_id = r.id)`;

/** A movement is booked by line 0 of a link, which has an index, and its commission by line 1. */
const UNBOOKED_MOVEMENTS = `select m.environment_id, m.transaction_id, null as refund_id, m.id as movement_id, m.payment_method
     from movements m
     where not exists (
       select 1 from journal_entries j
       where j.movement_id = m.id and j.environment_id = m.environment_id and j.line = 0 and (m.commission = 0 or exists (
         select 1 from journal_entries k
         where k.environment_id = j.environment_id and k.link = j.link and k.kind in ('commission', 'commission_returned'))))`;

/** Lists the payments (or their fees), refunds and movements of a span of time that no entry explains. */
export function selectUnbooked(db: Reader, scope: ReconciliationScope): Promise<Unbooked[]> {
  return db.query<Unbooked>(
    `select t.environment_id, t.id as transaction_id, null as refund_id, null as movement_id, t.payment_method
     from transactions t
     where t.state = 'completed' and t.settled_at >= $2 and t.settled_at < $3 and {filter_by} t.environment_id {among $1}
       and (t.id = $4 or $4 = 0) and ${UNBOOKED_PAYMENT}
     union all
     ${UNBOOKED_REFUNDS}
       and r.settled_at >= $2 and r.settled_at < $3 and r.environment_id {among $1} and (r.transaction_id = $4 or $4 = 0)
     union all
     ${UNBOOKED_MOVEMENTS}
       and m.created_at >= $2 and m.created_at < $3 and m.environment_id {among $1} and (m.transaction_id = $4 or $4 = 0)
     order by transaction_id nulls last, refund_id nulls first, movement_id nulls first`,
    parametersOf(scope),
  );
}

/** Lists the refunds and movements of the whole installation that no entry explains. */
export function selectAllUnbooked(db: Reader): Promise<Unbooked[]> {
  return db.query<Unbooked>(`${UNBOOKED_REFUNDS} union all ${UNBOOKED_MOVEMENTS} order by refund_id, movement_id`);
}

export async function selectPaymentSpan(db: Reader): Promise<IdSpan> {
  const [span] = await db.query<IdSpan>(
    'select (select min(id) from transactions) as first, (select max(id) from transactions) as last',
  );
  return span as IdSpan;
}

/**
 * Reads the next completed payments of the installation in the order of their ids, and whether the books lack the
 * payment or its fee.
 */
export function selectPaymentsAfter(
  db: Reader,
  id: number,
  limit: number,
): Promise<{ id: number; environment_id: number; payment_method: string | null; unbooked: 0 | 1 }[]> {
  return db.query(
    `select t.id, t.environment_id, t.payment_method, case when ${UNBOOKED_PAYMENT} then 1 else 0 end as unbooked from transactions t
     where t.state = 'completed' and t.id > $1 order by t.id limit $2`,
    [id, limit],
  );
}

function parametersOf(scope: ReconciliationScope) {
  return [scope.environmentIds, scope.from, scope.to, scope.transactionId];
}
