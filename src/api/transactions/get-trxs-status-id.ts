import { type ErrorCode, Problem } from '../../error-catalogue.ts';
import { operation } from '../../http/endpoint.ts';
import { Type } from '../../http/json-schema.ts';
import { requireUser } from '../../http/require-user.ts';
import { formatDecimal } from '../../lib/money.ts';
import { environmentHere } from '../../payment-services/find-environment.ts';
import { findTransaction } from '../../transactions/find-transaction.ts';
import { statusWord } from './transaction-reply.ts';
import { MOVE_ERRORS, TRANSACTION_ID } from './transaction-schemas.ts';

/** The former service's names of payment methods. Its shops still read them. */
const FORMER_SOURCES: Readonly<Record<string, string>> = { webpay: 'WebPayPST' };

const STORE_FAILURES: readonly ErrorCode[] = ['STORAGE_UNAVAILABLE', 'STORAGE_FULL', 'INTERNAL'];

/** Returns the state of a transaction for shops that predate the signed API. */
export const getTrxsStatusId = operation({
  reword: (problem) => (STORE_FAILURES.includes(problem.code) ? unread(problem) : problem),
  describe: {
    operationId: 'readTransactionStatusUnsigned',
    summary: 'Read the status of a transaction (older shops)',
    description: 'Returns the status for shops that are older than `POST /trxs`. `GET /trxs/{id}` returns more.',
    tag: 'Transactions',
    parameters: [TRANSACTION_ID],
    replies: { 200: { description: 'Status of the transaction', schema: replySchema(), example: replyExample() } },
    errors: ['NO_PERMISSION', ...MOVE_ERRORS, ...STORE_FAILURES.map((code) => ({ code, status: 500 }))],
  },
  handle: async (app, request) => {
    const user = await requireUser(app, request);
    const { id } = request.params as { id: string };
    const transaction = await findTransaction(app, id, user.environmentIds);
    if (transaction === null)
      throw new Problem('NO_PERMISSION', {
        legacy: { status: 403, error: 'TRX inexistente o no tienes permisos.' },
      });
    await environmentHere(app, transaction);
    const { state, created_at, settled_at, payment_method: method } = transaction;
    const word = statusWord(state);
    return {
      idTrx: transaction.id,
      idService: transaction.environment_id,
      amount: formatDecimal(transaction.amount, transaction.currency),
      status: word === 'complete' ? ('completed' as const) : word,
      source: method === null ? null : (FORMER_SOURCES[method] ?? method),
      createdAt: new Date(created_at).toISOString(),
      updatedAt: new Date(settled_at ?? created_at).toISOString(),
    };
  },
});

/** The answer of the former service when its store failed. */
function unread({ code, extras }: Problem): Problem {
  return new Problem(code, { ...extras, legacy: { status: 500, error: 'Error Obteniendo TRX' } });
}

function replySchema() {
  return Type.Object(
    {
      idTrx: Type.Integer(),
      idService: Type.Integer(),
      amount: Type.String({ description: 'With two decimals' }),
      status: Type.String({ enum: ['pending', 'completed', 'failed'], description: 'The same words as in a callback' }),
      source: Type.Nullable(Type.String(), { description: 'The payment method; `WebPayPST` is `webpay`' }),
      createdAt: Type.String(),
      updatedAt: Type.String(),
    },
    { $id: 'UnsignedStatus' },
  );
}

function replyExample() {
  return {
    idTrx: 1001,
    idService: 1,
    amount: '20000.00',
    status: 'completed',
    source: 'WebPayPST',
    createdAt: '2026-01-15T12:00:00.000Z',
    updatedAt: '2026-01-15T12:01:30.000Z',
  };
}
