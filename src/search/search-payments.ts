import type { App } from '../app.ts';
import { describePayments, findPayments } from './find-payments.ts';
import { type FoundPayment, NO_FILTER, type PaymentFilter } from './payment-filter.ts';
import { readSearch, type SearchReading } from './read-search.ts';
import { selectOwnerOfPart } from './search-queries.ts';

/** A payment with the reading of the text by which it was found. */
export type SearchedPayment = FoundPayment & { found_by: SearchReading['by'] };

export type SearchResult = { payments: SearchedPayment[]; complete: boolean };

const PARTS = { refund: 'refunds', payment_attempt: 'payment_attempts', callback: 'callbacks' } as const;

/**
 * Finds payments by one text, whatever it is: see `readSearch`. The surest reading comes first, and a payment once. Of
 * `environmentIds` (null: of all), at most `limit`.
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

async function findByReading(
  app: App,
  reading: SearchReading,
  environmentIds: ReadonlySet<number> | null,
  limit: number,
): Promise<{ payments: FoundPayment[]; complete: boolean }> {
  if ('id' in reading) {
    const id = reading.by === 'id' ? reading.id : await selectOwnerOfPart(app.db, PARTS[reading.by], reading.id);
    const payments = id === null ? [] : await describePayments(app, [id]);
    return {
      payments: payments.filter(({ environment_id }) => environmentIds?.has(environment_id) ?? true),
      complete: true,
    };
  }
  return findPayments(app, { filter: filterOf(reading), environmentIds, after: null, limit });
}

function filterOf(reading: Exclude<SearchReading, { id: unknown }>): PaymentFilter {
  if (reading.by === 'amount') return { ...NO_FILTER, amount: { amount: reading.amount, currency: reading.currency } };
  if (reading.by === 'email') return { ...NO_FILTER, email: reading.text };
  if (reading.by === 'reference') return { ...NO_FILTER, reference: reading.text };
  return { ...NO_FILTER, authorizationCode: reading.text };
}
