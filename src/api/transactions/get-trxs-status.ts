import { operation } from '../../http/endpoint.ts';
import { replyOf, Type } from '../../http/json-schema.ts';
import { requireTransaction } from './require-transaction.ts';
import { statusWord } from './transaction-reply.ts';
import { MOVE_ERRORS, TRANSACTION_ID } from './transaction-schemas.ts';

/** Returns only the state of a transaction. */
export const getTrxsStatus = operation({
  describe: {
    operationId: 'readTransactionStatus',
    summary: 'Read the status of a transaction',
    description:
      'Returns one word: `pending` until the transaction ends, `complete` once it is paid, `failed` if it was cancelled, declined or expired. `GET /trxs/{id}` returns the whole transaction.',
    tag: 'Transactions',
    parameters: [TRANSACTION_ID],
    replies: {
      200: {
        description: 'Status of the transaction',
        schema: replyOf(
          'TransactionStatus',
          Type.Object({ status: Type.String({ enum: ['pending', 'complete', 'failed'] }) }),
        ),
        example: { message: 'Trx encontrada', errors: null, data: { status: 'pending' } },
      },
    },
    errors: ['NOT_FOUND', ...MOVE_ERRORS],
  },
  handle: async (app, request) => {
    const { state } = await requireTransaction(app, request);
    return { message: 'Trx encontrada', errors: null, data: { status: statusWord(state) } };
  },
});
