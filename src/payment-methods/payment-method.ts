/** The environment of the transaction's tokens. In `development` no method may move money. */
type Environment = 'development' | 'production';

/** The transaction that a payment method is to collect. */
export type PaymentRequest = {
  /** Ours, unique for ever: the method's idempotency key. */
  attemptId: string;
  /** The method's own id, once `start` has given one. */
  externalId: string | null;
  transactionId: number;
  environment: Environment;
  environmentId: number;
  /** The merchant's account at the method when the attempt was opened, whatever it is by now; null: none was configured. */
  account: string | null;
  amount: number;
  currency: string;
  /** Where the payer's browser comes back to. */
  returnUrl: string;
  /** The values that the browser brought when it came back, which prove nothing; null when nobody came. */
  returned: Readonly<Record<string, string>> | null;
  /**
   * Whether the method was told to take the money (`commit`) and never answered that: it may have been taken. Kept in the
   * store before the method is told, so it is true after a crash as well.
   */
  commitUnanswered: boolean;
  /** How often this attempt has been looked up before. */
  lookups: number;
  /** UTC milliseconds at which the attempt was opened. */
  startedAt: number;
};

/**
 * The answer of a payment method about an attempt.
 *
 * `pending`: it will know later. With `nothingTaken` the method is certain that no `commit` until now has taken anything.
 * `unknown`: it did not answer, which is no refusal; it is looked up until it answers.
 * `redirect`: the payer goes there by a form post, and comes back to `returnUrl`.
 * `aborted`: the payer turned back, or never finished. Nothing was taken and by this attempt nothing ever will be, so the
 * transaction can be paid by another. After a commit without an answer (`commitUnanswered`) only the method's own word for
 * an end is one: a status in which nothing has happened yet, the time that has passed, or a payer who turned back does not end it.
 * `contradiction`: the answer is about something else than was asked. It decides nothing; a person looks at it.
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
 * The `reason` of a contradiction: the payment was taken, and went back before we knew of it, by nothing that we asked for. Its
 * `given_back` says how much, in minor units, where the method knows.
 */
export const GIVEN_BACK_ELSEWHERE = 'given_back_elsewhere';

/** The field by which our own page says that the payer will not finish at the method. */
export const GIVEN_UP_FIELD = 'given_up';

/** Facts for finance, such as an authorisation code, and a `reason`. Never a card number. */
export type PaymentDetail = Record<string, string | number>;

/**
 * The `reason` of a decline, where the method knows it: the pay page says it in the payer's words. Any other reason is for the
 * record alone.
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

/** The refund that a payment method is asked for. Amounts are in minor units of `currency`. */
export type RefundRequest = {
  /** Ours, unique for ever: the method's idempotency key, where it takes one. */
  refundId: string;
  transactionId: number;
  environment: Environment;
  environmentId: number;
  amount: number;
  currency: string;
  /**
   * The amount that was paid, and the part that has gone back at the method as our books say it. No other refund of it is under
   * way.
   */
  paid: number;
  refundedBefore: number;
  /** The approved attempt: our id, the method's id and account, and the detail that it told with its approval. */
  payment: { attemptId: string; externalId: string | null; account: string | null; detail: PaymentDetail };
  /** How often this refund has been looked up before. */
  lookups: number;
  /** UTC milliseconds of the last time that it was asked for; `null`: nobody has asked for it. */
  askedAt: number | null;
};

/** The answer of a payment method about a refund; the words mean what they mean for a payment. */
export type RefundOutcome = Extract<PaymentOutcome, { kind: 'approved' | 'declined' | 'pending' | 'unknown' }>;

/**
 * An outcome, or `absent`: the method is certain that it was never asked for this refund, so that asking is safe; while it
 * cannot be certain it answers `unknown`. A request that answers `absent` never left.
 *
 * `refunded`: what of the payment has gone back at the method by now, in all, no matter who asked for it. A method that can
 * read that says it in every answer that it has read it for; the service holds it against the books, and asks for nothing
 * while the two differ.
 */
export type RefundAnswer = (RefundOutcome | { kind: 'absent' }) & { refunded?: number };

/**
 * How a payment method refunds money, and what it takes.
 *
 * Every refund is looked up before it is asked for, again until it has an end, and for a day after it. What was asked for is
 * asked for again only when the method knows that it was not, or when a person says so: a process that dies on the way, an
 * answer that is lost or a balance that is late gives nobody the money twice.
 */
export type Refunds = {
  /** Days after the payment in which it can be refunded. */
  readonly windowDays: number;
  /** Hours of working days, Monday to Friday in Chile, that must have passed before. */
  readonly minimumAgeHours: number;
  /** Whether a part of a payment can be refunded. */
  readonly partial: boolean;
  /**
   * Asks for the money to be refunded. Throwing means the same as `unknown`. Where it was asked for before (`askedAt`) a
   * refusal is `unknown` too, unless the method knows this refund by its id: what was done before is refused as well.
   */
  request(refund: RefundRequest): Promise<RefundAnswer>;
  /** Asks what became of a refund, and changes nothing. Throwing means the same as `unknown`. */
  lookup(refund: RefundRequest): Promise<RefundAnswer>;
};

/** Thrown by a method that does not take the key which the operator gave it. It did nothing, and a person is told. */
export class CredentialsRefused extends Error {}

/** A payment that might be made. `configured`: the operator has given the method settings for this environment. */
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
  /** Path of its mark, below the public URL, 48 by 32. */
  readonly imagePath: string;
  /** The payer pays on a page of the method's own. */
  readonly redirects?: true;
  /** Whether it can collect this. A method that cannot is not offered. */
  accepts(payment: PaymentOffer): boolean;
  /** Asks for the money. Throwing means the same as `unknown`. */
  start(payment: PaymentRequest): Promise<PaymentOutcome>;
  /** Asks what became of an attempt. Changes nothing at the method. Throwing means the same as `unknown`. */
  lookup(payment: PaymentRequest): Promise<PaymentOutcome>;
  /**
   * Makes what the payer has agreed to final, and says what became of the attempt; for methods that take the money only
   * then. Asked in place of `lookup`, by one process at a time, as long as the transaction can be paid and the attempt is
   * open: an attempt that has ended is never made final. Asking twice is one payment. Throwing means `unknown`.
   *
   * An attempt that ended `aborted` after a commit is looked up again, after a minute, ten minutes, an hour and a day: an
   * approval then is a late payment.
   */
  commit?(payment: PaymentRequest): Promise<PaymentOutcome>;
  /** A method without it refunds nothing. */
  readonly refunds?: Refunds;
};
