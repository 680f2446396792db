import type { App } from '../app.ts';
import { feeContent, feeSubject } from '../books/book-fact.ts';
import { recordFact } from '../books/record-fact.ts';
import type { Fee } from './fee.ts';
import { type ListedFee, selectFees, upsertFee } from './fee-queries.ts';
import type { Environment } from './payment-service.ts';
import { selectEnvironmentId } from './payment-service-queries.ts';

export type FeeTarget = { paymentServiceId: string; environment: Environment; method: string; currency: string };

/**
 * Sets or replaces the fee of a payment method in one currency. It is taken of the payments that are approved from now on.
 * Who set it and when is among the facts that the books stand on. Answers false when there is no such payment service.
 */
export function setFee(
  app: App,
  target: FeeTarget,
  { rate_ppm, fixed }: Fee,
  recordedBy = 'command line',
): Promise<boolean> {
  return app.db.transaction(async (tx) => {
    const environmentId = await selectEnvironmentId(tx, target.paymentServiceId, target.environment);
    if (environmentId === null) return false;
    const { method: payment_method, currency } = target;
    const fee = { payment_method, currency, rate_ppm, fixed, created_at: app.now() };
    await upsertFee(tx, { environment_id: environmentId, ...fee });
    const [subject, content] = [feeSubject(fee), feeContent(fee)];
    await recordFact(tx, { environmentId, at: fee.created_at, kind: 'fee', subject, content, recordedBy });
    return true;
  });
}

/** All fees of the installation. */
export function listFees(app: App): Promise<ListedFee[]> {
  return selectFees(app.db);
}
