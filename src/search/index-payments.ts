import { setTimeout as pause } from 'node:timers/promises';
import type { App } from '../app.ts';
import type { Tx } from '../db/database.ts';
import { type FeedRow, selectFeed } from '../outbox/feed/feed-queries.ts';
import {
  type AmountDay,
  advanceSearchProgress,
  type FeedPlace,
  insertAmountDays,
  insertSearchTerms,
  lockSearchIndex,
  selectApproved,
  selectSearchProgress,
  selectTermed,
  type TermedTransaction,
  type TermRow,
} from './search-queries.ts';
import { createdTerms, eventTerms, type Terms, termsOf, utcDay } from './search-term.ts';

/** A batch takes ten milliseconds of the event loop, so no payer waits longer for it. */
const BATCH = 200;
/**
 * The pause between two batches of a backlog. With a shorter pause the worker would mistake its own work for payment
 * load, and wait.
 */
const REST_MS = 20;

/**
 * Indexes the next payments of the feed, so that they can be found by more than their id. It runs outside the payment
 * path, because an index on random texts slows down every create. Returns the number of events read. Rejects with
 * `StorageError`.
 */
export async function indexPayments(app: App): Promise<number> {
  const place = await selectSearchProgress(app.db);
  const events = await selectFeed(app.db, place, BATCH);
  const last = events.at(-1);
  if (last === undefined) return 0;
  const terms = await termsOf(app);
  await app.db.transaction(async (tx) => {
    if (!(await advanceSearchProgress(tx, place, last, daysFrom(app, place)))) return;
    // Read under the lock of the place: an e-mail address that is erased meanwhile leaves no term.
    const { rows, days } = await rowsOf(tx, terms, events);
    await insertSearchTerms(tx, rows);
    if (days.length > 0) await insertAmountDays(tx, days);
  });
  if (events.length === BATCH) await pause(REST_MS);
  return events.length;
}

/**
 * Indexes payments by themselves, in the caller's commit. The feed of this database never had their first events,
 * because they were deleted for their age before their payment service moved here.
 */
export async function indexWithoutEvents(tx: Tx, terms: Terms, ids: readonly number[]): Promise<void> {
  await lockSearchIndex(tx);
  const transactions = await selectTermed(tx, ids);
  const approved = await selectApproved(tx, ids);
  const details = new Map(approved.map(({ transaction_id, detail }) => [transaction_id, detail]));
  const rows = transactions.flatMap((row) =>
    [...createdTerms(terms, row), ...eventTerms(terms, details.get(row.id) ?? null)].map((term) => ({
      term,
      transaction_id: row.id,
      environment_id: row.environment_id,
    })),
  );
  await insertSearchTerms(tx, inOrder(rows));
  await insertAmountDays(tx, amountDaysOf(transactions));
}

/** During an upgrade a version may keep running that writes no days of amounts, so these days are not relied on yet. */
const REPLACED_DAYS = 7;

/**
 * Returns the first UTC day whose days of amounts are complete, if this process is the first to write them. In a new
 * store that is every day.
 */
function daysFrom(app: App, { commit_id, position }: FeedPlace): number {
  return commit_id === 0 && position === 0 ? 0 : utcDay(app.now()) + REPLACED_DAYS;
}

async function rowsOf(
  tx: Tx,
  terms: Terms,
  events: readonly FeedRow[],
): Promise<{ rows: TermRow[]; days: AmountDay[] }> {
  const ids = new Set(events.flatMap(({ transaction_id }) => transaction_id ?? []));
  const transactions = ids.size === 0 ? [] : await selectTermed(tx, [...ids]);
  const environments = new Map(transactions.map(({ id, environment_id }) => [id, environment_id]));
  const created = new Set(
    events.flatMap((event) => (event.type === 'transaction.created' ? event.transaction_id : [])),
  );
  const begun = transactions.filter(({ id }) => created.has(id));
  const rows: TermRow[] = [];
  const add = (term: number, id: number | null) => {
    const environmentId = environments.get(id ?? 0);
    if (id !== null && environmentId !== undefined)
      rows.push({ term, transaction_id: id, environment_id: environmentId });
  };
  for (const row of begun) for (const term of createdTerms(terms, row)) add(term, row.id);
  for (const { transaction_id, data } of events) for (const term of eventTerms(terms, data)) add(term, transaction_id);
  return { rows: inOrder(rows), days: amountDaysOf(begun) };
}

/** Returns the rows in the order of the index, without duplicates. */
function inOrder(rows: TermRow[]): TermRow[] {
  const sorted = rows.sort((one, other) => one.term - other.term || one.transaction_id - other.transaction_id);
  const isFirst = ({ term, transaction_id }: TermRow, at: number) =>
    sorted[at - 1]?.term !== term || sorted[at - 1]?.transaction_id !== transaction_id;
  return sorted.filter(isFirst);
}

function amountDaysOf(begun: readonly TermedTransaction[]): AmountDay[] {
  const days = new Map(
    begun.map(({ amount, currency, created_at }) => {
      const row = { amount, currency, day: utcDay(created_at) };
      return [`${amount} ${currency} ${row.day}`, row];
    }),
  );
  return [...days.values()].sort((one, other) => one.amount - other.amount || one.day - other.day);
}
