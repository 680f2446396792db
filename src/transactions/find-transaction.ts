import { timingSafeEqual } from 'node:crypto';
import type { App } from '../app.ts';
import { readPayToken, type Transaction } from './transaction.ts';
import { selectTransaction } from './transaction-queries.ts';

/** The transaction that a pay token opens, or null. The secret part is compared in constant time. */
export async function findByPayToken(app: App, token: string): Promise<Transaction | null> {
  const parts = readPayToken(token);
  if (parts === null) return null;
  const transaction = await selectTransaction(app.db, parts.id);
  if (transaction === null) return null;
  return timingSafeEqual(Buffer.from(parts.secret), Buffer.from(transaction.pay_secret)) ? transaction : null;
}
