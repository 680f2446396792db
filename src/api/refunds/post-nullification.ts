import type { FastifyRequest } from 'fastify';
import { Problem } from '../../error-catalogue.ts';
import { operation } from '../../http/endpoint.ts';
import { Type } from '../../http/json-schema.ts';
import { readIdempotencyKey } from '../../http/read-idempotency-key.ts';
import { invalidBody, MEMBER_ERRORS, readMembers } from '../../http/read-members.ts';
import { actorOf } from '../../http/require-user.ts';
import { parseDecimal } from '../../lib/money.ts';
import { createRefund, type RefundCreation } from '../../refunds/create-refund.ts';
import type { RefundType } from '../../refunds/refund.ts';
import { REFUND_REFUSAL_CODES } from '../../refunds/refund-refusal.ts';
import type { Transaction } from '../../transactions/transaction.ts';
import { TRANSACTION_ID } from '../transactions/transaction-schemas.ts';
import { requireOwnTransaction } from './require-own-transaction.ts';

const ACCEPTED = { code: 'REFUND_PROCESSING', message: 'La anulación se encuentra en proceso' };

const RefundRequestSchema = Type.Object(
  {
    amount: Type.Number({ exclusiveMinimum: 0, description: 'Amount in the currency of the transaction' }),
    type: Type.String({
      enum: ['total', 'parcial'],
      description: '`total`: the whole remaining amount of the payment',
    }),
    nullifyTbk: Type.Optional(Type.Any({ description: 'Accepted from existing clients and ignored' })),
  },
  { $id: 'RefundRequest', additionalProperties: false },
);

/** Refunds a payment in part or in full. A refused refund has status 200, and existing clients read its message. */
export const postNullification = operation({
  consumes: ['application/json'],
  describe: {
    operationId: 'createRefund',
    summary: 'Refund a payment, in part or whole',
    description:
      'Refunds a payment, in part or whole. The refund is accepted if the response has `data.verificationToken`. Its outcome is in the status endpoint, the feed and the events URL. A refused refund also returns 200, with the reason in `code` and `message`. An accepted refund reserves its amount at once, so concurrent requests never refund more than was paid. Without an `Idempotency-Key`, the same amount and type from the same user within a minute returns the first refund with `Idempotency-Hit: true`, unless that refund failed. To refund the same amount twice, send two keys.',
    tag: 'Refunds',
    parameters: [
      TRANSACTION_ID,
      {
        name: 'Idempotency-Key',
        in: 'header',
        description:
          'Key of the refund. The same key returns the first refund and refunds nothing twice; two keys are two refunds',
        schema: Type.String({ minLength: 1, maxLength: 200 }),
      },
    ],
    body: RefundRequestSchema,
    bodyExample: { amount: 1000, type: 'parcial' },
    replies: {
      200: {
        description: 'Accepted or refused, as `code` says',
        headers: { 'Idempotency-Hit': 'true if this refund was accepted before' },
        schema: replySchema(),
        example: { ...ACCEPTED, errors: null, data: { verificationToken: '0rf_0123456789abcdefghjk' } },
      },
    },
    errors: [
      'NO_PERMISSION',
      'REFUND_LIMIT_REACHED',
      'INVALID_JSON',
      'INVALID_HEADER',
      ...MEMBER_ERRORS,
      'UNSUPPORTED_MEDIA_TYPE',
      'IDEMPOTENCY_KEY_REUSED',
      'OUTCOME_UNKNOWN',
      'PAYMENT_SERVICE_MOVED',
      'PAYMENT_SERVICE_MOVING',
    ],
  },
  handle: async (app, request, reply) => {
    const { user, transaction } = await requireOwnTransaction(app, request);
    const idempotencyKey = readIdempotencyKey(request);
    const wish = { ...readWish(request, transaction), idempotencyKey, by: actorOf(request, user) };
    const creation = await createRefund(app, transaction, wish);
    if (creation.kind === 'replayed') reply.header('idempotency-hit', 'true');
    return replyTo(creation);
  },
});

function readWish(request: FastifyRequest, transaction: Transaction): { amount: number; type: RefundType } {
  const { type, ...members } = readMembers(request, RefundRequestSchema);
  const amount = parseDecimal(members.amount, transaction.currency);
  if (amount === null || amount === 0) {
    const message = `amount is not an amount of ${transaction.currency}.`;
    const fix =
      'Send a number above 0 with no more decimals than the currency has: a thousand is 1000, and 1.000 could be read as one.';
    const es = {
      message: `amount no es un monto en ${transaction.currency}.`,
      fix: 'Envía un número mayor que 0, sin más decimales que los de la moneda: mil es 1000, y 1.000 se podría leer como uno.',
    };
    throw invalidBody([{ pointer: '/amount', code: 'INVALID_AMOUNT', message, fix, es }]);
  }
  return { amount, type };
}

function replyTo(creation: RefundCreation) {
  switch (creation.kind) {
    case 'refused':
      return { ...creation.refusal, errors: null, data: null };
    case 'equal_made':
      throw new Error('A request of the API was checked against an equal refund');
    case 'reused':
      throw new Problem('IDEMPOTENCY_KEY_REUSED');
    case 'accepted':
    case 'replayed':
      return { ...ACCEPTED, errors: null, data: { verificationToken: creation.refund.id } };
  }
}

function replySchema() {
  return Type.Object(
    {
      message: Type.String(),
      code: Type.String({ enum: [ACCEPTED.code, ...REFUND_REFUSAL_CODES] }),
      errors: Type.Null(),
      data: Type.Nullable(Type.Object({ verificationToken: Type.String({ description: 'Id of the refund' }) })),
    },
    { $id: 'RefundReply' },
  );
}
