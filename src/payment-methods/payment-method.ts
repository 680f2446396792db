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

/** What a payment method is told of an amount that it is to give back. Amounts are in minor units of `currency`. */
export type RefundRequest = {
  /** Ours, unique for ever: the method's idempotency key, where it takes one. */
  refundId: string;
  transactionId: number;
  environment: Environment;
  amount: number;
  currency: string;
  /** What was paid, and what of it had been given back before. No other refund of the payment is under way. */
  paid: number;
  refundedBefore: number;
  /** The approved attempt: our id, the method's id, and the detail that it told with its approval. */
  payment: { attemptId: string; externalId: string | null; detail: PaymentDetail };
  /** How often this refund has been looked up before. */
  lookups: number;
  /** UTC milliseconds at which it was accepted. */
  startedAt: number;
};

/** What a payment method says of a refund; the words mean what they mean for a payment. */
export type RefundOutcome = Extract<PaymentOutcome, { kind: 'approved' | 'declined' | 'pending' | 'unknown' }>;

/**
 * How a payment method gives money back, and what it takes.
 *
 * Every refund is looked up before it is asked for, and again until it has an end. So a process that dies on the way, or
 * an answer that is lost, gives nobody the money twice.
 */
export type Refunds = {
  /** Days after the payment in which it can be given back. */
  readonly windowDays: number;
  /** Hours of working days, Monday to Friday in Chile, that must have passed before. */
  readonly minimumAgeHours: number;
  /** Whether a part of a payment can be given back. */
  readonly partial: boolean;
  /** Asks for the money to be given back. Throwing means the same as `unknown`. */
  request(refund: RefundRequest): Promise<RefundOutcome>;
  /**
   * Asks what became of a refund. `absent`: the method is certain that it was never asked for, so that asking now is
   * safe; while it cannot be certain it answers `unknown`. Throwing means the same.
   */
  lookup(refund: RefundRequest): Promise<RefundOutcome | { kind: 'absent' }>;
};

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
  /** A method without it gives nothing back. */
  readonly refunds?: Refunds;
};
