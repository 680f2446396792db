import type { App } from '../app.ts';
import { isSameText } from '../lib/same-text.ts';
import { readPayToken, type Transaction } from './transaction.ts';
import { selectTransaction, selectTransactionAmong, selectTransactionAnywhere } from './transaction-queries.ts';

/**
 * Returns the transaction with the id in a path. Returns null if it does not exist, if it is outside `environmentIds`
 * (null: all are visible), or if the id is not written as a plain integer.
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
 * Returns the transaction of a pay token, or null. Compares the secret part in constant time. Accepts older tokens,
 * which have no environment.
 */
export async function findByPayToken(app: App, token: string): Promise<Transaction | null> {
  const parts = readPayToken(token);
  if (parts === null) return null;
  const { id, environmentId } = parts;
  const transaction = await (environmentId === null
    ? selectTransactionAnywhere(app.db, id)
    : selectTransaction(app.db, { id, environment_id: environmentId }));
  if (transaction === null) return null;
  return isSameText(parts.secret, transaction.pay_secret) ? transaction : null;
}
