import type { FactContent } from '../books/book-fact.ts';
import {
  methodReceivable,
  type Posting,
  SUSPENSE,
  type Transfer,
  unaskedRefundPosting,
} from '../books/journal-entry.ts';
import { codeKey } from '../books/settled-line.ts';
import type { SettlementRow } from '../books/settlement-row.ts';
import type { SqlRow } from '../db/database.ts';
import type { InBoth } from '../error-catalogue.ts';
import type { Transaction } from '../transactions/transaction.ts';

/** A row of `imported_payments`; it never changes. Amounts are in minor units, times UTC milliseconds. */
export type ImportedPayment = SqlRow & {
  id: string;
  environment_id: number;
  /** The key that makes a line importable only once. */
  line_key: string;
  /**
   * The link of the books that has the money in suspense; null if the line belongs to an attempt. One of the two is
   * set.
   */
  link: number | null;
  payment_attempt_id: string | null;
  imported_at: number;
  imported_by: string;
  payment_method: string;
  /** The day in the file, `2026-01-15`. */
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
 * The step for a line of the acquirer's file. `settle`: it belongs to an attempt, and ends it. `suspense`: it belongs
 * to no known payment, or is a chargeback of a booked one. `known`: the books have it. `imported`: it was imported
 * before. `left`: a person must handle it.
 */
export type ImportStep = {
  row: SettlementRow;
  does: 'settle' | 'suspense' | 'known' | 'imported' | 'left';
  attemptId: string | null;
  transactionId: number | null;
  /** The environment of the attempt or of the late money; null without them. */
  environmentId: number | null;
  /** Of late money that went back, its whole amount in minor units; left out for the money of an order. */
  lateAmount?: number;
  /** The equal refunds that are booked before this one; left out: none. */
  equalBefore?: EqualBefore;
  /** The lines of the file with a name of its payment. Each stands for an imported line. Left out: none. */
  inFile?: readonly SettlementRow[];
  note: string;
};

/** A number of equal refunds of one day, and how many of them have one code. */
export type EqualBefore = { readonly all: number; readonly sameCode: number };

/** Returns the reason that an imported line has in its decision and in the audit log. The store has it in English. */
export function reasonOfLine(fileLine: number): string {
  return `line ${fileLine} of the acquirer's file`;
}

/**
 * Returns a stored reason in both languages: of an imported line, or the words of a person, which are not translated.
 */
export function sayDecisionReason(text: string): InBoth {
  const [, line] = /^line (\d+) of the acquirer's file$/.exec(text) ?? [];
  return { en: text, es: line === undefined ? text : `línea ${line} del archivo del adquirente` };
}

/**
 * Returns the key of a line. It is the same in another export of the same days. A refund and a chargeback of one amount
 * are two lines, and so are equal refunds: `number` counts them from 1.
 */
export function lineKeyOf(environment: string, row: SettlementRow, number = 1): string {
  const { date, buyOrder, authorizationCode, amount, currency } = row;
  const code = authorizationCode === null ? null : codeKey(authorizationCode);
  const kind = isRefund(row) ? [REFUND, ...(number > 1 ? [number] : [])] : [];
  return JSON.stringify([environment, date, buyOrder, code, amount, currency, ...kind]);
}

function isRefund({ amount, chargeback }: SettlementRow): boolean {
  return amount < 0 && chargeback !== true;
}

const REFUND = 'refund';
const KIND_PART = 6;

/** Returns whether an imported line took money back. Its amount is stored without the sign, which is in its key. */
export function tookBack({ line_key }: Pick<ImportedPayment, 'line_key'>): boolean {
  return partsOf(line_key).some((part) => typeof part === 'number' && part < 0);
}

/** Returns whether an imported line that took money back was a chargeback; otherwise it was a refund. */
export function isChargeback({ line_key }: Pick<ImportedPayment, 'line_key'>): boolean {
  return partsOf(line_key)[KIND_PART] !== REFUND;
}

function partsOf(lineKey: string): unknown[] {
  return JSON.parse(lineKey) as unknown[];
}

/** The lines that were imported before, by day, amount and currency. */
export type ImportedBefore = ReadonlyMap<string, readonly ImportedPayment[]>;

/** Groups the imported lines once, because a file that is imported again has as many lines as were imported. */
export function groupImported(before: readonly ImportedPayment[]): ImportedBefore {
  return Map.groupBy(before, ({ settled_on, amount, currency }) => moneyKey(settled_on, amount, currency));
}

/** Returns the key by which imported lines are grouped. */
export function moneyKey(day: string, amount: number, currency: string): string {
  return `${day} ${amount} ${currency}`;
}

/**
 * Returns whether a line was imported before, perhaps from an export with other columns. `unclear`: a line of the same
 * day and amount was imported, and a missing buy order or code, or different codes of one order, leave it open whether
 * it is the same.
 */
export function compareImported(row: SettlementRow, before: ImportedBefore): 'same' | 'unclear' | 'new' {
  return compareNames(row, before.get(moneyKey(row.date, row.amount, row.currency)) ?? []);
}

/** Does the same with imported lines of its day and amount. */
export function compareNames(row: SettlementRow, alike: readonly ImportedPayment[]): 'same' | 'unclear' | 'new' {
  const found = alike.map((one) => {
    const order = agree(row.buyOrder, one.buy_order);
    const code = agree(keyOf(row.authorizationCode), keyOf(one.authorization_code));
    if (order === 'different' || (order !== 'same' && code === 'different')) return 'new';
    const hasNoOrder = row.buyOrder === null && one.buy_order === null;
    return code !== 'different' && (order === 'same' || (hasNoOrder && code === 'same')) ? 'same' : 'unclear';
  });
  return found.find((one) => one === 'same') ?? found.find((one) => one === 'unclear') ?? 'new';
}

/** Returns whether a line and an imported one have the same code, or no code. */
export function hasSameCode(row: SettlementRow, one: ImportedPayment): boolean {
  return isSameCode(row.authorizationCode, one.authorization_code);
}

/** Returns whether two codes are the same one, or both are missing. */
export function isSameCode(code: string | null, other: string | null): boolean {
  return keyOf(code) === keyOf(other);
}

function keyOf(code: string | null): string | null {
  return code === null ? null : codeKey(code);
}

function agree(one: string | null, other: string | null): 'same' | 'different' | 'unknown' {
  if (one === null || other === null) return 'unknown';
  return one === other ? 'same' : 'different';
}

/**
 * Returns the content of the fact about an imported payment, without `link`, because the fact is written before the
 * entry.
 */
export function importContent(imported: ImportedPayment): FactContent {
  return Object.fromEntries(Object.entries(imported).filter(([column]) => column !== 'link'));
}

/**
 * Makes the posting of the acquirer's money that belongs to no known payment, or of the money that a chargeback of
 * `payment` took back: in suspense until a person decides who bears it. A chargeback without a payment took back late
 * money: it belongs to no transaction, because the refunds of one have nothing to do with it.
 */
export function importedPosting(imported: ImportedPayment, payment: Transaction | null): Posting {
  const { environment_id, imported_at, payment_method, amount, currency } = imported;
  if (payment !== null || tookBack(imported)) {
    const of = payment ?? { id: null, environment_id, currency };
    return unaskedRefundPosting(of, amount, payment_method, imported_at);
  }
  const debit = methodReceivable(payment_method);
  const late: Transfer = { kind: 'late_payment', debit, credit: SUSPENSE, amount, currency };
  return { environmentId: environment_id, at: imported_at, transactionId: null, transfers: [late] };
}
