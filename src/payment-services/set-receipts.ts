import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { DEFAULT_RECEIPTS, type ReceiptWish } from './payment-service.ts';
import { selectReceipts, updateReceipts } from './payment-service-queries.ts';

/**
 * In which language payers get receipts by mail, or that they get none, within a second on every process. What is queued leaves
 * as it was. Answers false when there is no such payment service.
 */
export function setReceipts(app: App, id: string, receipts: ReceiptWish, by: Actor): Promise<boolean> {
  return app.db.transaction(async (tx) => {
    const before = (await selectReceipts(tx, id)) ?? DEFAULT_RECEIPTS;
    if (!(await updateReceipts(tx, id, receipts))) return false;
    const subject = { kind: 'payment_service', id };
    const action = 'payment_service.receipts_set';
    await recordAudit(tx, { at: app.now(), by, action, subject, before: { receipts: before }, after: { receipts } });
    return true;
  });
}
