import type { App } from '../app.ts';
import type { Transaction } from './transaction.ts';
import { clearUnsignedFields } from './transaction-queries.ts';

/**
 * Deletes the unsigned objects of a transaction whose signed form came through a browser. The payer could read the
 * signature there and send the request from a server with other objects, such as somebody else's tax document.
 */
export async function forgetUnsignedFields(
  app: App,
  { id, environment_id }: Pick<Transaction, 'id' | 'environment_id'>,
): Promise<void> {
  await app.db.transaction((tx) => clearUnsignedFields(tx, environment_id, id));
}
