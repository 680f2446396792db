import type { FactContent } from '../books/book-fact.ts';
import { methodReceivable, type Posting, SUSPENSE } from '../books/journal-entry.ts';
import { codeKey } from '../books/settled-line.ts';
import type { SettlementRow } from '../books/settlement-row.ts';
import type { SqlRow } from '../db/database.ts';

/** A row of `imported_payments`; it never changes. Amounts are in minor units, times UTC milliseconds. */
export type ImportedPayment = SqlRow & {
  id: string;
  environment_id: number;
  /** The key by which a line is taken over only once. */
  line_key: string;
  /** Where the books have it in suspense; null where it is of an attempt, and the other way round. */
  link: number | null;
  payment_attempt_id: string | null;
  imported_at: number;
  imported_by: string;
  payment_method: string;
  /** The day that the file says, `2026-01-15`. */
  settled_on: string;
  buy_order: string | null;
  authorization_code: string | null;
  amount: number;
  currency: string;
  evidence_name: string;
  evidence_sha256: string;
  file_line: number;
};

/**
 * The step for a line of the acquirer's file. `settle`: it is of an attempt of ours, which it ends. `suspense`: it is of
 * nothing that we know. `known`: the books have it. `imported`: it was taken over before. `left`: it is for a person.
 */
export type ImportStep = {
  row: SettlementRow;
  does: 'settle' | 'suspense' | 'known' | 'imported' | 'left';
  attemptId: string | null;
  transactionId: number | null;
  /** A note about it, in a few words. */
  note: string;
};

/** The same line of another export of the same days is the same line. */
export function lineKeyOf(environment: string, row: SettlementRow): string {
  const { date, buyOrder, authorizationCode, amount, currency } = row;
  const code = authorizationCode === null ? null : codeKey(authorizationCode);
  return JSON.stringify([environment, date, buyOrder, code, amount, currency]);
}

/** The lines that were taken over before, by their money. */
export type ImportedBefore = ReadonlyMap<string, readonly ImportedPayment[]>;

/** Groups them once: a file that is imported again has as many lines as were taken over. */
export function groupImported(before: readonly ImportedPayment[]): ImportedBefore {
  return Map.groupBy(before, ({ settled_on, amount, currency }) => moneyKey(settled_on, amount, currency));
}

function moneyKey(day: string, amount: number, currency: string): string {
  return `${day} ${amount} ${currency}`;
}

/**
 * Whether a line says again what was taken over before, perhaps by an export with other columns. `unclear`: money of the same day
 * and amount, where one has no buy order or no code that would tell the two apart, or where the codes of one order differ.
 */
export function compareImported(row: SettlementRow, before: ImportedBefore): 'same' | 'unclear' | 'new' {
  const alike = before.get(moneyKey(row.date, row.amount, row.currency)) ?? [];
  const found = alike.map((one) => {
    const order = agree(row.buyOrder, one.buy_order);
    const code = agree(keyOf(row.authorizationCode), keyOf(one.authorization_code));
    if (order === 'different' || (order !== 'same' && code === 'different')) return 'new';
    const hasNoOrder = row.buyOrder === null && one.buy_order === null;
    return code !== 'different' && (order === 'same' || (hasNoOrder && code === 'same')) ? 'same' : 'unclear';
  });
  return found.find((one) => one === 'same') ?? found.find((one) => one === 'unclear') ?? 'new';
}

function keyOf(code: string | null): string | null {
  return code === null ? null : codeKey(code);
}

function agree(one: string | null, other: string | null): 'same' | 'different' | 'unknown' {
  if (one === null || other === null) return 'unknown';
  return one === other ? 'same' : 'different';
}

/** Writes the fact of an imported payment. Not `link`: the fact is written before the entry. */
export function importContent(imported: ImportedPayment): FactContent {
  return Object.fromEntries(Object.entries(imported).filter(([column]) => column !== 'link'));
}

/** Money that the acquirer has and that is of nothing we know. */
export function importedPosting(imported: ImportedPayment): Posting {
  const { environment_id, imported_at, payment_method, amount, currency } = imported;
  const debit = methodReceivable(payment_method);
  return {
    environmentId: environment_id,
    at: imported_at,
    transactionId: null,
    paymentAttemptId: null,
    refundId: null,
    movement: null,
    transfers: [{ kind: 'late_payment', debit, credit: SUSPENSE, amount, currency }],
  };
}
