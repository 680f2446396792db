import type { SqlRow } from '../db/database.ts';
import type { RowKey } from '../db/row-key.ts';
import type { RefundOutcome } from '../payment-methods/payment-method.ts';

export type RefundState = 'processing' | 'completed' | 'failed';

/** The protocol's names: all that is left of a payment, or a part of it. */
export type RefundType = 'total' | 'parcial';

/** A row of `refunds`. `amount` is in minor units, times are UTC milliseconds, `detail` is JSON text. */
export type Refund = SqlRow & {
  id: string;
  environment_id: number;
  transaction_id: number;
  /** The sequence number of the event of its acceptance, so refunds of a transaction sort by it. */
  sequence: number;
  amount: number;
  created_at: number;
  settled_at: number | null;
  next_lookup_at: number | null;
  lookups: number;
  /** When the refund was last requested from its payment method. */
  asked_at: number | null;
  /** How many of the look-ups were by a version that records its requests. */
  noted_lookups: number;
  /** The amount of the payment that had gone back before the first request, as the method reported it then. */
  refunded_before: number | null;
  asking: Asking;
  /** When the method first contradicted the known state of the payment; null: never, or a person has decided. */
  contradicted_at: number | null;
  /** The last contradiction as JSON text. */
  contradiction: string | null;
  state: RefundState;
  type: RefundType;
  /**
   * E-mail address of the user, or `command line: USER@HOST`; in older refunds the id of the user, or `command line`.
   */
  requested_by: string;
  idempotency_key: string | null;
  detail: string | null;
};

/** Longer than a look-up and a request may take together, so that no second worker asks at the same time. */
export const CLAIM_MS = 60_000;

const HOUR = 60 * 60_000;

/**
 * The times after which a refund without an end is in doubt, in milliseconds: a day after it was accepted, an hour
 * after it was requested from its method.
 */
export const REFUND_IN_DOUBT_AFTER = { accepted: 24 * HOUR, asked: HOUR } as const;

/**
 * Returns whether a refund waits for a person at `now`: it has been open for too long, or its method contradicts its
 * state.
 */
export function isRefundInDoubt(
  {
    state,
    created_at,
    asked_at,
    contradicted_at,
  }: Pick<Refund, 'state' | 'created_at' | 'asked_at' | 'contradicted_at'>,
  now: number,
): boolean {
  const { accepted, asked } = REFUND_IN_DOUBT_AFTER;
  const isLate = created_at <= now - accepted || (asked_at !== null && asked_at <= now - asked);
  return contradicted_at !== null || (state === 'processing' && isLate);
}

/** Returns a text that changes if the refund ends or is requested again, or if a contradiction begins or ends. */
export function standingOfRefund({ state, asking, asked_at, contradicted_at }: Refund): string {
  return [state, asking, asked_at ?? '-', contradicted_at ?? '-'].join(' ');
}

export type RefundKey = RowKey<string>;

/**
 * Whether the worker may request the refund. `due`: once. `held`: no more, because it was requested, or because the
 * method's balance differs from the books. `ordered`: once more, because a person has decided so.
 */
export type Asking = 'due' | 'held' | 'ordered';

type Answer = RefundState | 'already' | 'ignored' | 'conflict';

/**
 * THE TABLE. The new state of a refund after an answer of its payment method.
 *
 * A method that answers `declined` and later `approved` has refunded the money, so the refund becomes completed and is
 * booked. This change and the reverse contradiction raise an alarm, because the merchant was told otherwise.
 */
const TABLE: Record<RefundState, Record<RefundOutcome['kind'], Answer>> = {
  processing: { approved: 'completed', declined: 'failed', pending: 'processing', unknown: 'processing' },
  completed: { approved: 'already', declined: 'conflict', pending: 'ignored', unknown: 'ignored' },
  failed: { approved: 'completed', declined: 'already', pending: 'ignored', unknown: 'ignored' },
};

/** Reads the table. */
export function answerToRefund(state: RefundState, outcome: RefundOutcome['kind']): Answer {
  return TABLE[state][outcome];
}
