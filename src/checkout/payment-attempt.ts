import type { SqlRow } from '../db/database.ts';
import type { RowKey } from '../db/row-key.ts';
import type { PaymentDetail, PaymentOutcome } from '../payment-methods/payment-method.ts';

/**
 * `started`: stored, and perhaps not yet known to the method. `pending`: the method will know later, or the payer is at
 * the method. `unknown`: the method did not answer. These three are open: the method's final answer is missing.
 * `aborted`: nothing was taken, and another attempt can pay the transaction.
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
  /** Until this time one process is asking the method, and no other may. */
  asked_until: number | null;
  lookups: number;
  state: AttemptState;
  payment_method: string;
  /** The merchant's account at the method when the attempt was opened; null: none was configured. */
  account: string | null;
  external_id: string | null;
  detail: string | null;
  /** When the last commit was sent to the method, and when the method answered it; null: not sent, or not answered. */
  commit_sent_at: number | null;
  commit_answered_at: number | null;
  /**
   * When the method first contradicted the known state, until a person decides; and the method's answer, as JSON text.
   */
  contradicted_at: number | null;
  contradiction: string | null;
};

export type AttemptKey = RowKey<string>;

/** The end of an attempt before it was found paid after all, as fields of its `detail`. */
export type EarlierEnd = { before?: AttemptState; before_at?: number; before_reason?: string | number };

/** Returns the details of a new end, with the earlier end that it replaces, which the timeline still shows. */
export function detailAfter({ state, settled_at, detail }: PaymentAttempt, end: PaymentDetail): PaymentDetail {
  if ((state !== 'declined' && state !== 'aborted') || settled_at === null) return end;
  const { reason } = JSON.parse(detail ?? '{}') as PaymentDetail;
  return { ...end, before: state, before_at: settled_at, ...(reason !== undefined && { before_reason: reason }) };
}

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
 * THE TABLE. The new state of an attempt after an answer of its method. A late answer without news is `ignored`; an
 * answer that contradicts the known end is a `conflict`.
 */
const TABLE: Record<AttemptState, Record<PaymentOutcome['kind'], Answer>> = {
  started: OPEN,
  pending: OPEN,
  unknown: OPEN,
  approved: { approved: 'already', declined: 'conflict', aborted: 'conflict', contradiction: 'conflict', ...NO_NEWS },
  declined: { approved: 'conflict', declined: 'already', aborted: 'ignored', contradiction: 'conflict', ...NO_NEWS },
  aborted: { approved: 'conflict', declined: 'ignored', aborted: 'already', contradiction: 'conflict', ...NO_NEWS },
};

/** Reads the table. */
export function answerTo(state: AttemptState, outcome: PaymentOutcome['kind']): Answer {
  return TABLE[state][outcome];
}

/** Returns whether the method's final answer is missing. */
export function isOpen(attempt: Pick<PaymentAttempt, 'state'>): boolean {
  return attempt.state === 'started' || attempt.state === 'pending' || attempt.state === 'unknown';
}

/**
 * Longer than a payer can stay on a payment method's page, plus the time that the worker needs to end the attempt, in
 * milliseconds.
 */
export const IN_DOUBT_AFTER_MS = 30 * 60_000;

/**
 * Returns whether an attempt waits for a person at `now`: it has been open for too long, or its method contradicts its
 * state.
 */
export function isInDoubt(
  attempt: Pick<PaymentAttempt, 'state' | 'created_at' | 'contradicted_at'>,
  now: number,
): boolean {
  return attempt.contradicted_at !== null || (isOpen(attempt) && attempt.created_at <= now - IN_DOUBT_AFTER_MS);
}

/**
 * Returns a text that changes if the attempt ends, its method is told to take the money, or a contradiction begins or
 * ends.
 */
export function standingOf(attempt: Pick<PaymentAttempt, 'state' | 'commit_sent_at' | 'contradicted_at'>): string {
  const { state, commit_sent_at, contradicted_at } = attempt;
  return [isOpen(attempt) ? 'open' : state, commit_sent_at ?? '-', contradicted_at ?? '-'].join(' ');
}

/**
 * Returns whether a person has ended this contradiction of an attempt or a refund since the caller read it, whenever
 * it began. `now`: without a contradiction that waits.
 */
export function isEndedSince(
  read: Pick<PaymentAttempt, 'contradiction' | 'contradicted_at'>,
  now: Pick<PaymentAttempt, 'contradiction'>,
  said: string,
): boolean {
  return read.contradiction === said ? read.contradicted_at !== null : now.contradiction === said;
}

/** Returns whether a commit was sent to the method and not answered. */
export function isCommitUnanswered(attempt: Pick<PaymentAttempt, 'commit_sent_at' | 'commit_answered_at'>): boolean {
  return attempt.commit_sent_at !== null && attempt.commit_answered_at === null;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const PAUSES = [2 * SECOND, 5 * SECOND, 10 * SECOND, 30 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE] as const;

/** Returns the milliseconds until the next look-up, after `lookups` of them: from 2 s to 15 min. */
export function pauseBeforeLookup(lookups: number): number {
  return PAUSES[Math.min(lookups, PAUSES.length - 1)] as number;
}

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The ages at which an ended attempt without money is asked about again, because it may have taken money after all. */
const ASKED_AGAIN_AFTER = [MINUTE, 10 * MINUTE, HOUR, DAY] as const;
/** A method keeps a payment's status for this long; an unanswered question is retried until then. */
const ANSWERED_FOR = 7 * DAY;

/**
 * Returns when to ask again about an attempt that ended at `settledAt` without money, in UTC milliseconds; null: never
 * again. `answered`: whether the method answered the last question. Only for attempts whose commit was sent, because
 * the method may report an old status.
 */
export function askAgainAt(settledAt: number, now: number, answered: boolean): number | null {
  const age = now - settledAt;
  if (!answered) return age < ANSWERED_FOR ? now + pauseBeforeLookup(PAUSES.length) : null;
  const next = ASKED_AGAIN_AFTER.find((after) => after > age);
  return next === undefined ? null : settledAt + next;
}
