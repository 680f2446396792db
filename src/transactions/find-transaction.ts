import { timingSafeEqual } from 'node:crypto';
import type { App } from '../app.ts';
import { readPayToken, type Transaction } from './transaction.ts';
import { selectTransaction, selectTransactionAmong, selectTransactionAnywhere } from './transaction-queries.ts';

/**
 * The transaction with the id in a path, or null: one outside `environmentIds` (null: all are visible) is as if it did
 * not exist, and so is an id that is not written as a plain integer.
 */
export async function findTransaction(
  app: App,
  id: string,
  environmentIds: ReadonlySet<number> | null,
): Promise<Transaction | null> {
  if (!/^[1-9]\d{0,14}$/.test(id)) return null;
  if (environmentIds === null) return selectTransactionAnywhere(app.db, Number(id));
  return selectTransactionAmong(app.db, Number(id), [...environmentIds]);
}

/**
 * The transaction that a pay token opens, or null. The secret part is compared in constant time. A token of before they said
 * their environment opens its transaction as ever.
 */
export async function findByPayToken(app: App, token: string): Promise<Transaction | null> {
  const parts = readPayToken(token);
  if (parts === null) return null;
  const { id, environmentId } = parts;
  const transaction = await (environmentId === null
    ? selectTransactionAnywhere(app.db, id)
    : selectTransaction(app.db, { id, environment_id: environmentId }));
  if (transaction === null) return null;
  return timingSafeEqual(Buffer.from(parts.secret), Buffer.from(transaction.pay_secret)) ? transaction : null;
}
