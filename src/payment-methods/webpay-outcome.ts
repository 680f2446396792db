import type { PaymentDetail, PaymentOutcome, PaymentRequest, RefundOutcome, RefundRequest } from './payment-method.ts';
import type { WebpayBody } from './webpay-client.ts';

/**
 * What an answer to `commit` or `status` says of our payment.
 *
 * Approved is only what has the status of an authorisation and response code 0: a payer who turned back at the bank also
 * has a response code 0. `vci` decides nothing, as Transbank asks. A payment that the bank took and gave back by itself
 * (`REVERSED`) ends the attempt; one that somebody gave back before we knew of it is for a person to look at.
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
      return { kind: body['response_code'] === 0 ? 'approved' : 'declined', detail };
    case 'FAILED':
      return { kind: 'declined', detail };
    case 'REVERSED':
      return { kind: 'aborted', detail };
    case 'NULLIFIED':
    case 'PARTIALLY_NULLIFIED':
      return { kind: 'contradiction', detail: { reason: 'given_back_elsewhere', ...detail } };
    default:
      throw new Error('Webpay: a status that its documentation does not have');
  }
}

/** What the answer to a refund says. Code 0 is success; a reversal has no code at all. */
export function refundOutcomeOf(body: WebpayBody, { amount }: Pick<RefundRequest, 'amount'>): RefundOutcome {
  const detail = pick(body, REFUND_FACTS);
  if (body['type'] === 'REVERSED') return { kind: 'approved', detail };
  if (body['type'] !== 'NULLIFIED') throw new Error('Webpay: a refund of a type that its documentation does not have');
  if (body['response_code'] !== 0) return { kind: 'declined', detail };
  if (body['nullified_amount'] !== amount) throw new Error('Webpay: a refund of another amount');
  return { kind: 'approved', detail };
}

/** How much of a payment has been given back, by its status; null when the status does not say. */
export function refundedAmountOf(body: WebpayBody, paid: number): number | null {
  switch (body['status']) {
    case 'AUTHORIZED':
    case 'CAPTURED':
      return 0;
    case 'REVERSED':
    case 'NULLIFIED':
      return paid;
    case 'PARTIALLY_NULLIFIED':
      return typeof body['balance'] === 'number' ? paid - body['balance'] : null;
    default:
      return null;
  }
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

/** A text as long as any that the API has. Anything else would only be stored for whoever sent it. */
function isFact(value: unknown): value is string | number {
  return typeof value === 'number' || (typeof value === 'string' && value !== '' && value.length <= 64);
}
