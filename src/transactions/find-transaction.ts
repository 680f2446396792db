import { timingSafeEqual } from 'node:crypto';
import type { App } from '../app.ts';
import { readPayToken, type Transaction } from './transaction.ts';
import { selectTransaction } from './transaction-queries.ts';

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
  const transaction = await selectTransaction(app.db, Number(id));
  const visible = transaction !== null && (environmentIds?.has(transaction.environment_id) ?? true);
  return visible ? transaction : null;
}

/** The transaction that a pay token opens, or null. The secret part is compared in constant time. */
export async function findByPayToken(app: App, token: string): Promise<Transaction | null> {
  const parts = readPayToken(token);
  if (parts === null) return null;
  const transaction = await selectTransaction(app.db, parts.id);
  if (transaction === null) return null;
  return timingSafeEqual(Buffer.from(parts.secret), Buffer.from(transaction.pay_secret)) ? transaction : null;
}
