import type { App } from '../../app.ts';
import { PAYOUT_CURRENCY } from '../../payouts/payout.ts';
import type { Findings } from '../proof-finding.ts';
import { compareSaid } from './compare-said.ts';
import { selectPayoutLimitsSaid, selectPersonLimitsSaid } from './payout-limit-check-queries.ts';
import { arrivalOf } from './read-acts.ts';

/**
 * Compares the limits of payouts, also those up to which no person approves them, with the acts that set them. Limits
 * that were set before their payment service arrived from another database have their acts there.
 */
export async function verifyPayoutLimits(
  app: App,
  findings: Findings,
  arrivals: ReadonlyMap<string, number>,
): Promise<void> {
  for (const row of await selectPayoutLimitsSaid(app.db, PAYOUT_CURRENCY)) {
    const { environment_id, payment_service_id, said, said_at, ...limits } = row;
    if ((said_at ?? 0) <= arrivalOf(arrivals, payment_service_id)) continue;
    const name = `payout limits of environment ${environment_id}`;
    compareSaid(findings, 'payout_limits_changed', environment_id, name, { said, said_at }, limits);
  }
  for (const { user_id, per_day, ...said } of await selectPersonLimitsSaid(app.db, PAYOUT_CURRENCY)) {
    compareSaid(findings, 'payout_limits_changed', null, `payout limit of user ${user_id}`, said, { per_day });
  }
}
