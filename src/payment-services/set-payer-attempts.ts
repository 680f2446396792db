import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { changeService } from './find-environment.ts';
import { selectPayerAttempts, updatePayerAttempts } from './payment-service-queries.ts';

/**
 * Sets the number of declined attempts that ends a transaction (1: the first decline does), within a second on every
 * process. Null: the default, `DEFAULT_PAYER_ATTEMPTS`. Returns false if there is no such payment service.
 */
export function setPayerAttempts(app: App, id: string, payerAttempts: number | null, by: Actor): Promise<boolean> {
  return changeService(app, id, async (tx) => {
    const before = await selectPayerAttempts(tx, id);
    if (!(await updatePayerAttempts(tx, id, payerAttempts))) return false;
    await recordAudit(tx, {
      at: app.now(),
      by,
      action: 'payment_service.payer_attempts_set',
      subject: { kind: 'payment_service', id },
      before: { payer_attempts: before },
      after: { payer_attempts: payerAttempts },
    });
    return true;
  });
}
