import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { changeService } from './find-environment.ts';
import { selectPerMinute, updatePerMinute } from './payment-service-queries.ts';

/**
 * Sets how many signed requests a payment service may send in a minute, within a second on every process; null: the
 * default in docs/limits.md. Returns false if there is no such payment service.
 */
export function setRequestLimit(app: App, id: string, perMinute: number | null, by: Actor): Promise<boolean> {
  return changeService(app, id, async (tx) => {
    const before = await selectPerMinute(tx, id);
    if (!(await updatePerMinute(tx, id, perMinute))) return false;
    await recordAudit(tx, {
      at: app.now(),
      by,
      action: 'payment_service.limit_set',
      subject: { kind: 'payment_service', id },
      before: { per_minute: before },
      after: { per_minute: perMinute },
    });
    return true;
  });
}
