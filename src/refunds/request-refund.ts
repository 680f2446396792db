import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { findRefundAllowance } from '../auth/count-refund.ts';
import { kindOfRole } from '../auth/permission.ts';
import { requireUserOf } from '../auth/person-of.ts';
import type { InBoth } from '../error-catalogue.ts';
import { prefixedId } from '../lib/ids.ts';
import { environmentHere } from '../payment-services/find-environment.ts';
import type { Transaction } from '../transactions/transaction.ts';
import { lockTransaction } from '../transactions/transaction-queries.ts';
import { checkRefundPart } from './place-refund.ts';
import type { RefundType } from './refund.ts';
import type { RefundRefusal } from './refund-refusal.ts';
import type { RefundRequest } from './refund-request.ts';
import { countWaitingRequestsOf, insertRefundRequest, selectSameRefundRequest } from './refund-request-queries.ts';

/**
 * A request for a refund above the limit of `by`. `amount` is in minor units; null: all that is left. `reason` names
 * nobody.
 */
export type RefundRequestWish = { amount: number | null; type: RefundType; reason: string; by: Actor };

/**
 * `replayed`: it waits already. `within_limit`: the person may make this refund alone, so no request was made.
 * `too_many`: see `TOO_MANY`.
 */
export type RefundRequestMaking =
  | { kind: 'made' | 'replayed'; request: RefundRequest }
  | { kind: 'within_limit' | 'too_many' }
  | { kind: 'refused'; refusal: RefundRefusal };

/** The most waiting requests of one user for one payment. */
const MOST_WAITING = 5;

/** The message for the requester. */
export const TOO_MANY: InBoth = {
  en: `${MOST_WAITING} requests of yours for this payment wait already: take one back, or wait until one is decided.`,
  es: `Ya esperan ${MOST_WAITING} solicitudes tuyas de este pago: retira una o espera a que se decida alguna.`,
};

/**
 * Requests that another person approve a refund above the requester's limit, or returns why the refund would be
 * refused. The request reserves no money, so the approval checks the merchant's balance. A user can have one waiting
 * request for the same amount of a payment, and at most 5 for a payment, so that one user's requests do not hide the
 * others. Writes its audit entry in the same commit.
 *
 * Throws `Problem` PERSON_NEEDED if the actor is not an enabled user, and PERMISSION_MISSING; rejects with
 * `StorageError`.
 */
export async function requestRefund(
  app: App,
  paid: Transaction,
  wish: RefundRequestWish,
): Promise<RefundRequestMaking> {
  const { by, type, reason } = wish;
  const now = app.now();
  await environmentHere(app, paid);
  return app.db.transaction<RefundRequestMaking>(async (tx) => {
    const transaction = await lockTransaction(tx, paid);
    if (transaction === null) throw new Error('A transaction is gone');
    const { id: transactionId, environment_id, currency } = transaction;
    const user = await requireUserOf(tx, by, environment_id, 'refunds:create');
    const { amount, refusal } = await checkRefundPart(app, tx, transaction, wish, now);
    if (refusal !== null) return { kind: 'refused', refusal };
    const same = await selectSameRefundRequest(tx, transaction, { userId: user.id, amount });
    if (same !== null) return { kind: 'replayed', request: same };
    const allowance = await findRefundAllowance(tx, { userId: user.id, currency }, now);
    if (allowance === null || amount <= allowance.left) return { kind: 'within_limit' };
    if ((await countWaitingRequestsOf(tx, transaction, user.id)) >= MOST_WAITING) return { kind: 'too_many' };
    const request = await insertRefundRequest(tx, {
      id: prefixedId('rr'),
      environment_id,
      transaction_id: transactionId,
      amount,
      type,
      reason,
      requested_by: by.name,
      requested_by_id: user.id,
      requested_kind: kindOfRole(user.role),
      requested_at: now,
      state: 'waiting',
    });
    await recordAudit(tx, {
      at: now,
      by,
      action: 'refund_request.made',
      subject: { kind: 'refund_request', id: request.id },
      after: { transaction: transactionId, amount, currency, type },
      reason,
      environmentId: environment_id,
    });
    return { kind: 'made', request };
  });
}
