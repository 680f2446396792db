import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { postEntries } from '../books/post-entries.ts';
import type { Tx } from '../db/database.ts';
import { prefixedId } from '../lib/ids.ts';
import { requireHere } from '../payment-services/find-environment.ts';
import { lockEnvironmentId } from '../payment-services/payment-service-queries.ts';
import { type Movement, movementPosting, returnOf } from './movement.ts';
import { insertMovement, selectMovement, selectReturn } from './movement-queries.ts';
import type { MovementTarget } from './record-movement.ts';

/** The reference of the payout or deposit that is taken back, and why. `reason` names no person. */
export type ReturnWish = { reference: string; reason: string; by: Actor };

/** `already`: the return was recorded before. `movement` is the returned payout or deposit. */
export type Returned = { kind: 'returned' | 'already'; movement: Movement };

/** `nothing`: no payout has this reference. `unknown`: no such payment service. */
export type PayoutReturn = Returned | { kind: 'nothing' | 'unknown' };

/**
 * Records that the bank sent back a payout, or that it was never made: all of it, only once, with its entry in the same
 * commit. The amount becomes available again. Throws `Problem` PAYMENT_SERVICE_MOVED or PAYMENT_SERVICE_MOVING if
 * another database has the payment service. Rejects with `StorageError`.
 */
export async function returnPayout(app: App, target: MovementTarget, wish: ReturnWish): Promise<PayoutReturn> {
  const now = app.now();
  await requireHere(app, target.paymentServiceId);
  return app.db.transaction<PayoutReturn>(async (tx) => {
    // Concurrent returns of the same payout queue here, so that the second finds the record of the first.
    const environmentId = await lockEnvironmentId(tx, target.paymentServiceId, target.environment);
    if (environmentId === null) return { kind: 'unknown' };
    const { reference } = wish;
    const payout = await selectMovement(tx, { environment_id: environmentId, kind: 'payout', reference });
    if (payout === null) return { kind: 'nothing' };
    return bookReturn(tx, target, payout, { ...wish, now });
  });
}

/** Takes back a whole payout or deposit in the caller's commit. Concurrent calls for it must queue before this. */
export async function bookReturn(
  tx: Tx,
  { paymentServiceId, environment }: MovementTarget,
  movement: Movement,
  { reason, by, now }: ReturnWish & { now: number },
): Promise<Returned> {
  if ((await selectReturn(tx, movement)) !== null) return { kind: 'already', movement };
  const back = returnOf(movement, { id: prefixedId('mv'), at: now, by: by.name, reason });
  await insertMovement(tx, back);
  await postEntries(tx, movementPosting(back));
  const { id, reference, amount, currency } = movement;
  const kind = movement.kind === 'deposit' ? 'deposit' : 'payout';
  await recordAudit(tx, {
    at: now,
    by,
    action: `${kind}.returned`,
    environmentId: movement.environment_id,
    subject: { kind, id },
    after: { payment_service: paymentServiceId, environment, reference, amount, currency },
    reason,
  });
  return { kind: 'returned', movement };
}
