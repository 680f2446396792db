import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { postEntries } from '../books/post-entries.ts';
import { prefixedId } from '../lib/ids.ts';
import { lockEnvironmentId } from '../payment-services/payment-service-queries.ts';
import { type Movement, movementPosting, returnReference } from './movement.ts';
import { insertMovement, selectMovement } from './movement-queries.ts';
import type { MovementTarget } from './record-movement.ts';

/** The reference of the payout that came back, and why. `reason` names no person. */
export type ReturnWish = { reference: string; reason: string; by: Actor };

/**
 * `already`: the return was recorded before. `nothing`: no payout has this reference. `unknown`: no such payment
 * service. `payout` is the returned payout.
 */
export type PayoutReturn = { kind: 'returned' | 'already'; payout: Movement } | { kind: 'nothing' | 'unknown' };

/**
 * Records that the bank sent back a payout, or that it was never made: all of it, only once, with its entry in the same
 * commit. The amount becomes available again. Rejects with `StorageError`.
 */
export function returnPayout(app: App, target: MovementTarget, wish: ReturnWish): Promise<PayoutReturn> {
  const now = app.now();
  return app.db.transaction<PayoutReturn>(async (tx) => {
    // Concurrent returns of the same payout queue here, so that the second finds the record of the first.
    const environmentId = await lockEnvironmentId(tx, target.paymentServiceId, target.environment);
    if (environmentId === null) return { kind: 'unknown' };
    const { reference } = wish;
    const payout = await selectMovement(tx, { environment_id: environmentId, kind: 'payout', reference });
    if (payout === null) return { kind: 'nothing' };
    const movement = newReturn(payout, wish, now);
    if ((await selectMovement(tx, movement)) !== null) return { kind: 'already', payout };
    await insertMovement(tx, movement);
    await postEntries(tx, movementPosting(movement));
    const { amount, currency } = payout;
    await recordAudit(tx, {
      at: now,
      by: wish.by,
      action: 'payout.returned',
      subject: { kind: 'payout', id: payout.id },
      after: { payment_service: target.paymentServiceId, environment: target.environment, reference, amount, currency },
      reason: wish.reason,
    });
    return { kind: 'returned', payout };
  });
}

function newReturn(payout: Movement, { reason, by }: ReturnWish, now: number): Movement {
  return {
    ...payout,
    id: prefixedId('mv'),
    kind: 'resolution',
    reference: returnReference(payout),
    created_at: now,
    recorded_by: by.name,
    decision: 'returned',
    reason,
  };
}
