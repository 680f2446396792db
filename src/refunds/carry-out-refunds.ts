import type { App } from '../app.ts';
import { environmentOf } from '../checkout/environment-of.ts';
import { selectLatestAttempt } from '../checkout/payment-attempt-queries.ts';
import { putQuestion } from '../checkout/put-question.ts';
import type { PaymentMethod, RefundOutcome, RefundRequest } from '../payment-methods/payment-method.ts';
import type { Transaction } from '../transactions/transaction.ts';
import { selectTransaction } from '../transactions/transaction-queries.ts';
import type { Refund } from './refund.ts';
import { claimRefunds, hasDueRefunds, noteAsked, sumCompleted } from './refund-queries.ts';
import { settleRefund } from './settle-refund.ts';

/** Longer than a look-up and a request may take together, so that no second worker asks meanwhile. */
const CLAIM_MS = 60_000;
/** A worker that was held up for longer than this may no longer be the only one: it asks for nothing. */
const ASK_WITHIN_MS = 30_000;
const ALARM_AFTER_MS = 24 * 60 * 60 * 1000;

/**
 * Has the payment methods give back what was accepted, at most `limit` refunds, and answers how many it took up. For the
 * worker. A method is asked for the money only after it has said that it was never asked before; what it does not answer
 * stays in processing and is looked up until it has an end: it is never guessed.
 */
export async function carryOutRefunds(app: App, limit: number): Promise<number> {
  // The worker comes by several times a second; an empty look must not queue up among the writers.
  if (!(await hasDueRefunds(app.db, app.now()))) return 0;
  const now = app.now();
  const claimed = await app.db.transaction((tx) => claimRefunds(tx, { now, until: now + CLAIM_MS, limit }));
  await Promise.all(claimed.map((refund) => carryOutClaimed(app, refund, now)));
  return claimed.length;
}

/** One failure is its own: the claim ends and the refund is taken up again. */
async function carryOutClaimed(app: App, refund: Refund, claimedAt: number): Promise<void> {
  try {
    const outcome = await askForRefund(app, refund, claimedAt);
    const settlement = await settleRefund(app, refund, outcome);
    if (settlement.kind === 'waiting' && app.now() - refund.created_at > ALARM_AFTER_MS) alarmUnanswered(app, refund);
  } catch (error) {
    app.log.error({ err: error, refund: refund.id }, 'a refund could not be carried out');
  }
}

/** A method that throws, or says nothing for 20 s, has an `unknown` outcome: the money may have gone back. */
async function askForRefund(app: App, refund: Refund, claimedAt: number): Promise<RefundOutcome> {
  const transaction = await selectTransaction(app.db, refund.transaction_id);
  if (transaction === null) throw new Error('A refund without its transaction');
  const method = requireMethod(app, transaction);
  const request = await describeRefund(app, refund, transaction);
  const about = { method: method.code, refund: refund.id };
  const known = await putQuestion(app, { ...about, question: 'look_up_refund' }, () => method.refunds.lookup(request));
  if (known.kind !== 'absent') return known;
  // Known before it is asked, so that whoever looks next knows since when the money may be on its way.
  await app.db.transaction((tx) => noteAsked(tx, refund.id, app.now()));
  if (app.now() > claimedAt + ASK_WITHIN_MS) return { kind: 'unknown' };
  return putQuestion(app, { ...about, question: 'refund' }, () => method.refunds.request(request));
}

function requireMethod(app: App, { payment_method }: Transaction): Required<PaymentMethod> {
  const method = app.paymentMethods.find(({ code }) => code === payment_method);
  if (method?.refunds === undefined) throw new Error(`There are no refunds by ${payment_method} any more`);
  return method as Required<PaymentMethod>;
}

async function describeRefund(app: App, refund: Refund, transaction: Transaction): Promise<RefundRequest> {
  const { environment } = await environmentOf(app, transaction);
  const attempt = await selectLatestAttempt(app.db, transaction.id);
  if (attempt?.state !== 'approved') throw new Error('A refund of what was never paid');
  return {
    refundId: refund.id,
    transactionId: transaction.id,
    environment,
    environmentId: transaction.environment_id,
    amount: refund.amount,
    currency: transaction.currency,
    paid: transaction.amount,
    refundedBefore: await sumCompleted(app.db, transaction.id),
    payment: {
      attemptId: attempt.id,
      externalId: attempt.external_id,
      account: attempt.account,
      detail: JSON.parse(attempt.detail ?? '{}') as RefundRequest['payment']['detail'],
    },
    lookups: refund.lookups - 1,
    askedAt: refund.asked_at,
  };
}

function alarmUnanswered(app: App, refund: Refund): void {
  app.metrics.unansweredRefunds.inc();
  app.log.error(
    { alarm: 'unanswered', transaction: refund.transaction_id, refund: refund.id },
    'a payment method has not said for a day what became of a refund',
  );
}
