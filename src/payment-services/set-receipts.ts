import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { changeService } from './find-environment.ts';
import { DEFAULT_RECEIPTS, type ReceiptWish } from './payment-service.ts';
import { selectReceipts, updateReceipts } from './payment-service-queries.ts';

/**
 * Sets the language of mailed receipts, or turns them off, within a second on every process. Queued receipts do not
 * change. Returns false if there is no such payment service.
 */
export function setReceipts(app: App, id: string, receipts: ReceiptWish, by: Actor): Promise<boolean> {
  return changeService(app, id, async (tx) => {
    const before = (await selectReceipts(tx, id)) ?? DEFAULT_RECEIPTS;
    if (!(await updateReceipts(tx, id, receipts))) return false;
    const subject = { kind: 'payment_service', id };
    const action = 'payment_service.receipts_set';
    await recordAudit(tx, { at: app.now(), by, action, subject, before: { receipts: before }, after: { receipts } });
    return true;
  });
}
