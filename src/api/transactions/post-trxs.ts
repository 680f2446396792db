import type { App } from '../../app.ts';
import { availableMethods } from '../../checkout/available-methods.ts';
import { Problem } from '../../error-catalogue.ts';
import { operation } from '../../http/endpoint.ts';
import type { PaymentMethod } from '../../payment-methods/payment-method.ts';
import { type CreateOutcome, createTransaction } from '../../transactions/create-transaction.ts';
import { inputOf, readSignedRequest, type SignedRequest } from './read-signed-request.ts';
import { createdReply } from './transaction-reply.ts';
import {
  CREATED_EXAMPLE,
  CreatedSchema,
  SIGNED_REQUEST_ERRORS,
  SIGNED_REQUEST_EXAMPLE,
  SignedRequestSchema,
} from './transaction-schemas.ts';

/** Creates a transaction from a signed request of a shop's server. */
export const postTrxs = operation({
  consumes: ['application/json', 'application/x-www-form-urlencoded'],
  describe: {
    operationId: 'createTransaction',
    summary: 'Create a transaction',
    description:
      'Creates a transaction from the ten `x_` fields, signed with the Secret Token. Repeating an identical request is safe: it returns 200 with the first transaction and `Idempotency-Hit: true`.',
    tag: 'Transactions',
    body: SignedRequestSchema,
    bodyExample: SIGNED_REQUEST_EXAMPLE,
    replies: {
      200: {
        description: 'Stored durably, now or by an earlier identical request',
        schema: CreatedSchema,
        example: CREATED_EXAMPLE,
        headers: { 'Idempotency-Hit': 'true if this reference was used before' },
      },
    },
    errors: ['INVALID_TYPE', ...SIGNED_REQUEST_ERRORS],
  },
  handle: async (app, request, reply) => {
    const created = await createFromRequest(app, await readSignedRequest(app, request));
    if (created.kind === 'replayed') reply.header('idempotency-hit', 'true');
    reply.header('content-type', 'application/json; charset=utf-8');
    return createdReply(app, created.transaction, created.methods);
  },
});

type Requested = CreateOutcome & { methods: PaymentMethod[] };
type Created = Exclude<Requested, { kind: 'conflict' }>;

/**
 * Validates a signed request and stores its transaction. Also used by the browser form, which responds differently.
 * Throws `Problem` `REFERENCE_CONFLICT` for a used reference with other fields, and what `storeRequested` throws.
 */
export async function createFromRequest(app: App, request: SignedRequest): Promise<Created> {
  const stored = await storeRequested(app, request);
  if (stored.kind === 'conflict') throw referenceConflict(stored.transaction.id, stored.fields);
  return stored;
}

/**
 * Does the same, but returns a conflict instead of throwing it. Throws `NO_PAYMENT_METHOD`, and what `inputOf` throws.
 */
export async function storeRequested(app: App, request: SignedRequest): Promise<Requested> {
  const { environment } = request;
  const input = inputOf(app, request);
  const methods = availableMethods(app, environment, input);
  if (methods.length === 0) throw new Problem('NO_PAYMENT_METHOD');
  return { ...(await createTransaction(app, environment, input)), methods };
}

function referenceConflict(id: number, fields: readonly string[]): Problem {
  return new Problem('REFERENCE_CONFLICT', {
    detail: {
      en: `The reference belongs to transaction ${id}, which differs in ${fields.join(', ')}.`,
      es: `La referencia es de la transacción ${id}, que difiere en ${fields.join(', ')}.`,
    },
    errors: fields.map((name) => ({
      pointer: `/${name}`,
      code: 'REFERENCE_CONFLICT',
      message: `${name} is not what it was when the reference was first used.`,
      fix: 'Repeat the first value, or use a new reference.',
      es: {
        message: `${name} no es lo que era cuando se usó la referencia por primera vez.`,
        fix: 'Repite el primer valor o usa una referencia nueva.',
      },
    })),
    data: { idTrx: id },
  });
}
