import type { App } from '../app.ts';
import { isHeldBack } from '../epochs/hold.ts';
import { createExpiringCache } from '../lib/expiring-cache.ts';
import { awaitedAnswers } from '../lib/overtaking.ts';
import { perInstance } from '../lib/per-instance.ts';
import type { PaymentOutcome, PaymentRequest } from '../payment-methods/payment-method.ts';
import { environmentOf } from '../payment-services/find-environment.ts';
import { type Transaction, type TransactionKey, transactionKeyOf } from '../transactions/transaction.ts';
import { selectTransaction } from '../transactions/transaction-queries.ts';
import { askPaymentMethod } from './ask-payment-method.ts';
import { askAgainAt, isOpen, type PaymentAttempt } from './payment-attempt.ts';
import {
  claimAttemptOf,
  claimAttempts,
  hasDueAttempts,
  noteCommitSent,
  scheduleAskAgain,
  selectLatestAttempt,
} from './payment-attempt-queries.ts';
import { settlePayment } from './settle-payment.ts';

/** Longer than a payment method may take to answer, so that no second process asks at the same time. */
const CLAIM_MS = 30_000;
/**
 * After a longer delay another process could claim the attempt before the answer comes, so the process does not ask.
 */
const ASK_WITHIN_MS = 10_000;
const ALARM_AFTER_MS = 24 * 60 * 60 * 1000;

/** The methods that the worker asks. */
const askedOf = perInstance((_app: App) => awaitedAnswers<string>());

/**
 * Asks the payment methods for the status of due payments, at most `limit`, and returns how many were due. For the
 * worker. Leaves out methods that do not answer at this moment, so that payments by others do not wait. Without an
 * answer the outcome stays unknown and the worker asks again; it never guesses.
 */
export async function lookUpPayments(app: App, limit: number): Promise<number> {
  // The worker calls this several times a second; without due attempts it must not queue with the writers.
  const slow = askedOf(app).slow();
  if (!(await hasDueAttempts(app.db, app.now(), slow))) return 0;
  const now = app.now();
  const claimed = await app.db.transaction((tx) => claimAttempts(tx, { now, until: now + CLAIM_MS, limit, slow }));
  await Promise.all(claimed.map((attempt) => lookUpClaimed(app, attempt, now)));
  return claimed.length;
}

/**
 * Asks at once for the status of a transaction's pending or unknown attempt, if it has one, because the payer has come
 * back from the method, or because a person wants to end the attempt. `returned`: the parameters that the browser
 * brought; null: no browser came back. If another process is asking already, leaves it to that process; if browsers have
 * come back too often within a minute, leaves it to the worker. Returns whether it asked.
 */
export async function lookUpPaymentOf(
  app: App,
  transaction: TransactionKey,
  returned: PaymentRequest['returned'],
): Promise<boolean> {
  const latest = await selectLatestAttempt(app.db, transaction);
  if (latest === null || !isOpen(latest)) return false;
  if (returned !== null && !mayAskAgain(app, latest.id)) return false;
  const now = app.now();
  const attempt = await app.db.transaction((tx) => claimAttemptOf(tx, transaction, { now, until: now + CLAIM_MS }));
  if (attempt === null) return false;
  await lookUp(app, attempt, { lookups: attempt.lookups, returned, claimedAt: now });
  return true;
}

/** More than an impatient payer reloads the page. A method has a limit for all payers of a merchant. */
const MOST_RETURNS = 30;
const MINUTE_MS = 60_000;

/** How often browsers have come back to an attempt since the first return of a minute, in this process. */
const returnsOf = perInstance((app: App) =>
  createExpiringCache<{ count: number }>({ lifetimeMs: MINUTE_MS, capacity: 10_000, now: app.now }),
);

function mayAskAgain(app: App, attemptId: string): boolean {
  const returns = returnsOf(app).peek(attemptId) ?? { count: 0 };
  if (returns.count === 0) returnsOf(app).keep(attemptId, returns);
  return ++returns.count <= MOST_RETURNS;
}

/** Logs an error, so that one failure does not stop the others: the claim expires and the worker asks again. */
async function lookUpClaimed(app: App, attempt: PaymentAttempt, claimedAt: number): Promise<void> {
  try {
    const question = { lookups: attempt.lookups - 1, returned: null, claimedAt };
    await askedOf(app).during(attempt.payment_method, lookUp(app, attempt, question));
  } catch (error) {
    app.log.error({ err: error, attempt: attempt.id }, 'a payment could not be looked up');
  }
}

type Question = { lookups: number; returned: PaymentRequest['returned']; claimedAt: number };

async function lookUp(app: App, attempt: PaymentAttempt, question: Question): Promise<void> {
  const { lookups, returned, claimedAt } = question;
  const method = app.paymentMethods.find(({ code }) => code === attempt.payment_method);
  if (method === undefined) throw new Error(`There is no payment method ${attempt.payment_method}`);
  const transaction = await selectTransaction(app.db, transactionKeyOf(attempt));
  if (transaction === null) throw new Error('A payment attempt without its transaction');
  const environment = await environmentOf(app, transaction);
  if (app.now() > claimedAt + ASK_WITHIN_MS) throw new Error('The claim of a payment attempt is too old to ask');
  const commits = method.commit !== undefined && (await mayTakeMoney(app, transaction, attempt));
  const sentAt = commits ? await announceCommit(app, attempt) : attempt.commit_sent_at;
  const asked = { method, environment, transaction, attempt, returned };
  const outcome = await askPaymentMethod(app, commits ? 'commit' : 'lookup', asked, lookups);
  const settlement = await settlePayment(app, attempt, outcome, sentAt);
  if (!isOpen(attempt)) await planAskingAgain(app, attempt, outcome);
  if (settlement.kind === 'waiting' && app.now() - attempt.created_at > ALARM_AFTER_MS) alarmUnanswered(app, attempt);
}

/**
 * Returns whether an attempt may still take money. If the attempt or its transaction has ended, the method is only
 * asked for the status. The same holds for an attempt from before a restore until a person releases it, because the
 * payer may have paid otherwise since.
 */
async function mayTakeMoney(app: App, { state }: Transaction, attempt: PaymentAttempt): Promise<boolean> {
  const { created_at, transaction_id: transactionId } = attempt;
  return state === 'pending' && isOpen(attempt) && !(await isHeldBack(app.db, { created_at, transactionId }));
}

/** Records that the commit is about to be sent. After a crash this shows that the money may have been taken. */
async function announceCommit(app: App, attempt: PaymentAttempt): Promise<number> {
  const at = app.now();
  const claimedUntil = attempt.asked_until ?? 0;
  if (await app.db.transaction((tx) => noteCommitSent(tx, attempt, { claimedUntil, at }))) return at;
  throw new Error('Another process has claimed the payment attempt');
}

/** Schedules the next question about an ended attempt. An approval ends the questions. */
function planAskingAgain(app: App, attempt: PaymentAttempt, outcome: PaymentOutcome): Promise<void> {
  const answered = outcome.kind !== 'unknown';
  const nextLookupAt = outcome.kind === 'approved' ? null : askAgainAt(attempt.settled_at ?? 0, app.now(), answered);
  const claimedUntil = attempt.asked_until ?? 0;
  return app.db.transaction((tx) => scheduleAskAgain(tx, attempt, { claimedUntil, nextLookupAt }));
}

function alarmUnanswered(app: App, attempt: PaymentAttempt): void {
  app.log.error(
    { alarm: 'unanswered', transaction: attempt.transaction_id, attempt: attempt.id, method: attempt.payment_method },
    'a payment method has not said for a day what became of a payment',
  );
}
