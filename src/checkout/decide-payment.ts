import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { type Act, recordAudit } from '../audit/record-audit.ts';
import { addedEntries, sayEntries } from '../books/added-entries.ts';
import { type JournalEntry, unaskedRefundPosting } from '../books/journal-entry.ts';
import { hasEntryOfAttempt } from '../books/journal-queries.ts';
import { postEntries } from '../books/post-entries.ts';
import { recordFact } from '../books/record-fact.ts';
import type { Tx } from '../db/database.ts';
import { commitIfExpected, rehearse } from '../db/rehearse.ts';
import type { Evidence } from '../lib/evidence-file.ts';
import { prefixedId } from '../lib/ids.ts';
import { GIVEN_BACK_ELSEWHERE, type PaymentDetail } from '../payment-methods/payment-method.ts';
import { environmentHere } from '../payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';
import { declineTransaction } from '../transactions/end-unpaid.ts';
import { type Transaction, transactionKeyOf } from '../transactions/transaction.ts';
import { hasOpenAttempt, lockTransaction, selectTransaction } from '../transactions/transaction-queries.ts';
import type { TransactionState } from '../transactions/transaction-state.ts';
import {
  alarmConflict,
  type ConflictCause,
  recordConflict,
  type Transition,
  type TransitionCause,
  transitionTransaction,
} from '../transactions/transition-transaction.ts';
import {
  type AttemptState,
  askAgainAt,
  detailAfter,
  isInDoubt,
  isOpen,
  type PaymentAttempt,
  standingOf,
} from './payment-attempt.ts';
import {
  endAttempt,
  endContradiction,
  lockAttempt,
  selectAttempt,
  selectAttemptAnywhere,
} from './payment-attempt-queries.ts';
import { type DecidedOutcome, type DecisionResult, decisionContent, type PaymentDecision } from './payment-decision.ts';
import { insertDecision } from './payment-decision-queries.ts';

/**
 * `taken`: the amount that the method took, in minor units; null: the amount of the transaction. `authorizationCode`:
 * the acquirer's, if known. `alongside`: more writes for the commit of the decision. `lastCheck` rolls it back if it
 * throws; it runs when the commit holds the end of the audit log. `reason` names no person.
 * `effect`: the effect in the rehearsal that the person saw; a decision with another effect is not made, and is
 * `already`. Absent: the decision holds with any effect.
 */
export type DecisionWish = {
  outcome: DecidedOutcome;
  taken: number | null;
  reason: string;
  evidence: Evidence;
  by: Actor;
  authorizationCode?: string | null;
  alongside?: (tx: Tx) => Promise<void>;
  lastCheck?: (tx: Tx) => Promise<void>;
  effect?: string;
};

/**
 * The decision as it would be: its result, both states after it, and the entries that it adds to the books. `effect`:
 * the same as a short text, with the state of the attempt before.
 */
export type RehearsedDecision = {
  result: DecisionResult;
  attempt: AttemptState;
  transaction: TransactionState;
  entries: JournalEntry[];
  effect: string;
};

/**
 * Records a person's decision about a payment attempt: ends an attempt that its method did not end, or ends a
 * contradiction. One commit has the decision, its evidence, the state, the event, the callback and the books.
 *
 * The amount that was taken goes to the books. If it covers the order and the order is still open, it pays the order,
 * and the excess goes to suspense. If it is too little or too late, all of it goes to suspense. Both cases record a
 * conflict in the feed. Throws `Problem` PAYMENT_SERVICE_MOVED or PAYMENT_SERVICE_MOVING. Rejects with `StorageError`.
 */
export async function decidePayment(app: App, attemptId: string, wish: DecisionWish): Promise<DecisionResult> {
  const found = await findUndecided(app, attemptId);
  if (found === null) return 'unknown';
  const at = app.now();
  const { result: decided, isKept } = await commitIfExpected(
    app.db,
    (tx) => decideWithEffect(tx, found, wish, at),
    wish.effect,
  );
  const { result, settlement } = decided;
  if (!isKept) return result === 'decided' ? 'already' : result;
  if (settlement?.kind === 'moved') app.metrics.transactions.inc({ state: settlement.transaction.state });
  if (settlement?.conflict) alarmConflict(app, settlement, settlement.conflict);
  return result;
}

/** Returns the effect of that decision, and changes nothing. Null: no such attempt. Throws as `decidePayment` does. */
export async function rehearseDecision(
  app: App,
  attemptId: string,
  wish: DecisionWish,
): Promise<RehearsedDecision | null> {
  const found = await findUndecided(app, attemptId);
  if (found === null) return null;
  const at = app.now();
  return rehearse(app.db, (tx) => decideWithEffect(tx, found, wish, at));
}

/**
 * The decision that a person may make about an attempt. `doubt`: any outcome. `unpaid`: it ended without money, so only
 * that the money was taken after all.
 */
export type OpenDecision = 'doubt' | 'unpaid';

/** Returns what a person may decide about an attempt now; null: nothing. The decision itself checks again. */
export async function openDecision(app: App, attempt: PaymentAttempt): Promise<OpenDecision | null> {
  if (isInDoubt(attempt, app.now())) return 'doubt';
  if (isOpen(attempt) || attempt.state === 'approved') return null;
  return (await hasEntryOfAttempt(app.db, attempt)) ? null : 'unpaid';
}

type Undecided = {
  attempt: PaymentAttempt;
  transaction: Transaction;
  environment: ServiceEnvironment;
  hasBuyOrder: boolean;
};

async function findUndecided(app: App, attemptId: string): Promise<Undecided | null> {
  const attempt = await selectAttemptAnywhere(app.db, attemptId);
  const transaction = attempt === null ? null : await selectTransaction(app.db, transactionKeyOf(attempt));
  if (attempt === null || transaction === null) return null;
  const method = app.paymentMethods.find(({ code }) => code === attempt.payment_method);
  const hasBuyOrder = method?.hasNoBuyOrders !== true;
  return { attempt, transaction, environment: await environmentHere(app, transaction), hasBuyOrder };
}

async function decideWithEffect(
  tx: Tx,
  found: Undecided,
  wish: DecisionWish,
  at: number,
): Promise<Decided & RehearsedDecision> {
  const added = await addedEntries(tx, found.transaction, () => decideIn(tx, found, wish, at));
  const { result: decided, entries } = added;
  const transaction = await selectTransaction(tx, found.transaction);
  const attempt = await selectAttempt(tx, found.attempt);
  if (transaction === null || attempt === null) throw new Error('A payment attempt is gone');
  const states = { attempt: attempt.state, transaction: transaction.state };
  const effect = `${decided.result}, ${decided.before}: ${states.attempt}, ${states.transaction}, ${sayEntries(entries)}`;
  return { ...decided, ...states, entries, effect };
}

async function decideIn(tx: Tx, found: Undecided, wish: DecisionWish, at: number): Promise<Decided> {
  const { environment, hasBuyOrder } = found;
  const locked = await lockTransaction(tx, found.transaction);
  const attempt = await lockAttempt(tx, found.attempt);
  if (locked === null || attempt === null) throw new Error('A payment attempt is gone');
  const before = standingOf(attempt);
  const refusal = await refusalOf(tx, attempt, wish);
  if (refusal !== null) return { result: refusal, before, settlement: null };
  const decision = newDecision(attempt, locked, wish, at);
  await insertDecision(tx, environment.id, decision);
  await recordFact(tx, {
    environmentId: environment.id,
    at,
    kind: 'decision',
    subject: decision.id,
    content: decisionContent(decision),
    recordedBy: decision.decided_by,
  });
  await wish.alongside?.(tx);
  const facts = factsOf(attempt, decision, { code: wish.authorizationCode ?? null, hasBuyOrder });
  const carried = { environment, transaction: locked, attempt, decision, facts };
  const settlement = await carryOut(tx, carried);
  await recordAudit(tx, actOf(wish.by, locked, decision));
  await wish.lastCheck?.(tx);
  return { result: 'decided', before, settlement };
}

/** `conflict`: the conflict to alarm; null: none. */
type Settled = Transition & { conflict: ConflictCause | null };
/** `before`: `standingOf` the attempt before the decision. */
type Decided = { result: DecisionResult; before: string; settlement: Settled | null };

async function refusalOf(tx: Tx, attempt: PaymentAttempt, { outcome }: DecisionWish): Promise<DecisionResult | null> {
  if (attempt.state === 'approved' && outcome !== 'approved') return 'approved_stays';
  if (isOpen(attempt)) return null;
  if (attempt.state !== 'approved' && outcome === 'approved') {
    return (await hasEntryOfAttempt(tx, attempt)) ? 'already' : null;
  }
  return attempt.contradicted_at === null ? 'already' : null;
}

function newDecision(
  attempt: PaymentAttempt,
  transaction: Transaction,
  wish: DecisionWish,
  at: number,
): PaymentDecision {
  const isBooked = wish.outcome === 'approved' && attempt.state !== 'approved';
  return {
    id: prefixedId('pd'),
    payment_attempt_id: attempt.id,
    decided_at: at,
    decided_by: wish.by.name,
    outcome: wish.outcome,
    taken: isBooked ? (wish.taken ?? transaction.amount) : null,
    reason: wish.reason,
    evidence_name: wish.evidence.name,
    evidence_sha256: wish.evidence.sha256,
    evidence_bytes: wish.evidence.bytes,
    evidence_excerpt: wish.evidence.excerpt,
  };
}

function actOf(by: Actor, transaction: Transaction, decision: PaymentDecision): Act {
  const { id, payment_attempt_id, decided_at, outcome, taken, reason, evidence_name, evidence_sha256 } = decision;
  const { currency } = transaction;
  const subject = { kind: 'payment_attempt', id: payment_attempt_id };
  const after = { decision: id, transaction: transaction.id, outcome, taken, currency, evidence_name, evidence_sha256 };
  const environmentId = transaction.environment_id;
  return { at: decided_at, by, action: 'payment.decided', subject, after, reason, environmentId };
}

type Carried = {
  environment: ServiceEnvironment;
  transaction: Transaction;
  attempt: PaymentAttempt;
  decision: PaymentDecision;
  /** The details for the event and the attempt. */
  facts: PaymentDetail;
};

async function carryOut(tx: Tx, carried: Carried): Promise<Settled> {
  const { transaction, attempt, decision } = carried;
  const { outcome, taken, decided_at } = decision;
  // The person has confirmed the known end; the method's later answer was wrong.
  if (!isOpen(attempt) && taken === null) {
    await endContradiction(tx, attempt);
    return { kind: 'already', transaction, conflict: null };
  }
  if (taken !== null) {
    const settled = await bookTaken(tx, carried, taken);
    if (settled.kind === 'moved' && settled.transaction.state === 'completed') await bookRefundedElsewhere(tx, carried);
    return settled;
  }
  const isAskedAgain = attempt.commit_sent_at !== null && attempt.contradicted_at === null;
  await end(tx, carried, outcome, isAskedAgain ? askAgainAt(decided_at, decided_at, true) : null);
  if (outcome === 'aborted') return { kind: 'ignored', transaction, conflict: null };
  const transition = await declineTransaction(tx, carried.environment, transaction, causeOf(carried, 'decline'));
  return { ...transition, conflict: null };
}

/**
 * Books money that was taken. It pays the order if it covers the order, the order is open, and no other attempt may pay
 * it.
 */
async function bookTaken(tx: Tx, carried: Carried, taken: number): Promise<Settled> {
  const { environment, transaction, attempt } = carried;
  const approval = { ...causeOf(carried, 'approve'), taken };
  // Another attempt is open or has paid, so this attempt keeps its state.
  if (!isOpen(attempt) && (await hasOpenAttempt(tx, transaction))) {
    await endContradiction(tx, attempt);
    return { ...(await recordConflict(tx, transaction, approval)), conflict: approval };
  }
  if (taken < transaction.amount) {
    await end(tx, carried, 'declined', null);
    const failed = await transitionTransaction(tx, environment, transaction, causeOf(carried, 'fail'));
    const conflict = await recordConflict(tx, failed.transaction, approval);
    return { kind: failed.kind, transaction: conflict.transaction, conflict: approval };
  }
  await end(tx, carried, 'approved', null);
  if (taken === transaction.amount || transaction.state !== 'pending') {
    const transition = await transitionTransaction(tx, environment, transaction, approval);
    return { ...transition, conflict: transition.kind === 'conflict' ? approval : null };
  }
  const contradiction = { ...causeOf(carried, 'approve'), event: 'contradict' as const };
  const told = await recordConflict(tx, transaction, contradiction);
  return { ...(await transitionTransaction(tx, environment, told.transaction, approval)), conflict: contradiction };
}

/**
 * Books the amount that the method says it had refunded before the payment was known. No refund of Rúbrica asked for
 * it, so it stays in suspense until a person decides who bears it. Called only if the payment pays the order; other
 * money is in suspense already.
 */
async function bookRefundedElsewhere(tx: Tx, { transaction, attempt, decision }: Carried): Promise<void> {
  const said = JSON.parse(attempt.contradiction ?? '{}') as { reason?: unknown; given_back?: unknown };
  if (said.reason !== GIVEN_BACK_ELSEWHERE || typeof said.given_back !== 'number') return;
  await postEntries(
    tx,
    unaskedRefundPosting(transaction, said.given_back, attempt.payment_method, decision.decided_at),
  );
}

function end(tx: Tx, carried: Carried, state: DecidedOutcome, nextLookupAt: number | null): Promise<void> {
  const { attempt, decision, facts } = carried;
  const detail = JSON.stringify(detailAfter(attempt, facts));
  return endAttempt(tx, attempt, { state, settledAt: decision.decided_at, detail, nextLookupAt });
}

function causeOf({ attempt, decision, facts }: Carried, event: 'approve' | 'decline' | 'fail'): TransitionCause {
  const { payment_method, id } = attempt;
  return { event, at: decision.decided_at, paymentMethod: payment_method, attemptId: id, data: facts };
}

type AcquirerKeys = { code: string | null; hasBuyOrder: boolean };

/**
 * Returns the buy order (the id of the attempt), if the method has any, and the authorisation code: by these the
 * acquirer's file is matched later.
 */
function factsOf(
  attempt: PaymentAttempt,
  { id, taken }: PaymentDecision,
  { code, hasBuyOrder }: AcquirerKeys,
): PaymentDetail {
  if (taken === null) return { decision: id };
  const said = JSON.parse(attempt.contradiction ?? '{}') as { authorization_code?: string };
  const known = code ?? said.authorization_code;
  const keys = {
    ...(hasBuyOrder && { buy_order: attempt.id }),
    ...(known !== undefined && { authorization_code: known }),
  };
  return { decision: id, taken, ...keys };
}
