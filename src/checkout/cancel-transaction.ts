import type { App } from '../app.ts';
import { isHeldBack } from '../epochs/hold.ts';
import { environmentOf } from '../payment-services/find-environment.ts';
import { endUnpaid } from '../transactions/end-unpaid.ts';
import type { Transaction } from '../transactions/transaction.ts';
import { hasOpenAttempt, lockTransaction } from '../transactions/transaction-queries.ts';

export type Cancellation =
  | { kind: 'cancelled' }
  | { kind: 'refused'; code: 'NOT_PAYABLE' | 'PAYMENT_IN_PROGRESS' | 'HELD_AFTER_RESTORE' };

/**
 * Cancels a transaction for the payer. After a decline it ends as `failed`. Refused while a payment method has not
 * answered, after another end, and while a restore holds it. Cancelling a cancelled transaction again returns
 * `cancelled`. Rejects with `StorageError`.
 */
export async function cancelTransaction(app: App, given: Transaction): Promise<Cancellation> {
  const environment = await environmentOf(app, given);
  const at = app.now();
  const outcome = await app.db.transaction(async (tx) => {
    const transaction = await lockTransaction(tx, given);
    if (transaction === null) throw new Error('A transaction is gone');
    if (transaction.state === 'pending' && (await hasOpenAttempt(tx, given))) return 'in-progress';
    if (await isHeldBack(tx, { ...transaction, transactionId: transaction.id })) return 'held';
    return endUnpaid(tx, environment, transaction, { event: 'cancel', at });
  });
  if (outcome === 'in-progress') return { kind: 'refused', code: 'PAYMENT_IN_PROGRESS' };
  if (outcome === 'held') return { kind: 'refused', code: 'HELD_AFTER_RESTORE' };
  const { kind, transaction } = outcome;
  if (kind === 'moved') app.metrics.transactions.inc({ state: transaction.state });
  return kind === 'moved' || kind === 'already' ? { kind: 'cancelled' } : { kind: 'refused', code: 'NOT_PAYABLE' };
}
