import type { Operation } from '../http/endpoint.ts';
import { cancelPage, payPath } from './pay-page.ts';
import { payHandler } from './pay-visit.ts';

/**
 * Asks the payer to confirm the cancellation, on a separate page: the pay page's policy lets no form lead to the shop.
 */
export const getPayCancel: Operation = {
  handle: payHandler(async (app, { payment, language, reply, send }) => {
    if (payment.stage !== 'payable') return reply.code(303).header('location', payPath(app, payment)).send();
    return send(200, cancelPage(app, payment, language));
  }),
};
