import type { Environment } from '../payment-services/payment-service.ts';
import type { TransactionState } from '../transactions/transaction-state.ts';
import type { ListedPayment } from './search-queries.ts';

/** The facts that somebody knows of a payment; a member that is null says nothing. */
export type PaymentFilter = {
  /** As it was signed. */
  reference: string | null;
  /** A part of the reference, in either case: no index knows it, so the payments that the rest finds are looked through. */
  referencePart: string | null;
  /** In either case. */
  email: string | null;
  authorizationCode: string | null;
  /** In minor units. */
  amount: { amount: number; currency: string } | null;
  state: TransactionState | null;
  paymentService: string | null;
  environment: Environment | null;
  /** Created at or after, and before, in UTC milliseconds. */
  since: number | null;
  until: number | null;
};

/** A payment as a list shows it, with what its method approved it by. */
export type FoundPayment = ListedPayment & { authorization_code: string | null };

export const NO_FILTER: PaymentFilter = {
  reference: null,
  referencePart: null,
  email: null,
  authorizationCode: null,
  amount: null,
  state: null,
  paymentService: null,
  environment: null,
  since: null,
  until: null,
};

/** Whether a payment is what is looked for. The index only proposes. */
export function matchesFilter(payment: FoundPayment, filter: PaymentFilter): boolean {
  const { referencePart, amount, since, until } = filter;
  return (
    isOrAny(payment.reference, filter.reference) &&
    (referencePart === null || payment.reference.toLowerCase().includes(referencePart.toLowerCase())) &&
    isOrAny(payment.customer_email.toLowerCase(), filter.email?.toLowerCase() ?? null) &&
    isOrAny(payment.authorization_code?.toLowerCase() ?? '', filter.authorizationCode?.toLowerCase() ?? null) &&
    (amount === null || (payment.amount === amount.amount && payment.currency === amount.currency)) &&
    isOrAny(payment.state, filter.state) &&
    isOrAny(payment.payment_service, filter.paymentService) &&
    isOrAny(payment.environment, filter.environment) &&
    (since === null || payment.created_at >= since) &&
    (until === null || payment.created_at < until)
  );
}

function isOrAny(value: string, wanted: string | null): boolean {
  return wanted === null || value === wanted;
}
