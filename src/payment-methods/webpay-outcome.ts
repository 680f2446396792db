import {
  type DeclineReason,
  GIVEN_BACK_ELSEWHERE,
  type PaymentDetail,
  type PaymentOutcome,
  type PaymentRequest,
  type RefundAnswer,
  type RefundRequest,
} from './payment-method.ts';
import type { WebpayBody, WebpayRefusal } from './webpay-client.ts';

/**
 * Reads the outcome of our payment from an answer to `commit` or `status`.
 *
 * Approved is only what has the status of an authorisation and response code 0: a payer who turned back at the bank also
 * has a response code 0. `vci` decides nothing, as Transbank asks. A payment that the bank took and refunded by itself
 * (`REVERSED`) ends the attempt; one that somebody refunded before we knew of it is for a person to look at.
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
      return { kind: 'contradiction', detail: { ...givenBack(body, payment.amount), ...detail } };
    default:
      throw new Error('Webpay: a status that its documentation does not have');
  }
}

function declinedOf(body: WebpayBody, detail: PaymentDetail): PaymentOutcome {
  const reason = declineReason(body);
  return { kind: 'declined', detail: reason === null ? detail : { ...detail, reason } };
}

/** By the first level of response codes, in the words of Transbank's reference: "parámetros de la tarjeta y/o su cuenta asociada" … */
const REASONS: Readonly<Record<number, DeclineReason>> = { [-1]: 'card_data', [-2]: 'account_refused', [-5]: 'risk' };

/** Why, for the payer's page alone. A refused authentication (3-D Secure) is told by `vci`; it decides nothing else. */
function declineReason({ vci, response_code }: WebpayBody): DeclineReason | null {
  if (vci === 'TSN' || vci === 'U3') return 'authentication';
  return typeof response_code === 'number' ? (REASONS[response_code] ?? null) : null;
}

/** How much has gone back, in minor units, where the status says it: who decides about the payment books it with the payment. */
function givenBack(body: WebpayBody, paid: number): PaymentDetail {
  const amount = refundedAmountOf(body, paid);
  return { reason: GIVEN_BACK_ELSEWHERE, ...(amount !== null && { given_back: amount }) };
}

/** The known facts when a commit was refused. `left`: why the form has closed, or null. */
type AfterRefusal = { status: PaymentOutcome; commitUnanswered: boolean; left: 'turned_back' | 'not_finished' | null };

/**
 * Reads the outcome of a refused commit, beside the status that was asked for after it. The status can be older than the
 * refusal: for a moment after a commit it still says that nothing has happened, so it ends nothing while a commit went
 * unanswered.
 */
export function outcomeOfRefused(refusal: WebpayRefusal, known: AfterRefusal): PaymentOutcome {
  const { status, commitUnanswered, left } = known;
  switch (refusal.reason) {
    case 'finished':
      return outcomeOfFinished(refusal.state, known);
    case 'busy':
      // A commit that is under way is known when it has ended.
      return status.kind === 'approved' || status.kind === 'pending' ? { kind: 'unknown' } : status;
    case 'not_ready':
      // A payment that the bank has authorised and nobody has committed may have the same status as a payment, and goes back.
      if (status.kind === 'approved') return { kind: 'pending' };
      if (status.kind !== 'pending') return status;
      return commitUnanswered || left === null ? stillOnForm : { kind: 'aborted', detail: { reason: left } };
    case 'other':
      if (status.kind !== 'pending') return status;
      if (commitUnanswered) return { kind: 'unknown' };
      return left === null ? stillOnForm : { kind: 'aborted', detail: { reason: left } };
  }
}

const ASK_AGAIN_MS = 60_000;

/** The payer may still pay, and no commit has taken anything. */
export const stillOnForm: PaymentOutcome = { kind: 'pending', againAfterMs: ASK_AGAIN_MS, nothingTaken: true };

/** By these ends nothing was taken, or nothing is any more. */
const ENDS: Readonly<Record<string, 'declined' | 'aborted'>> = {
  FAILED: 'declined',
  ABORTED: 'aborted',
  REVERSED: 'aborted',
};

/** By these the money was taken, and the status has yet to say how much and for what. */
const TAKEN = ['AUTHORIZED', 'CAPTURED', 'NULLIFIED', 'PARTIALLY_NULLIFIED'];

/** The refusal names the end that the payment has. */
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
 * Reads the answer to a refund. Code 0 is success; a reversal has no code at all. Null: it was done, and nobody can say from
 * this answer for which amount.
 */
export function refundAnswerOf(
  body: WebpayBody,
  { amount, paid, askedAt }: Pick<RefundRequest, 'amount' | 'paid' | 'askedAt'>,
): RefundAnswer | null {
  const detail = pick(body, REFUND_FACTS);
  const left = body['balance'];
  if (body['type'] === 'REVERSED') return amount === paid ? { kind: 'approved', detail, refunded: paid } : null;
  if (body['type'] !== 'NULLIFIED') throw new Error('Webpay: a refund of a type that its documentation does not have');
  if (body['response_code'] !== 0) return askedAt === null ? { kind: 'declined', detail } : { kind: 'unknown' };
  if (body['nullified_amount'] !== amount || !isLeft(left, paid)) return null;
  return { kind: 'approved', detail, refunded: paid - left };
}

/** How much of a payment has been refunded, by its status; null when the status does not say. */
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

/** Some merchants are sent the whole card number: never more than its end is kept. */
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

/** A text as long as any that the API has. Anything else would only be stored for its sender. */
function isFact(value: unknown): value is string | number {
  return typeof value === 'number' || (typeof value === 'string' && value !== '' && value.length <= 64);
}
