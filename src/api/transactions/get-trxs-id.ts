import type { App } from '../../app.ts';
import { selectDecidingAttempt } from '../../checkout/payment-attempt-queries.ts';
import { operation } from '../../http/endpoint.ts';
import { replyOf, Type } from '../../http/json-schema.ts';
import { isoTime } from '../../lib/iso-time.ts';
import { toDecimalNumber } from '../../lib/money.ts';
import type { PaymentDetail } from '../../payment-methods/payment-method.ts';
import { environmentOf } from '../../payment-services/find-environment.ts';
import type { Transaction } from '../../transactions/transaction.ts';
import { TRANSACTION_STATES } from '../../transactions/transaction-state.ts';
import { requireTransaction } from './require-transaction.ts';
import { statusWord } from './transaction-reply.ts';
import { MOVE_ERRORS, TRANSACTION_ID } from './transaction-schemas.ts';

const MESSAGE = 'Trx encontrada';

/** Returns a transaction without its pay link: reading it must not let anybody pay. */
export const getTrxsId = operation({
  describe: {
    operationId: 'readTransaction',
    summary: 'Read a transaction',
    description:
      'Returns a transaction. Existing clients read `status` and the members down to `abonos`; `state` and the members after it use the terms of this service.',
    tag: 'Transactions',
    parameters: [TRANSACTION_ID],
    replies: { 200: { description: 'The transaction', schema: replySchema(), example: replyExample() } },
    errors: ['NOT_FOUND', ...MOVE_ERRORS],
  },
  handle: async (app, request) => {
    const transaction = await requireTransaction(app, request);
    return { message: MESSAGE, errors: null, data: await describeTransaction(app, transaction) };
  },
});

async function describeTransaction(app: App, transaction: Transaction) {
  const environment = await environmentOf(app, transaction);
  const answer = await findMethodAnswer(app, transaction);
  const createdAt = isoTime(transaction.created_at);
  const settledAt = isoTime(transaction.settled_at);
  return {
    idTrx: transaction.id,
    idService: transaction.environment_id,
    orderIdTienda: transaction.reference,
    amount: toDecimalNumber(transaction.amount, transaction.currency),
    cost: transaction.state === 'completed' ? toDecimalNumber(transaction.fee, transaction.currency) : null,
    email: transaction.customer_email,
    // Some banks send a code with a refusal too.
    authCode: transaction.state === 'completed' ? textOf(answer['authorization_code']) : null,
    createdAt,
    updatedAt: settledAt ?? createdAt,
    callbackURL: transaction.url_callback,
    completeURL: transaction.url_complete,
    cancelURL: transaction.url_cancel,
    ip: null,
    browserData: null,
    source: transaction.payment_method,
    timestamp: createdAt,
    paymentTypeCode: textOf(answer['payment_type_code']),
    sharesNumber: numberOf(answer['installments_number']),
    responceCode: numberOf(answer['response_code']),
    vci: textOf(answer['vci']),
    abonos: [],
    status: statusWord(transaction.state),
    state: transaction.state,
    currency: transaction.currency,
    environment: environment.environment,
    test: environment.environment === 'development',
    paymentService: environment.paymentServiceId,
    paymentMethod: transaction.payment_method,
    sequence: transaction.last_sequence,
    expiresAt: isoTime(transaction.expires_at),
    settledAt,
  };
}

/** Returns the payment method's response that decided the transaction's state; empty when there is no such response. */
async function findMethodAnswer(app: App, transaction: Transaction): Promise<PaymentDetail> {
  const { state } = transaction;
  const attempt = state === 'pending' ? null : await selectDecidingAttempt(app.db, transaction);
  if (attempt?.state !== (state === 'completed' ? 'approved' : 'declined')) return {};
  return JSON.parse(attempt.detail ?? '{}') as PaymentDetail;
}

function textOf(fact: string | number | undefined): string | null {
  return fact === undefined ? null : String(fact);
}

function numberOf(fact: string | number | undefined): number | null {
  return fact === undefined ? null : Number(fact);
}

function replySchema() {
  const unused = Type.Null({ description: 'Always null; for clients that expect this member' });
  const data = Type.Object({
    idTrx: Type.Integer(),
    idService: Type.Integer({ description: 'Number of the environment of the payment service' }),
    orderIdTienda: Type.String({ description: 'x_reference' }),
    amount: Type.Number(),
    cost: Type.Nullable(Type.Number(), { description: 'Fee; null unless the transaction is completed' }),
    email: Type.String(),
    authCode: Type.Nullable(Type.String()),
    createdAt: Type.String(),
    updatedAt: Type.String(),
    callbackURL: Type.String(),
    completeURL: Type.String(),
    cancelURL: Type.String(),
    ip: unused,
    browserData: unused,
    source: Type.Nullable(Type.String()),
    timestamp: Type.String(),
    paymentTypeCode: Type.Nullable(Type.String(), {
      description: 'As Webpay reports it: `VN` credit, `VD` debit, `VP` prepaid …',
    }),
    sharesNumber: Type.Nullable(Type.Number(), { description: 'Number of instalments' }),
    responceCode: Type.Nullable(Type.Number(), {
      description: 'Response code of the payment method; 0 means approved',
    }),
    vci: Type.Nullable(Type.String(), { description: 'As Webpay reports it' }),
    abonos: Type.Array(Type.String()),
    status: Type.String({ enum: ['pending', 'complete', 'failed'] }),
    state: Type.String({ enum: TRANSACTION_STATES }),
    currency: Type.String(),
    environment: Type.String({ enum: ['development', 'production'] }),
    test: Type.Boolean(),
    paymentService: Type.String(),
    paymentMethod: Type.Nullable(Type.String()),
    sequence: Type.Integer({ description: 'Sequence of the last event' }),
    expiresAt: Type.String(),
    settledAt: Type.Nullable(Type.String()),
  });
  return replyOf('Transaction', data);
}

function replyExample() {
  return {
    message: MESSAGE,
    errors: null,
    data: {
      idTrx: 1001,
      idService: 1,
      orderIdTienda: 'ORD-0001',
      amount: 1000,
      cost: 30,
      email: 'buyer@example.cl',
      authCode: '001001',
      createdAt: '2026-01-15T12:00:00.000Z',
      updatedAt: '2026-01-15T12:01:30.000Z',
      callbackURL: 'https://shop.example/callback',
      completeURL: 'https://shop.example/complete',
      cancelURL: 'https://shop.example/cancel',
      ip: null,
      browserData: null,
      source: 'simulated',
      timestamp: '2026-01-15T12:00:00.000Z',
      paymentTypeCode: null,
      sharesNumber: null,
      responceCode: null,
      vci: null,
      abonos: [],
      status: 'complete',
      state: 'completed',
      currency: 'CLP',
      environment: 'development',
      test: true,
      paymentService: 'ps_0123456789abcdefghjk',
      paymentMethod: 'simulated',
      sequence: 2,
      expiresAt: '2026-01-15T13:00:00.000Z',
      settledAt: '2026-01-15T12:01:30.000Z',
    },
  };
}
