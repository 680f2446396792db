import type { App } from '../app.ts';
import { putQuestion } from '../checkout/put-question.ts';
import { awaitedAnswers } from '../lib/overtaking.ts';
import { perInstance } from '../lib/per-instance.ts';
import { sumWentBack } from '../movements/movement-queries.ts';
import type { RefundAnswer, RefundOrder, Refunds } from '../payment-methods/payment-method.ts';
import { environmentOf } from '../payment-services/find-environment.ts';
import { transactionKeyOf } from '../transactions/transaction.ts';
import { lockTransaction } from '../transactions/transaction-queries.ts';
import { CLAIM_MS, type Refund, standingOfRefund } from './refund.ts';
import {
  claimRefunds,
  forgetAsked,
  hasDueRefunds,
  holdRefund,
  noteAsked,
  type RefundedPayment,
  selectRefund,
  selectRefundedPayment,
} from './refund-queries.ts';
import { settleRefund } from './settle-refund.ts';

/**
 * After a longer delay another worker could claim the refund before the answer comes, so the worker requests nothing.
 */
const ASK_WITHIN_MS = 30_000;
const ALARM_AFTER_MS = 24 * 60 * 60 * 1000;

/** The methods that are asked. */
const askedOf = perInstance((_app: App) => awaitedAnswers<string>());

/**
 * Carries out due refunds with the payment methods, at most `limit`, and returns how many it claimed. For the worker.
 * Leaves out methods that do not answer at this moment, so that refunds by others do not wait. It requests a refund
 * once, and only after the method's balance of the payment agrees with the books. A refund without an answer stays in
 * process and is looked up until it ends. It is requested again only if the method reports that no request arrived, or
 * a person orders it. An ended refund is looked up twice more, and money that went back is booked whenever the method's
 * balance shows it.
 */
export async function carryOutRefunds(app: App, limit: number): Promise<number> {
  // The worker calls this several times a second; without due refunds it must not queue with the writers.
  const slow = askedOf(app).slow();
  if (!(await hasDueRefunds(app.db, app.now(), slow))) return 0;
  const now = app.now();
  const claimed = await app.db.transaction((tx) => claimRefunds(tx, { now, until: now + CLAIM_MS, limit, slow }));
  await Promise.all(claimed.map((refund) => carryOutClaimed(app, refund, now)));
  return claimed.length;
}

/** Logs an error, so that one failure does not stop the others: the claim expires and a worker tries again. */
async function carryOutClaimed(app: App, refund: Refund, claimedAt: number): Promise<void> {
  try {
    const answer = await askForRefund(app, refund, claimedAt);
    const settlement = await settleRefund(app, refund, answer);
    if (settlement.kind === 'waiting' && app.now() - refund.created_at > ALARM_AFTER_MS) alarmUnanswered(app, refund);
  } catch (error) {
    app.log.error({ err: error, refund: refund.id }, 'a refund could not be carried out');
  }
}

/** If the method throws or does not answer within 20 s, the outcome is `unknown`: the money may have gone back. */
async function askForRefund(app: App, refund: Refund, claimedAt: number): Promise<RefundAnswer> {
  const payment = await selectRefundedPayment(app.db, refund);
  if (payment === null) throw new Error('A refund of what was never paid');
  const { code, refunds } = requireMethod(app, payment);
  const request = await describeRefund(app, refund, payment);
  const about = { method: code, refund: refund.id };
  const put = (question: string, ask: () => Promise<RefundAnswer>) =>
    askedOf(app).during(code, putQuestion(app, { ...about, question }, ask));
  const known = await put('look_up_refund', () => refunds.lookup(request));
  if (!mayBeAsked(refund, request, known) || app.now() > claimedAt + ASK_WITHIN_MS) return known;
  const notedAt = app.now();
  if (!(await noteBeforeAsking(app, refund, known, notedAt))) return known;
  if (app.now() <= claimedAt + ASK_WITHIN_MS) {
    const answer = await put('refund', () => refunds.request(request));
    if (answer.kind !== 'absent') return answer;
  }
  await app.db.transaction((tx) => forgetAsked(tx, refund, notedAt));
  return { kind: 'unknown' };
}

/**
 * `absent`: the method knows that no request arrived. If a method cannot say that, a person must order the next
 * request.
 */
function mayBeAsked({ state, asking }: Refund, { askedAt }: RefundOrder, known: RefundAnswer): boolean {
  if (state !== 'processing') return false;
  if (asking === 'ordered')
    return known.kind === 'absent' || (known.kind === 'unknown' && known.refunded !== undefined);
  return known.kind === 'absent' && (asking === 'due' || askedAt !== null);
}

/**
 * Records that the refund is about to be requested, and the amount that had gone back before. Returns false, and then
 * nothing is requested, if a person has decided about it since the claim, the books and the method differ, more than
 * the paid amount would go back, or (unless a person ordered the request) an unasked refund is undecided, because it
 * may be this very refund. Reads the books again, because they may have changed while the method answered.
 */
function noteBeforeAsking(app: App, refund: Refund, known: RefundAnswer, at: number): Promise<boolean> {
  return app.db.transaction(async (tx) => {
    const transaction = await lockTransaction(tx, transactionKeyOf(refund));
    const stored = await selectRefund(tx, refund);
    if (transaction === null || stored === null) throw new Error('A refund is gone');
    if (standingOfRefund(stored) !== standingOfRefund(refund)) return false;
    const { wentBack, unresolved, chargedBack } = await sumWentBack(tx, transactionKeyOf(refund));
    if (known.refunded !== undefined && known.refunded !== wentBack - chargedBack) return false;
    if (refund.asking !== 'ordered' && unresolved > 0) {
      await holdRefund(tx, refund, at, { reason: 'suspense' });
      return false;
    }
    // A failed refund may be done after all while this one, which took its place, waits.
    if (wentBack + refund.amount > transaction.amount) {
      await holdRefund(tx, refund, at, { reason: 'above_paid' });
      return false;
    }
    return noteAsked(tx, refund, known.refunded ?? null, at);
  });
}

function requireMethod(app: App, { payment_method }: RefundedPayment): { code: string; refunds: Refunds } {
  const method = app.paymentMethods.find(({ code }) => code === payment_method);
  if (method?.refunds === undefined) throw new Error(`There are no refunds by ${payment_method} any more`);
  return { code: method.code, refunds: method.refunds };
}

async function describeRefund(app: App, refund: Refund, payment: RefundedPayment): Promise<RefundOrder> {
  const { environment } = await environmentOf(app, refund);
  return {
    refundId: refund.id,
    transactionId: refund.transaction_id,
    environment,
    environmentId: refund.environment_id,
    amount: refund.amount,
    currency: payment.currency,
    paid: payment.paid,
    refundedBefore: payment.went_back,
    payment: {
      attemptId: payment.attempt_id,
      externalId: payment.external_id,
      account: payment.account,
      detail: JSON.parse(payment.detail ?? '{}') as RefundOrder['payment']['detail'],
    },
    lookups: refund.lookups - 1,
    askedAt: askedAtOf(refund),
  };
}

/** A version that does not record its requests has claimed this refund, so it may have requested it. */
function askedAtOf({ asked_at, lookups, noted_lookups, created_at }: Refund): number | null {
  return asked_at ?? (lookups === noted_lookups ? null : created_at);
}

function alarmUnanswered(app: App, refund: Refund): void {
  app.metrics.unansweredRefunds.inc();
  app.log.error(
    { alarm: 'unanswered', transaction: refund.transaction_id, refund: refund.id },
    'a payment method has not said for a day what became of a refund',
  );
}
