import type { App } from '../app.ts';
import { boundsOfDay, shiftDay } from '../lib/calendar-day.ts';
import type { OnProgress } from '../lib/walk.ts';
import { type Comparison, compareSettlement, daysOf } from './compare-settlement.ts';
import { methodReceivable } from './journal-entry.ts';
import { reconcileEntries } from './reconcile-entries.ts';
import { MOST_DAYS_LATER } from './settled-line.ts';
import type { Settlement } from './settlement-row.ts';

/** A settlement file compared with the books of its days. */
export type ComparedFile = { first: string; last: string; compared: Comparison[] };

/**
 * Compares an acquirer's settlement with the entries of these environments that this payment method collected (null:
 * any method). Returns null if the file has no line to compare.
 */
export async function compareWithBooks(
  app: App,
  environmentIds: readonly number[],
  method: string | null,
  settlement: Settlement,
  onProgress: OnProgress = () => {},
): Promise<ComparedFile | null> {
  const days = daysOf(settlement.rows);
  if (days === null) return null;
  const { first, last } = days;
  const from = boundsOfDay(shiftDay(first, -1)).from;
  const to = boundsOfDay(shiftDay(last, MOST_DAYS_LATER)).to;
  const { lines } = await reconcileEntries(app, { environmentIds, from, to, transactionId: 0 }, onProgress);
  const account = method === null ? null : methodReceivable(method);
  const ofMethod = lines.filter(
    ({ debit_account, credit_account }) => account === null || debit_account === account || credit_account === account,
  );
  return { first, last, compared: await compareSettlement(settlement, ofMethod) };
}
