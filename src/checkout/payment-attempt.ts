import type { SqlRow } from '../db/database.ts';
import type { RowKey } from '../db/row-key.ts';
import type { PaymentOutcome } from '../payment-methods/payment-method.ts';

/**
 * `started`: stored, and perhaps not yet known to the method. `pending`: the method will know later, or the payer is
 * there. `unknown`: the method did not answer. These three are open: the method has still to say what became of it.
 * `aborted`: nothing was taken, and the transaction can be paid by another attempt.
 */
export type AttemptState = 'started' | 'pending' | 'unknown' | 'approved' | 'declined' | 'aborted';

/** A row of `payment_attempts`. Times are UTC milliseconds, `detail` is JSON text. */
export type PaymentAttempt = SqlRow & {
  id: string;
  environment_id: number;
  transaction_id: number;
  created_at: number;
  settled_at: number | null;
  next_lookup_at: number | null;
  /** Until then one process is asking the method, and no other may. */
  asked_until: number | null;
  lookups: number;
  state: AttemptState;
  payment_method: string;
  /** The merchant's account at the method when the attempt was opened; null: none was configured. */
  account: string | null;
  external_id: string | null;
  detail: string | null;
  /** When the method was last told to take the money, and when it answered that; null: not told, or not answered. */
  commit_sent_at: number | null;
  commit_answered_at: number | null;
  /** Since when the method contradicts what is known, until a person has decided; and what it said, as JSON text. */
  contradicted_at: number | null;
  contradiction: string | null;
};

/** The key of an attempt. */
export type AttemptKey = RowKey<string>;

type Answer = AttemptState | 'already' | 'conflict' | 'ignored';

const OPEN: Record<PaymentOutcome['kind'], Answer> = {
  approved: 'approved',
  declined: 'declined',
  pending: 'pending',
  unknown: 'unknown',
  redirect: 'pending',
  aborted: 'aborted',
  contradiction: 'unknown',
};

const NO_NEWS = { pending: 'ignored', unknown: 'ignored', redirect: 'ignored' } as const;

/**
 * THE TABLE. What an attempt becomes by an answer of its method. An answer that is slower than another one is no news
 * (`ignored`); one that contradicts the end already known is a `conflict`.
 */
const TABLE: Record<AttemptState, Record<PaymentOutcome['kind'], Answer>> = {
  started: OPEN,
  pending: OPEN,
  unknown: OPEN,
  // A refund of ours can make a slow answer about an approved one look like a contradiction.
  approved: { approved: 'already', declined: 'conflict', aborted: 'conflict', contradiction: 'ignored', ...NO_NEWS },
  declined: { approved: 'conflict', declined: 'already', aborted: 'ignored', contradiction: 'conflict', ...NO_NEWS },
  aborted: { approved: 'conflict', declined: 'ignored', aborted: 'already', contradiction: 'conflict', ...NO_NEWS },
};

/** Reads the table. */
export function answerTo(state: AttemptState, outcome: PaymentOutcome['kind']): Answer {
  return TABLE[state][outcome];
}

/** Whether the method has still to say what became of it. */
export function isOpen(attempt: Pick<PaymentAttempt, 'state'>): boolean {
  return attempt.state === 'started' || attempt.state === 'pending' || attempt.state === 'unknown';
}

/** Whether the method was told to take the money and has not answered that. */
export function isCommitUnanswered(attempt: Pick<PaymentAttempt, 'commit_sent_at' | 'commit_answered_at'>): boolean {
  return attempt.commit_sent_at !== null && attempt.commit_answered_at === null;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const PAUSES = [2 * SECOND, 5 * SECOND, 10 * SECOND, 30 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE] as const;

/** Milliseconds until the next look-up, after `lookups` of them. Grows to a quarter of an hour and stays there. */
export function pauseBeforeLookup(lookups: number): number {
  return PAUSES[Math.min(lookups, PAUSES.length - 1)] as number;
}

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long after its end an attempt that may have taken money after all is asked about again. */
const ASKED_AGAIN_AFTER = [MINUTE, 10 * MINUTE, HOUR, DAY] as const;
/** A method tells of a payment for this long; what it did not answer is repeated until then. */
const ANSWERED_FOR = 7 * DAY;

/**
 * When to ask again about an attempt that ended at `settledAt` without money, UTC milliseconds; null: never again.
 * `answered`: whether the method answered the last time. For attempts whose method was told to take the money, because
 * a status can be older than what it did.
 */
export function askAgainAt(settledAt: number, now: number, answered: boolean): number | null {
  const age = now - settledAt;
  if (!answered) return age < ANSWERED_FOR ? now + pauseBeforeLookup(PAUSES.length) : null;
  const next = ASKED_AGAIN_AFTER.find((after) => after > age);
  return next === undefined ? null : settledAt + next;
}
