import { dayOf } from '../lib/calendar-day.ts';
import { type EntryKind, SUSPENSE } from './journal-entry.ts';
import type { BookedLine } from './reconciliation-queries.ts';

/** The kinds that an acquirer's file has: what it collected, and what it refunded. */
const SETTLED_KINDS: readonly EntryKind[] = [
  'payment',
  'late_payment',
  'refund',
  'unasked_refund',
  'returned',
  'recovered',
];

/** The acquirer's part of a refund out of suspense is the entry that put it there. */
export function isSettled({ kind, credit_account }: BookedLine): boolean {
  return SETTLED_KINDS.includes(kind) && !(kind === 'refund' && credit_account === SUSPENSE);
}

/** The kinds by which more is owed to us or to the merchant than before; by all others it is less. */
const ADDING: readonly EntryKind[] = ['payment', 'late_payment', 'kept', 'recovered', 'payout_returned', 'paid_in'];

/** Above 0 for money that was collected or became the merchant's (again), below 0 for what went back, out or to somebody else. */
export function signedAmount({ kind, amount }: Pick<BookedLine, 'kind' | 'amount'>): number {
  return ADDING.includes(kind) ? amount : -amount;
}

/** Lists the keys by which the acquirer knows a line. A method that has buy orders of its own tells them with its approval. */
export function keysOf(line: BookedLine): { buyOrder: string; authorizationCode: string | null } {
  return {
    buyOrder: readDetail(line.payment_detail).buy_order ?? line.imported_buy_order ?? String(line.transaction_id),
    authorizationCode: codesOf(line)[0] ?? null,
  };
}

/** Its authorisation codes: some files show a refund under its own, others under the one of its payment. */
export function codesOf(line: BookedLine): string[] {
  const own = line.kind === 'refund' ? [readDetail(line.refund_detail)] : [];
  const codes = [...own, readDetail(line.payment_detail)].flatMap(({ authorization_code }) => authorization_code ?? []);
  return line.imported_code === null ? codes : [...codes, line.imported_code];
}

/** A code as it is compared: a spreadsheet takes one of digits for a number and drops its zeros. */
export function codeKey(code: string | null): string {
  if (code === null) return '';
  return /^\d+$/.test(code) ? code.replace(/^0+(?=\d)/, '') : code;
}

/** We book this many days after the acquirer at most: so long a lost answer is looked up. */
export const MOST_DAYS_LATER = 3;

/**
 * The day of Chile on which a line is in the acquirer's file: the day of the sale, of the refund or of its accounting, as the
 * acquirer told it with its approval. A payment that we looked up after midnight was sold the day before. Where it told
 * none, or one that is further from our books than a look-up takes, it is the day on which we booked.
 */
export function acquirerDay(line: BookedLine, byAccountingDate: boolean): string {
  const booked = dayOf(line.created_at);
  const told = toldDay(line, byAccountingDate, booked) ?? booked;
  return daysBetween(told, booked) <= MOST_DAYS_LATER ? told : booked;
}

/** Between two days, whichever is first; NaN where one is not a day. */
export function daysBetween(day: string, other: string): number {
  return Math.abs(Date.parse(day) - Date.parse(other)) / 86_400_000;
}

function toldDay(line: BookedLine, byAccountingDate: boolean, booked: string): string | null {
  if (line.kind === 'returned' || line.kind === 'unasked_refund' || line.kind === 'recovered') return null;
  const { transaction_date, accounting_date } = readDetail(line.payment_detail);
  if (line.kind !== 'refund' && byAccountingDate) return accountingDay(accounting_date ?? '', booked);
  const told = line.kind === 'refund' ? readDetail(line.refund_detail).authorization_date : transaction_date;
  const moment = Date.parse(told ?? '');
  return Number.isNaN(moment) ? null : dayOf(moment);
}

/** `0115` in the year that brings it near the day on which we booked. */
function accountingDay(monthAndDay: string, booked: string): string | null {
  const [, month, day] = /^(\d{2})(\d{2})$/.exec(monthAndDay) ?? [];
  if (month === undefined) return null;
  const year = Number(booked.slice(0, 4));
  const days = [year - 1, year, year + 1].map((one) => `${one}-${month}-${day}`);
  return days.find((date) => daysBetween(date, booked) <= MOST_DAYS_LATER) ?? null;
}

const TOLD = ['buy_order', 'authorization_code', 'authorization_date', 'transaction_date', 'accounting_date'] as const;

function readDetail(text: string | null): Partial<Record<(typeof TOLD)[number], string>> {
  const detail = JSON.parse(text ?? '{}') as Record<string, string | number | undefined>;
  return Object.fromEntries(TOLD.flatMap((name) => (detail[name] === undefined ? [] : [[name, String(detail[name])]])));
}
