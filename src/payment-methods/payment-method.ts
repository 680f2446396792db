/** The environment of the transaction's tokens. In `development` no method may move money. */
type Environment = 'development' | 'production';

/** The transaction that a payment method collects. */
export type PaymentRequest = {
  /** The attempt's id, unique for ever: the method's idempotency key. */
  attemptId: string;
  /** The method's id of the payment; null before `start` has returned it. */
  externalId: string | null;
  transactionId: number;
  environment: Environment;
  environmentId: number;
  /**
   * The merchant's account at the method when the attempt was opened, even if it has changed since; null: none was
   * configured.
   */
  account: string | null;
  amount: number;
  currency: string;
  /** The URL to which the payer's browser comes back. */
  returnUrl: string;
  /** The parameters that the browser brought back, which prove nothing; null: the browser has not come back. */
  returned: Readonly<Record<string, string>> | null;
  /**
   * Whether a `commit` was sent to the method and not answered: the money may have been taken. Stored before the commit
   * is sent, so it is also true after a crash.
   */
  commitUnanswered: boolean;
  /** How often this attempt has been looked up before. */
  lookups: number;
  /** When the attempt was opened, in UTC milliseconds. */
  startedAt: number;
};

/**
 * The answer of a payment method about an attempt.
 *
 * `pending`: the method will know later. With `nothingTaken` the method is certain that no `commit` has taken anything
 * until now. `unknown`: the method did not answer, which is not a refusal; it is looked up until it answers.
 * `redirect`: the payer goes to the method by a form post and comes back to `returnUrl`.
 *
 * `aborted`: the payer turned back or never finished. This attempt took nothing and never will, so another attempt can
 * pay the transaction. After an unanswered commit (`commitUnanswered`) only an end that the method itself reports
 * counts: neither a status in which nothing has happened yet, nor the elapsed time, nor a payer who turned back.
 *
 * `contradiction`: the answer does not match the question. It decides nothing; a person looks at it.
 */
export type PaymentOutcome =
  | { kind: 'approved'; detail: PaymentDetail }
  | { kind: 'declined'; detail: PaymentDetail }
  | { kind: 'aborted'; detail: PaymentDetail }
  | { kind: 'contradiction'; detail: PaymentDetail }
  /** `againAfterMs`: when to ask again, if the method knows better than the schedule. */
  | { kind: 'pending'; againAfterMs?: number; nothingTaken?: true }
  | { kind: 'unknown' }
  | { kind: 'redirect'; externalId: string; url: string; fields: Record<string, string> };

/**
 * The `reason` of a contradiction: the payment was taken and went back before Rúbrica knew of it, without a refund of
 * Rúbrica. `given_back` is the amount that went back, in minor units, if the method knows it.
 */
export const GIVEN_BACK_ELSEWHERE = 'given_back_elsewhere';

/** The field by which Rúbrica's page reports that the payer will not finish at the method. */
export const GIVEN_UP_FIELD = 'given_up';

/** Details for finance, such as an authorisation code, and a `reason`. Never a card number. */
export type PaymentDetail = Record<string, string | number>;

/**
 * The `reason` of a decline, if the method knows it. The pay page shows these reasons as texts for the payer; any other
 * reason is only stored.
 */
export const DECLINE_REASONS = [
  'insufficient_funds',
  'account_refused',
  'card_data',
  'authentication',
  'time_out',
  'cancelled_at_bank',
  'risk',
] as const;

export type DeclineReason = (typeof DECLINE_REASONS)[number];

/**
 * A refund with all data that a payment method needs to make it or look it up. Amounts are in minor units of
 * `currency`.
 */
export type RefundOrder = {
  /** The refund's id, unique for ever: the method's idempotency key, if the method has one. */
  refundId: string;
  transactionId: number;
  environment: Environment;
  environmentId: number;
  amount: number;
  currency: string;
  /**
   * The paid amount, and the part that went back at the method by refunds according to the books. No other refund of
   * this payment is in process.
   */
  paid: number;
  refundedBefore: number;
  /** The approved attempt: its id, the method's id and account, and the details of the approval. */
  payment: { attemptId: string; externalId: string | null; account: string | null; detail: PaymentDetail };
  /** How often this refund has been looked up before. */
  lookups: number;
  /** When the refund was last requested, in UTC milliseconds; `null`: never. */
  askedAt: number | null;
};

/** The answer of a payment method about a refund. The kinds mean the same as for a payment. */
export type RefundOutcome = Extract<PaymentOutcome, { kind: 'approved' | 'declined' | 'pending' | 'unknown' }>;

/**
 * An outcome, or `absent`: the method is certain that this refund was never requested from it, so requesting it is
 * safe. Without certainty the method returns `unknown`. A request that returns `absent` was never sent.
 *
 * `refunded`: the total amount of the payment that has gone back at the method, by any request, in minor units, without
 * chargebacks and without what went back of money above `paid`. A method that can read it returns it with every answer
 * for which it has read it. The service compares it with the books, and requests nothing while the two differ.
 */
export type RefundAnswer = (RefundOutcome | { kind: 'absent' }) & { refunded?: number };

/**
 * How a payment method refunds money, and its rules.
 *
 * Every refund is looked up before it is requested, then until it ends, and for a day after that. It is requested again
 * only if the method knows that no request arrived, or a person orders it. So a crash, a lost answer or a late balance
 * never refunds twice.
 */
export type Refunds = {
  /** How many days after the payment it can be refunded. */
  readonly windowDays: number;
  /** How many hours of working days (Monday to Friday in Chile) must pass before a refund. */
  readonly minimumAgeHours: number;
  /** Whether a part of a payment can be refunded. */
  readonly partial: boolean;
  /**
   * Requests the refund. A throw means `unknown`. If the refund was requested before (`askedAt`), a refusal must be
   * `unknown` too, unless the method identifies the refund by its id, because methods also refuse what is already done.
   */
  request(refund: RefundOrder): Promise<RefundAnswer>;
  /** Looks up the status of a refund, and changes nothing. A throw means `unknown`. */
  lookup(refund: RefundOrder): Promise<RefundAnswer>;
};

/** Thrown by a method that refuses the operator's key. The call did nothing, and a person is alerted. */
export class CredentialsRefused extends Error {}

/** A payment to be offered. `configured`: the operator has given the method settings for this environment. */
export type PaymentOffer = {
  environment: Environment;
  currency: string;
  amount: number | null;
  configured: boolean;
};

/** The interface that every payment method implements; `test/contracts/payment-method.contract.ts` describes it. */
export type PaymentMethod = {
  readonly code: string;
  readonly name: string;
  readonly description: string;
  /** The path of the method's picture below the public URL, 48 by 32 pixels. */
  readonly imagePath: string;
  /**
   * A file of the method names a payment by the id of the transaction; otherwise the id of the attempt is its buy
   * order.
   */
  readonly hasNoBuyOrders?: true;
  /** The payer pays on a page of the method. */
  readonly redirects?: true;
  /** Returns whether the method can collect this payment. Otherwise it is not offered. */
  accepts(payment: PaymentOffer): boolean;
  /** Starts the payment. A throw means `unknown`. */
  start(payment: PaymentRequest): Promise<PaymentOutcome>;
  /**
   * Looks up the status of an attempt. Changes nothing at the method. A throw means `unknown`. Must not return
   * `approved` while a payment that nobody has committed could have the same status.
   */
  lookup(payment: PaymentRequest): Promise<PaymentOutcome>;
  /**
   * Commits a payment to which the payer has agreed, and returns the outcome; for methods that take the money only
   * then. Called in place of `lookup`, by one process at a time, while the transaction can be paid and the attempt is
   * open; never after the attempt has ended. Two commits are one payment. A throw means `unknown`.
   *
   * An attempt that ended `aborted` after a commit is looked up again after a minute, ten minutes, an hour and a day:
   * an approval then is a late payment.
   */
  commit?(payment: PaymentRequest): Promise<PaymentOutcome>;
  /** A method without this refunds nothing. */
  readonly refunds?: Refunds;
};
