import type { App } from '../../app.ts';
import { invalidParameter } from '../../error-catalogue.ts';
import { operation } from '../../http/endpoint.ts';
import { replyOf, Type } from '../../http/json-schema.ts';
import { CURSOR_PARAMETER, limitParameter, readTime, textParameter } from '../../http/list-parameters.ts';
import { requireUser } from '../../http/require-user.ts';
import { parseTyped } from '../../lib/money.ts';
import { findPayments } from '../../search/find-payments.ts';
import { NO_FILTER, type PaymentFilter } from '../../search/payment-filter.ts';
import { searchPayments } from '../../search/search-payments.ts';
import { TRANSACTION_STATES } from '../../transactions/transaction-state.ts';
import { LISTED_EXAMPLE, ListedTransactionSchema, listedTransaction } from './listed-transaction.ts';

const MOST = 200;
const USUAL = 50;

const FILTERS = [
  textParameter(
    'q',
    'Text to find: an id, a reference, an e-mail address, an authorisation code, a refund, a payment attempt, a callback, a pay link, a payment link or an amount in any format. Finds no parts: see `reference_part`. Cannot be combined with other parameters except `limit`',
  ),
  textParameter('reference', '`x_reference`, exactly as signed'),
  textParameter(
    'reference_part',
    'Part of `x_reference`, upper or lower case; parts separated by spaces must all be in it',
  ),
  textParameter('email', '`x_customer_email`, upper or lower case'),
  textParameter('authorization_code', 'Authorisation code of the payment method'),
  textParameter('card_last_digits', 'Last four digits of the card that paid'),
  {
    name: 'amount',
    in: 'query',
    description: 'Amount in digits: `12990`, or `10.55` in a currency with decimals',
    schema: Type.String(),
  },
  { name: 'currency', in: 'query', description: 'Currency of `amount`. Default: CLP', schema: Type.String() },
  {
    name: 'state',
    in: 'query',
    description: 'Current state',
    schema: Type.String({ enum: TRANSACTION_STATES }),
  },
  textParameter('payment_service', 'Id of the payment service'),
  {
    name: 'environment',
    in: 'query',
    description: 'Environment of the tokens',
    schema: Type.String({ enum: ['development', 'production'] }),
  },
  {
    name: 'since',
    in: 'query',
    description: 'Created at or after this time: ISO 8601, with an offset or `Z`',
    schema: Type.String(),
  },
  { name: 'until', in: 'query', description: 'Created before this time', schema: Type.String() },
  CURSOR_PARAMETER,
  limitParameter(MOST, USUAL),
] as const;

/** Finds payments by known details, newest first. */
export const getTransactions = operation({
  describe: {
    operationId: 'findTransactions',
    summary: 'Find transactions',
    description:
      'Returns the transactions that match all filters. `data.next` is the cursor of the next page, null on the last page; a page can be empty and still have a next page, above all with `reference_part` or `card_last_digits` alone: add an amount or a day. `data.complete` is false for a moment after very many payments, and after an upgrade that makes the index again: the page may then lack some payments.',
    tag: 'Transactions',
    parameters: FILTERS,
    replies: { 200: { description: 'A page of transactions', schema: replySchema(), example: replyExample() } },
    errors: ['INVALID_PARAMETER'],
  },
  handle: async (app, request, _reply, query) => {
    const user = await requireUser(app, request);
    const { q, after = null, limit = USUAL, ...asked } = query();
    const filter = readFilter(asked);
    const data =
      q === undefined
        ? await findPage(app, { filter, environmentIds: user.environmentIds, after, limit })
        : await searchOne(app, q, { filter, environmentIds: user.environmentIds, after, limit });
    return { message: 'OK', errors: null, data };
  },
});

type Search = Parameters<typeof findPayments>[1];

async function findPage(app: App, search: Search) {
  const { payments, next, complete } = await findPayments(app, search);
  return { transactions: payments.map(listedTransaction), next, complete };
}

async function searchOne(app: App, text: string, { filter, environmentIds, after, limit }: Search) {
  const isAlone = after === null && Object.values(filter).every((value) => value === null);
  if (!isAlone) throw invalidParameter('q goes alone, or with limit.', 'q va solo, o con limit.');
  const { payments, complete } = await searchPayments(app, text, environmentIds, limit);
  const transactions = payments.map((payment) => ({ ...listedTransaction(payment), found_by: payment.found_by }));
  return { transactions, next: null, complete };
}

type Asked = Readonly<Partial<Record<(typeof FILTERS)[number]['name'], string | number | undefined>>>;

function readFilter(asked: Asked): PaymentFilter {
  const text = (name: keyof Asked) => (asked[name] === undefined ? null : String(asked[name]));
  return {
    ...NO_FILTER,
    reference: text('reference'),
    referencePart: text('reference_part'),
    email: text('email'),
    authorizationCode: text('authorization_code'),
    cardDigits: readCardDigits(text('card_last_digits')),
    amount: readAmount(text('amount'), text('currency')),
    state: text('state') as PaymentFilter['state'],
    paymentService: text('payment_service'),
    environment: text('environment') as PaymentFilter['environment'],
    since: readTime('since', text('since')),
    until: readTime('until', text('until')),
  };
}

function readCardDigits(text: string | null): string | null {
  if (text === null || /^\d{4}$/.test(text)) return text;
  throw invalidParameter(
    'card_last_digits is four digits, such as 6623: never send the whole number.',
    'card_last_digits son cuatro dígitos, como 6623: nunca envíes el número completo.',
  );
}

function readAmount(text: string | null, currency: string | null): PaymentFilter['amount'] {
  if (text === null && currency !== null)
    throw invalidParameter('currency goes with amount.', 'currency va con amount.');
  if (text === null) return null;
  const amount = parseTyped(text, currency ?? 'CLP');
  if (amount === null)
    throw invalidParameter(
      `amount is not an amount of ${currency ?? 'CLP'}: write 12990, or 10.55 with decimals.`,
      `amount no es un monto en ${currency ?? 'CLP'}: escribe 12990, o 10.55 con decimales.`,
    );
  return { amount, currency: currency ?? 'CLP' };
}

function replySchema() {
  const data = Type.Object({
    transactions: Type.Array(ListedTransactionSchema),
    next: Type.Nullable(Type.String()),
    complete: Type.Boolean(),
  });
  return replyOf('TransactionPage', data);
}

function replyExample() {
  return { message: 'OK', errors: null, data: { transactions: [LISTED_EXAMPLE], next: null, complete: true } };
}
