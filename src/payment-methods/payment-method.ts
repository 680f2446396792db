/** The environment of the transaction's tokens. In `development` no method may move money. */
type Environment = 'development' | 'production';

/** What a payment method is told of the transaction that it is to collect. */
export type PaymentRequest = {
  /** Ours, unique for ever: the method's idempotency key. */
  attemptId: string;
  /** The method's own id, once `start` has given one. */
  externalId: string | null;
  transactionId: number;
  environment: Environment;
  amount: number;
  currency: string;
  /** Where the payer's browser comes back to. */
  returnUrl: string;
  /** How often this attempt has been looked up before. */
  lookups: number;
  /** UTC milliseconds at which the attempt was opened. */
  startedAt: number;
};

/**
 * What a payment method says of an attempt.
 *
 * `pending`: it will know later. `unknown`: it did not answer, which is no refusal; it is looked up until it answers.
 * `redirect`: the payer goes there by a form post, and comes back to `returnUrl`.
 */
export type PaymentOutcome =
  | { kind: 'approved'; detail: PaymentDetail }
  | { kind: 'declined'; detail: PaymentDetail }
  | { kind: 'pending' }
  | { kind: 'unknown' }
  | { kind: 'redirect'; externalId: string; url: string; fields: Record<string, string> };

/** Facts for finance, such as an authorisation code. Never a card number. */
export type PaymentDetail = Record<string, string | number>;

/** The interface that every payment method implements; `test/contracts/payment-method.contract.ts` describes it. */
export type PaymentMethod = {
  readonly code: string;
  readonly name: string;
  readonly description: string;
  /** Path of its mark, below the public URL. */
  readonly imagePath: string;
  /** Whether it can collect this. A method that cannot is not offered. */
  accepts(payment: { environment: Environment; currency: string; amount: number | null }): boolean;
  /** Asks for the money. Throwing means the same as `unknown`. */
  start(payment: PaymentRequest): Promise<PaymentOutcome>;
  /** Asks what became of an attempt. Changes nothing at the method. Throwing means the same as `unknown`. */
  lookup(payment: PaymentRequest): Promise<PaymentOutcome>;
};
