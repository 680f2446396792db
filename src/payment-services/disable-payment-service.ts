import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { type Act, recordAudit } from '../audit/record-audit.ts';
import type { Tx } from '../db/database.ts';
import { changeService } from './find-environment.ts';
import { hasPaymentService, updateDisabled, updateEnabled } from './payment-service-queries.ts';

/** Disables a payment service: its signatures fail within a second on every replica. `already`: it was disabled. */
export function disablePaymentService(app: App, id: string, by: Actor): Promise<'changed' | 'already' | 'unknown'> {
  const at = app.now();
  return change(app, { at, by, action: 'payment_service.disabled' }, id, (tx) => updateDisabled(tx, id, at));
}

/** Enables a payment service again. `already`: it was enabled. */
export function enablePaymentService(app: App, id: string, by: Actor): Promise<'changed' | 'already' | 'unknown'> {
  return change(app, { at: app.now(), by, action: 'payment_service.enabled' }, id, (tx) => updateEnabled(tx, id));
}

/** Throws `Problem` PAYMENT_SERVICE_MOVED. */
async function change(
  app: App,
  act: Pick<Act, 'at' | 'by' | 'action'>,
  id: string,
  update: (tx: Tx) => Promise<boolean>,
) {
  return changeService(app, id, async (tx) => {
    if (!(await update(tx))) return (await hasPaymentService(tx, id)) ? 'already' : 'unknown';
    await recordAudit(tx, { ...act, subject: { kind: 'payment_service', id } });
    return 'changed';
  });
}
