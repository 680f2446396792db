import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { feeContent, feeSubject } from '../books/book-fact.ts';
import { recordFact } from '../books/record-fact.ts';
import type { Fee } from './fee.ts';
import { selectFee, upsertFee } from './fee-queries.ts';
import { changeService } from './find-environment.ts';
import type { Environment } from './payment-service.ts';
import { selectEnvironmentId } from './payment-service-queries.ts';

export type FeeTarget = { paymentServiceId: string; environment: Environment; method: string; currency: string };

/**
 * Sets or replaces the fee of a payment method in one currency, for payments that are approved from now on. A fact of
 * the books records who set it and when. Returns false if there is no such payment service.
 */
export function setFee(app: App, target: FeeTarget, { rate_ppm, fixed }: Fee, by: Actor): Promise<boolean> {
  return changeService(app, target.paymentServiceId, async (tx) => {
    const environmentId = await selectEnvironmentId(tx, target.paymentServiceId, target.environment);
    if (environmentId === null) return false;
    const { method: payment_method, currency } = target;
    const fee = { payment_method, currency, rate_ppm, fixed, created_at: app.now() };
    const before = await selectFee(tx, environmentId, payment_method, currency);
    await upsertFee(tx, { environment_id: environmentId, ...fee });
    const [subject, content] = [feeSubject(fee), feeContent(fee)];
    await recordFact(tx, { environmentId, at: fee.created_at, kind: 'fee', subject, content, recordedBy: by.name });
    const { environment } = target;
    await recordAudit(tx, {
      at: fee.created_at,
      by,
      action: 'fee.set',
      subject: { kind: 'payment_service', id: target.paymentServiceId },
      before: before === null ? null : { environment, payment_method, currency, ...before },
      after: { environment, payment_method, currency, rate_ppm, fixed },
    });
    return true;
  });
}
