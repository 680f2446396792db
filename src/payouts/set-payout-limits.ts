import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { lockFunds } from '../payment-services/lock-funds.ts';
import {
  type PayoutLimits,
  selectPayoutLimits,
  selectPersonLimit,
  upsertPayoutLimits,
  upsertPersonLimit,
} from './payout-limit-queries.ts';
import { PAYOUT_CURRENCY } from './payout-limits.ts';
import type { PayoutOwner } from './transition-payouts.ts';

/** Reads the limits of payouts of an environment, in CLP. */
export function readPayoutLimits(app: App, owner: PayoutOwner): Promise<PayoutLimits> {
  return selectPayoutLimits(app.db, owner.id, PAYOUT_CURRENCY);
}

/** Changes those that are given; null takes one away. Answers all as they are now. */
export function setPayoutLimits(
  app: App,
  owner: PayoutOwner,
  changes: Partial<PayoutLimits>,
  by: Actor,
): Promise<PayoutLimits> {
  return app.db.transaction(async (tx) => {
    // Two who change limits at once wait here for each other, so that the second changes what the first has set.
    await lockFunds(tx, owner.id, PAYOUT_CURRENCY);
    const before = await selectPayoutLimits(tx, owner.id, PAYOUT_CURRENCY);
    const after = { ...before, ...changes };
    await upsertPayoutLimits(tx, owner.id, PAYOUT_CURRENCY, after);
    const subject = { kind: 'environment', id: `${owner.paymentServiceId} ${owner.environment}` };
    await recordAudit(tx, { at: app.now(), by, action: 'payout.limits_set', subject, before, after });
    return after;
  });
}

/** Sets how much one person may approve in a day, in CLP; null: the person has no limit of their own. */
export function setPersonLimit(app: App, userId: string, perDay: number | null, by: Actor): Promise<void> {
  return app.db.transaction(async (tx) => {
    const before = await selectPersonLimit(tx, userId, PAYOUT_CURRENCY);
    await upsertPersonLimit(tx, userId, PAYOUT_CURRENCY, perDay);
    await recordAudit(tx, {
      at: app.now(),
      by,
      action: 'payout.limits_set',
      subject: { kind: 'user', id: userId },
      before: { per_day: before },
      after: { per_day: perDay },
    });
  });
}
