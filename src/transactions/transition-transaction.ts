import type { App } from '../app.ts';
import { paymentPosting } from '../books/journal-entry.ts';
import { postEntries } from '../books/post-entries.ts';
import type { Tx } from '../db/database.ts';
import { queueReceipt } from '../mail/queue-receipt.ts';
import type { CallbackContent } from '../outbox/callback-payload.ts';
import { enqueueCallback } from '../outbox/enqueue-callback.ts';
import { recordEvents } from '../outbox/record-event.ts';
import { feeOf } from '../payment-services/fee.ts';
import { selectFee } from '../payment-services/fee-queries.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';
import type { Transaction, TransactionKey } from './transaction.ts';
import { advanceSequence, selectTransaction, updateState } from './transaction-queries.ts';
import { nextState, type TransactionEvent } from './transaction-state.ts';

export type Transition = { kind: 'moved' | 'stays' | 'already' | 'ignored' | 'conflict'; transaction: Transaction };

export type TransitionCause = {
  event: TransactionEvent;
  /** UTC milliseconds. */
  at: number;
  paymentMethod: string | null;
  /** The attempt that the payment method answered about; null: none. */
  attemptId: string | null;
  /** The amount that was taken, in minor units, if it differs from the amount of the transaction. */
  taken?: number;
  /** The data of the event in the feed in addition to the state, such as the payment's authorisation code. */
  data: Record<string, unknown> | null;
};

export type ConflictCause = Omit<TransitionCause, 'event'> & {
  event: TransactionEvent | 'contradict' | 'chargeback' | 'refund_unasked';
};

/**
 * Changes the state of a transaction; nothing else does. Writes the state, its event in the feed, its callback, its
 * receipt and the books in the caller's commit. Posts to the books, so call it last in the commit.
 *
 * If a payment contradicts the state (for example an approval after `failed`), returns `conflict`: the state stays, the
 * feed has the contradiction for a person to resolve, and the money goes to suspense. The caller raises the alarm after
 * the commit.
 */
export async function transitionTransaction(
  tx: Tx,
  environment: ServiceEnvironment,
  transaction: Transaction,
  cause: TransitionCause,
): Promise<Transition> {
  const next = nextState(transaction.state, cause.event);
  if (next.kind === 'conflict') return recordConflict(tx, transaction, cause);
  if (next.kind !== 'moved') return { kind: next.kind, transaction };

  const moved = await updateState(tx, transaction, {
    from: transaction.state,
    to: next.state,
    settledAt: cause.at,
    paymentMethod: cause.paymentMethod,
    fee: next.state === 'completed' ? await findFee(tx, transaction, cause) : 0,
  });
  if (moved === null) return transitionAgain(tx, environment, transaction, cause);
  await record(tx, moved, `transaction.${next.state as FinalState}`, cause, cause.data);
  // A payer by a link may have no shop to call back.
  if (moved.url_callback !== '') await enqueueCallback(tx, environment, callbackOf(moved, cause.at));
  if (moved.state === 'completed') {
    const receipt = { transaction: moved, refundId: null, address: moved.customer_email, at: cause.at };
    await queueReceipt(tx, environment.receipts, receipt);
    await postPayment(tx, 'payment', moved, cause);
  }
  return { kind: 'moved', transaction: moved };
}

/**
 * Records a contradiction and keeps the state. `contradict`: a payment method answered about something other than the
 * question. `chargeback`: the payer's bank took money back. `refund_unasked`: the method refunded money that nobody
 * requested. An approval's money goes to suspense. Call it last in the commit, like a transition.
 */
export async function recordConflict(tx: Tx, transaction: Transaction, cause: ConflictCause): Promise<Transition> {
  const changed = await advanceSequence(tx, transaction);
  const data = { ...cause.data, state: transaction.state, event: cause.event };
  await record(tx, changed, 'transaction.conflict', cause, data);
  if (cause.event === 'approve') await postPayment(tx, 'late_payment', changed, cause);
  return { kind: 'conflict', transaction: changed };
}

/** Raises the alarm about a conflict. Call it when the commit that recorded the conflict is durable. */
export function alarmConflict(app: App, transition: Transition, cause: ConflictCause): void {
  app.metrics.conflicts.inc();
  app.log.error(
    {
      alarm: 'conflict',
      transaction: transition.transaction.id,
      state: transition.transaction.state,
      event: cause.event,
    },
    'a payment contradicts the state of its transaction',
  );
}

type FinalState = 'completed' | 'failed' | 'cancelled' | 'expired';

const MESSAGES = {
  completed: 'Approved',
  failed: 'Declined',
  cancelled: 'Cancelled',
  expired: 'Expired',
  pending: 'Pending',
} as const;

/** Makes the content of a callback and of the browser's return. */
export function callbackOf(
  transaction: Transaction,
  timestamp: number,
): CallbackContent & { url: string; sequence: number } {
  return {
    transactionId: transaction.id,
    reference: transaction.reference,
    amount: transaction.amount,
    currency: transaction.currency,
    result: resultOf(transaction),
    message: MESSAGES[transaction.state],
    timestamp,
    url: transaction.url_callback,
    sequence: transaction.last_sequence,
  };
}

function resultOf(transaction: Transaction): 'completed' | 'failed' | 'pending' {
  return transaction.state === 'completed' || transaction.state === 'pending' ? transaction.state : 'failed';
}

/** Another writer was first: reads the new state and applies the event to it. */
async function transitionAgain(
  tx: Tx,
  environment: ServiceEnvironment,
  key: TransactionKey,
  cause: TransitionCause,
): Promise<Transition> {
  const current = await selectTransaction(tx, key);
  if (current === null) throw new Error('A transaction is gone');
  if (current.state === 'pending') throw new Error('A transaction did not move');
  return transitionTransaction(tx, environment, current, cause);
}

/** Computes the fee of the payment from the current setting, in minor units. */
async function findFee(tx: Tx, transaction: Transaction, { paymentMethod }: TransitionCause): Promise<number> {
  if (paymentMethod === null) return 0;
  const fee = await selectFee(tx, transaction.environment_id, paymentMethod, transaction.currency);
  return fee === null ? 0 : feeOf(transaction.amount, fee);
}

async function postPayment(
  tx: Tx,
  kind: 'payment' | 'late_payment',
  transaction: Transaction,
  { paymentMethod, attemptId, at, taken }: ConflictCause,
): Promise<void> {
  if (paymentMethod === null) throw new Error('An approval without a payment method');
  await postEntries(
    tx,
    paymentPosting(kind, transaction, { methodCode: paymentMethod, attemptId, taken: taken ?? transaction.amount }, at),
  );
}

async function record(
  tx: Tx,
  transaction: Transaction,
  type: 'transaction.conflict' | `transaction.${FinalState}`,
  cause: ConflictCause,
  data: Record<string, unknown> | null,
): Promise<void> {
  await recordEvents(tx, [
    {
      environmentId: transaction.environment_id,
      transactionId: transaction.id,
      sequence: transaction.last_sequence,
      type,
      createdAt: cause.at,
      data,
    },
  ]);
}
