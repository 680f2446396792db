import { payUrl } from '../../checkout/pay-link.ts';
import { operation } from '../../http/endpoint.ts';
import { Type } from '../../http/json-schema.ts';
import { createFromRequest } from './post-trxs.ts';
import { SIGNED_REQUEST_ERRORS, SIGNED_REQUEST_EXAMPLE, SignedRequestSchema } from './transaction-schemas.ts';

/** The same from a form in the payer's browser, which lands on the pay page. Kept for shops that post it. */
export const postInitTransaction = operation({
  consumes: ['application/x-www-form-urlencoded'],
  describe: {
    operationId: 'initTransaction',
    summary: 'Create a transaction from a browser form',
    description:
      'Answers 303 to the pay page. Prefer `POST /trxs` from your server: a signed request that never reaches a browser cannot be read there.',
    tag: 'Transactions',
    parameters: [
      { name: 'method', in: 'query', description: 'Code of the payment method to begin with', schema: Type.String() },
    ],
    body: SignedRequestSchema,
    bodyExample: SIGNED_REQUEST_EXAMPLE,
    replies: { 303: { description: 'To the pay page', headers: { Location: 'The pay page' } } },
    errors: ['INVALID_PARAMETER', ...SIGNED_REQUEST_ERRORS],
  },
  handle: async (app, request, reply, query) => {
    const { method } = query();
    const { transaction, methods } = await createFromRequest(app, request);
    const chosen = methods.find(({ code }) => code === method);
    const suffix = chosen === undefined ? '' : `?method=${chosen.code}`;
    return reply
      .code(303)
      .header('location', payUrl(app, transaction) + suffix)
      .send();
  },
});
