import type { App } from '../app.ts';
import { type TransactionKey, transactionKeyOf } from '../transactions/transaction.ts';
import { selectTransaction } from '../transactions/transaction-queries.ts';
import type { Refund } from './refund.ts';
import { selectRefund, selectRefundAnywhere, selectRefundsOf } from './refund-queries.ts';

/** Returns the refund with this id if it belongs to the transaction, otherwise null. */
export async function findRefund(app: App, transaction: TransactionKey, id: string): Promise<Refund | null> {
  const refund = await selectRefund(app.db, { id, environment_id: transaction.environment_id });
  return refund?.transaction_id === transaction.id ? refund : null;
}

/** Returns a refund by its id, with its currency; null if not found. For the operator. */
export async function findAnyRefund(app: App, id: string): Promise<{ refund: Refund; currency: string } | null> {
  const refund = await selectRefundAnywhere(app.db, id);
  const transaction = refund === null ? null : await selectTransaction(app.db, transactionKeyOf(refund));
  return refund === null || transaction === null ? null : { refund, currency: transaction.currency };
}

/** Returns the last refund of the transaction with this amount, in minor units, that did not fail. */
export async function lastEqualRefund(
  app: App,
  transaction: TransactionKey,
  amount: number,
): Promise<Refund | undefined> {
  const refunds = await selectRefundsOf(app.db, transaction);
  return refunds.findLast((one) => one.amount === amount && one.state !== 'failed');
}
