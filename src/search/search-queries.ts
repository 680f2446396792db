import type { InsertTarget, Reader, SqlRow, Tx } from '../db/database.ts';
import type { Environment } from '../payment-services/payment-service.ts';
import type { TransactionState } from '../transactions/transaction-state.ts';
import type { TermSource } from './search-term.ts';

const SEARCH_TERMS: InsertTarget = { name: 'search_terms', columns: ['term', 'transaction_id', 'environment_id'] };

export type TermRow = SqlRow & { term: number; transaction_id: number; environment_id: number };

export type FeedPlace = { commit_id: number; position: number };

/** Returns the place in the feed up to which payments are indexed. */
export async function selectSearchProgress(db: Reader): Promise<FeedPlace> {
  const [place] = await db.query<FeedPlace>('select commit_id, position from search_progress');
  return place as FeedPlace;
}

/**
 * Advances the place, unless another process has. `daysFrom`: the first UTC day with complete days of amounts; stored
 * only once.
 */
export async function advanceSearchProgress(
  tx: Tx,
  from: FeedPlace,
  to: FeedPlace,
  daysFrom: number,
): Promise<boolean> {
  const moved = await tx.query(
    `update search_progress set commit_id = $3, position = $4, amount_days_from = coalesce(amount_days_from, $5)
     where commit_id = $1 and position = $2 returning position`,
    [from.commit_id, from.position, to.commit_id, to.position, daysFrom],
  );
  return moved.length > 0;
}

export async function insertSearchTerms(tx: Tx, rows: readonly TermRow[]): Promise<void> {
  await tx.insertRows(SEARCH_TERMS, rows, 'on conflict do nothing');
}

/**
 * Deletes a term of a payment, so that it can no longer be found by it and no trace remains. Waits for the process that
 * indexes payments, and makes it wait until the commit, so that it does not insert the term afterwards.
 */
export async function deleteSearchTerm(tx: Tx, { term, transaction_id, environment_id }: TermRow): Promise<void> {
  await lockSearchIndex(tx);
  await tx.query('delete from search_terms where term = $1 and transaction_id = $2 and environment_id = $3', [
    term,
    transaction_id,
    environment_id,
  ]);
}

/** Waits for the process that indexes payments, and makes it wait until the commit. */
export async function lockSearchIndex(tx: Tx): Promise<void> {
  await tx.query('select position from search_progress {for_update}');
}

export type TermedTransaction = SqlRow & TermSource & { id: number };

export type TermPage = { term: number; before: number; environmentIds: readonly number[] | null; limit: number };

/** Reads the values that the terms of these transactions are made from. */
export function selectTermed(db: Reader, ids: readonly number[]): Promise<TermedTransaction[]> {
  return db.query<TermedTransaction>(
    `select id, environment_id, reference, customer_email, amount, currency, created_at from transactions where id {among $1}`,
    [ids],
  );
}

/**
 * Lists the transactions with a term, the newest first, below the id `before`; in these environments, or in all (null).
 */
export async function selectByTerm(db: Reader, { term, before, environmentIds, limit }: TermPage): Promise<number[]> {
  const [among, ...ids] = environmentIds === null ? [''] : ['and environment_id {among $1}', environmentIds];
  const [first, second, third] = environmentIds === null ? ['$1', '$2', '$3'] : ['$2', '$3', '$4'];
  const rows = await db.query<{ transaction_id: number }>(
    `select transaction_id from search_terms where term = ${first} and transaction_id < ${second} ${among}
     order by transaction_id desc limit ${third}`,
    [...ids, term, before, limit],
  );
  return rows.map((row) => row.transaction_id);
}

const AMOUNT_DAYS: InsertTarget = { name: 'amount_days', columns: ['amount', 'currency', 'day'] };

export type AmountDay = SqlRow & { amount: number; currency: string; day: number };

export async function insertAmountDays(tx: Tx, rows: readonly AmountDay[]): Promise<void> {
  await tx.insertRows(AMOUNT_DAYS, rows, 'on conflict do nothing');
}

/** Returns the first UTC day with complete days of amounts; null if there is no such day yet. */
export async function selectAmountDaysFrom(db: Reader): Promise<number | null> {
  const [row] = await db.query<{ amount_days_from: number | null }>('select amount_days_from from search_progress');
  return row?.amount_days_from ?? null;
}

/** Lists the known days with a transaction of an amount, the last first. */
export async function selectAmountDays(
  db: Reader,
  { amount, currency }: { amount: number; currency: string },
  { last, first }: { last: number; first: number },
  limit: number,
): Promise<number[]> {
  const rows = await db.query<{ day: number }>(
    `select day from amount_days where amount = $1 and currency = $2 and day <= $3 and day >= $4 order by day desc limit $5`,
    [amount, currency, last, first, limit],
  );
  return rows.map(({ day }) => day);
}

/** Returns the terms that any transaction has: one index look-up per term, in one statement. */
export async function selectTermsThere(db: Reader, terms: readonly number[]): Promise<Set<number>> {
  const rows = await db.query<{ value: number }>(
    `select asked.value from {each $1} asked where exists (select 1 from search_terms t where t.term = asked.value)`,
    [terms],
  );
  return new Set(rows.map(({ value }) => value));
}

/** Lists the transactions of the events after a place, including events that the feed does not show yet. */
export async function selectBehindPlace(db: Reader, place: FeedPlace, limit: number): Promise<(number | null)[]> {
  const rows = await db.query<{ transaction_id: number | null }>(
    'select transaction_id from events where {after_place} order by {feed_order} limit $3',
    [place.commit_id, place.position, limit],
  );
  return rows.map((row) => row.transaction_id);
}

/**
 * Returns a time before the first transaction, in UTC milliseconds; null in an empty store. It is the creation of the
 * first payment service, because a transaction that moved here may have any id; or, if a clock went back later, of the
 * lowest id or the first act. `reset`: the last time that a development clock had reached when it was set back; null:
 * it never was.
 */
export async function selectCreatedSpan(db: Reader): Promise<{ first: number | null; reset: number | null }> {
  const [row] = await db.query<{ first: number | null; reset: number | null }>(
    `select min(created_at) as first, (select max(created_at) from audit_log where action = 'clock.reset') as reset from (
       select created_at from payment_services
       union all select created_at from (select created_at from transactions order by id limit 1) as lowest
       union all select created_at from (select created_at from audit_log order by link limit 1) as act
     ) as firsts`,
  );
  return row ?? { first: null, reset: null };
}

/** A transaction as in a list. Amounts are minor units, times UTC milliseconds. */
export type ListedPayment = SqlRow & {
  id: number;
  environment_id: number;
  payment_service: string;
  name: string;
  environment: Environment;
  reference: string;
  customer_email: string;
  amount: number;
  currency: string;
  state: TransactionState;
  payment_method: string | null;
  created_at: number;
  settled_at: number | null;
  fee: number;
  /** The sum of this service's completed refunds. */
  refunded: number;
};

/** Lists the transactions with these ids, the newest first. */
export function selectListed(db: Reader, ids: readonly number[]): Promise<ListedPayment[]> {
  return db.query<ListedPayment>(
    `select t.id, t.environment_id, e.payment_service_id as payment_service, p.name, e.environment, t.reference,
       t.customer_email, t.amount, t.currency, t.state, t.payment_method, t.created_at, t.settled_at, t.fee,
       cast((select coalesce(sum(r.amount), 0) from refunds r
         where r.transaction_id = t.id and r.environment_id = t.environment_id and r.state = 'completed')
         as bigint) as refunded
     from transactions t
     join environments e on e.id = t.environment_id
     join payment_services p on p.id = e.payment_service_id
     where t.id {among $1} order by t.id desc`,
    [ids],
  );
}

/** Returns the method's answer to the approved attempt of each transaction, as JSON. A transaction has at most one. */
export function selectApproved(
  db: Reader,
  ids: readonly number[],
): Promise<{ transaction_id: number; detail: string | null }[]> {
  return db.query(
    `select transaction_id, detail from payment_attempts where transaction_id {among $1} and state = 'approved'`,
    [ids],
  );
}

/** Lists the transactions of a payment link, the newest first. */
export async function selectIdsOfLink(db: Reader, link: string, limit: number): Promise<number[]> {
  // The characters `-` and `.` are adjacent, so this range covers the references of a link.
  const rows = await db.query<{ id: number }>(
    `select t.id from payment_links l join transactions t on t.environment_id = l.environment_id
       and t.reference >= l.id || '-' and t.reference < l.id || '.'
     where l.id = $1 order by t.id desc limit $2`,
    [link, limit],
  );
  return rows.map(({ id }) => id);
}

/** Finds the transaction of a refund, a payment attempt or a callback; null for an unknown id. */
export async function selectOwnerOfPart(
  db: Reader,
  part: 'refunds' | 'payment_attempts' | 'callbacks',
  id: string | number,
): Promise<number | null> {
  const [row] = await db.query<{ transaction_id: number }>(`select transaction_id from ${part} where id = $1`, [id]);
  return row?.transaction_id ?? null;
}
