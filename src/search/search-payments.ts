import type { App } from '../app.ts';
import { describePayments, findPayments, type PaymentPage } from './find-payments.ts';
import { type FoundPayment, NO_FILTER, type PaymentFilter } from './payment-filter.ts';
import { readSearch, type SearchReading } from './read-search.ts';
import { selectIdsOfLink, selectOwnerOfPart } from './search-queries.ts';

/** A payment with the interpretation of the text that found it. */
export type SearchedPayment = FoundPayment & { found_by: SearchReading['by'] | 'reference_part' | 'card' };

export type SearchResult = { payments: SearchedPayment[]; complete: boolean };

const PARTS = { refund: 'refunds', payment_attempt: 'payment_attempts', callback: 'callbacks' } as const;

/**
 * Finds payments by one text; see `readSearch` for its interpretations. The most certain interpretation comes first,
 * and each payment once. Searches `environmentIds` (null: all) and returns at most `limit`.
 */
export async function searchPayments(
  app: App,
  text: string,
  environmentIds: ReadonlySet<number> | null,
  limit: number,
): Promise<SearchResult> {
  const found = new Map<number, SearchedPayment>();
  let complete = true;
  for (const reading of readSearch(text)) {
    if (found.size >= limit) break;
    const page = await findByReading(app, reading, environmentIds, limit);
    complete = complete && page.complete;
    for (const payment of page.payments) {
      if (found.size < limit && !found.has(payment.id)) found.set(payment.id, { ...payment, found_by: reading.by });
    }
  }
  return { payments: [...found.values()], complete };
}

/**
 * `isAll` is false if older payments, which were not searched, may also have the text in their reference; `part`: what
 * was searched there.
 */
export type PartsResult = SearchResult & { isAll: boolean; part: string };

/**
 * Searches as `searchPayments` does. If it finds nothing, searches the references of the newest payments for a text of
 * three or more characters, case-insensitive. A number that is not a reference may still be the number of an order,
 * such as `ORD-1066`, and four digits may end the number of a card: these payments follow the others. A text such as
 * `pedido 2042` that finds nothing is searched without its first word.
 */
export async function searchWithParts(
  app: App,
  text: string,
  environmentIds: ReadonlySet<number> | null,
  limit: number,
): Promise<PartsResult> {
  const found = await searchWhole(app, text, environmentIds, limit);
  const [noun = ''] = NOUN.exec(text) ?? [];
  if (found.payments.length > 0 || noun === '') return found;
  return searchWhole(app, text.slice(noun.length), environmentIds, limit);
}

/** The words that people say before a reference, an id, the digits of a card or a code, as the receipt has them. */
const NOUNS = 'pedido orden order referencia reference transacci[oó]n transaction tarjeta card'
  .split(' ')
  .concat('c[oó]digo de autorizaci[oó]n', 'authorisation code');
const NOUN = new RegExp(`^\\s*(?:${NOUNS.join('|')})(?:\\s+n[°º])?\\s+`, 'i');

async function searchWhole(
  app: App,
  text: string,
  environmentIds: ReadonlySet<number> | null,
  limit: number,
): Promise<PartsResult> {
  const found = await searchPayments(app, text, environmentIds, limit);
  const part = partOf(text);
  const isNumber = /^\d+$/.test(part);
  const isFound = found.payments.some(({ found_by }) => !isNumber || found_by === 'reference');
  if (isFound || part.length < SHORTEST_PART || part.length > LONGEST_PART || part.includes('@'))
    return { ...found, isAll: true, part };
  const isAlone = found.payments.length === 0;
  const parts = await readNewest(app, { ...NO_FILTER, referencePart: part }, environmentIds);
  const cards = /^\d{4}$/.test(part)
    ? (await readNewest(app, { ...NO_FILTER, cardDigits: part }, environmentIds)).payments
    : [];
  const isNamed = ({ reference }: FoundPayment) => isAlone || hasNumber(reference, part);
  const all: SearchedPayment[] = [
    ...found.payments,
    ...parts.payments.filter(isNamed).map((payment) => ({ ...payment, found_by: 'reference_part' as const })),
    ...cards.map((payment) => ({ ...payment, found_by: 'card' as const })),
  ];
  const payments = all.filter(({ id }, at) => all.findIndex((one) => one.id === id) === at).slice(0, limit);
  return { payments, complete: found.complete && parts.complete, isAll: parts.next === null, part };
}

function readNewest(app: App, filter: PaymentFilter, environmentIds: ReadonlySet<number> | null): Promise<PaymentPage> {
  return findPayments(app, { filter, environmentIds, after: null, limit: PARTS_READ, mostRead: PARTS_READ });
}

/** Returns whether a reference has this number on its own: 1066 is in `ORD-1066`, not in `ORD-10660`. */
function hasNumber(reference: string, number: string): boolean {
  return reference.split(/\D+/).includes(number);
}

/** Removes the # that a person may write before an order number, and what stands for the hidden digits of a card. */
function partOf(text: string): string {
  return text.trim().replace(/^(#|[…*•]+)\s*/, '');
}

const SHORTEST_PART = 3;
/** The longest reference. */
const LONGEST_PART = 100;
/**
 * How many payments are read for a part. Every search without a result reads this many, so it is far below a list
 * page's limit.
 */
const PARTS_READ = 2000;

async function findByReading(
  app: App,
  reading: SearchReading,
  environmentIds: ReadonlySet<number> | null,
  limit: number,
): Promise<{ payments: FoundPayment[]; complete: boolean }> {
  if ('id' in reading) {
    const payments = await describePayments(app, await idsOf(app, reading, limit));
    return {
      payments: payments.filter(({ environment_id }) => environmentIds?.has(environment_id) ?? true),
      complete: true,
    };
  }
  return findPayments(app, { filter: filterOf(reading), environmentIds, after: null, limit });
}

type NamedReading = Extract<SearchReading, { id: unknown }>;

async function idsOf(app: App, reading: NamedReading, limit: number): Promise<number[]> {
  if (reading.by === 'id') return [reading.id];
  if (reading.by === 'payment_link') return selectIdsOfLink(app.db, reading.id, limit);
  const owner = await selectOwnerOfPart(app.db, PARTS[reading.by], reading.id);
  return owner === null ? [] : [owner];
}

function filterOf(reading: Exclude<SearchReading, NamedReading>): PaymentFilter {
  if (reading.by === 'amount') return { ...NO_FILTER, amount: { amount: reading.amount, currency: reading.currency } };
  if (reading.by === 'email') return { ...NO_FILTER, email: reading.text };
  if (reading.by === 'reference') return { ...NO_FILTER, reference: reading.text };
  return { ...NO_FILTER, authorizationCode: reading.text };
}
