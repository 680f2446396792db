import type { App } from '../app.ts';
import { notACursor } from '../error-catalogue.ts';
import { listEnvironmentIds } from '../payment-services/list-environments.ts';
import { ENVIRONMENTS } from '../payment-services/payment-service.ts';
import { type FoundPayment, type MethodSaid, matchesFilter, type PaymentFilter } from './payment-filter.ts';
import { searchDays } from './search-days.ts';
import {
  type ListedPayment,
  selectApproved,
  selectBehindPlace,
  selectByTerm,
  selectCreatedSpan,
  selectListed,
  selectSearchProgress,
} from './search-queries.ts';
import { type Terms, termsOf, utcDay } from './search-term.ts';

/**
 * A search for payments: the filter, their environments (null: all), the cursor, the page size, and the most rows to
 * read for a page.
 */
export type PaymentSearch = {
  filter: PaymentFilter;
  environmentIds: ReadonlySet<number> | null;
  after: string | null;
  limit: number;
  mostRead?: number;
};

/**
 * `next` is the cursor of the next page; null at the end. `complete` is false while the index lacks some of the newest
 * payments: the page may then lack them too.
 */
export type PaymentPage = { payments: FoundPayment[]; next: string | null; complete: boolean };

/** The most rows that a page reads. If few rows pass the filter, the page returns its matches and a cursor. */
const MOST_READ = 10_000;
const CHUNK = 200;
/** How many events of the newest payments are read that the index lacks. */
const NEWEST = 1_000;

/**
 * Finds payments, the newest first: by authorisation code, reference or e-mail if given, else by amount, else by day.
 * The cost does not depend on the number of payments in the store. Throws `Problem` `INVALID_PARAMETER` for an invalid
 * cursor.
 */
export async function findPayments(app: App, asked: PaymentSearch): Promise<PaymentPage> {
  const search = await withinService(app, asked);
  const { filter, limit, after, mostRead = MOST_READ } = search;
  const found: FoundPayment[] = [];
  let place = after === null ? null : readCursor(after);
  const { newest, complete } = await findNewest(app, search, place);
  for await (const { payment, at, read } of walk(app, search, place, newest)) {
    if (found.length === limit || read >= mostRead) return { payments: found, next: writeCursor(place), complete };
    place = at;
    if (matchesFilter(payment, filter)) found.push(payment);
  }
  return { payments: found, next: null, complete };
}

/** A payment with its place in the list, and the number of index rows read before it. */
type Step = { payment: FoundPayment; at: Place; read: number };

/**
 * Yields the payments from the index and, each at its place, the `newest` ones that the index may lack, without
 * duplicates.
 */
async function* walk(
  app: App,
  search: PaymentSearch,
  from: Place | null,
  newest: Omit<Step, 'read'>[],
): AsyncGenerator<Step> {
  let read = 0;
  for await (const { ids, day } of candidates(app, search, from)) {
    for (const payment of await describePayments(app, ids)) {
      const at = { day, id: payment.id };
      for (let [next] = newest; next !== undefined && isBefore(next.at, at); [next] = newest) {
        newest.shift();
        yield { ...next, read };
      }
      if (newest[0]?.payment.id === payment.id) newest.shift();
      yield { payment, at, read };
    }
    read += ids.length;
  }
  for (const next of newest) yield { ...next, read };
}

/** Sorts a list: the newest day first, and within a day the highest id. */
function isBefore(one: Place, other: Place): boolean {
  return one.day === other.day ? one.id > other.id : (one.day ?? 0) > (other.day ?? 0);
}

/** Restricts a search for one payment service to its environments, so that no others are read. */
async function withinService(app: App, search: PaymentSearch): Promise<PaymentSearch> {
  const { paymentService, environment } = search.filter;
  if (paymentService === null) return search;
  const ids = await Promise.all(
    (environment === null ? ENVIRONMENTS : [environment]).map((one) =>
      listEnvironmentIds(app, one, paymentService, search.environmentIds),
    ),
  );
  return { ...search, environmentIds: new Set(ids.flat()) };
}

/** Lists the payments with these ids, the newest first. */
export async function describePayments(app: App, ids: readonly number[]): Promise<FoundPayment[]> {
  const [listed, approved] = await Promise.all([selectListed(app.db, ids), selectApproved(app.db, ids)]);
  const details = new Map(approved.map(({ transaction_id, detail }) => [transaction_id, detail]));
  return listed.map((payment: ListedPayment) => ({ ...payment, ...saidOf(details.get(payment.id) ?? null) }));
}

/**
 * Finds payments with an event that is not indexed yet, within one page of the feed: those after `from`, in the order
 * of the list.
 */
async function findNewest(
  app: App,
  { filter, environmentIds }: PaymentSearch,
  from: Place | null,
): Promise<{ newest: Omit<Step, 'read'>[]; complete: boolean }> {
  const events = await selectBehindPlace(app.db, await selectSearchProgress(app.db), NEWEST);
  const ids = [...new Set(events.flatMap((id) => id ?? []))];
  const isByDay = textTerm(await termsOf(app), filter) === null;
  const newest = (ids.length === 0 ? [] : await describePayments(app, ids))
    .filter((payment) => environmentIds?.has(payment.environment_id) ?? true)
    .filter((payment) => matchesFilter(payment, filter))
    .map((payment) => ({ payment, at: { day: isByDay ? utcDay(payment.created_at) : null, id: payment.id } }))
    .filter(({ at }) => from === null || isBefore(from, at))
    .sort((one, other) => (isBefore(one.at, other.at) ? -1 : 1));
  return { newest, complete: events.length < NEWEST };
}

/** The last payment that a page examined; `day` is set if the search runs by day. */
type Place = { day: number | null; id: number };

type Candidates = { ids: number[]; day: number | null };

async function* candidates(app: App, search: PaymentSearch, from: Place | null): AsyncGenerator<Candidates> {
  const { filter } = search;
  const terms = await termsOf(app);
  const term = textTerm(terms, filter);
  if (term !== null) {
    yield* byTerms(app, search, { terms: [term], day: null }, from?.id);
    return;
  }
  const created = await selectCreatedSpan(app.db);
  const first = Math.max(filter.since ?? 0, created.first ?? Number.MAX_SAFE_INTEGER);
  const last = Math.min((filter.until ?? Number.MAX_SAFE_INTEGER) - 1, Math.max(app.now(), created.reset ?? 0));
  // Processes reserve ids in blocks, so ids of one day may be lower than ids of the day before.
  const span = { last: from?.day ?? utcDay(last), first: utcDay(first) };
  for await (const ofDay of searchDays(app, terms, filter, search.environmentIds, span)) {
    yield* byTerms(app, search, ofDay, ofDay.day === from?.day ? from.id : undefined);
  }
}

function textTerm(terms: Terms, { authorizationCode, reference, email }: PaymentFilter): number | null {
  if (authorizationCode !== null) return terms.of('authorization_code', authorizationCode);
  if (reference !== null) return terms.of('reference', reference);
  return email === null ? null : terms.of('email', email);
}

/** Lists the payments with one of the terms, the newest first. */
async function* byTerms(
  app: App,
  { environmentIds }: PaymentSearch,
  { terms, day }: { terms: readonly number[]; day: number | null },
  from = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<Candidates> {
  const visible = environmentIds === null ? null : [...environmentIds];
  let before = from;
  for (;;) {
    const page = { before, environmentIds: visible, limit: CHUNK };
    const found = await Promise.all(terms.map((term) => selectByTerm(app.db, { term, ...page })));
    const ids = [...new Set(found.flat())].sort((one, other) => other - one).slice(0, CHUNK);
    if (ids.length > 0) yield { ids, day };
    if (ids.length < CHUNK) return;
    before = ids.at(-1) as number;
  }
}

/** Returns what the method said of an approved attempt. */
function saidOf(detail: string | null): MethodSaid {
  const said = JSON.parse(detail ?? '{}') as { authorization_code?: unknown; card_last_digits?: unknown };
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  return { authorization_code: text(said.authorization_code), card_last_digits: text(said.card_last_digits) };
}

function writeCursor(place: Place | null): string | null {
  return place === null ? null : Buffer.from(`${place.day ?? ''}.${place.id}`).toString('base64url');
}

function readCursor(text: string): Place {
  const match = /^(\d{0,7})\.(\d{1,15})$/.exec(Buffer.from(text, 'base64url').toString('latin1'));
  const place = match === null ? null : { day: match[1] === '' ? null : Number(match[1]), id: Number(match[2]) };
  if (place !== null && writeCursor(place) === text) return place;
  throw notACursor();
}
