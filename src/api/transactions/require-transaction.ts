import type { FastifyRequest } from 'fastify';
import type { App } from '../../app.ts';
import { notFound } from '../../error-catalogue.ts';
import { requireUser } from '../../http/require-user.ts';
import { environmentHere } from '../../payment-services/find-environment.ts';
import { findTransaction } from '../../transactions/find-transaction.ts';
import type { Transaction } from '../../transactions/transaction.ts';

/**
 * Returns the transaction of the path. Throws `Problem` `NOT_FOUND`, also for a transaction that the user may not see,
 * and PAYMENT_SERVICE_MOVED or PAYMENT_SERVICE_MOVING if another database has it: the state here is old.
 */
export async function requireTransaction(app: App, request: FastifyRequest): Promise<Transaction> {
  const user = await requireUser(app, request);
  const { id } = request.params as { id: string };
  const transaction = await findTransaction(app, id, user.environmentIds);
  if (transaction === null) throw notFound('There is no such transaction.', 'No existe esa transacción.');
  await environmentHere(app, transaction);
  return transaction;
}
