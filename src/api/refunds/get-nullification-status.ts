import { notFound } from '../../error-catalogue.ts';
import { operation } from '../../http/endpoint.ts';
import { replyOf, Type } from '../../http/json-schema.ts';
import { findRefund } from '../../refunds/find-refund.ts';
import { MOVE_ERRORS, TRANSACTION_ID } from '../transactions/transaction-schemas.ts';
import { requireOwnTransaction } from './require-own-transaction.ts';

/** Returns the state of one refund. */
export const getNullificationStatus = operation({
  anyQuery: true,
  describe: {
    operationId: 'readRefundStatus',
    summary: 'Read the status of a refund',
    description:
      'Returns the state of one refund: `processing` until the payment method has returned the money or refused, then `completed` or `failed`. A failed refund returned no money, and its amount can be refunded again.',
    tag: 'Refunds',
    parameters: [
      TRANSACTION_ID,
      {
        name: 'verificationToken',
        in: 'query',
        required: true,
        description: '`verificationToken` of the accepted refund',
        schema: Type.String({ examples: ['0rf_0123456789abcdefghjk'] }),
      },
    ],
    replies: {
      200: {
        description: 'Status of the refund',
        schema: replyOf(
          'RefundStatus',
          Type.Object({ status: Type.String({ enum: ['processing', 'completed', 'failed'] }) }),
        ),
        example: { message: 'OK', errors: null, data: { status: 'completed' } },
      },
    },
    errors: ['NO_PERMISSION', 'INVALID_PARAMETER', 'NOT_FOUND', ...MOVE_ERRORS],
  },
  handle: async (app, request, _reply, query) => {
    const { transaction } = await requireOwnTransaction(app, request);
    const { verificationToken = '' } = query();
    const refund = await findRefund(app, transaction, verificationToken);
    if (refund === null)
      throw notFound(
        'The transaction has no refund with this verificationToken. Send the one of the accepted refund; `GET /trxs/{id}/nullification` lists them.',
        'La transacción no tiene una devolución con este verificationToken. Envía el de la devolución aceptada; `GET /trxs/{id}/nullification` los lista.',
      );
    return { message: 'OK', errors: null, data: { status: refund.state } };
  },
});
