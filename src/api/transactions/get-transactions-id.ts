import { notFound } from '../../error-catalogue.ts';
import { operation } from '../../http/endpoint.ts';
import { replyOf, type Static, Type } from '../../http/json-schema.ts';
import { requireUser } from '../../http/require-user.ts';
import { formatDecimal } from '../../lib/money.ts';
import { type ShownPayment, showPayment } from '../../search/show-payment.ts';
import { LISTED_EXAMPLE, ListedTransactionSchema, listedTransaction } from './listed-transaction.ts';
import { TRANSACTION_ID } from './transaction-schemas.ts';

const TimelineLineSchema = Type.Object(
  {
    at: Type.String(),
    kind: Type.String({
      enum: ['event', 'attempt', 'callback', 'delivery', 'entry', 'decision', 'act'],
      description:
        'An event of the feed, a payment attempt, a callback, a delivery attempt, an entry of the books, a decision of a person about an attempt or a refund, or another act of a person or a program',
    }),
    what: Type.String({ description: 'Type of the event, state, response, kind of entry, outcome, or action' }),
    amount: Type.Nullable(Type.String()),
    by: Type.Nullable(Type.String(), {
      description: 'Person or program that did it, if known',
    }),
    facts: Type.Any({ description: 'Details, by name' }),
  },
  { $id: 'TimelineLine' },
);

/** Returns one payment and everything that happened to it, in one list. */
export const getTransactionsId = operation({
  describe: {
    operationId: 'showTransaction',
    summary: 'Show a transaction with its timeline',
    description:
      'Returns a transaction with its timeline in order of time: payment attempts with the answers of the payment method, states, callbacks with the responses of the shop, refunds, entries of the books and decisions. The pay link is left out, so that a reader cannot pay.',
    tag: 'Transactions',
    parameters: [TRANSACTION_ID],
    replies: { 200: { description: 'The transaction', schema: replySchema(), example: replyExample() } },
    errors: ['NOT_FOUND'],
  },
  handle: async (app, request) => {
    const user = await requireUser(app, request);
    const { id } = request.params as { id: string };
    const shown = await showPayment(app, id, user.environmentIds);
    if (shown === null) throw notFound('There is no such transaction.', 'No existe esa transacción.');
    return { message: 'OK', errors: null, data: describe(shown) };
  },
});

function describe({ payment, transaction, timeline }: ShownPayment): Static<ReturnType<typeof dataSchema>> {
  return {
    transaction: listedTransaction(payment),
    request: {
      x_session_id: transaction.session_id,
      x_shop_country: transaction.shop_country,
      x_url_callback: transaction.url_callback,
      x_url_cancel: transaction.url_cancel,
      x_url_complete: transaction.url_complete,
      expires_at: new Date(transaction.expires_at).toISOString(),
    },
    fee: transaction.state === 'completed' ? formatDecimal(transaction.fee, transaction.currency) : null,
    timeline: timeline.map(({ at, amount, ...line }) => ({
      at: new Date(at).toISOString(),
      ...line,
      amount: amount === null ? null : formatDecimal(amount, transaction.currency),
    })),
  };
}

function dataSchema() {
  const request = Type.Object({
    x_session_id: Type.String(),
    x_shop_country: Type.String(),
    x_url_callback: Type.String(),
    x_url_cancel: Type.String(),
    x_url_complete: Type.String(),
    expires_at: Type.String({ description: 'Time until which the transaction can be paid' }),
  });
  return Type.Object({
    transaction: ListedTransactionSchema,
    request,
    fee: Type.Nullable(Type.String()),
    timeline: Type.Array(TimelineLineSchema),
  });
}

function replySchema() {
  return replyOf('TransactionTimeline', dataSchema());
}

function replyExample() {
  const request = {
    x_session_id: 'session-1',
    x_shop_country: 'CL',
    x_url_callback: 'https://shop.example/callback',
    x_url_cancel: 'https://shop.example/cancel',
    x_url_complete: 'https://shop.example/complete',
    expires_at: '2026-01-15T13:00:00.000Z',
  };
  const timeline = [
    {
      at: '2026-01-15T12:00:00.000Z',
      kind: 'event',
      what: 'transaction.created',
      amount: null,
      by: null,
      facts: { sequence: 1 },
    },
    {
      at: '2026-01-15T12:01:30.000Z',
      kind: 'event',
      what: 'transaction.completed',
      amount: null,
      by: null,
      facts: { sequence: 2, authorization_code: '001001' },
    },
  ];
  return { message: 'OK', errors: null, data: { transaction: LISTED_EXAMPLE, request, fee: '30.00', timeline } };
}
