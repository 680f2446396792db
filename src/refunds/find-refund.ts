import type { App } from '../app.ts';
import { type TransactionKey, transactionKeyOf } from '../transactions/transaction.ts';
import { selectTransaction } from '../transactions/transaction-queries.ts';
import type { Refund } from './refund.ts';
import {
  type ListedRefund,
  selectRefund,
  selectRefundAnywhere,
  selectRefunds,
  selectRefundsOf,
} from './refund-queries.ts';

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

/** Lists the refunds of a transaction, in the order in which they were accepted. */
export function listRefundsOf(app: App, transaction: TransactionKey): Promise<Refund[]> {
  return selectRefundsOf(app.db, transaction);
}

/** Lists the newest refunds of the installation. */
export function listRefunds(app: App, limit: number): Promise<ListedRefund[]> {
  return selectRefunds(app.db, limit);
}
