import type { SafeFetch } from '../lib/safe-fetch.ts';
import {
  GIVEN_UP_FIELD,
  type PaymentMethod,
  type PaymentOutcome,
  type PaymentRequest,
  type RefundAnswer,
  type RefundRequest,
} from './payment-method.ts';
import { createWebpayClient, NothingSent, type WebpayAnswer, type WebpayClient } from './webpay-client.ts';
import { outcomeOfRefused, paymentOutcomeOf, refundAnswerOf, refundedAmountOf, stillOnForm } from './webpay-outcome.ts';

export type WebpayOptions = {
  fetch: SafeFetch;
  /** UTC milliseconds. */
  now: () => number;
  /** In place of Transbank's own addresses, for every environment; null: those. */
  baseUrl: string | null;
  /** The API key of a commerce code that an environment of a payment service has, or has had; else null. */
  keyOf: (environmentId: number, commerceCode: string) => Promise<string | null>;
};

const BASE_URLS = { development: 'https://webpay3gint.transbank.cl', production: 'https://webpay3g.transbank.cl' };

/** The time that a payer needs at least until there is something to commit, if their browser does not bring them back. */
const PAYER_NEEDS_MS = 60_000;
/** A token lives for minutes only. After this time its form has closed. */
const FORM_CLOSED_MS = 20 * 60_000;

/**
 * Webpay Plus of Transbank, REST API 1.2: the payer gives the card to Transbank and comes back, and only what is then
 * committed is paid. A payment that nobody commits is reversed by Transbank, so an attempt that has ended here takes
 * nobody's money. docs/webpay.md tells the ways back.
 */
export function createWebpayMethod(options: WebpayOptions): PaymentMethod {
  const { now } = options;

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
    // Nobody commits what is only looked up.
    const isOver = outcome.kind === 'pending' && now() - payment.startedAt > FORM_CLOSED_MS;
    return isOver && !payment.commitUnanswered ? { kind: 'aborted', detail: { reason: 'not_finished' } } : outcome;
  }

  /**
   * The commit comes before every look at the status: only it says for certain that the payment is kept. One that is
   * refused has either been made before or has nothing to commit; the refusal and the status tell which.
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
    const status = paymentOutcomeOf(bodyOf(await client.status(token)), payment);
    const left = back === 'turned_back' ? 'turned_back' : age > FORM_CLOSED_MS ? 'not_finished' : null;
    return outcomeOfRefused(answer, { status, commitUnanswered: payment.commitUnanswered, left });
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

/** A payer without a token never saw the form: an answer that was lost on its way to us showed it to nobody. */
const neverShown: PaymentOutcome = { kind: 'aborted', detail: { reason: 'never_shown' } };

/**
 * How the payer came back: with `token_ws` alone the form was finished; with `TBK_TOKEN` it was left (alone) or failed
 * (beside `token_ws`); with neither, but our order, its time ran out. Null: nobody came back from this very payment.
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
 * Webpay knows a refund by nothing but the payment's balance, which may be late. So a balance in which the refund is shows
 * that it was done; one in which it is not shows nothing, however old the request is.
 */
async function lookUpRefund(options: WebpayOptions, refund: RefundRequest): Promise<RefundAnswer> {
  const client = await clientForRefund(options, refund);
  const body = bodyOf(await client.status(tokenOf(refund)));
  const refunded = refundedAmountOf(body, refund.paid);
  if (refunded === null) throw new Error('Webpay: a status that does not say what was refunded');
  if (refund.askedAt === null) return { kind: 'absent', refunded };
  if (refunded !== refund.refundedBefore + refund.amount) return { kind: 'unknown', refunded };
  return { kind: 'approved', detail: { type: String(body['status']) }, refunded };
}

async function requestRefund(options: WebpayOptions, refund: RefundRequest): Promise<RefundAnswer> {
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
    // A reversal of a part has no amount: only the balance after it tells what was refunded.
    return said ?? lookUpRefund(options, { ...refund, askedAt: options.now() });
  }
  if (answer.reason === 'busy' || refund.askedAt !== null) return { kind: 'unknown' };
  return { kind: 'declined', detail: { reason: 'refused_by_transbank' } };
}

function tokenOf({ payment }: RefundRequest): string {
  if (payment.externalId === null) throw new Error('Webpay: a payment without its token');
  return payment.externalId;
}

function clientForRefund(options: WebpayOptions, refund: RefundRequest): Promise<WebpayClient> {
  return clientFor(options, { ...refund, account: refund.payment.account });
}

/** A token is known to the commerce code that made it, and to no other. */
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

/** The payer is sent to Transbank or nowhere. An own base address may lead anywhere, as the operator said. */
function isPage(url: string, { baseUrl }: WebpayOptions): boolean {
  const page = URL.parse(url);
  if (page === null) return false;
  if (baseUrl !== null) return page.protocol === 'https:' || page.protocol === 'http:';
  return page.protocol === 'https:' && page.hostname.endsWith('.transbank.cl');
}
