import { createFromRequest } from './create-from-request.ts';
import type { Endpoint } from './endpoint.ts';
import {
  CREATED_EXAMPLE,
  CreatedSchema,
  SIGNED_REQUEST_ERRORS,
  SIGNED_REQUEST_EXAMPLE,
  SignedRequestSchema,
} from './schemas.ts';
import { createdReply } from './transaction-reply.ts';

/** Creates a transaction from a signed request of a shop's server. */
export const postTrxs: Endpoint = {
  method: 'POST',
  paths: ['/trxs', '/v2/trxs'],
  access: 'signature',
  consumes: ['application/json', 'application/x-www-form-urlencoded'],
  describe: {
    operationId: 'createTransaction',
    summary: 'Create a transaction',
    description:
      'The ten `x_` fields are signed with the Secret Token. An identical repeat answers 200 with the first transaction and `Idempotency-Hit: true`.',
    tag: 'Transactions',
    body: SignedRequestSchema,
    bodyExample: SIGNED_REQUEST_EXAMPLE,
    replies: {
      200: {
        description: 'Stored durably, now or by an earlier identical request.',
        schema: CreatedSchema,
        example: CREATED_EXAMPLE,
        headers: { 'Idempotency-Hit': 'true when this reference had been created before' },
      },
    },
    errors: ['INVALID_TYPE', ...SIGNED_REQUEST_ERRORS],
  },
  handle: async (app, request, reply) => {
    const created = await createFromRequest(app, request);
    if (created.kind === 'replayed') reply.header('idempotency-hit', 'true');
    reply.header('content-type', 'application/json; charset=utf-8');
    return createdReply(app, created.transaction, created.methods);
  },
};
