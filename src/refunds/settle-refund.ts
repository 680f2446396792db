import type { App } from '../app.ts';
import { methodReceivable, type Posting, refundPosting, unaskedRefundPosting } from '../books/journal-entry.ts';
import { postEntries } from '../books/post-entries.ts';
import { isEndedSince, pauseBeforeLookup } from '../checkout/payment-attempt.ts';
import type { Tx } from '../db/database.ts';
import { formatDecimal } from '../lib/money.ts';
import { recordEvents } from '../outbox/record-event.ts';
import type { PaymentDetail, RefundAnswer } from '../payment-methods/payment-method.ts';
import { environmentOf } from '../payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';
import { type Transaction, transactionKeyOf } from '../transactions/transaction.ts';
import { advanceSequence, lockTransaction } from '../transactions/transaction-queries.ts';
import { announceRefund } from './announce-refund.ts';
import { type ComparedAnswer, compareAnswer } from './compare-answer.ts';
import { answerToRefund, type Refund } from './refund.ts';
import {
  endRefund,
  hasOpenRefund,
  holdRefund,
  lastRefundEnd,
  postponeRefund,
  selectRefundBesideBooks,
  selectRefundsOf,
} from './refund-queries.ts';

/**
 * `waiting`: the method has not answered yet. `ended`: the refund has ended. `already`, `ignored`: no news. `conflict`:
 * the method takes back its answer; it is in the feed and alarmed, for a person to resolve. `contradiction`: the
 * merchant was told otherwise before, or the method's balance differs from the books, and this is new.
 */
export type RefundSettlement = {
  kind: 'waiting' | 'ended' | 'already' | 'ignored' | 'conflict';
  refund: Refund;
  contradiction: boolean;
};

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;

/**
 * Records a payment method's answer about a claimed refund. One commit has its state, its event and, if money went
 * back, the books. Other money that went back goes to suspense, with an event and an alarm. Repeating an answer changes
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
    // Another refund of the payment is in process, so the balance does not show which of them went back.
    if (refund.state !== 'processing' && (await hasOpenRefund(tx, key))) {
      await postponeRefund(tx, claimed, at + HOUR);
      return { kind: 'ignored', refund, contradiction: false };
    }
    const compared = compareAnswer(refund, answer, wentBack);
    const isAnswered = answer.kind !== 'unknown' || answer.refunded !== undefined;
    return settleLocked(tx, { environment, transaction, refund, claimed, compared, isAnswered, at });
  });
  if (settlement.kind === 'ended') app.metrics.refunds.inc({ state: settlement.refund.state });
  if (settlement.contradiction) alarm(app, settlement.refund, answer);
  return settlement;
}

type Settling = {
  environment: ServiceEnvironment;
  transaction: Transaction;
  /** As stored, read under the lock; `claimed` is the refund as it was claimed. */
  refund: Refund;
  claimed: Refund;
  compared: ComparedAnswer;
  isAnswered: boolean;
  at: number;
};

/**
 * Writes the events first and the books last, because the holder of the end of their chain must not wait for other
 * locks.
 */
async function settleLocked(tx: Tx, settling: Settling): Promise<RefundSettlement> {
  const settlement = await moveRefund(tx, settling);
  const isNew = await recordDifference(tx, settling, settlement.refund);
  const parts = await partsOf(tx, settling);
  for (const posting of postingsOf(settling, settlement, parts)) await postEntries(tx, posting);
  return { ...settlement, contradiction: settlement.contradiction || isNew };
}

async function moveRefund(tx: Tx, settling: Settling): Promise<RefundSettlement> {
  const { refund, claimed, compared, isAnswered, at } = settling;
  const state = answerToRefund(refund.state, compared.outcome.kind);
  if (state === 'completed' || state === 'failed') {
    const ended = await end(tx, settling, state);
    return { kind: 'ended', refund: ended, contradiction: refund.state !== 'processing' };
  }
  await postponeRefund(tx, claimed, nextLook(refund, isAnswered, at));
  if (state === 'conflict') {
    const isNew = await contradict(tx, settling, { event: 'refund_declined' });
    return { kind: 'conflict', refund, contradiction: isNew };
  }
  if (state !== 'processing') return { kind: state, refund, contradiction: false };
  return { kind: refund.lookups === claimed.lookups ? 'waiting' : 'ignored', refund, contradiction: false };
}

/**
 * Returns when to look the refund up again. An ended refund is looked up after an hour and after a day, because
 * balances and answers can be late. While the method does not answer then, it is asked every day for a week.
 */
function nextLook({ state, settled_at, lookups }: Refund, isAnswered: boolean, at: number): number | null {
  if (state === 'processing') return at + pauseBeforeLookup(Math.max(0, lookups - 1));
  const end = settled_at ?? at;
  if (at < end + DAY) return end + DAY;
  return !isAnswered && at < end + WEEK ? at + DAY : null;
}

async function end(
  tx: Tx,
  { environment, transaction, refund, compared, at }: Settling,
  state: 'completed' | 'failed',
) {
  const detail: PaymentDetail = 'detail' in compared.outcome ? compared.outcome.detail : {};
  const ending = { state, settledAt: at, nextLookupAt: at + HOUR, detail: JSON.stringify(detail) };
  const ended = await endRefund(tx, refund, ending);
  const advanced = await advanceSequence(tx, transaction);
  await announceRefund(tx, environment, advanced, ended);
  return ended;
}

/** Returns the postings of a refund that is completed now, and of the parts of unasked money. */
function postingsOf(
  { transaction, at }: Settling,
  { kind, refund }: RefundSettlement,
  parts: readonly number[],
): Posting[] {
  const unasked = parts.map((amount) => unaskedRefundPosting(transaction, amount, methodOf(transaction), at));
  if (kind !== 'ended' || refund.state !== 'completed') return unasked;
  return [refundPosting(transaction, refund, methodReceivable(methodOf(transaction)), at), ...unasked];
}

/**
 * Records a difference between the method's balance and the books, and returns whether it is new. Unasked money that
 * went back goes to suspense, so that the books agree with the method. Missing money is not booked: the balance may be
 * late. A day after the last refund ended, the difference waits for a person.
 */
async function recordDifference(tx: Tx, settling: Settling, refund: Refund): Promise<boolean> {
  const { transaction, compared, at } = settling;
  const { unasked, missing } = compared;
  const { currency } = transaction;
  if (unasked > 0) {
    const contradiction = { event: 'refund_unasked', unasked: formatDecimal(unasked, currency), currency };
    await recordConflict(tx, settling, contradiction);
    if (refund.state === 'processing') await holdRefund(tx, refund, at, contradiction);
    return true;
  }
  if (missing === 0 || refund.contradicted_at !== null) return false;
  if (at < (await lastRefundEnd(tx, transaction)) + DAY) return false;
  return contradict(tx, settling, { event: 'refund_missing', missing: formatDecimal(missing, currency), currency });
}

/** The data of the feed's event, from which the attention list makes its sentence; amounts as on the wire. */
type Contradiction = { event: string; unasked?: string; missing?: string; currency?: string };

/** Returns false if a contradiction waits for a person, or a person has ended this one since the refund was claimed. */
async function contradict(tx: Tx, settling: Settling, contradiction: Contradiction): Promise<boolean> {
  const { refund, claimed, at } = settling;
  if (refund.contradicted_at !== null || isEndedSince(claimed, refund, JSON.stringify(contradiction))) return false;
  await recordConflict(tx, settling, contradiction);
  await holdRefund(tx, refund, at, contradiction);
  return true;
}

/**
 * Divides unasked money into entries, so that a person can assign an entry to an open refund: one for each of the open
 * refunds that fill most of it, this refund first, and one for the rest.
 */
async function partsOf(
  tx: Tx,
  { transaction, refund: { id }, compared: { unasked } }: Settling,
): Promise<readonly number[]> {
  if (unasked === 0) return [];
  const open = (await selectRefundsOf(tx, transaction)).filter(({ state }) => state === 'processing');
  const ownFirst = open.toSorted((one, other) => Number(other.id === id) - Number(one.id === id));
  const amounts = ownFirst.map(({ amount }) => amount);
  if (amounts.includes(unasked)) return [unasked];
  const filling = fillMost(amounts, unasked);
  const rest = filling.reduce((left, amount) => left - amount, unasked);
  return rest === 0 ? filling : [...filling, rest];
}

/** Ten amounts have this many sums at most. */
const MOST_SUMS = 1024;

/** Returns the amounts whose sum is the largest not above `total`; of equal sums, the first. */
function fillMost(amounts: readonly number[], total: number): readonly number[] {
  const sums = new Map<number, readonly number[]>([[0, []]]);
  for (const amount of amounts)
    for (const [before, parts] of sums.entries().toArray()) {
      const sum = before + amount;
      if (sum <= total && !sums.has(sum) && sums.size < MOST_SUMS) sums.set(sum, [...parts, amount]);
    }
  return sums.get(Math.max(...sums.keys())) ?? [];
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
