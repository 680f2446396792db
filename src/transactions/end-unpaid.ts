import type { Tx } from '../db/database.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';
import type { Transaction } from './transaction.ts';
import { countDeclined, selectLastDeclined } from './transaction-queries.ts';
import { declineEvent } from './transaction-state.ts';
import { type Transition, type TransitionCause, transitionTransaction } from './transition-transaction.ts';

/**
 * Applies a decline by the payment method. The transaction stays payable (`stays`) while the payer has attempts and
 * time left; the last decline ends it. Called under the lock of the transaction, after the end of the attempt is
 * written.
 */
export async function declineTransaction(
  tx: Tx,
  environment: ServiceEnvironment,
  transaction: Transaction,
  cause: Omit<TransitionCause, 'event'>,
): Promise<Transition> {
  const declined = await countDeclined(tx, transaction);
  const tried = { declined, expiresAt: transaction.expires_at, at: cause.at };
  const event = declineEvent(tried, environment.payerAttempts);
  return transitionTransaction(tx, environment, transaction, { ...cause, event });
}

/**
 * Ends a transaction without a payment: the payer gave up (`cancel`), or the time is over (`expire`). After a decline
 * it ends as `failed`, with the data of the last decline. Called under the lock of the transaction, while no attempt is
 * open.
 */
export async function endUnpaid(
  tx: Tx,
  environment: ServiceEnvironment,
  transaction: Transaction,
  ending: { event: 'cancel' | 'expire'; at: number },
): Promise<Transition> {
  const declined = transaction.state === 'pending' ? await selectLastDeclined(tx, transaction) : null;
  const cause: TransitionCause =
    declined === null
      ? { ...ending, paymentMethod: null, attemptId: null, data: null }
      : {
          event: 'fail',
          at: ending.at,
          paymentMethod: declined.payment_method,
          attemptId: declined.id,
          data: JSON.parse(declined.detail ?? 'null') as Record<string, unknown> | null,
        };
  return transitionTransaction(tx, environment, transaction, cause);
}
