import { dayOf } from '../lib/calendar-day.ts';
import { type EntryKind, SUSPENSE } from './journal-entry.ts';
import type { BookedLine } from './reconciliation-queries.ts';

/** The kinds of entries that an acquirer's file contains: collected and refunded money. */
const SETTLED_KINDS: readonly EntryKind[] = [
  'payment',
  'late_payment',
  'refund',
  'unasked_refund',
  'returned',
  'recovered',
];

/**
 * Returns whether an acquirer's file has the line. It has a refund out of suspense as the entry that put the money
 * there.
 */
export function isSettled({ kind, credit_account }: BookedLine): boolean {
  return SETTLED_KINDS.includes(kind) && !(kind === 'refund' && credit_account === SUSPENSE);
}

/** Adds what a method took above an order to the entry of its payment: the acquirer has both as one sale. */
export function withExcess(lines: readonly BookedLine[]): readonly BookedLine[] {
  const excess = new Map(lines.filter(isExcess).map((line) => [placeOf(line), line.amount]));
  if (excess.size === 0) return lines;
  return lines.flatMap((line) => {
    if (isExcess(line)) return [];
    const over = line.kind === 'payment' ? excess.get(placeOf(line)) : undefined;
    return over === undefined ? line : { ...line, amount: line.amount + over };
  });
}

/** Late money of a whole payment is the first line of its link, and an excess comes after its payment. */
function isExcess({ kind, line }: BookedLine): boolean {
  return line > 0 && kind === 'late_payment';
}

function placeOf({ environment_id, link }: BookedLine): string {
  return `${environment_id} ${link}`;
}

/** The kinds that add to the amount owed to the service or to the merchant; all others subtract. */
const ADDING: readonly EntryKind[] = [
  'payment',
  'late_payment',
  'kept',
  'recovered',
  'payout_returned',
  'deposit_returned',
  'commission_returned',
  'paid_in',
];

/**
 * Returns the amount of an entry with its sign: above 0 for collected or recovered money, below 0 for refunds, payouts
 * and other outgoing money.
 */
export function signedAmount({ kind, amount }: Pick<BookedLine, 'kind' | 'amount'>): number {
  return ADDING.includes(kind) ? amount : -amount;
}

/**
 * Returns the keys by which the acquirer knows a line. A method with separate buy orders returns them with its
 * approval. A line that was imported by its authorisation code alone has no buy order: null.
 */
export function keysOf(line: BookedLine): { buyOrder: string | null; authorizationCode: string | null } {
  const own = readDetail(line.payment_detail).buy_order ?? line.imported_buy_order;
  return {
    buyOrder: own ?? (line.transaction_id === null ? null : String(line.transaction_id)),
    authorizationCode: codesOf(line)[0] ?? null,
  };
}

/** Returns what names a line to a person: its buy order, or else its authorisation code. Null if it has neither. */
export function nameOf(line: BookedLine): string | null {
  const { buyOrder, authorizationCode } = keysOf(line);
  return buyOrder ?? authorizationCode;
}

/**
 * Lists the buy orders under which a file may have a line: the acquirer's, or the id of the transaction; and the id of
 * the payment attempt, which the console shows as the buy order also where the method has none.
 */
export function ordersOf(line: BookedLine): string[] {
  return [...new Set([keysOf(line).buyOrder, line.attempt_id])].filter((order) => order !== null);
}

/**
 * Lists the authorisation codes of a line. Some files show a refund under its code, others under the code of its
 * payment.
 */
export function codesOf(line: BookedLine): string[] {
  const own = line.kind === 'refund' ? [readDetail(line.refund_detail)] : [];
  const codes = [...own, readDetail(line.payment_detail)].flatMap(({ authorization_code }) => authorization_code ?? []);
  return line.imported_code === null ? codes : [...codes, line.imported_code];
}

/**
 * Normalizes a code for comparison, because a spreadsheet turns a code of digits into a number and drops its leading
 * zeros.
 */
export function codeKey(code: string | null): string {
  if (code === null) return '';
  return /^\d+$/.test(code) ? code.replace(/^0+(?=\d)/, '') : code;
}

/** The books are at most this many days later than the acquirer, because a lost answer is looked up for this long. */
export const MOST_DAYS_LATER = 3;

/**
 * Returns the day (in Chile) on which the acquirer's file has a line: the day of the sale, the refund or the
 * accounting, as the acquirer reported it with its approval. A payment that was looked up after midnight was sold the
 * day before. If the acquirer reported no day, or one more than `MOST_DAYS_LATER` days from the day of the entry,
 * returns the day of the entry. A line that was imported from a file has the day of the file.
 */
export function acquirerDay(line: BookedLine, byAccountingDate: boolean): string {
  if (typeof line.imported_day === 'string') return line.imported_day;
  const booked = dayOf(line.created_at);
  const told = toldDay(line, byAccountingDate, booked) ?? booked;
  return daysBetween(told, booked) <= MOST_DAYS_LATER ? told : booked;
}

/** Returns the days between two dates, never below 0; NaN if one is not a date. */
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

/** Returns the date of `0115` (15 January) within `MOST_DAYS_LATER` days of the entry; null: none. */
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
