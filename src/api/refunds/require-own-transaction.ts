import type { FastifyRequest } from 'fastify';
import type { App } from '../../app.ts';
import type { User } from '../../auth/user.ts';
import { Problem } from '../../error-catalogue.ts';
import { requireUser } from '../../http/require-user.ts';
import { environmentHere } from '../../payment-services/find-environment.ts';
import { findTransaction } from '../../transactions/find-transaction.ts';
import type { Transaction } from '../../transactions/transaction.ts';

/**
 * Returns the user and the transaction of the path for the refund endpoints, whose clients read a refusal as 403.
 * Throws `Problem` `NO_PERMISSION`, also when the transaction does not exist, and
 * PAYMENT_SERVICE_MOVED or PAYMENT_SERVICE_MOVING if another database has it: the refunds here are old.
 */
export async function requireOwnTransaction(
  app: App,
  request: FastifyRequest,
): Promise<{ user: User; transaction: Transaction }> {
  const user = await requireUser(app, request);
  const { id } = request.params as { id: string };
  const transaction = await findTransaction(app, id, user.environmentIds);
  if (transaction === null) throw new Problem('NO_PERMISSION');
  await environmentHere(app, transaction);
  return { user, transaction };
}
