import type { App } from '../app.ts';
import { methodReceivable, type Posting, refundPosting, unaskedRefundPosting } from '../books/journal-entry.ts';
import { postEntries } from '../books/post-entries.ts';
import { pauseBeforeLookup } from '../checkout/payment-attempt.ts';
import type { Tx } from '../db/database.ts';
import { formatDecimal } from '../lib/money.ts';
import { recordEvents } from '../outbox/record-event.ts';
import type { PaymentDetail, RefundAnswer } from '../payment-methods/payment-method.ts';
import { environmentOf } from '../payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';
import { type Transaction, transactionKeyOf } from '../transactions/transaction.ts';
import { advanceSequence, lockTransaction } from '../transactions/transaction-queries.ts';
import { announceRefund } from './announce-refund.ts';
import { answerToRefund, type Refund } from './refund.ts';
import {
  endRefund,
  hasOpenRefund,
  holdRefund,
  lastRefundEnd,
  postponeRefund,
  selectRefundBesideBooks,
} from './refund-queries.ts';
import { type Weighed, weighAnswer } from './weigh-answer.ts';

/**
 * `waiting`: the method has still to answer. `ended`: the refund has its end. `already`, `ignored`: no news.
 * `conflict`: the method takes back what it said; it is in the feed and alarmed, for a person to resolve.
 * `contradiction` says that the merchant has been told otherwise before, or that the method's balance differs from the books.
 */
export type RefundSettlement = {
  kind: 'waiting' | 'ended' | 'already' | 'ignored' | 'conflict';
  refund: Refund;
  contradiction: boolean;
};

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

/**
 * Writes down what a payment method said of a refund that was claimed. In one commit: its state, its event and, when money
 * went back, the books. What went back beside it goes into suspense, with an event and an alarm. Saying the same again changes
 * nothing. Rejects with `StorageError`.
 */
export async function settleRefund(app: App, claimed: Refund, answer: RefundAnswer): Promise<RefundSettlement> {
  const key = transactionKeyOf(claimed);
  const environment = await environmentOf(app, claimed);
  const at = app.now();
  const settlement = await app.db.transaction<RefundSettlement>(async (tx) => {
    const transaction = await lockTransaction(tx, key);
    const found = await selectRefundBesideBooks(tx, claimed);
    if (transaction === null || found === null) throw new Error('A refund is gone');
    const { refund, wentBack } = found;
    // Another refund of the payment is on its way: what the balance shows cannot be told apart now.
    if (refund.state !== 'processing' && (await hasOpenRefund(tx, key))) {
      await postponeRefund(tx, refund, at + HOUR);
      return { kind: 'ignored', refund, contradiction: false };
    }
    const weighed = weighAnswer(refund, answer, wentBack);
    return settleLocked(tx, { environment, transaction, refund, claimed, weighed, at });
  });
  if (settlement.kind === 'ended') app.metrics.refunds.inc({ state: settlement.refund.state });
  if (settlement.contradiction) alarm(app, settlement.refund, answer);
  return settlement;
}

type Settling = {
  environment: ServiceEnvironment;
  transaction: Transaction;
  /** As it is under the lock, and as it was claimed. */
  refund: Refund;
  claimed: Refund;
  weighed: Weighed;
  at: number;
};

/** The events first, the books last: the holder of the end of their chain waits for nobody. */
async function settleLocked(tx: Tx, settling: Settling): Promise<RefundSettlement> {
  const postings: Posting[] = [];
  const settlement = await moveRefund(tx, settling, postings);
  const told = await tellDifference(tx, settling, settlement.refund, postings);
  for (const posting of postings) await postEntries(tx, posting);
  return { ...settlement, contradiction: settlement.contradiction || told };
}

async function moveRefund(tx: Tx, settling: Settling, postings: Posting[]): Promise<RefundSettlement> {
  const { refund, claimed, weighed, at } = settling;
  const state = answerToRefund(refund.state, weighed.outcome.kind);
  if (state === 'completed' || state === 'failed') {
    const ended = await end(tx, settling, state);
    if (state === 'completed') postings.push(postingOf(settling, ended));
    return { kind: 'ended', refund: ended, contradiction: refund.state !== 'processing' };
  }
  // Another worker's claim by now: when to ask again is for that one to say.
  const isClaimed = refund.lookups === claimed.lookups;
  if (isClaimed) await postponeRefund(tx, refund, nextLook(refund, at));
  if (state === 'conflict') {
    if (refund.contradicted_at !== null) return { kind: 'conflict', refund, contradiction: false };
    await contradict(tx, settling, { event: 'refund_declined' });
    return { kind: 'conflict', refund, contradiction: true };
  }
  if (state !== 'processing') return { kind: state, refund, contradiction: false };
  return { kind: isClaimed ? 'waiting' : 'ignored', refund, contradiction: false };
}

/** One that has ended is looked at after an hour and after a day: balances are late, and so are answers. */
function nextLook({ state, settled_at, lookups }: Refund, at: number): number | null {
  if (state === 'processing') return at + pauseBeforeLookup(Math.max(0, lookups - 1));
  const last = (settled_at ?? at) + DAY;
  return at < last ? last : null;
}

async function end(tx: Tx, { environment, transaction, refund, weighed, at }: Settling, state: 'completed' | 'failed') {
  const detail: PaymentDetail = 'detail' in weighed.outcome ? weighed.outcome.detail : {};
  const ending = { state, settledAt: at, nextLookupAt: at + HOUR, detail: JSON.stringify(detail) };
  const ended = await endRefund(tx, refund, ending);
  const advanced = await advanceSequence(tx, transaction);
  await announceRefund(tx, environment, advanced, ended);
  return ended;
}

function postingOf({ transaction, at }: Settling, refund: Refund): Posting {
  return refundPosting(transaction, refund, methodReceivable(methodOf(transaction)), at);
}

/**
 * Tells what the method's balance says beside this refund, and answers whether it was news. What went back unasked goes into
 * suspense, so the books say what the method says from then on. What is missing has nothing to be booked: it may be late, and
 * after a day it is for a person to look at.
 */
async function tellDifference(tx: Tx, settling: Settling, refund: Refund, postings: Posting[]): Promise<boolean> {
  const { transaction, weighed, at } = settling;
  const { unasked, missing } = weighed;
  const { currency } = transaction;
  if (unasked > 0) {
    const contradiction = { event: 'refund_unasked', unasked: formatDecimal(unasked, currency), currency };
    await recordConflict(tx, settling, contradiction);
    if (refund.state === 'processing') await holdRefund(tx, refund, at, contradiction);
    for (const amount of partsOf(unasked, refund)) {
      postings.push(unaskedRefundPosting(transaction, amount, methodOf(transaction), at));
    }
    return true;
  }
  if (missing === 0 || refund.contradicted_at !== null) return false;
  if (at < (await lastRefundEnd(tx, transaction)) + DAY) return false;
  await contradict(tx, settling, { event: 'refund_missing', missing: formatDecimal(missing, currency), currency });
  return true;
}

/** As the feed tells it and the list of attention says it in a sentence; amounts as on the wire. */
type Contradiction = { event: string; unasked?: string; missing?: string; currency?: string };

/** It waits for a person from now on. */
async function contradict(tx: Tx, settling: Settling, contradiction: Contradiction): Promise<void> {
  await recordConflict(tx, settling, contradiction);
  await holdRefund(tx, settling.refund, settling.at, contradiction);
}

/** Where a refund without an end may be in what went back, it stands by itself: a person can say that this is it. */
function partsOf(unasked: number, { state, amount }: Refund): number[] {
  return state === 'processing' && unasked > amount ? [amount, unasked - amount] : [unasked];
}

function methodOf({ payment_method }: Transaction): string {
  if (payment_method === null) throw new Error('A refund of what no payment method collected');
  return payment_method;
}

async function recordConflict(tx: Tx, { transaction, refund, at }: Settling, data: Contradiction): Promise<void> {
  const advanced = await advanceSequence(tx, transaction);
  await recordEvents(tx, [
    {
      environmentId: transaction.environment_id,
      transactionId: transaction.id,
      sequence: advanced.last_sequence,
      type: 'transaction.conflict',
      createdAt: at,
      data: { state: transaction.state, ...data, refund: refund.id },
    },
  ]);
}

function alarm(app: App, refund: Refund, answer: RefundAnswer): void {
  app.metrics.conflicts.inc();
  app.log.error(
    { alarm: 'conflict', transaction: refund.transaction_id, refund: refund.id, answer: answer.kind },
    'a payment method contradicts what is known of a refund',
  );
}
