import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { type Act, recordAudit } from '../audit/record-audit.ts';
import { selectBalance } from '../books/balance-queries.ts';
import { methodReceivable } from '../books/journal-entry.ts';
import { postEntries } from '../books/post-entries.ts';
import type { Tx } from '../db/database.ts';
import { rehearse } from '../db/rehearse.ts';
import type { Sum } from '../lib/exact-sum.ts';
import { prefixedId } from '../lib/ids.ts';
import { enqueueEnvironmentEvent } from '../outbox/enqueue-event.ts';
import { recordEnvironmentEvent } from '../outbox/record-event.ts';
import { requireHere } from '../payment-services/find-environment.ts';
import { lockFunds } from '../payment-services/lock-funds.ts';
import type { Environment } from '../payment-services/payment-service.ts';
import { selectEnvironmentId } from '../payment-services/payment-service-queries.ts';
import { type Movement, movementPosting, payoutEvent, saysTheSame } from './movement.ts';
import { insertMovement, selectMovement, selectReturn } from './movement-queries.ts';

/** The books of one environment. */
export type MovementTarget = { paymentServiceId: string; environment: Environment };

/**
 * The movement that a person records. A deposit comes from a payment method, which may have kept a commission, or from
 * the merchant. Amounts are in minor units.
 */
export type MovementWish = {
  kind: 'payout' | 'deposit';
  /** A repeated reference is the same movement. */
  reference: string;
  amount: number;
  commission: number;
  currency: string;
  paymentMethod: string | null;
  by: Actor;
};

/**
 * `different`: the reference belongs to a movement with other content. `returned`: the reference belongs to a returned
 * payout, so sending the money again needs a new reference. `refused`: the amount exceeds `most`, in minor units.
 * `unknown`: no such payment service.
 */
export type Recording =
  | { kind: 'recorded' | 'replayed' | 'different' | 'returned'; movement: Movement }
  | { kind: 'refused'; most: Sum }
  | { kind: 'unknown' };

/**
 * Records money that was sent to a merchant, or that came from a payment method or the merchant: once for a reference,
 * and, even under concurrency, never more than is available or receivable. Writes its entries, its audit entry and, for
 * a payout, its event in the same commit. Throws `Problem` PAYMENT_SERVICE_MOVED or PAYMENT_SERVICE_MOVING if another
 * database has the payment service. Rejects with `StorageError`.
 */
export async function recordMovement(app: App, target: MovementTarget, wish: MovementWish): Promise<Recording> {
  const now = app.now();
  await requireHere(app, target.paymentServiceId);
  return app.db.transaction<Recording>((tx) => bookMovement(tx, target, wish, now));
}

/** Returns what `recordMovement` would return now, and records nothing. */
export async function previewMovement(app: App, target: MovementTarget, wish: MovementWish): Promise<Recording> {
  await requireHere(app, target.paymentServiceId);
  return rehearse(app.db, (tx) => bookMovement(tx, target, wish, app.now()));
}

/** Records a movement in the caller's commit. Only `recordAudit` may follow it there. */
export async function bookMovement(
  tx: Tx,
  target: MovementTarget,
  wish: MovementWish,
  now: number,
): Promise<Recording> {
  const environmentId = await selectEnvironmentId(tx, target.paymentServiceId, target.environment);
  if (environmentId === null) return { kind: 'unknown' };
  const movement = newMovement(environmentId, wish, now);
  const { payable } = await lockFunds(tx, environmentId, wish.currency);
  const earlier = await selectMovement(tx, movement);
  if (earlier !== null) return { kind: await compareToEarlier(tx, earlier, movement), movement: earlier };
  const most = wish.kind === 'payout' ? payable : await receivableOf(tx, movement);
  if (most !== null && movement.amount + movement.commission > most) return { kind: 'refused', most };
  await insertMovement(tx, movement);
  if (wish.kind === 'payout') await announcePayout(tx, target, movement);
  await postEntries(tx, movementPosting(movement));
  await recordAudit(tx, actOf(target, wish, movement));
  return { kind: 'recorded', movement };
}

function actOf({ paymentServiceId, environment }: MovementTarget, { kind, by }: MovementWish, movement: Movement): Act {
  const { id, created_at, reference, amount, commission, currency, payment_method } = movement;
  const owner = { payment_service: paymentServiceId, environment };
  const after = { ...owner, reference, amount, commission, currency, payment_method };
  const environmentId = movement.environment_id;
  return { at: created_at, by, action: `${kind}.recorded`, subject: { kind, id }, after, environmentId };
}

function newMovement(environmentId: number, wish: MovementWish, now: number): Movement {
  // It would credit the merchant with more than arrived.
  if (wish.commission > 0 && wish.paymentMethod === null) throw new Error('Only a payment method keeps a commission');
  return {
    id: prefixedId('mv'),
    environment_id: environmentId,
    kind: wish.kind,
    reference: wish.reference,
    amount: wish.amount,
    commission: wish.commission,
    currency: wish.currency,
    created_at: now,
    recorded_by: wish.by.name,
    payment_method: wish.paymentMethod,
    transaction_id: null,
    decision: null,
    reason: null,
  };
}

async function compareToEarlier(tx: Tx, earlier: Movement, movement: Movement) {
  if ((await selectReturn(tx, earlier)) !== null) return 'returned';
  return saysTheSame(earlier, movement) ? 'replayed' : 'different';
}

/** Returns the amount that the method of a deposit owes; null: the merchant paid it in, without a limit. */
async function receivableOf(tx: Tx, { environment_id, payment_method, currency }: Movement): Promise<Sum | null> {
  if (payment_method === null) return null;
  const account = methodReceivable(payment_method);
  return selectBalance(tx, { environmentId: environment_id, account, currency });
}

async function announcePayout(tx: Tx, target: MovementTarget, payout: Movement): Promise<void> {
  const event = payoutEvent(payout);
  await recordEnvironmentEvent(tx, event);
  await enqueueEnvironmentEvent(tx, { ...target, id: payout.environment_id }, payout.id, event);
}
