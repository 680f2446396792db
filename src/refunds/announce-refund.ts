import type { RefundNotice } from '../../protocol/verify-notice.ts';
import { refundContent } from '../books/book-fact.ts';
import { recordFact } from '../books/record-fact.ts';
import type { Tx } from '../db/database.ts';
import { formatDecimal } from '../lib/money.ts';
import { queueReceipt } from '../mail/queue-receipt.ts';
import { enqueueEvent } from '../outbox/enqueue-event.ts';
import { recordEvents } from '../outbox/record-event.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';
import type { Transaction } from '../transactions/transaction.ts';
import type { Refund } from './refund.ts';

/**
 * Announces the current state of a refund: in the feed, to the environment's events URL, to the payer by mail once it
 * is completed, and as a fact that the books depend on. Joins the commit that made the change; if that posts entries,
 * it posts them after this call. `transaction` already has the event's sequence number.
 */
export async function announceRefund(
  tx: Tx,
  environment: ServiceEnvironment,
  transaction: Transaction,
  refund: Refund,
): Promise<void> {
  const { id, type, state, amount, detail } = refund;
  const { currency } = transaction;
  const told = { id, type, amount: formatDecimal(amount, currency), currency } satisfies RefundNotice['data']['refund'];
  const event = {
    environmentId: transaction.environment_id,
    transactionId: transaction.id,
    sequence: transaction.last_sequence,
    type: `refund.${state}` as const satisfies RefundNotice['type'],
    createdAt: refund.settled_at ?? refund.created_at,
    data: {
      // These fields come last, because a method's details may have a `type`.
      refund: { ...JSON.parse(detail ?? '{}'), ...told },
    },
  };
  await recordEvents(tx, [event]);
  await enqueueEvent(tx, environment, transaction, event);
  if (state === 'completed') {
    const receipt = { transaction, refundId: id, address: transaction.customer_email, at: event.createdAt };
    await queueReceipt(tx, environment.receipts, receipt);
  }
  await recordFact(tx, {
    environmentId: transaction.environment_id,
    at: event.createdAt,
    kind: 'refund',
    subject: id,
    content: refundContent(refund),
    recordedBy: refund.requested_by,
  });
}
