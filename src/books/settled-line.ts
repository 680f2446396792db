import { dayOf } from '../lib/calendar-day.ts';
import type { EntryKind } from './journal-entry.ts';
import type { BookedLine } from './reconciliation-queries.ts';

/** The kinds that an acquirer's file has: what it collected, and what it refunded. */
export const SETTLED_KINDS: readonly EntryKind[] = ['payment', 'late_payment', 'refund', 'returned'];

/** The kinds by which more is owed to us or to the merchant than before; by all others it is less. */
const ADDING: readonly EntryKind[] = ['payment', 'late_payment', 'kept', 'payout_returned'];

/** Above 0 for money that was collected or became the merchant's (again), below 0 for what went back, out or to somebody else. */
export function signedAmount({ kind, amount }: Pick<BookedLine, 'kind' | 'amount'>): number {
  return ADDING.includes(kind) ? amount : -amount;
}

/** What the acquirer knows a line by. A method that has buy orders of its own tells them with its approval. */
export function keysOf(line: BookedLine): { buyOrder: string; authorizationCode: string | null } {
  const payment = readDetail(line.payment_detail);
  const own = line.kind === 'refund' ? readDetail(line.refund_detail) : payment;
  return {
    buyOrder: payment.buy_order ?? String(line.transaction_id),
    authorizationCode: own.authorization_code ?? payment.authorization_code ?? null,
  };
}

/** A code as it is compared: a spreadsheet takes one of digits for a number and drops its zeros. */
export function codeKey(code: string | null): string {
  return code === null ? '' : code.replace(/^0+(?=\d+$)/, '');
}

/**
 * The day of Chile on which a line is in the acquirer's file: that of the sale or of its accounting, as the acquirer told it
 * with its approval, and where it told none, the day on which we booked. A payment that we looked up after midnight was
 * sold the day before.
 */
export function acquirerDay(line: BookedLine, byAccountingDate: boolean): string {
  const booked = dayOf(line.created_at);
  if (line.kind === 'refund' || line.kind === 'returned') return booked;
  const { transaction_date, accounting_date } = readDetail(line.payment_detail);
  if (byAccountingDate) return accountingDay(accounting_date ?? '', booked) ?? booked;
  const sold = Date.parse(transaction_date ?? '');
  return Number.isNaN(sold) ? booked : dayOf(sold);
}

/** `0115` in the year that brings it next to the day on which we booked. */
function accountingDay(monthAndDay: string, booked: string): string | null {
  const [, month, day] = /^(\d{2})(\d{2})$/.exec(monthAndDay) ?? [];
  if (month === undefined) return null;
  const year = Number(booked.slice(0, 4));
  const distance = (date: string) => Math.abs(Date.parse(date) - Date.parse(booked));
  const days = [year - 1, year, year + 1].map((one) => `${one}-${month}-${day}`);
  return (
    days.filter((date) => !Number.isNaN(distance(date))).sort((one, other) => distance(one) - distance(other))[0] ??
    null
  );
}

type Detail = Partial<Record<'buy_order' | 'authorization_code' | 'transaction_date' | 'accounting_date', string>>;

function readDetail(text: string | null): Detail {
  const detail = JSON.parse(text ?? '{}') as Record<string, string | number | undefined>;
  const told = (['buy_order', 'authorization_code', 'transaction_date', 'accounting_date'] as const).flatMap((name) =>
    detail[name] === undefined ? [] : [[name, String(detail[name])]],
  );
  return Object.fromEntries(told) as Detail;
}
