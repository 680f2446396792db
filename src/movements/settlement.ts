import { createHash } from 'node:crypto';
import type { Actor } from '../audit/actor.ts';
import type { DifferenceCause } from '../books/explain-difference.ts';
import type { SqlRow } from '../db/database.ts';
import { shellWord } from '../lib/shell-word.ts';
import type { Environment } from '../payment-services/payment-service.ts';

/** An acquirer's file that was compared with the books. Times are UTC milliseconds, days are Chilean. */
export type KeptSettlement = SqlRow & {
  id: string;
  environment: Environment;
  /** Null: all payment services. */
  payment_service_id: string | null;
  payment_method: string;
  file_name: string;
  file_sha256: string;
  first_day: string;
  last_day: string;
  kept_at: number;
  kept_by: string;
  matched: number;
  /** JSON: `SettlementSum[]`. */
  totals: string;
  /** When the same file was compared again; null: never. */
  replaced_at: number | null;
};

/** The causes of lines that `payment import` can book: missing payments, and refunds that were not made here. */
export const BOOKABLE_CAUSES: readonly DifferenceCause[] = ['payment_missing_in_books', 'refund_missing_in_books'];

/** Returns the command that shows what can be booked of a file; `ID` if the file is of all payment services. */
export function importCommandOf(settlement: KeptSettlement): string {
  const { file_name, payment_service_id, environment, payment_method } = settlement;
  return `bin/rubrica payment import ${shellWord(file_name)} --payment-service ${payment_service_id ?? 'ID'} --environment ${environment} --method ${payment_method}`;
}

/** The sums of a currency, in minor units as text, because they may exceed a double. */
export type SettlementSum = { currency: string; settled: string; booked: string; difference: string };

/**
 * A difference between a line of the file and the books. Amounts are in minor units of `currency`; null: this side has
 * no line, or has another currency (then a second difference has its amount).
 */
export type KeptDifference = SqlRow & {
  settlement_id: string;
  number: number;
  cause: DifferenceCause;
  file_line: number | null;
  day: string;
  buy_order: string | null;
  entry: string | null;
  transaction_id: number | null;
  settled: number | null;
  booked: number | null;
  currency: string;
  accepted_at: number | null;
  accepted_by: string | null;
  reason: string | null;
};

/**
 * Selects open differences of a file to accept: by a cause, by a line of the file, or by a number. At least one of the
 * three is not null.
 */
export type Acceptance = {
  readonly settlementId: string;
  readonly cause: DifferenceCause | null;
  readonly number: number | null;
  readonly line: number | null;
  readonly reason: string;
  readonly by: Actor;
};

/** A file with more differences probably belongs to other books. */
export const MOST_DIFFERENCES = 5_000;

/**
 * Returns the SHA-256 of the books that a file was compared with and of its differences, for the audit log: the JSON
 * array of the environment, the payment service, the payment method and `totals`, and one for each difference, by its
 * number, each ended by a line feed.
 */
export function hashOfDifferences(
  { environment, payment_service_id, payment_method, totals }: KeptSettlement,
  differences: readonly KeptDifference[],
): string {
  const hash = createHash('sha256');
  hash.update(`${JSON.stringify([environment, payment_service_id, payment_method, totals])}\n`);
  for (const one of differences) {
    const { number, cause, file_line, day, buy_order, entry, transaction_id, settled, booked, currency } = one;
    const line = [number, cause, file_line, day, buy_order, entry, transaction_id, settled, booked, currency];
    hash.update(`${JSON.stringify(line)}\n`);
  }
  return hash.digest('hex');
}
