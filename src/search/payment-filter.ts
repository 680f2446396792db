import type { Environment } from '../payment-services/payment-service.ts';
import type { TransactionState } from '../transactions/transaction-state.ts';
import type { ListedPayment } from './search-queries.ts';

/** The known facts about a payment; a null member is not used. */
export type PaymentFilter = {
  /** Exactly as signed. */
  reference: string | null;
  /**
   * Parts of the reference, separated by spaces, case-insensitive. There is no index for it, so the payments that match
   * the rest are filtered.
   */
  referencePart: string | null;
  /** Case-insensitive. */
  email: string | null;
  authorizationCode: string | null;
  /** The last four digits of the card that paid. There is no index for them, as for `referencePart`. */
  cardDigits: string | null;
  /** In minor units. */
  amount: { amount: number; currency: string } | null;
  state: TransactionState | null;
  paymentService: string | null;
  environment: Environment | null;
  /** Created at or after, and before, in UTC milliseconds. */
  since: number | null;
  until: number | null;
};

/** The facts that a method said of an approved attempt; null: it did not. */
export type MethodSaid = { authorization_code: string | null; card_last_digits: string | null };

/** A payment as in a list, with the facts of its method. */
export type FoundPayment = ListedPayment & MethodSaid;

export const NO_FILTER: PaymentFilter = {
  reference: null,
  referencePart: null,
  email: null,
  authorizationCode: null,
  cardDigits: null,
  amount: null,
  state: null,
  paymentService: null,
  environment: null,
  since: null,
  until: null,
};

/** Returns whether a payment matches. The index only proposes candidates. */
export function matchesFilter(payment: FoundPayment, filter: PaymentFilter): boolean {
  const { referencePart, amount, since, until } = filter;
  return (
    isOrAny(payment.reference, filter.reference) &&
    (referencePart === null || hasParts(payment.reference, referencePart)) &&
    isOrAny(payment.customer_email.toLowerCase(), filter.email?.toLowerCase() ?? null) &&
    isOrAny(payment.authorization_code?.toLowerCase() ?? '', filter.authorizationCode?.toLowerCase() ?? null) &&
    isOrAny(payment.card_last_digits ?? '', filter.cardDigits) &&
    (amount === null || (payment.amount === amount.amount && payment.currency === amount.currency)) &&
    isOrAny(payment.state, filter.state) &&
    isOrAny(payment.payment_service, filter.paymentService) &&
    isOrAny(payment.environment, filter.environment) &&
    (since === null || payment.created_at >= since) &&
    (until === null || payment.created_at < until)
  );
}

/** Returns whether a reference has each part: `lib lento` is in `LIB-1-LENTO`. */
function hasParts(reference: string, parts: string): boolean {
  const text = reference.toLowerCase();
  return parts
    .toLowerCase()
    .split(/\s+/)
    .every((part) => text.includes(part));
}

function isOrAny(value: string, wanted: string | null): boolean {
  return wanted === null || value === wanted;
}
