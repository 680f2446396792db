import { lookUpPaymentOf } from '../checkout/look-up-payments.ts';
import type { Endpoint } from './endpoint.ts';
import { payPath } from './pay-page.ts';
import { payHandler } from './pay-visit.ts';

const handle = payHandler(async (app, { payment, reply }) => {
  await lookUpPaymentOf(app, payment.transaction.id);
  return reply.code(303).header('location', payPath(app, payment)).send();
});

/** Where a payment method sends the payer back to. What the browser brings is believed for nothing: the method is asked. */
export const getPayReturn: Endpoint = { method: 'GET', paths: ['/pay/:token/return'], access: 'pay-link', handle };

/** The same for methods that send the payer back by a form post. */
export const postPayReturn: Endpoint = { method: 'POST', paths: ['/pay/:token/return'], access: 'pay-link', handle };
