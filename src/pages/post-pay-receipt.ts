import { askForReceipt } from '../checkout/ask-for-receipt.ts';
import type { Operation } from '../http/endpoint.ts';
import { onlyField } from './only-field.ts';
import { payPath } from './pay-page.ts';
import { payHandler, sendPayPage } from './pay-visit.ts';

/** Queues the receipt of a payment for the address that the payer typed. */
export const postPayReceipt: Operation = {
  consumes: ['application/x-www-form-urlencoded'],
  handle: payHandler(async (app, visit) => {
    const { payment, language, request, reply } = visit;
    const address = onlyField(request.body, 'email').trim();
    const path = payPath(app, payment);
    // Without a receipt form, the payment's page says how to go on.
    if (payment.stage !== 'completed' || payment.environment.receipts === null)
      return reply.code(303).header('location', path).send();
    const outcome = await askForReceipt(app, payment, address, language);
    if (outcome === 'queued') return reply.code(303).header('location', `${path}?receipt=sent`).send();
    return sendPayPage(app, visit, outcome === 'address' ? 400 : 429, { asked: outcome });
  }),
};
