import { cancelTransaction } from '../checkout/cancel-transaction.ts';
import type { Operation } from '../http/endpoint.ts';
import { payHandler, sendRefusal } from './pay-visit.ts';

/** Cancels, and sends the payer to `x_url_cancel` by a GET with the merchant's query as it is. */
export const postPayCancel: Operation = {
  handle: payHandler(async (app, visit) => {
    const cancellation = await cancelTransaction(app, visit.payment.transaction);
    if (cancellation.kind === 'refused') return sendRefusal(app, visit, cancellation.code);
    return visit.reply.code(303).header('location', visit.payment.transaction.url_cancel).send();
  }),
};
