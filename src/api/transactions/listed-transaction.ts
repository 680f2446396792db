import { type Static, Type } from '../../http/json-schema.ts';
import { isoTime } from '../../lib/iso-time.ts';
import { formatDecimal } from '../../lib/money.ts';
import type { FoundPayment } from '../../search/payment-filter.ts';
import { TRANSACTION_STATES } from '../../transactions/transaction-state.ts';

/** A payment in a list. Amounts are decimal numbers, times are ISO 8601. */
export const ListedTransactionSchema = Type.Object(
  {
    id: Type.Integer(),
    reference: Type.String(),
    amount: Type.String({ description: 'With the decimals of a callback: `12990.00`' }),
    currency: Type.String(),
    refunded: Type.String({ description: 'Sum of the completed refunds' }),
    state: Type.String({ enum: TRANSACTION_STATES }),
    email: Type.String(),
    payment_method: Type.Nullable(Type.String()),
    authorization_code: Type.Nullable(Type.String()),
    card_last_digits: Type.Nullable(Type.String(), { description: 'Last four digits of the card that paid' }),
    created_at: Type.String(),
    settled_at: Type.Nullable(Type.String()),
    payment_service: Type.String(),
    payment_service_name: Type.String(),
    environment: Type.String({ enum: ['development', 'production'] }),
    found_by: Type.Optional(Type.String({ description: 'With `q`: the part of the payment that matches the text' })),
  },
  { $id: 'ListedTransaction' },
);

export const LISTED_EXAMPLE = {
  id: 1001,
  reference: 'ORD-0001',
  amount: '1000.00',
  currency: 'CLP',
  refunded: '0.00',
  state: 'completed',
  email: 'buyer@example.cl',
  payment_method: 'simulated',
  authorization_code: '001001',
  card_last_digits: null,
  created_at: '2026-01-15T12:00:00.000Z',
  settled_at: '2026-01-15T12:01:30.000Z',
  payment_service: 'ps_0123456789abcdefghjk',
  payment_service_name: 'Mi tienda',
  environment: 'development',
} as const;

/** Returns a payment as an item of the list. */
export function listedTransaction(payment: FoundPayment): Static<typeof ListedTransactionSchema> {
  const { id, reference, amount, currency, refunded, state, environment } = payment;
  return {
    id,
    reference,
    amount: formatDecimal(amount, currency),
    currency,
    refunded: formatDecimal(refunded, currency),
    state,
    email: payment.customer_email,
    payment_method: payment.payment_method,
    authorization_code: payment.authorization_code,
    card_last_digits: payment.card_last_digits,
    created_at: isoTime(payment.created_at),
    settled_at: isoTime(payment.settled_at),
    payment_service: payment.payment_service,
    payment_service_name: payment.name,
    environment,
  };
}
