import type { App } from '../app.ts';
import { formatPlain } from '../lib/money.ts';
import type { Transaction } from '../transactions/transaction.ts';
import { type Entry, inOrder, type Recording } from './recording.ts';
import {
  type RecordedEvent,
  type RecordedSpan,
  selectRecordedAttempts,
  selectRecordedEvents,
  selectRecordedRefunds,
  selectRecordedTransactions,
} from './recording-queries.ts';

/** The status of an accepted request. */
export const ACCEPTED = '200';

/**
 * Reads the requests to an environment in a span of time, and their outcome. Tokens, payers and the queries of URLs,
 * where shops put secrets, are left out.
 */
export async function makeRecording(app: Pick<App, 'db'>, span: RecordedSpan): Promise<Recording> {
  const [transactions, attempts, refunds, events] = await Promise.all([
    selectRecordedTransactions(app.db, span),
    selectRecordedAttempts(app.db, span),
    selectRecordedRefunds(app.db, span),
    selectRecordedEvents(app.db, span),
  ]);
  const names = new Map(transactions.map(({ id }, at) => [id, `t${at + 1}`]));
  const refundNames = new Map(refunds.map(({ id }, at) => [id, `r${at + 1}`]));
  const expiries = new Map(transactions.map(({ id, expires_at }) => [id, expires_at]));
  const at = ({ created_at }: { created_at: number }) => created_at - span.from;
  const of = (row: { transaction_id: number }) => names.get(row.transaction_id) as string;
  const isOurs = (row: { transaction_id: number }) => names.has(row.transaction_id);
  const entries: Entry[] = [
    ...transactions.map((row) => requestOf(row, at(row), names.get(row.id) as string)),
    ...attempts.filter(isOurs).map((row): Entry => {
      const { payment_method: method, state: outcome, lookups } = row;
      return { kind: 'payment', at: at(row), transaction: of(row), method, outcome, lookups };
    }),
    ...events
      .filter((row) => isOurs(row) && isGivenUp(row, expiries.get(row.transaction_id) as number))
      .map((row): Entry => ({ kind: 'cancel', at: at(row), transaction: of(row) })),
    ...refunds.filter(isOurs).map((row): Entry => {
      const { id, amount, type, state: outcome } = row;
      const refund = refundNames.get(id) as string;
      return { kind: 'refund', at: at(row), transaction: of(row), refund, amount, type, outcome };
    }),
    ...events.filter(isOurs).map((row): Entry => {
      const data = row.data === null ? null : withNames(row.data, row, of(row), refundNames);
      return { kind: 'event', at: at(row), transaction: of(row), type: row.type, data };
    }),
  ];
  return { lastsMs: span.to - span.from, entries: inOrder(entries) };
}

function requestOf(row: Transaction, at: number, transaction: string): Entry {
  const fields = {
    x_amount: formatPlain(row.amount, row.currency),
    x_currency: row.currency,
    x_reference: row.reference,
    x_shop_country: row.shop_country,
    x_url_callback: withoutQuery(row.url_callback),
    x_url_cancel: withoutQuery(row.url_cancel),
    x_url_complete: withoutQuery(row.url_complete),
  };
  const minutes = (row.expires_at - row.created_at) / 60_000;
  return { kind: 'request', at, transaction, fields, minutes, answer: ACCEPTED };
}

function withoutQuery(url: string): string {
  return url.split('?', 1)[0] as string;
}

/** Returns whether the payer gave up, as opposed to running out of time. */
function isGivenUp({ type, created_at }: RecordedEvent, expiresAt: number): boolean {
  return type === 'transaction.cancelled' || (type === 'transaction.failed' && created_at < expiresAt);
}

/** Replaces ids, times and codes, which differ between stores, by the recording's names, or drops them. */
function withNames(
  data: string,
  { transaction_id: id }: RecordedEvent,
  transaction: string,
  refundNames: ReadonlyMap<string, string>,
): string {
  const named = JSON.parse(data, (name, value: unknown) => {
    if (name === 'authorization_code') return '(a code)';
    if (value === id || value === String(id)) return transaction;
    if (typeof value !== 'string') return value;
    if (/^\d{4}-\d\d-\d\dT/.test(value)) return '(a time)';
    return refundNames.get(value) ?? (/^0?[a-z]{2,4}_[0-9a-zA-Z_-]{16,}$/.test(value) ? '(an id)' : value);
  }) as unknown;
  return JSON.stringify(named);
}
