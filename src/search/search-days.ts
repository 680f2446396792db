import type { App } from '../app.ts';
import type { PaymentFilter } from './payment-filter.ts';
import { selectAmountDays, selectAmountDaysFrom, selectTermsThere } from './search-queries.ts';
import type { Terms } from './search-term.ts';

/**
 * The first day is searched directly. Earlier days are checked for terms in groups; each group has eight times as many
 * days.
 */
const DAYS_GROW = 8;
const MOST_DAYS = 1_000;

/** UTC day numbers, the last and the first. */
type Span = { last: number; first: number };

/** A payment of the day has at least one of these terms. */
type TermedDay = { day: number; terms: number[] };

/** A person who sees more environments searches the days of all environments. */
const MOST_OWN = 20;

/**
 * Yields the days that may have a payment of the filter's amount, or any payment if no amount is given; the last day
 * first, with its terms. For a person who sees few environments, only their days are searched.
 */
export async function* searchDays(
  app: App,
  terms: Terms,
  { amount }: PaymentFilter,
  environmentIds: ReadonlySet<number> | null,
  span: Span,
): AsyncGenerator<TermedDay> {
  const owners = environmentIds === null || environmentIds.size > MOST_OWN ? [null] : [...environmentIds];
  if (amount === null) return yield* askedDays(app, (day) => owners.map((owner) => terms.ofDay(day, owner)), span);
  const termsOf = (day: number) => [terms.ofAmount(amount.amount, amount.currency, day)];
  const known = (await selectAmountDaysFrom(app.db)) ?? span.last + 1;
  for (let { last } = span; ; ) {
    const days = await selectAmountDays(app.db, amount, { last, first: Math.max(span.first, known) }, MOST_DAYS);
    for (const day of days) yield { day, terms: termsOf(day) };
    if (days.length < MOST_DAYS) break;
    last = (days.at(-1) as number) - 1;
  }
  yield* askedDays(app, termsOf, { last: Math.min(span.last, known - 1), first: span.first });
}

async function* askedDays(
  app: App,
  termsOf: (day: number) => number[],
  { last, first }: Span,
): AsyncGenerator<TermedDay> {
  let together = 1;
  for (let from = last; from >= first; ) {
    const count = Math.min(together, from - first + 1);
    const days = Array.from({ length: count }, (_, back) => ({ day: from - back, terms: termsOf(from - back) }));
    const asked = days.flatMap(({ terms }) => terms);
    const there = count === 1 ? null : await selectTermsThere(app.db, asked);
    yield* days.filter(({ terms }) => there === null || terms.some((term) => there.has(term)));
    from -= count;
    together = Math.min(together * DAYS_GROW, MOST_DAYS);
  }
}
