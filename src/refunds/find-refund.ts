import type { App } from '../app.ts';
import type { Reader, Tx } from '../db/database.ts';
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
  db: Reader,
  transaction: TransactionKey,
  amount: number,
): Promise<Refund | undefined> {
  const refunds = await selectRefundsOf(db, transaction);
  return refunds.findLast((one) => one.amount === amount && one.state !== 'failed');
}

/**
 * Returns the last equal refund if it is not the one that a person saw before they confirmed this refund: they decide
 * again. `seen`: its id, empty for none; undefined: nobody was asked. Called under the lock of the transaction.
 */
export async function unseenEqualRefund(
  tx: Tx,
  transaction: TransactionKey,
  amount: number,
  seen: string | undefined,
): Promise<Refund | undefined> {
  if (seen === undefined) return undefined;
  const equal = await lastEqualRefund(tx, transaction, amount);
  return equal?.id === seen ? undefined : equal;
}
