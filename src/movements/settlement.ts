import type { Actor } from '../audit/actor.ts';
import type { DifferenceCause } from '../books/explain-difference.ts';
import type { SqlRow } from '../db/database.ts';
import type { Environment } from '../payment-services/payment-service.ts';

/** An acquirer's file that was held against the books. Times are UTC ms, days are of Chile. */
export type KeptSettlement = SqlRow & {
  id: string;
  environment: Environment;
  /** Null: of all payment services. */
  payment_service_id: string | null;
  payment_method: string;
  file_name: string;
  file_sha256: string;
  first_day: string;
  last_day: string;
  kept_at: number;
  kept_by: string;
  /** How many lines fit. */
  matched: number;
  /** JSON: `SettlementSum[]`. */
  totals: string;
  /** When the same file was compared again. */
  replaced_at: number | null;
};

/** Of a currency, in minor units as text: sums can be more than a double holds. */
export type SettlementSum = { currency: string; settled: string; booked: string; difference: string };

/** A line of the file or of the books that the other side does not say. Amounts in minor units; null: the side has nothing. */
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
 * The differences of a file that are accepted: the open ones of a cause, of a line of the file, or one by its number. Null:
 * whichever; one of the three is named.
 */
export type Acceptance = {
  readonly settlementId: string;
  readonly cause: DifferenceCause | null;
  readonly number: number | null;
  readonly line: number | null;
  readonly reason: string;
  readonly by: Actor;
};

/** More than these mean that it is not the file of these books. */
export const MOST_DIFFERENCES = 5_000;
