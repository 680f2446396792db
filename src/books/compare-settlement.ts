import { dayOf } from '../lib/calendar-day.ts';
import type { EntryKind } from './journal-entry.ts';
import type { SettlementRow } from './read-settlement.ts';
import type { BookedLine } from './reconciliation-queries.ts';

/** `missing_in_books`: settled, and nothing of ours. `missing_in_settlement`: ours, and not settled. */
export type ComparisonKind = 'matched' | 'different' | 'missing_in_books' | 'missing_in_settlement';

/** One line of the comparison. `differs` names what is not the same. */
export type Comparison = {
  kind: ComparisonKind;
  row: SettlementRow | null;
  line: BookedLine | null;
  differs: ('amount' | 'date' | 'currency' | 'authorization_code')[];
};

/**
 * Holds what an acquirer settles against the books, line by line: first by the buy order, and where there is none by the
 * authorisation code. Money that came is only ever held against money that came, money that went against money that went,
 * and nothing is used twice. Entries of which an acquirer knows nothing, such as fees, are left out.
 */
export function compareSettlement(rows: readonly SettlementRow[], lines: readonly BookedLine[]): Comparison[] {
  const ofAcquirer = lines.filter(({ kind }) => SETTLED.includes(kind));
  const byOrder = Map.groupBy(ofAcquirer, (line) => keysOf(line).buyOrder);
  const byCode = Map.groupBy(ofAcquirer, (line) => keysOf(line).authorizationCode);
  const unused = new Set(ofAcquirer);
  const compared = rows.map((row): Comparison => {
    const named = (row.buyOrder === null ? byCode.get(row.authorizationCode) : byOrder.get(row.buyOrder)) ?? [];
    const [best] = named
      .filter((line) => unused.has(line) && Math.sign(row.amount) === Math.sign(signedAmount(line)))
      .map((line) => ({ line, differs: differencesOf(row, line) }))
      .sort((one, other) => one.differs.length - other.differs.length);
    if (best === undefined) return { kind: 'missing_in_books', row, line: null, differs: [] };
    unused.delete(best.line);
    return { kind: best.differs.length === 0 ? 'matched' : 'different', row, ...best };
  });
  const left = [...unused].map((line): Comparison => ({ kind: 'missing_in_settlement', row: null, line, differs: [] }));
  return [...compared, ...left];
}

/** The kinds that an acquirer's file has: what it collected, and what it gave back. */
const SETTLED: readonly EntryKind[] = ['payment', 'late_payment', 'refund', 'returned'];

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

type Detail = { buy_order?: string; authorization_code?: string };

function readDetail(text: string | null): Detail {
  const { buy_order, authorization_code } = JSON.parse(text ?? '{}') as Record<string, string | number | undefined>;
  return {
    ...(buy_order !== undefined && { buy_order: String(buy_order) }),
    ...(authorization_code !== undefined && { authorization_code: String(authorization_code) }),
  };
}

function differencesOf(row: SettlementRow, line: BookedLine): Comparison['differs'] {
  const { authorizationCode } = keysOf(line);
  const sameCode =
    row.authorizationCode === null || authorizationCode === null || row.authorizationCode === authorizationCode;
  return [
    ...(row.amount === signedAmount(line) ? [] : ['amount' as const]),
    ...(row.date === dayOf(line.created_at) ? [] : ['date' as const]),
    ...(row.currency === line.currency ? [] : ['currency' as const]),
    ...(sameCode ? [] : ['authorization_code' as const]),
  ];
}
