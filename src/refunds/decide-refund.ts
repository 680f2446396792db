import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { type Act, recordAudit } from '../audit/record-audit.ts';
import { addedEntries, sayEntries } from '../books/added-entries.ts';
import { type JournalEntry, methodReceivable, type Posting, refundPosting, SUSPENSE } from '../books/journal-entry.ts';
import { movementHash } from '../books/movement-hash.ts';
import { postEntries } from '../books/post-entries.ts';
import { recordFact } from '../books/record-fact.ts';
import type { Tx } from '../db/database.ts';
import { commitIfExpected, rehearse } from '../db/rehearse.ts';
import type { Evidence } from '../lib/evidence-file.ts';
import { prefixedId } from '../lib/ids.ts';
import { insertMovement, selectUnresolvedRefunds } from '../movements/movement-queries.ts';
import { newResolution } from '../movements/resolve-suspense.ts';
import { environmentHere } from '../payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';
import { type Transaction, transactionKeyOf } from '../transactions/transaction.ts';
import { advanceSequence, lockTransaction, selectTransaction } from '../transactions/transaction-queries.ts';
import { announceRefund } from './announce-refund.ts';
import { CLAIM_MS, type Refund, type RefundState, standingOfRefund } from './refund.ts';
import type { RefundDecision, RefundDecisionOutcome, RefundDecisionResult } from './refund-decision.ts';
import { insertRefundDecision } from './refund-decision-queries.ts';
import { endContradiction, endRefund, orderRefund, selectRefund, selectRefundAnywhere } from './refund-queries.ts';

/**
 * `evidence`: may be null for a `retry` of a refund that was never requested, or was requested more than a day ago.
 * `reason` names no person. `effect`: the effect in the rehearsal that the person saw; a decision with another effect
 * is not made, and is `already`. Absent: the decision holds with any effect.
 */
export type RefundDecisionWish = {
  outcome: RefundDecisionOutcome;
  reason: string;
  evidence: Evidence | null;
  by: Actor;
  effect?: string;
};

/**
 * The decision as it would be: its result, the state after it, and the entries that it adds to the books. `effect`: the
 * same as a short text, with the state of the refund before.
 */
export type RehearsedRefundDecision = {
  result: RefundDecisionResult;
  state: RefundState;
  entries: JournalEntry[];
  effect: string;
};

/**
 * After this time a person may take a balance without the refund as a sign that it was not made. The worker never does.
 */
const RETRY_AFTER_MS = 24 * 60 * 60 * 1000;

/**
 * Records a person's decision about a refund: ends a refund that its payment method did not end, ends a contradiction,
 * or lets the worker request it again (`retry`). The worker does so only if the method's balance still agrees with the
 * books. One commit has the decision, its evidence, the state, the event and the books. If suspense holds an unasked
 * refund of the same amount (not a chargeback), a completed refund is booked against that. Throws `Problem`
 * PAYMENT_SERVICE_MOVED or PAYMENT_SERVICE_MOVING. Rejects with `StorageError`.
 */
export async function decideRefund(
  app: App,
  refundId: string,
  wish: RefundDecisionWish,
): Promise<RefundDecisionResult> {
  const found = await findUndecided(app, refundId);
  if (found === null) return 'unknown';
  const at = app.now();
  const { result: decided, isKept } = await commitIfExpected(
    app.db,
    (tx) => decideWithEffect(tx, found, wish, at),
    wish.effect,
  );
  const { result, ended } = decided;
  if (!isKept) return result === 'decided' ? 'already' : result;
  if (ended !== null) app.metrics.refunds.inc({ state: ended });
  return result;
}

/** Returns the effect of that decision, and changes nothing. Null: no such refund. Throws as `decideRefund` does. */
export async function rehearseRefundDecision(
  app: App,
  refundId: string,
  wish: RefundDecisionWish,
): Promise<RehearsedRefundDecision | null> {
  const found = await findUndecided(app, refundId);
  if (found === null) return null;
  const at = app.now();
  return rehearse(app.db, (tx) => decideWithEffect(tx, found, wish, at));
}

/**
 * `before`: `standingOfRefund` before the decision. `ended`: the new state of the refund if this decision ended it;
 * otherwise null.
 */
type Decided = { result: RefundDecisionResult; before: string; ended: 'completed' | 'failed' | null };

type Undecided = { refund: Refund; transaction: Transaction; environment: ServiceEnvironment };

async function findUndecided(app: App, refundId: string): Promise<Undecided | null> {
  const refund = await selectRefundAnywhere(app.db, refundId);
  const transaction = refund === null ? null : await selectTransaction(app.db, transactionKeyOf(refund));
  if (refund === null || transaction === null) return null;
  return { refund, transaction, environment: await environmentHere(app, transaction) };
}

async function decideWithEffect(
  tx: Tx,
  found: Undecided,
  wish: RefundDecisionWish,
  at: number,
): Promise<Decided & RehearsedRefundDecision> {
  const added = await addedEntries(tx, found.transaction, () => decideIn(tx, found, wish, at));
  const { result: decided, entries } = added;
  const refund = await selectRefund(tx, found.refund);
  if (refund === null) throw new Error('A refund is gone');
  const effect = `${decided.result}, ${decided.before}: ${refund.state}, ${sayEntries(entries)}`;
  return { ...decided, state: refund.state, entries, effect };
}

async function decideIn(tx: Tx, found: Undecided, wish: RefundDecisionWish, at: number): Promise<Decided> {
  const { environment } = found;
  const transaction = await lockTransaction(tx, found.transaction);
  const refund = await selectRefund(tx, found.refund);
  if (transaction === null || refund === null) throw new Error('A refund is gone');
  const before = standingOfRefund(refund);
  const refusal = refusalOf(refund, wish, at);
  if (refusal !== null) return { result: refusal, before, ended: null };
  const decision = newDecision(refund.id, wish, at);
  await insertRefundDecision(tx, environment.id, decision);
  await recordFact(tx, {
    environmentId: environment.id,
    at,
    kind: 'decision',
    subject: decision.id,
    content: { ...decision },
    recordedBy: decision.decided_by,
  });
  const ended = await apply(tx, { environment, transaction, refund, decision });
  await recordAudit(tx, actOf(wish.by, { transaction, refund, decision }));
  return { result: 'decided', before, ended };
}

function refusalOf(refund: Refund, { outcome, evidence }: RefundDecisionWish, at: number): RefundDecisionResult | null {
  const { state, asking, asked_at, contradicted_at } = refund;
  if (outcome === 'retry') {
    if (state !== 'processing' || asking !== 'held') return 'already';
    const isFresh = asked_at !== null && at < asked_at + RETRY_AFTER_MS;
    return isFresh && evidence === null ? 'too_early' : null;
  }
  if (state === 'completed' && outcome === 'failed') return 'completed_stays';
  return state === outcome && contradicted_at === null ? 'already' : null;
}

function newDecision(refundId: string, wish: RefundDecisionWish, at: number): RefundDecision {
  const { outcome, reason, evidence, by } = wish;
  return {
    id: prefixedId('rd'),
    refund_id: refundId,
    decided_at: at,
    decided_by: by.name,
    outcome,
    reason,
    evidence_name: evidence?.name ?? null,
    evidence_sha256: evidence?.sha256 ?? null,
    evidence_bytes: evidence?.bytes ?? null,
    evidence_excerpt: evidence?.excerpt ?? null,
  };
}

function actOf(by: Actor, { transaction, refund, decision }: Omit<Applying, 'environment'>): Act {
  const { id, refund_id, decided_at, outcome, reason, evidence_name, evidence_sha256 } = decision;
  const { amount, state } = refund;
  const { id: transactionId, currency } = transaction;
  const subject = { kind: 'refund', id: refund_id };
  const decided = { decision: id, transaction: transactionId, amount, currency, outcome };
  const after = { ...decided, evidence_name, evidence_sha256 };
  const environmentId = transaction.environment_id;
  return { at: decided_at, by, action: 'refund.decided', subject, before: { state }, after, reason, environmentId };
}

type Applying = {
  environment: ServiceEnvironment;
  transaction: Transaction;
  refund: Refund;
  decision: RefundDecision;
};

/** Carries out the decision. Returns the new state of the refund if it ended now. */
async function apply(tx: Tx, applying: Applying): Promise<Decided['ended']> {
  const { environment, transaction, refund, decision } = applying;
  const { outcome, decided_at } = decision;
  if (outcome === 'retry') {
    // A worker that requested it may still wait for the answer.
    await orderRefund(tx, refund, Math.max(decided_at, (refund.asked_at ?? 0) + CLAIM_MS));
    return null;
  }
  if (refund.state === outcome) {
    await endContradiction(tx, refund);
    return null;
  }
  const detail = JSON.stringify({ decision: decision.id });
  // Looks the refund up at once, to compare the method's answer with the decision.
  const ending = { state: outcome, settledAt: decided_at, nextLookupAt: decided_at, detail };
  const ended = await endRefund(tx, refund, ending);
  const advanced = await advanceSequence(tx, transaction);
  await announceRefund(tx, environment, advanced, ended);
  if (outcome === 'completed') await postEntries(tx, await postingOf(tx, applying, ended));
  return outcome;
}

async function postingOf(tx: Tx, { transaction, decision }: Applying, refund: Refund): Promise<Posting> {
  const { reason, decided_by, decided_at } = decision;
  const suspended = (await selectUnresolvedRefunds(tx, transaction)).find(({ amount }) => amount === refund.amount);
  if (suspended === undefined) {
    if (transaction.payment_method === null) throw new Error('A refund of what no payment method collected');
    return refundPosting(transaction, refund, methodReceivable(transaction.payment_method), decided_at);
  }
  const movement = newResolution(suspended, { decision: 'kept', reason, recordedBy: decided_by }, decided_at);
  await insertMovement(tx, movement);
  const hash = movementHash((column) => movement[column]);
  return { ...refundPosting(transaction, refund, SUSPENSE, decided_at), movement: { id: movement.id, hash } };
}
