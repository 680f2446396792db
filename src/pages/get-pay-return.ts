import type { FastifyRequest } from 'fastify';
import { lookUpPaymentOf } from '../checkout/look-up-payments.ts';
import type { Operation } from '../http/endpoint.ts';
import { payPath } from './pay-page.ts';
import { payHandler } from './pay-visit.ts';

const handle = payHandler(async (app, { payment, request, reply }) => {
  await lookUpPaymentOf(app, payment.transaction, readReturned(request));
  return reply.code(303).header('location', payPath(app, payment)).send();
});

/**
 * Where a payment method sends the payer back to. What the browser brings is believed for nothing: it only tells the
 * method's own code what to ask for.
 */
export const getPayReturn: Operation = { handle };

/** The same for methods that send the payer back by a form post. */
export const postPayReturn: Operation = {
  consumes: ['application/x-www-form-urlencoded'],
  bodyOptional: true,
  handle,
};

/** Read as every browser writes it: a payer who comes back from the bank is turned away for no oddity. */
function readReturned({ method, body, raw }: FastifyRequest): Record<string, string> {
  const query = (raw.url ?? '').split('?').slice(1).join('?');
  const text = method === 'POST' ? ((body as Buffer | undefined)?.toString() ?? '') : query;
  return Object.fromEntries(new URLSearchParams(text));
}
