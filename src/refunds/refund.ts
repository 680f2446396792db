import type { SqlRow } from '../db/database.ts';
import type { RowKey } from '../db/row-key.ts';
import type { RefundOutcome } from '../payment-methods/payment-method.ts';

export type RefundState = 'processing' | 'completed' | 'failed';

/** In the words of the protocol: all that is left of a payment, or a part of it. */
export type RefundType = 'total' | 'parcial';

/** A row of `refunds`. `amount` is in minor units, times are UTC milliseconds, `detail` is JSON text. */
export type Refund = SqlRow & {
  id: string;
  environment_id: number;
  transaction_id: number;
  /** The sequence of the event that told of it. */
  sequence: number;
  amount: number;
  created_at: number;
  settled_at: number | null;
  next_lookup_at: number | null;
  lookups: number;
  /** When its payment method was last asked for the money. */
  asked_at: number | null;
  /** How many of the look-ups were by a program that writes down that it asks. */
  noted_lookups: number;
  /** The amount of the payment that had gone back at the method when it was first asked, as the method said then. */
  refunded_before: number | null;
  asking: Asking;
  /** Since when the method contradicts what is known of the payment, and what it said: JSON text. */
  contradicted_at: number | null;
  contradiction: string | null;
  state: RefundState;
  type: RefundType;
  /** E-mail address of the user, or `command line: USER@HOST`; of older ones the id of the user, or `command line`. */
  requested_by: string;
  idempotency_key: string | null;
  detail: string | null;
};

/** The key of a refund. */
export type RefundKey = RowKey<string>;

/**
 * Whether the worker may ask for the money. `due`: once. `held`: no more, because it was asked for, or because what went back
 * at the method is not what the books say. `ordered`: a person has said that it may be asked for again.
 */
export type Asking = 'due' | 'held' | 'ordered';

type Answer = RefundState | 'already' | 'ignored' | 'conflict';

/**
 * THE TABLE. What a refund becomes by an answer of its payment method.
 *
 * A method that says `declined` and later `approved` has refunded the money, so the refund is completed after all: the
 * books tell what happened. That, and the reverse, is alarmed, because the merchant has been told otherwise.
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
