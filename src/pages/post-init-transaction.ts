import type { FastifyReply, FastifyRequest } from 'fastify';
import { createFromRequest } from '../api/transactions/post-trxs.ts';
import { readSignedRequest } from '../api/transactions/read-signed-request.ts';
import {
  SIGNED_REQUEST_ERRORS,
  SIGNED_REQUEST_EXAMPLE,
  SignedRequestSchema,
} from '../api/transactions/transaction-schemas.ts';
import type { App } from '../app.ts';
import { chosenMethod } from '../checkout/available-methods.ts';
import { payUrl } from '../checkout/pay-link.ts';
import type { Problem } from '../error-catalogue.ts';
import { operation } from '../http/endpoint.ts';
import { Type } from '../http/json-schema.ts';
import { sendProblem } from '../http/send-problem.ts';
import { perInstance } from '../lib/per-instance.ts';
import { forgetUnsignedFields } from '../transactions/forget-unsigned-fields.ts';
import { type SignedUrls, sendRefusedForm } from './refused-form.ts';

/**
 * Creates a transaction from a form in the payer's browser, and redirects to the pay page. Kept for shops that post it.
 */
export const postInitTransaction = operation({
  consumes: ['application/x-www-form-urlencoded'],
  describe: {
    operationId: 'initTransaction',
    summary: 'Create a transaction from a browser form',
    description:
      'Creates a transaction and redirects to the pay page with 303. `method=WebPayPST` means `webpay`. A refused request returns a page in the payer’s language, with a link back to the shop if the signature was valid; a client that accepts only JSON gets JSON. Prefer `POST /trxs` from your server: it keeps the signed request out of the browser. The unsigned objects are not stored, because the payer could have sent them.',
    tag: 'Transactions',
    parameters: [
      { name: 'method', in: 'query', description: 'Code of the payment method to start with', schema: Type.String() },
    ],
    body: SignedRequestSchema,
    bodyExample: SIGNED_REQUEST_EXAMPLE,
    replies: { 303: { description: 'Redirect to the pay page', headers: { Location: 'The pay page' } } },
    errors: ['INVALID_PARAMETER', ...SIGNED_REQUEST_ERRORS],
  },
  handle: async (app, request, reply, query) => {
    const { method = '' } = query();
    const signed = await readSignedRequest(app, request);
    signedUrls(request).urls = signed.values;
    const created = await createFromRequest(app, signed);
    const { transaction, methods } = created;
    if (created.kind === 'replayed' && created.transaction.unsigned_fields !== null) {
      await forgetUnsignedFields(app, created.transaction);
    }
    const chosen = chosenMethod(methods, method);
    const suffix = chosen === undefined ? '' : `?method=${chosen.code}`;
    return reply
      .code(303)
      .header('location', payUrl(app, transaction) + suffix)
      .send();
  },
  refuse,
});

/** The addresses of a request with a valid signature; null before. A payer must never be led to an unsigned address. */
const signedUrls = perInstance((_request: FastifyRequest): { urls: SignedUrls | null } => ({ urls: null }));

function refuse(app: App, request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply {
  const accept = request.headers.accept ?? '';
  if (/\bjson\b/i.test(accept) && !/\btext\/html\b/i.test(accept)) return sendProblem(app, request, reply, problem);
  return sendRefusedForm(app, request, reply, problem, signedUrls(request).urls);
}
