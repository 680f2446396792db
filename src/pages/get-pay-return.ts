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
 * The address where a payment method returns the payer. The browser's parameters prove nothing: they only tell the
 * method's code what to look up.
 */
export const getPayReturn: Operation = { handle };

/** The same for methods that return the payer by a form post. */
export const postPayReturn: Operation = {
  consumes: ['application/x-www-form-urlencoded'],
  bodyOptional: true,
  handle,
};

/**
 * Parses the parameters as leniently as a browser does: a payer who returns from the bank must not get an error for an
 * oddity.
 */
function readReturned({ method, body, raw }: FastifyRequest): Record<string, string> {
  const query = (raw.url ?? '').split('?').slice(1).join('?');
  const text = method === 'POST' ? ((body as Buffer | undefined)?.toString() ?? '') : query;
  return Object.fromEntries(new URLSearchParams(text));
}
