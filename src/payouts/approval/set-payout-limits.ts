import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { lockUser } from '../../auth/user-queries.ts';
import { changeService } from '../../payment-services/find-environment.ts';
import type { PayoutOwner } from '../transition-payouts.ts';
import {
  lockPersonLimit,
  type PayoutLimits,
  selectPayoutLimits,
  upsertPayoutLimits,
  upsertPersonLimit,
} from './payout-limit-queries.ts';

/** Changes the given limits; null removes one. Returns all limits. */
export function setPayoutLimits(
  app: App,
  owner: PayoutOwner,
  changes: Partial<PayoutLimits>,
  by: Actor,
): Promise<PayoutLimits> {
  return changeService(app, owner.paymentServiceId, async (tx) => {
    const before = await selectPayoutLimits(tx, owner.id);
    const after = { ...before, ...changes };
    await upsertPayoutLimits(tx, owner.id, after);
    const subject = { kind: 'environment', id: `${owner.paymentServiceId} ${owner.environment}` };
    await recordAudit(tx, { at: app.now(), by, action: 'payout.limits_set', subject, before, after });
    return after;
  });
}

/** Sets how much one person may approve in a day, in CLP; null: no personal limit. */
export function setPersonLimit(app: App, userId: string, perDay: number | null, by: Actor): Promise<void> {
  return app.db.transaction(async (tx) => {
    // A concurrent change may insert the limit, and its row cannot be locked before.
    await lockUser(tx, userId);
    const before = await lockPersonLimit(tx, userId);
    await upsertPersonLimit(tx, userId, perDay);
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
