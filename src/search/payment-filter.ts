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

/** Whether a payment has each known fact. `tsc` refuses a member of the filter that is not here. */
const HAS: { readonly [Fact in keyof PaymentFilter]: (payment: FoundPayment, known: Known<Fact>) => boolean } = {
  reference: ({ reference }, known) => reference === known,
  referencePart: ({ reference }, known) => hasParts(reference, known),
  email: ({ customer_email }, known) => customer_email.toLowerCase() === known.toLowerCase(),
  authorizationCode: ({ authorization_code }, known) => authorization_code?.toLowerCase() === known.toLowerCase(),
  cardDigits: ({ card_last_digits }, known) => card_last_digits === known,
  amount: ({ amount, currency }, known) => amount === known.amount && currency === known.currency,
  state: ({ state }, known) => state === known,
  paymentService: ({ payment_service }, known) => payment_service === known,
  environment: ({ environment }, known) => environment === known,
  since: ({ created_at }, known) => created_at >= known,
  until: ({ created_at }, known) => created_at < known,
};

type Known<Fact extends keyof PaymentFilter> = NonNullable<PaymentFilter[Fact]>;

/** Returns whether a payment matches. The index only proposes candidates. */
export function matchesFilter(payment: FoundPayment, filter: PaymentFilter): boolean {
  return (Object.keys(HAS) as (keyof PaymentFilter)[]).every((fact) => hasFact(payment, fact, filter[fact]));
}

function hasFact<Fact extends keyof PaymentFilter>(payment: FoundPayment, fact: Fact, known: PaymentFilter[Fact]) {
  return known === null || HAS[fact](payment, known);
}

/** Returns whether a reference has each part: `lib lento` is in `LIB-1-LENTO`. */
function hasParts(reference: string, parts: string): boolean {
  const text = reference.toLowerCase();
  return parts
    .toLowerCase()
    .split(/\s+/)
    .every((part) => text.includes(part));
}
