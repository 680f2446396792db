import {
  type DeclineReason,
  GIVEN_BACK_ELSEWHERE,
  type PaymentDetail,
  type PaymentOutcome,
  type PaymentRequest,
  type RefundAnswer,
  type RefundOrder,
} from './payment-method.ts';
import type { WebpayBody, WebpayRefusal } from './webpay-client.ts';

/**
 * Returns the outcome of a payment from a response to `commit` or `status`.
 *
 * Approved only with the status of an authorisation and response code 0: a payer who turned back at the bank also gets
 * response code 0. `vci` decides nothing, as Transbank asks. A payment that the bank took and refunded itself
 * (`REVERSED`) ends the attempt; one that was refunded before Rúbrica knew of it is a contradiction for a person.
 */
export function paymentOutcomeOf(
  body: WebpayBody,
  payment: Pick<PaymentRequest, 'attemptId' | 'amount'>,
): PaymentOutcome {
  if (body['status'] === 'INITIALIZED') return { kind: 'pending' };
  if (body['buy_order'] !== payment.attemptId || body['amount'] !== payment.amount) {
    return { kind: 'contradiction', detail: { reason: 'other_payment', ...detailOf(body) } };
  }
  const detail = detailOf(body);
  switch (body['status']) {
    case 'AUTHORIZED':
    case 'CAPTURED':
      if (typeof body['response_code'] !== 'number') throw new Error('Webpay: an authorisation without its code');
      return body['response_code'] === 0 ? { kind: 'approved', detail } : declinedOf(body, detail);
    case 'FAILED':
      return declinedOf(body, detail);
    case 'REVERSED':
      return { kind: 'aborted', detail };
    case 'NULLIFIED':
    case 'PARTIALLY_NULLIFIED':
      return { kind: 'contradiction', detail: { ...refundedElsewhere(body, payment.amount), ...detail } };
    default:
      throw new Error('Webpay: a status that its documentation does not have');
  }
}

function declinedOf(body: WebpayBody, detail: PaymentDetail): PaymentOutcome {
  const reason = declineReason(body);
  return { kind: 'declined', detail: reason === null ? detail : { ...detail, reason } };
}

/**
 * By the first level of response codes of Transbank's reference: "parámetros de la tarjeta y/o su cuenta asociada" …
 */
const REASONS: Readonly<Record<number, DeclineReason>> = { [-1]: 'card_data', [-2]: 'account_refused', [-5]: 'risk' };

/**
 * Returns the reason for the payer's page; null: unknown. `vci` shows a refused authentication (3-D Secure); it decides
 * nothing else.
 */
function declineReason({ vci, response_code }: WebpayBody): DeclineReason | null {
  if (vci === 'TSN' || vci === 'U3') return 'authentication';
  return typeof response_code === 'number' ? (REASONS[response_code] ?? null) : null;
}

/**
 * Returns the amount that went back, in minor units, if the status has it. A person's decision about the payment books
 * it.
 */
function refundedElsewhere(body: WebpayBody, paid: number): PaymentDetail {
  const amount = refundedAmountOf(body, paid);
  return { reason: GIVEN_BACK_ELSEWHERE, ...(amount !== null && { given_back: amount }) };
}

/**
 * The known state after a refused commit. `left`: why the form is closed, or null. `isReversed`: enough time has passed
 * that Transbank has reversed a payment that nobody committed.
 */
type AfterRefusal = {
  status: PaymentOutcome;
  commitUnanswered: boolean;
  left: 'turned_back' | 'not_finished' | null;
  isReversed: boolean;
};

/**
 * Returns the outcome after a refused commit, with the status that was read after it. The status can be older than the
 * refusal: just after a commit it still shows that nothing happened. So it ends nothing while a commit is unanswered.
 */
export function outcomeOfRefused(refusal: WebpayRefusal, known: AfterRefusal): PaymentOutcome {
  const { status, commitUnanswered, left, isReversed } = known;
  switch (refusal.reason) {
    case 'finished':
      return outcomeOfFinished(refusal.state, known);
    case 'busy':
      // The result of a commit in progress is known only when it ends.
      return status.kind === 'approved' || status.kind === 'pending' ? { kind: 'unknown' } : status;
    case 'not_ready':
      // A payment that is authorised and not committed may have the same status as a paid one; Transbank reverses it.
      if (status.kind === 'approved') return { kind: 'pending' };
      if (status.kind !== 'pending') return status;
      return commitUnanswered || left === null ? stillOnForm : { kind: 'aborted', detail: { reason: left } };
    case 'other':
      // An unreadable refusal does not show that the authorised payment was committed.
      if (status.kind === 'approved' && !isReversed) return { kind: 'unknown' };
      if (status.kind !== 'pending') return status;
      if (commitUnanswered) return { kind: 'unknown' };
      return left === null ? stillOnForm : { kind: 'aborted', detail: { reason: left } };
  }
}

const ASK_AGAIN_MS = 60_000;

/** The payer may still pay, and no commit has taken anything. */
export const stillOnForm: PaymentOutcome = { kind: 'pending', againAfterMs: ASK_AGAIN_MS, nothingTaken: true };

/** With these ends nothing was taken, or the money went back. */
const ENDS: Readonly<Record<string, 'declined' | 'aborted'>> = {
  FAILED: 'declined',
  ABORTED: 'aborted',
  REVERSED: 'aborted',
};

/** With these ends the money was taken; the status must still show the amount and the order. */
const TAKEN = ['AUTHORIZED', 'CAPTURED', 'NULLIFIED', 'PARTIALLY_NULLIFIED'];

/** Returns the outcome if the refusal names the end of the payment. */
function outcomeOfFinished(state: string, { status, commitUnanswered, left }: AfterRefusal): PaymentOutcome {
  const end = ENDS[state];
  if (status.kind === 'approved' && end !== undefined) {
    return { kind: 'contradiction', detail: { ...status.detail, reason: 'two_ends', refused_as: state } };
  }
  if (status.kind !== 'pending') return status;
  if (end !== undefined)
    return { kind: end, detail: { reason: end === 'declined' ? 'failed' : (left ?? 'not_finished') } };
  if (TAKEN.includes(state) || commitUnanswered) return { kind: 'unknown' };
  return { kind: 'aborted', detail: { reason: left ?? 'not_finished' } };
}

/**
 * Returns the answer about a refund from Transbank's response. Code 0 is success; a reversal has no code. Null: the
 * refund was made, and the response does not show its amount.
 */
export function refundAnswerOf(
  body: WebpayBody,
  { amount, paid, askedAt }: Pick<RefundOrder, 'amount' | 'paid' | 'askedAt'>,
): RefundAnswer | null {
  const detail = pick(body, REFUND_FACTS);
  const left = body['balance'];
  if (body['type'] === 'REVERSED') return amount === paid ? { kind: 'approved', detail, refunded: paid } : null;
  if (body['type'] !== 'NULLIFIED') throw new Error('Webpay: a refund of a type that its documentation does not have');
  if (typeof body['response_code'] !== 'number') throw new Error('Webpay: a nullification without its code');
  if (body['response_code'] !== 0) return askedAt === null ? { kind: 'declined', detail } : { kind: 'unknown' };
  if (body['nullified_amount'] !== amount || !isLeft(left, paid)) return null;
  return { kind: 'approved', detail, refunded: paid - left };
}

/** Returns the refunded amount of a payment from its status, in minor units; null if the status does not show it. */
export function refundedAmountOf(body: WebpayBody, paid: number): number | null {
  switch (body['status']) {
    case 'AUTHORIZED':
    case 'CAPTURED':
      return 0;
    case 'REVERSED':
    case 'NULLIFIED':
      return paid;
    case 'PARTIALLY_NULLIFIED':
      return isLeft(body['balance'], paid) ? paid - body['balance'] : null;
    default:
      return null;
  }
}

function isLeft(balance: unknown, paid: number): balance is number {
  return typeof balance === 'number' && Number.isInteger(balance) && balance >= 0 && balance <= paid;
}

const PAYMENT_FACTS = [
  'authorization_code',
  'response_code',
  'payment_type_code',
  'installments_number',
  'installments_amount',
  'accounting_date',
  'transaction_date',
  'buy_order',
  'status',
  'vci',
] as const;

const REFUND_FACTS = ['type', 'authorization_code', 'authorization_date', 'balance', 'response_code'] as const;

/** Some merchants receive the whole card number: only its last four digits are stored. */
function detailOf(body: WebpayBody): PaymentDetail {
  const number = (body['card_detail'] as { card_number?: unknown } | null | undefined)?.card_number;
  return {
    ...pick(body, PAYMENT_FACTS),
    ...(typeof number === 'string' && { card_last_digits: number.slice(-4) }),
  };
}

function pick(body: WebpayBody, names: readonly string[]): PaymentDetail {
  const facts = names.map((name) => [name, body[name]] as const);
  return Object.fromEntries(facts.filter((fact): fact is [string, string | number] => isFact(fact[1])));
}

/** Returns whether a value is a number or a text no longer than any in the API. Other values are not stored. */
function isFact(value: unknown): value is string | number {
  return typeof value === 'number' || (typeof value === 'string' && value !== '' && value.length <= 64);
}
