import { operation } from '../../http/endpoint.ts';
import { replyOf, Type } from '../../http/json-schema.ts';
import { isoTime } from '../../lib/iso-time.ts';
import { toDecimalNumber } from '../../lib/money.ts';
import type { Refund } from '../../refunds/refund.ts';
import { selectRefundsOf } from '../../refunds/refund-queries.ts';
import { MOVE_ERRORS, TRANSACTION_ID } from '../transactions/transaction-schemas.ts';
import { requireOwnTransaction } from './require-own-transaction.ts';

/** Lists all refunds of a transaction, failed ones included. */
export const getNullifications = operation({
  describe: {
    operationId: 'listRefunds',
    summary: 'List the refunds of a transaction',
    description:
      'Returns all refunds of a transaction, failed ones included. `montoAnulado` is in units of the currency, such as 1000 for 1,000 CLP. The sum of the refunds that have not failed is above the amount paid only if the payment method has made a refund after it had refused it.',
    tag: 'Refunds',
    parameters: [TRANSACTION_ID],
    replies: {
      200: { description: 'Refunds in the order of acceptance', schema: replySchema(), example: example() },
    },
    errors: ['NO_PERMISSION', ...MOVE_ERRORS],
  },
  handle: async (app, request) => {
    const { transaction } = await requireOwnTransaction(app, request);
    const refunds = await selectRefundsOf(app.db, transaction);
    const nullifications = refunds.map((refund) => describeRefund(refund, transaction.currency));
    return { message: 'OK', errors: null, data: { nullifications } };
  },
});

function describeRefund(refund: Refund, currency: string) {
  return {
    verificationToken: refund.id,
    tipo: refund.type,
    montoAnulado: toDecimalNumber(refund.amount, currency),
    status: refund.state,
    timestamp: Math.floor(refund.created_at / 1000),
    dateTime: isoTime(refund.created_at),
    currency,
    settledAt: isoTime(refund.settled_at),
  };
}

function replySchema() {
  const refund = Type.Object(
    {
      verificationToken: Type.String({ description: 'Id of the refund' }),
      tipo: Type.String({ enum: ['total', 'parcial'] }),
      montoAnulado: Type.Number(),
      status: Type.String({ enum: ['processing', 'completed', 'failed'] }),
      timestamp: Type.Integer({ description: 'Time of acceptance, in seconds since 1970' }),
      dateTime: Type.String(),
      currency: Type.String(),
      settledAt: Type.Nullable(Type.String()),
    },
    { $id: 'Refund' },
  );
  const data = Type.Object({ nullifications: Type.Array(refund) });
  return replyOf('RefundList', data);
}

function example() {
  const refund = {
    verificationToken: '0rf_0123456789abcdefghjk',
    tipo: 'parcial',
    montoAnulado: 1000,
    status: 'completed',
    timestamp: 1_768_478_400,
    dateTime: '2026-01-15T12:00:00.000Z',
    currency: 'CLP',
    settledAt: '2026-01-15T12:00:01.000Z',
  };
  return { message: 'OK', errors: null, data: { nullifications: [refund] } };
}
