import type { App } from '../app.ts';
import { hasEntryOfAttempt } from '../books/journal-queries.ts';
import type { Tx } from '../db/database.ts';
import { GIVEN_BACK_ELSEWHERE, type PaymentOutcome } from '../payment-methods/payment-method.ts';
import { environmentOf } from '../payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';
import { declineTransaction } from '../transactions/end-unpaid.ts';
import { type Transaction, transactionKeyOf } from '../transactions/transaction.ts';
import { hasOpenAttempt, lockTransaction } from '../transactions/transaction-queries.ts';
import {
  alarmConflict,
  type ConflictCause,
  recordConflict,
  type Transition,
  type TransitionCause,
  transitionTransaction,
} from '../transactions/transition-transaction.ts';
import {
  answerTo,
  askAgainAt,
  detailAfter,
  isEndedSince,
  type PaymentAttempt,
  pauseBeforeLookup,
} from './payment-attempt.ts';
import {
  endAttempt,
  noteCommitAnswered,
  noteContradiction,
  postponeAttempt,
  selectAttempt,
  sumRefundsAsked,
} from './payment-attempt-queries.ts';

/**
 * `waiting`: the method has not answered yet. `moved`: the transaction has ended. `aborted`, `stays`: the attempt has
 * ended and the transaction stays payable, in `stays` after a decline. `already`, `ignored`: no news. `conflict`: the
 * answer contradicts the known state; it is in the feed and alarmed, for a person to resolve.
 */
export type Settlement = Transition | { kind: 'waiting' | 'aborted'; transaction: Transaction };

/**
 * Records a payment method's answer about an attempt. `commitSentAt`: when the caller's last known commit was sent; an
 * `aborted` answer is ignored if another commit was sent since. One commit has the attempt and, at its end, the state
 * of the transaction, its event and its callback. Repeating an answer changes nothing.
 *
 * The approval of a transaction that ended without payment is stored with the attempt, because the money was taken; the
 * transaction keeps the state that its merchant knows. Rejects with `StorageError`.
 */
export async function settlePayment(
  app: App,
  attempt: PaymentAttempt,
  outcome: PaymentOutcome,
  commitSentAt: number | null = null,
): Promise<Settlement> {
  // Read again, from the cache: a Secret Token may have been closed while the method answered.
  const found = { attempt, environment: await environmentOf(app, attempt), commitSentAt };
  switch (outcome.kind) {
    case 'approved':
    case 'declined':
      return endPayment(app, found, outcome);
    case 'aborted':
      return abortPayment(app, found, outcome);
    case 'contradiction':
      return reviewPayment(app, found, outcome);
    case 'pending':
    case 'unknown':
    case 'redirect':
      return postponePayment(app, found, outcome);
  }
}

/** `attempt` as the caller knows it. It is read again under the lock. */
type Found = { attempt: PaymentAttempt; environment: ServiceEnvironment; commitSentAt: number | null };
/** An attempt and its transaction as stored, under their lock. */
type Locked = { attempt: PaymentAttempt; transaction: Transaction };
type Ending = Extract<PaymentOutcome, { kind: 'approved' | 'declined' }>;
type Aborted = Extract<PaymentOutcome, { kind: 'aborted' }>;
type Contradiction = Extract<PaymentOutcome, { kind: 'contradiction' }>;
type Contradicting = Locked & { cause: ConflictCause };
type Waiting = Exclude<PaymentOutcome, Ending | Aborted | Contradiction>;

async function endPayment(app: App, found: Found, outcome: Ending): Promise<Settlement> {
  const cause: TransitionCause = {
    event: outcome.kind === 'approved' ? 'approve' : 'decline',
    at: app.now(),
    paymentMethod: found.attempt.payment_method,
    attemptId: found.attempt.id,
    data: outcome.detail,
  };
  const settlement = await app.db.transaction(async (tx): Promise<Settlement> => {
    const { attempt, transaction } = await lockAttempt(tx, found.attempt);
    const answer = answerTo(attempt.state, outcome.kind);
    if (answer === 'already' || answer === 'ignored') return { kind: answer, transaction };
    if (answer === 'conflict' && outcome.kind === 'approved') {
      // Its money is already in suspense, where a person decides whose it is.
      if (await hasEntryOfAttempt(tx, attempt)) return { kind: 'already', transaction };
      // Another attempt may take the money or has taken it.
      if (await hasOpenAttempt(tx, transaction)) return recordConflict(tx, transaction, cause);
    }
    // An approved attempt stays approved: a later refusal is a contradiction, and refunds nothing.
    if (attempt.state === 'approved') return contradict(tx, found, { attempt, transaction, cause });
    const detail = JSON.stringify(detailAfter(attempt, outcome.detail));
    await endAttempt(tx, attempt, { state: outcome.kind, settledAt: cause.at, detail, nextLookupAt: null });
    return outcome.kind === 'declined'
      ? declineTransaction(tx, found.environment, transaction, cause)
      : transitionTransaction(tx, found.environment, transaction, cause);
  });
  if (settlement.kind === 'moved') app.metrics.transactions.inc({ state: settlement.transaction.state });
  if (settlement.kind === 'conflict') alarmConflict(app, settlement, cause);
  return settlement;
}

/** Makes the cause of a contradiction. It changes no transaction, so it names neither method nor attempt. */
function contradictionOf(app: App, { detail }: Aborted | Contradiction) {
  return { event: 'contradict' as const, at: app.now(), paymentMethod: null, attemptId: null, data: detail };
}

/**
 * Ends the attempt, and not the transaction. If the method takes back an approval in this way, nothing is refunded. If
 * a commit was sent, the method is asked again later, because its first status may be old.
 */
async function abortPayment(app: App, found: Found, outcome: Aborted): Promise<Settlement> {
  const cause = contradictionOf(app, outcome);
  const settlement = await app.db.transaction(async (tx): Promise<Settlement> => {
    const { attempt, transaction } = await lockAttempt(tx, found.attempt);
    const answer = answerTo(attempt.state, outcome.kind);
    const detail = JSON.stringify(outcome.detail);
    if (answer === 'conflict') {
      if (await isOwnRefund(tx, { attempt, transaction }, transaction.amount)) return { kind: 'ignored', transaction };
      return contradict(tx, found, { attempt, transaction, cause });
    }
    const isStale = attempt.commit_sent_at !== found.commitSentAt;
    if (answer !== 'aborted' || isStale) return { kind: 'ignored', transaction };
    const nextLookupAt = attempt.commit_sent_at === null ? null : askAgainAt(cause.at, cause.at, true);
    await endAttempt(tx, attempt, { state: 'aborted', settledAt: cause.at, detail, nextLookupAt });
    return { kind: 'aborted', transaction };
  });
  if (settlement.kind === 'conflict') alarmConflict(app, settlement, cause);
  return settlement;
}

/**
 * Records a contradiction. An open attempt becomes `unknown`; others keep their state. Adds one event to the feed;
 * every answer alarms until a person decides.
 */
async function reviewPayment(app: App, found: Found, outcome: Contradiction): Promise<Settlement> {
  const cause = contradictionOf(app, outcome);
  const settlement = await app.db.transaction(async (tx): Promise<Settlement> => {
    const { attempt, transaction } = await lockAttempt(tx, found.attempt);
    const { reason, given_back: given } = outcome.detail;
    if (reason === GIVEN_BACK_ELSEWHERE && (await isOwnRefund(tx, { attempt, transaction }, given)))
      return { kind: 'ignored', transaction };
    if (answerTo(attempt.state, outcome.kind) === 'unknown') {
      await postponeAttempt(tx, attempt, {
        state: 'unknown',
        at: cause.at,
        nextLookupAt: cause.at + pauseBeforeLookup(attempt.lookups),
        externalId: null,
        claimedUntil: found.attempt.asked_until,
      });
    }
    return contradict(tx, found, { attempt, transaction, cause });
  });
  if (settlement.kind === 'conflict') alarmConflict(app, settlement, cause);
  return settlement;
}

/** Stores a contradiction and records its event, unless one waits for a person, or a person has ended this one. */
async function contradict(tx: Tx, found: Found, { attempt, transaction, cause }: Contradicting): Promise<Settlement> {
  if (attempt.contradicted_at !== null) return { kind: 'conflict', transaction };
  const said = JSON.stringify(cause.data);
  if (isEndedSince(found.attempt, attempt, said)) return { kind: 'already', transaction };
  await noteContradiction(tx, attempt, cause.at, said);
  return recordConflict(tx, transaction, cause);
}

/**
 * Returns whether a refund of Rúbrica is what the method says went back of an approved payment: a slow answer can show
 * a refund that was requested after the question. `given`: the amount that went back; not a number if it is unknown.
 */
async function isOwnRefund(tx: Tx, { attempt, transaction }: Locked, given: unknown): Promise<boolean> {
  if (attempt.state !== 'approved') return false;
  const asked = await sumRefundsAsked(tx, transaction);
  return asked > 0 && (typeof given !== 'number' || given <= asked);
}

function postponePayment(app: App, found: Found, outcome: Waiting): Promise<Settlement> {
  const at = app.now();
  return app.db.transaction(async (tx): Promise<Settlement> => {
    const { attempt, transaction } = await lockAttempt(tx, found.attempt);
    const answer = answerTo(attempt.state, outcome.kind);
    if (answer !== 'pending' && answer !== 'unknown') return { kind: 'ignored', transaction };
    const known = outcome.kind === 'pending' ? outcome.againAfterMs : undefined;
    if (outcome.kind === 'pending' && outcome.nothingTaken === true && found.commitSentAt !== null) {
      await noteCommitAnswered(tx, attempt, found.commitSentAt, at);
    }
    await postponeAttempt(tx, attempt, {
      state: answer,
      at,
      nextLookupAt: at + (known ?? pauseBeforeLookup(attempt.lookups)),
      externalId: outcome.kind === 'redirect' ? outcome.externalId : null,
      claimedUntil: found.attempt.asked_until,
    });
    return { kind: 'waiting', transaction };
  });
}

/** Locks the attempt and returns it as stored. Every writer of attempts locks their transaction first. */
async function lockAttempt(tx: Tx, found: PaymentAttempt): Promise<Locked> {
  const transaction = await lockTransaction(tx, transactionKeyOf(found));
  const attempt = await selectAttempt(tx, found);
  if (transaction === null || attempt === null) throw new Error('A payment attempt is gone');
  return { attempt, transaction };
}
