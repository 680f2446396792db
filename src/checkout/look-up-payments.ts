import type { App } from '../app.ts';
import { selectTransaction } from '../transactions/transaction-queries.ts';
import { askPaymentMethod } from './ask-payment-method.ts';
import { environmentOf } from './environment-of.ts';
import { isOpen, type PaymentAttempt } from './payment-attempt.ts';
import { claimAttempts, hasDueAttempts, selectLatestAttempt } from './payment-attempt-queries.ts';
import { settlePayment } from './settle-payment.ts';

/** Longer than a payment method may take to answer, so that no second worker asks meanwhile. */
const CLAIM_MS = 30_000;
const ALARM_AFTER_MS = 24 * 60 * 60 * 1000;

/**
 * Asks the payment methods what became of payments that are due for the question, at most `limit`, and answers how many
 * there were. For the worker. What a method does not answer stays unknown and is asked again: it is never guessed.
 */
export async function lookUpPayments(app: App, limit: number): Promise<number> {
  // The worker comes by several times a second; an empty look must not queue up among the writers.
  if (!(await hasDueAttempts(app.db, app.now()))) return 0;
  const claimed = await app.db.transaction((tx) => {
    const now = app.now();
    return claimAttempts(tx, { now, until: now + CLAIM_MS, limit });
  });
  await Promise.all(claimed.map((attempt) => lookUpClaimed(app, attempt)));
  return claimed.length;
}

/** Asks at once about the payment that is open, if there is one: the payer has come back from the method. */
export async function lookUpPaymentOf(app: App, transactionId: number): Promise<void> {
  const attempt = await selectLatestAttempt(app.db, transactionId);
  if (attempt !== null && isOpen(attempt)) await lookUp(app, attempt, attempt.lookups);
}

/** One failure is its own: the claim ends and the question is asked again. */
async function lookUpClaimed(app: App, attempt: PaymentAttempt): Promise<void> {
  try {
    await lookUp(app, attempt, attempt.lookups - 1);
  } catch (error) {
    app.log.error({ err: error, attempt: attempt.id }, 'a payment could not be looked up');
  }
}

async function lookUp(app: App, attempt: PaymentAttempt, lookupsBefore: number): Promise<void> {
  const method = app.paymentMethods.find(({ code }) => code === attempt.payment_method);
  if (method === undefined) throw new Error(`There is no payment method ${attempt.payment_method} any more`);
  const transaction = await selectTransaction(app.db, attempt.transaction_id);
  if (transaction === null) throw new Error('A payment attempt without its transaction');
  const environment = await environmentOf(app, transaction);
  const outcome = await askPaymentMethod(app, 'lookup', { method, environment, transaction, attempt }, lookupsBefore);
  const settlement = await settlePayment(app, attempt.id, outcome);
  if (settlement.kind === 'waiting' && app.now() - attempt.created_at > ALARM_AFTER_MS) alarmUnanswered(app, attempt);
}

function alarmUnanswered(app: App, attempt: PaymentAttempt): void {
  app.metrics.unansweredPayments.inc();
  app.log.error(
    { alarm: 'unanswered', transaction: attempt.transaction_id, attempt: attempt.id, method: attempt.payment_method },
    'a payment method has not said for a day what became of a payment',
  );
}
