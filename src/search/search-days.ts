import type { App } from '../app.ts';
import type { PaymentFilter } from './payment-filter.ts';
import { selectAmountDays, selectAmountDaysFrom, selectTermsThere } from './search-queries.ts';
import type { Terms } from './search-term.ts';

/** The first day is looked through at once; of those before it, more and more at a time are asked whether they have anything. */
const DAYS_GROW = 8;
const MOST_DAYS = 1_000;

/** Numbers of UTC days, the last and the first. */
type Span = { last: number; first: number };

/** A payment of the day has at least one of these terms. */
type TermedDay = { day: number; terms: number[] };

/** Somebody who sees more environments reads the days of all. */
const MOST_OWN = 20;

/**
 * The days on which a payment of the filter's amount may be, or any payment without one; the last first, with the terms of each. A
 * person who sees few environments reads the days of these.
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
