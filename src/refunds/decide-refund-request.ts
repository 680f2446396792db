import type { App } from '../app.ts';
import { type Actor, accountOf } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { requireUserOf } from '../auth/person-of.ts';
import { findSetUps, type SetUps } from '../auth/set-up-by.ts';
import type { User } from '../auth/user.ts';
import { selectUserById } from '../auth/user-queries.ts';
import type { Tx } from '../db/database.ts';
import { Problem } from '../error-catalogue.ts';
import { environmentHere } from '../payment-services/find-environment.ts';
import { type Transaction, transactionKeyOf } from '../transactions/transaction.ts';
import { lockTransaction } from '../transactions/transaction-queries.ts';
import { unseenEqualRefund } from './find-refund.ts';
import { findBarFromRequest } from './find-refund-request.ts';
import { placeRefund } from './place-refund.ts';
import type { Refund } from './refund.ts';
import type { RefundRefusal } from './refund-refusal.ts';
import { hasAsked, type RefundRequest } from './refund-request.ts';
import { selectRefundRequest, updateRefundRequest } from './refund-request-queries.ts';
import { inRefundTurn } from './refund-turns.ts';

/**
 * `already`: it was decided before, and `request` is that decision. `refused`: the refund cannot be made now, and the
 * request keeps waiting. `equal_made`: somebody made an equal refund while the approver was asked, and the request
 * keeps waiting.
 */
export type RefundRequestApproval =
  | { kind: 'approved'; request: RefundRequest; refund: Refund }
  | { kind: 'already'; request: RefundRequest }
  | { kind: 'equal_made'; request: RefundRequest }
  | { kind: 'refused'; request: RefundRequest; refusal: RefundRefusal };

export type RefundRequestRejection = { kind: 'rejected' | 'already'; request: RefundRequest };

/**
 * Approves a request and makes its refund, in one commit, by the rules of every refund except the requester's limit.
 * Concurrent approvals make one refund. The caller has checked the second factor. `reason` names no person; null: none
 * was given. `equalSeen`: the last equal refund that the approver saw, see `unseenEqualRefund`.
 *
 * Throws `Problem` APPROVAL_REFUSED (the approver made the request, or may know the API token that made it),
 * PERSON_NEEDED, PERMISSION_MISSING, and OVERLOADED like `createRefund`; rejects with `StorageError`.
 */
export function approveRefundRequest(
  app: App,
  asked: RefundRequest,
  { by, reason, equalSeen }: { by: Actor; reason: string | null; equalSeen?: string | undefined },
): Promise<RefundRequestApproval> {
  return inRefundTurn(app, asked.environment_id, async () => {
    const environment = await environmentHere(app, transactionKeyOf(asked));
    const at = app.now();
    return app.db.transaction<RefundRequestApproval>(async (tx) => {
      const { transaction, request } = await lockRequest(tx, asked);
      const user = await requireUserOf(tx, by, request.environment_id, 'refunds:approve');
      const bar = await findBarFromRequest(tx, request, user);
      if (bar !== null) {
        const { id } = request;
        throw new Problem('APPROVAL_REFUSED', { detail: { en: `${id}: ${bar.en}`, es: `${id}: ${bar.es}` } });
      }
      if (request.state !== 'waiting') return { kind: 'already', request };
      const equal = await unseenEqualRefund(tx, transaction, request.amount, equalSeen);
      if (equal !== undefined) return { kind: 'equal_made', request };
      const placing = { environment, transaction, part: request, requestedBy: request.requested_by };
      // Checked again after the wait for the merchant's money.
      const allow = () => requireUserOf(tx, by, request.environment_id, 'refunds:approve');
      const placed = await placeRefund(app, tx, { ...placing, idempotencyKey: null, now: at }, allow);
      if (placed.kind === 'refused') return { kind: 'refused', request, refusal: placed.refusal };
      const { refund } = placed;
      const asker = { id: request.requested_by_id, email: accountOf(request.requested_by) };
      const setUps = await findSetUps(tx, user, [asker], at);
      const end = { state: 'approved' as const, user, by, at, reason, refundId: refund.id, setUps };
      return { kind: 'approved', request: await endRequest(tx, transaction, request, end), refund };
    });
  });
}

/**
 * Rejects a request. The requester may do this too, to take it back. `reason` names no person. Throws `Problem`
 * PERSON_NEEDED, PERMISSION_MISSING, and PAYMENT_SERVICE_MOVED or PAYMENT_SERVICE_MOVING if another database has the
 * payment service; rejects with `StorageError`.
 */
export async function rejectRefundRequest(
  app: App,
  asked: RefundRequest,
  { by, reason }: { by: Actor; reason: string },
): Promise<RefundRequestRejection> {
  await environmentHere(app, asked);
  const at = app.now();
  return app.db.transaction<RefundRequestRejection>(async (tx) => {
    const { transaction, request } = await lockRequest(tx, asked);
    const isOwn = await isAskedBy(tx, request, by);
    const permission = isOwn ? 'refunds:create' : 'refunds:approve';
    const user = await requireUserOf(tx, by, request.environment_id, permission);
    if (request.state !== 'waiting') return { kind: 'already', request };
    const end = { state: 'rejected' as const, user, by, at, reason, refundId: null };
    return { kind: 'rejected', request: await endRequest(tx, transaction, request, end) };
  });
}

/** Locks the transaction first, like every change of its refunds. */
async function lockRequest(
  tx: Tx,
  asked: RefundRequest,
): Promise<{ transaction: Transaction; request: RefundRequest }> {
  const transaction = await lockTransaction(tx, transactionKeyOf(asked));
  const request = await selectRefundRequest(tx, asked);
  if (transaction === null || request === null) throw new Error('A request of a refund is gone');
  return { transaction, request };
}

async function isAskedBy(tx: Tx, request: RefundRequest, { userId }: Actor): Promise<boolean> {
  const user = userId === null ? null : await selectUserById(tx, userId);
  return user !== null && hasAsked(request, user);
}

type End = {
  state: 'approved' | 'rejected';
  user: User;
  by: Actor;
  at: number;
  reason: string | null;
  refundId: string | null;
  /** Whether one of the two set up the other a short time before. */
  setUps?: SetUps;
};

async function endRequest(
  tx: Tx,
  { id: transactionId, currency }: Transaction,
  { id, environment_id, amount, requested_by }: RefundRequest,
  { state, user, by, at, reason, refundId, setUps = {} }: End,
): Promise<RefundRequest> {
  const ended = await updateRefundRequest(
    tx,
    { id, environment_id },
    {
      state,
      decided_by: by.name,
      decided_by_id: user.id,
      decided_at: at,
      decision_reason: reason,
      refund_id: refundId,
    },
  );
  if (ended === null) throw new Error('A request of a refund was decided under the lock of its transaction');
  await recordAudit(tx, {
    at,
    by,
    action: `refund_request.${state}`,
    subject: { kind: 'refund_request', id },
    before: { state: 'waiting' },
    after: {
      transaction: transactionId,
      amount,
      currency,
      requested_by,
      state,
      refund: refundId,
      ...setUps,
    },
    reason,
    environmentId: environment_id,
  });
  return ended;
}
