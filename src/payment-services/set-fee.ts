import type { App } from '../app.ts';
import type { Fee } from './fee.ts';
import { type ListedFee, selectFees, upsertFee } from './fee-queries.ts';
import type { Environment } from './payment-service.ts';
import { selectEnvironmentId } from './payment-service-queries.ts';

export type FeeTarget = { paymentServiceId: string; environment: Environment; method: string; currency: string };

/**
 * Sets or replaces the fee of a payment method in one currency. It is taken of the payments that are approved from now on.
 * Answers false when there is no such payment service.
 */
export function setFee(app: App, target: FeeTarget, { rate_ppm, fixed }: Fee): Promise<boolean> {
  return app.db.transaction(async (tx) => {
    const environmentId = await selectEnvironmentId(tx, target.paymentServiceId, target.environment);
    if (environmentId === null) return false;
    await upsertFee(tx, {
      environment_id: environmentId,
      payment_method: target.method,
      currency: target.currency,
      rate_ppm,
      fixed,
      created_at: app.now(),
    });
    return true;
  });
}

/** All fees of the installation. */
export function listFees(app: App): Promise<ListedFee[]> {
  return selectFees(app.db);
}
