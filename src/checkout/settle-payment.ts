import type { App } from '../app.ts';
import { hasEntryOfAttempt } from '../books/journal-queries.ts';
import type { Tx } from '../db/database.ts';
import type { PaymentOutcome } from '../payment-methods/payment-method.ts';
import { environmentOf } from '../payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';
import { declineTransaction } from '../transactions/end-unpaid.ts';
import { type Transaction, transactionKeyOf } from '../transactions/transaction.ts';
import { hasOpenAttempt, lockTransaction } from '../transactions/transaction-queries.ts';
import {
  alarmConflict,
  recordConflict,
  type Transition,
  type TransitionCause,
  transitionTransaction,
} from '../transactions/transition-transaction.ts';
import { answerTo, askAgainAt, type PaymentAttempt, pauseBeforeLookup } from './payment-attempt.ts';
import {
  endAttempt,
  noteCommitAnswered,
  noteContradiction,
  postponeAttempt,
  selectAttempt,
} from './payment-attempt-queries.ts';

/**
 * `waiting`: the method has still to answer. `moved`: the transaction has its end now. `aborted`, `stays`: the attempt has, and
 * the transaction stays payable, in `stays` after a decline. `already`, `ignored`: no news. `conflict`: the answer contradicts what is known; it is in
 * the feed and alarmed, for a person to resolve.
 */
export type Settlement = Transition | { kind: 'waiting' | 'aborted'; transaction: Transaction };

/**
 * Writes down what a payment method said of an attempt. `commitSentAt`: when the last commit was sent that the asker knows
 * of; an end without money is no news to an attempt that was sent anew since. In one commit: the attempt and, with its end,
 * the state of the transaction, its event and its callback. Saying the same again changes nothing.
 *
 * An approval for a transaction that has ended without one is kept with the attempt, because the money was taken; the
 * transaction stays as its merchant knows it. Rejects with `StorageError`.
 */
export async function settlePayment(
  app: App,
  attempt: PaymentAttempt,
  outcome: PaymentOutcome,
  commitSentAt: number | null = null,
): Promise<Settlement> {
  // Read again, from the cache: a Secret Token may have been closed while the method took its time to answer.
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

/** `attempt` as its caller knows it: what may have changed since is read again under the lock. */
type Found = { attempt: PaymentAttempt; environment: ServiceEnvironment; commitSentAt: number | null };
type Ending = Extract<PaymentOutcome, { kind: 'approved' | 'declined' }>;
type Aborted = Extract<PaymentOutcome, { kind: 'aborted' }>;
type Contradiction = Extract<PaymentOutcome, { kind: 'contradiction' }>;
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
      // Its money is in suspense already, and there a person decides whose it is.
      if (await hasEntryOfAttempt(tx, attempt)) return { kind: 'already', transaction };
      // Another attempt may take the money, or has.
      if (await hasOpenAttempt(tx, transaction)) return recordConflict(tx, transaction, cause);
    }
    const detail = JSON.stringify(outcome.detail);
    // An approved attempt stays approved: a later refusal is a contradiction, and refunds nobody.
    if (attempt.state === 'approved') await noteContradiction(tx, attempt, cause.at, detail);
    else await endAttempt(tx, attempt, { state: outcome.kind, settledAt: cause.at, detail, nextLookupAt: null });
    return outcome.kind === 'declined'
      ? declineTransaction(tx, found.environment, transaction, cause)
      : transitionTransaction(tx, found.environment, transaction, cause);
  });
  if (settlement.kind === 'moved') app.metrics.transactions.inc({ state: settlement.transaction.state });
  if (settlement.kind === 'conflict') alarmConflict(app, settlement, cause);
  return settlement;
}

/** Makes the cause of a contradiction. It moves no transaction, so it names neither method nor attempt. */
function contradictionOf(app: App, { detail }: Aborted | Contradiction) {
  return { event: 'contradict' as const, at: app.now(), paymentMethod: null, attemptId: null, data: detail };
}

/**
 * Ends the attempt alone. A method that takes back an approval in this way refunds nobody. Where the method was
 * told to take the money it is asked again later: what it says at first can be older than what it did.
 */
async function abortPayment(app: App, found: Found, outcome: Aborted): Promise<Settlement> {
  const cause = contradictionOf(app, outcome);
  const settlement = await app.db.transaction(async (tx): Promise<Settlement> => {
    const { attempt, transaction } = await lockAttempt(tx, found.attempt);
    const answer = answerTo(attempt.state, outcome.kind);
    const detail = JSON.stringify(outcome.detail);
    if (answer === 'conflict') {
      await noteContradiction(tx, attempt, cause.at, detail);
      return recordConflict(tx, transaction, cause);
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

/** Believes nothing: the attempt stays as it is. In the feed once, alarmed with every answer until a person has decided. */
async function reviewPayment(app: App, found: Found, outcome: Contradiction): Promise<Settlement> {
  const cause = contradictionOf(app, outcome);
  const settlement = await app.db.transaction(async (tx): Promise<Settlement> => {
    const { attempt, transaction } = await lockAttempt(tx, found.attempt);
    if (answerTo(attempt.state, outcome.kind) === 'unknown') {
      const nextLookupAt = cause.at + pauseBeforeLookup(attempt.lookups);
      await postponeAttempt(tx, attempt, { state: 'unknown', nextLookupAt, externalId: null });
    }
    if (attempt.contradicted_at !== null) return { kind: 'conflict', transaction };
    await noteContradiction(tx, attempt, cause.at, JSON.stringify(outcome.detail));
    return recordConflict(tx, transaction, cause);
  });
  if (settlement.kind === 'conflict') alarmConflict(app, settlement, cause);
  return settlement;
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
      nextLookupAt: at + (known ?? pauseBeforeLookup(attempt.lookups)),
      externalId: outcome.kind === 'redirect' ? outcome.externalId : null,
    });
    return { kind: 'waiting', transaction };
  });
}

/** The attempt as it is once nobody else can change it: writers of attempts lock their transaction first. */
async function lockAttempt(
  tx: Tx,
  found: PaymentAttempt,
): Promise<{ attempt: PaymentAttempt; transaction: Transaction }> {
  const transaction = await lockTransaction(tx, transactionKeyOf(found));
  const attempt = await selectAttempt(tx, found);
  if (transaction === null || attempt === null) throw new Error('A payment attempt is gone');
  return { attempt, transaction };
}
