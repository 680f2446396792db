import type { App } from '../app.ts';
import { isHeldBack } from '../epochs/hold.ts';
import type { Transaction } from '../transactions/transaction.ts';
import { hasOpenAttempt, lockTransaction } from '../transactions/transaction-queries.ts';
import { transitionTransaction } from '../transactions/transition-transaction.ts';
import { environmentOf } from './environment-of.ts';

export type Cancellation =
  | { kind: 'cancelled' }
  | { kind: 'refused'; code: 'NOT_PAYABLE' | 'PAYMENT_IN_PROGRESS' | 'HELD_AFTER_RESTORE' };

/**
 * The payer does not want to pay. Refused while a payment method has still to answer, and once there is another end.
 * Cancelling again answers the same. Rejects with `StorageError`.
 */
export async function cancelTransaction(app: App, given: Transaction): Promise<Cancellation> {
  const environment = await environmentOf(app, given);
  const cause = { event: 'cancel' as const, at: app.now(), paymentMethod: null, attemptId: null, data: null };
  const outcome = await app.db.transaction(async (tx) => {
    const transaction = await lockTransaction(tx, given);
    if (transaction === null) throw new Error('A transaction is gone');
    if (transaction.state === 'pending' && (await hasOpenAttempt(tx, given))) return 'in-progress';
    if (await isHeldBack(tx, transaction.created_at)) return 'held';
    const transition = await transitionTransaction(tx, environment, transaction, cause);
    return transition.kind;
  });
  if (outcome === 'in-progress') return { kind: 'refused', code: 'PAYMENT_IN_PROGRESS' };
  if (outcome === 'held') return { kind: 'refused', code: 'HELD_AFTER_RESTORE' };
  if (outcome === 'moved') app.metrics.transactions.inc({ state: 'cancelled' });
  return outcome === 'moved' || outcome === 'already'
    ? { kind: 'cancelled' }
    : { kind: 'refused', code: 'NOT_PAYABLE' };
}
