import type { App } from '../app.ts';
import type { Transaction } from './transaction.ts';
import { clearUnsignedFields } from './transaction-queries.ts';

/**
 * Forgets the unsigned objects of a transaction whose signed form came through a browser: its payer could read the signature
 * there, and have sent it from a server with objects of his own, such as another's tax document.
 */
export async function forgetUnsignedFields(
  app: App,
  { id, environment_id }: Pick<Transaction, 'id' | 'environment_id'>,
): Promise<void> {
  await app.db.transaction((tx) => clearUnsignedFields(tx, environment_id, id));
}
