import type { App } from '../app.ts';
import { refundPosting } from '../books/journal-entry.ts';
import { postEntries } from '../books/post-entries.ts';
import { environmentOf } from '../checkout/environment-of.ts';
import { pauseBeforeLookup } from '../checkout/payment-attempt.ts';
import type { Tx } from '../db/database.ts';
import { recordEvents } from '../outbox/record-event.ts';
import type { PaymentDetail, RefundOutcome } from '../payment-methods/payment-method.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';
import type { Transaction } from '../transactions/transaction.ts';
import { advanceSequence, lockTransaction, selectTransaction } from '../transactions/transaction-queries.ts';
import { announceRefund } from './announce-refund.ts';
import { answerToRefund, type Refund } from './refund.ts';
import { endRefund, postponeRefund, selectRefund } from './refund-queries.ts';

/**
 * `waiting`: the method has still to answer. `ended`: the refund has its end. `already`, `ignored`: no news.
 * `conflict`: the method takes back what it said; it is in the feed and alarmed, for a person to resolve.
 * `contradiction` says that the merchant has been told otherwise before.
 */
export type RefundSettlement = {
  kind: 'waiting' | 'ended' | 'already' | 'ignored' | 'conflict';
  refund: Refund;
  contradiction: boolean;
};

/**
 * Writes down what a payment method said of a refund that was claimed. In one commit: its state, its event and, when money went back, the
 * books. Saying the same again changes nothing. Rejects with `StorageError`.
 */
export async function settleRefund(app: App, claimed: Refund, outcome: RefundOutcome): Promise<RefundSettlement> {
  const { id, transaction_id } = claimed;
  const found = await selectTransaction(app.db, transaction_id);
  if (found === null) throw new Error('A refund without its transaction');
  const environment = await environmentOf(app, found);
  const at = app.now();
  const settlement = await app.db.transaction<RefundSettlement>(async (tx) => {
    const transaction = await lockTransaction(tx, transaction_id);
    const refund = await selectRefund(tx, id);
    if (transaction === null || refund === null) throw new Error('A refund is gone');
    const state = answerToRefund(refund.state, outcome.kind);
    if (state === 'already' || state === 'ignored') return { kind: state, refund, contradiction: false };
    if (state === 'processing') {
      // Another worker's claim by now: when to ask again is for that one to say.
      if (refund.lookups !== claimed.lookups) return { kind: 'ignored', refund, contradiction: false };
      await postponeRefund(tx, id, at + pauseBeforeLookup(Math.max(0, refund.lookups - 1)));
      return { kind: 'waiting', refund, contradiction: false };
    }
    if (state === 'conflict') {
      await recordConflict(tx, transaction, refund, at);
      return { kind: 'conflict', refund, contradiction: true };
    }
    const settledAt = at;
    const detail = 'detail' in outcome ? outcome.detail : {};
    const ended = await end(tx, { environment, transaction, refund, state, settledAt, detail });
    return { kind: 'ended', refund: ended, contradiction: refund.state !== 'processing' };
  });
  if (settlement.kind === 'ended') app.metrics.refunds.inc({ state: settlement.refund.state });
  if (settlement.contradiction) alarm(app, settlement.refund, outcome);
  return settlement;
}

type Ending = {
  environment: ServiceEnvironment;
  transaction: Transaction;
  refund: Refund;
  state: 'completed' | 'failed';
  settledAt: number;
  detail: PaymentDetail;
};

async function end(tx: Tx, ending: Ending): Promise<Refund> {
  const { environment, transaction, refund, state, settledAt } = ending;
  const ended = await endRefund(tx, { id: refund.id, state, settledAt, detail: JSON.stringify(ending.detail) });
  const advanced = await advanceSequence(tx, transaction.id);
  await announceRefund(tx, environment, advanced, ended);
  if (state === 'completed') {
    const method = transaction.payment_method;
    if (method === null) throw new Error('A refund of what no payment method collected');
    await postEntries(tx, refundPosting(transaction, ended, method, settledAt));
  }
  return ended;
}

async function recordConflict(tx: Tx, transaction: Transaction, refund: Refund, at: number): Promise<void> {
  const advanced = await advanceSequence(tx, transaction.id);
  await recordEvents(tx, [
    {
      environmentId: transaction.environment_id,
      transactionId: transaction.id,
      sequence: advanced.last_sequence,
      type: 'transaction.conflict',
      createdAt: at,
      data: { state: transaction.state, event: 'refund_declined', refund: refund.id },
    },
  ]);
}

function alarm(app: App, refund: Refund, outcome: RefundOutcome): void {
  app.metrics.conflicts.inc();
  app.log.error(
    { alarm: 'conflict', transaction: refund.transaction_id, refund: refund.id, answer: outcome.kind },
    'a payment method contradicts what it said of a refund',
  );
}
