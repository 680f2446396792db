import type { SafeFetch } from '../lib/network/safe-fetch.ts';
import {
  GIVEN_UP_FIELD,
  type PaymentMethod,
  type PaymentOutcome,
  type PaymentRequest,
  type RefundAnswer,
  type RefundOrder,
} from './payment-method.ts';
import { createWebpayClient, NothingSent, type WebpayAnswer, type WebpayClient } from './webpay-client.ts';
import { outcomeOfRefused, paymentOutcomeOf, refundAnswerOf, refundedAmountOf, stillOnForm } from './webpay-outcome.ts';

export type WebpayOptions = {
  fetch: SafeFetch;
  /** UTC milliseconds. */
  now: () => number;
  /** Replaces Transbank's addresses in every environment; null: Transbank's addresses. */
  baseUrl: string | null;
  /** Returns the API key of a commerce code that the environment uses or has used; otherwise null. */
  keyOf: (environmentId: number, commerceCode: string) => Promise<string | null>;
  /** Gets the text of a refused commit that is not understood, once for an attempt. */
  onUnreadRefusal?: (attemptId: string, text: string) => void;
};

const BASE_URLS = { development: 'https://webpay3gint.transbank.cl', production: 'https://webpay3g.transbank.cl' };

/**
 * Before this age a payment still on the form is not committed, unless the payer has come back or a commit went
 * unanswered.
 */
const PAYER_NEEDS_MS = 60_000;
/** A token is valid for minutes only. After this time its form is closed. */
const FORM_CLOSED_MS = 20 * 60_000;
/**
 * At this age Transbank has reversed whatever nobody committed. Before it a status `AUTHORIZED` may be the bank's
 * authorisation of a payment that nobody commits, so without the answer to a commit it proves no payment.
 */
const REVERSED_BY_MS = 60 * 60_000;

/**
 * Creates the method Webpay Plus of Transbank, REST API 1.2. The payer gives the card to Transbank and comes back, and
 * only a commit after that takes the money. Transbank reverses a payment without a commit, so an ended attempt takes no
 * money. docs/webpay.md describes the ways back.
 */
export function createWebpayMethod(options: WebpayOptions): PaymentMethod {
  const { now, onUnreadRefusal = () => {} } = options;
  const reportOnce = onceForAttempt(onUnreadRefusal);

  async function start(payment: PaymentRequest): Promise<PaymentOutcome> {
    const client = await clientFor(options, payment);
    const { attemptId, transactionId, amount, returnUrl } = payment;
    const sessionId = String(transactionId);
    const answer = await client.create({ buyOrder: attemptId, sessionId, amount, returnUrl });
    const { token, url } = bodyOf(answer);
    if (typeof token !== 'string' || !/^\w{1,64}$/.test(token) || typeof url !== 'string' || !isPage(url, options)) {
      throw new Error('Webpay: a created payment without its token or its page');
    }
    return { kind: 'redirect', externalId: token, url, fields: { token_ws: token } };
  }

  async function lookup(payment: PaymentRequest): Promise<PaymentOutcome> {
    if (payment.externalId === null) return neverShown;
    const client = await clientFor(options, payment);
    const outcome = paymentOutcomeOf(bodyOf(await client.status(payment.externalId)), payment);
    const age = now() - payment.startedAt;
    if (outcome.kind === 'approved' && age < REVERSED_BY_MS) return { kind: 'unknown' };
    // An attempt that is only looked up is never committed.
    const isOver = outcome.kind === 'pending' && age > FORM_CLOSED_MS;
    return isOver && !payment.commitUnanswered ? { kind: 'aborted', detail: { reason: 'not_finished' } } : outcome;
  }

  /**
   * Commits before reading the status, because only a commit shows for certain that the payment is kept. A refused
   * commit means that the payment was committed before or has nothing to commit; the refusal and the status show which.
   */
  async function commit(payment: PaymentRequest): Promise<PaymentOutcome> {
    const token = payment.externalId;
    if (token === null) return neverShown;
    const client = await clientFor(options, payment);
    const back = wayBack(payment, token);
    const age = now() - payment.startedAt;
    const early = back === null && !payment.commitUnanswered && age < PAYER_NEEDS_MS;
    if (early && (await isOnForm(client, token))) return stillOnForm;
    const answer = await client.commit(token);
    if (answer.kind === 'answered') return paymentOutcomeOf(answer.body, payment);
    if (answer.reason === 'other') reportOnce(payment.attemptId, answer.text ?? '');
    const status = paymentOutcomeOf(bodyOf(await client.status(token)), payment);
    const left = back === 'turned_back' ? 'turned_back' : age > FORM_CLOSED_MS ? 'not_finished' : null;
    const { commitUnanswered } = payment;
    return outcomeOfRefused(answer, { status, commitUnanswered, left, isReversed: age >= REVERSED_BY_MS });
  }

  return {
    code: 'webpay',
    name: 'Webpay Plus',
    description: 'Credit, debit and prepaid cards, by Transbank',
    imagePath: '/assets/webpay-method.svg',
    redirects: true,
    accepts: ({ currency, configured }) => configured && currency === 'CLP',
    start,
    lookup,
    commit,
    refunds: {
      windowDays: 90,
      minimumAgeHours: 0,
      partial: true,
      request: (refund) => requestRefund(options, refund),
      lookup: (refund) => lookUpRefund(options, refund),
    },
  };
}

/** Without a token the payer never saw the form: Transbank's response was lost. */
const neverShown: PaymentOutcome = { kind: 'aborted', detail: { reason: 'never_shown' } };

/**
 * Returns how the payer came back. `token_ws` alone: the form was finished. `TBK_TOKEN`: the payer left the form, or
 * (with `token_ws`) it failed. Neither, but the attempt's order or `GIVEN_UP_FIELD`: the form timed out or the payer
 * gave up. Null: nobody came back from this payment.
 */
function wayBack({ returned, attemptId }: PaymentRequest, token: string): 'finished' | 'turned_back' | null {
  if (returned === null) return null;
  if (returned['TBK_TOKEN'] !== undefined) return returned['TBK_TOKEN'] === token ? 'turned_back' : null;
  if (returned['token_ws'] !== undefined) return returned['token_ws'] === token ? 'finished' : null;
  const left = returned['TBK_ORDEN_COMPRA'] === attemptId || returned[GIVEN_UP_FIELD] === attemptId;
  return left ? 'turned_back' : null;
}

async function isOnForm(client: WebpayClient, token: string): Promise<boolean> {
  return bodyOf(await client.status(token))['status'] === 'INITIALIZED';
}

/**
 * Looks up a refund by the payment's balance, the only trace of a refund at Webpay, which may be late. A balance that
 * includes the refund shows that it was made; one without it shows nothing, however old the request is.
 */
async function lookUpRefund(options: WebpayOptions, refund: RefundOrder): Promise<RefundAnswer> {
  const client = await clientForRefund(options, refund);
  const body = bodyOf(await client.status(tokenOf(refund)));
  if (body['buy_order'] !== refund.payment.attemptId) throw new Error('Webpay: a status of another payment');
  const refunded = refundedAmountOf(body, refund.paid);
  if (refunded === null) throw new Error('Webpay: a status that does not say what was refunded');
  if (refund.askedAt === null) return { kind: 'absent', refunded };
  if (refunded !== refund.refundedBefore + refund.amount) return { kind: 'unknown', refunded };
  return { kind: 'approved', detail: { type: String(body['status']) }, refunded };
}

async function requestRefund(options: WebpayOptions, refund: RefundOrder): Promise<RefundAnswer> {
  const client = await clientForRefund(options, refund);
  const token = tokenOf(refund);
  let answer: WebpayAnswer;
  try {
    answer = await client.refund(token, refund.amount);
  } catch (error) {
    if (error instanceof NothingSent) return { kind: 'absent' };
    throw error;
  }
  if (answer.kind === 'answered') {
    const said = refundAnswerOf(answer.body, refund);
    // The reversal of a part has no amount; only the balance after it shows the refunded amount.
    return said ?? lookUpRefund(options, { ...refund, askedAt: options.now() });
  }
  if (answer.reason === 'busy' || refund.askedAt !== null) return { kind: 'unknown' };
  return { kind: 'declined', detail: { reason: 'refused_by_transbank' } };
}

function tokenOf({ payment }: RefundOrder): string {
  if (payment.externalId === null) throw new Error('Webpay: a payment without its token');
  return payment.externalId;
}

function clientForRefund(options: WebpayOptions, refund: RefundOrder): Promise<WebpayClient> {
  return clientFor(options, { ...refund, account: refund.payment.account });
}

/** Only the commerce code that made a token knows it. */
async function clientFor(
  { fetch, baseUrl, keyOf }: WebpayOptions,
  { environment, environmentId, account }: Pick<PaymentRequest, 'environment' | 'environmentId' | 'account'>,
): Promise<WebpayClient> {
  const apiKey = account === null ? null : await keyOf(environmentId, account);
  if (account === null || apiKey === null) throw new Error('Webpay: a payment by no account');
  return createWebpayClient(fetch, baseUrl ?? BASE_URLS[environment], { commerceCode: account, apiKey });
}

function bodyOf(answer: WebpayAnswer) {
  if (answer.kind === 'refused') throw new Error(`Webpay: refused, ${answer.reason}`);
  return answer.body;
}

/**
 * Returns whether the payer may be sent to this page: only to Transbank, or to any page if the operator has set a base
 * address.
 */
function isPage(url: string, { baseUrl }: WebpayOptions): boolean {
  const page = URL.parse(url);
  if (page === null) return false;
  if (baseUrl !== null) return page.protocol === 'https:' || page.protocol === 'http:';
  return page.protocol === 'https:' && page.hostname.endsWith('.transbank.cl');
}

/** Bounds the memory of the attempts that were reported. */
const MOST_REPORTED = 10_000;

function onceForAttempt(report: (attemptId: string, text: string) => void): typeof report {
  const reported = new Set<string>();
  return (attemptId, text) => {
    if (reported.has(attemptId)) return;
    if (reported.size >= MOST_REPORTED) reported.clear();
    reported.add(attemptId);
    report(attemptId, text);
  };
}
