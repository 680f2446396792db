import type { FetchOutcome, SafeFetch } from '../lib/network/safe-fetch.ts';
import { parseObject } from '../lib/parse-object.ts';
import { CredentialsRefused } from './payment-method.ts';

export type WebpayAccount = { commerceCode: string; apiKey: string };

/** The members of a response. Their users check the values. */
export type WebpayBody = Readonly<Record<string, unknown>>;

/**
 * `refused`: Transbank checked the call and did nothing (422). `finished`: the payment has ended, by an earlier commit
 * or because the payer turned back; `state` names the end in capitals: `AUTHORIZED`, `ABORTED` …. `not_ready`: the bank
 * has authorised nothing to commit. `busy`: another commit is in progress.
 */
export type WebpayAnswer = { kind: 'answered'; body: WebpayBody } | WebpayRefusal;

/** `text`: of a refusal that is not understood, for the log. */
export type WebpayRefusal =
  | { kind: 'refused'; reason: 'not_ready' | 'busy' | 'other'; text?: string }
  | FinishedRefusal;

type FinishedRefusal = { kind: 'refused'; reason: 'finished'; state: string };

export type WebpayClient = {
  create(payment: { buyOrder: string; sessionId: string; amount: number; returnUrl: string }): Promise<WebpayAnswer>;
  commit(token: string): Promise<WebpayAnswer>;
  status(token: string): Promise<WebpayAnswer>;
  refund(token: string, amount: number): Promise<WebpayAnswer>;
};

/** Thrown if no connection was made, so that nothing reached Transbank. */
export class NothingSent extends Error {}

const PATH = '/rswebpaytransaction/api/webpay/v1.2/transactions';

/**
 * Creates a client of the Webpay Plus REST API, version 1.2. A call rejects without a valid response, and then its
 * effect is unknown; with `CredentialsRefused` if Transbank refuses the key; with `NothingSent` if no connection was
 * made. The messages quote nothing that was sent or received.
 */
export function createWebpayClient(fetch: SafeFetch, baseUrl: string, account: WebpayAccount): WebpayClient {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    'tbk-api-key-id': account.commerceCode,
    'tbk-api-key-secret': account.apiKey,
  };
  const call = async (verb: string, method: 'GET' | 'POST' | 'PUT', path: string, body: object | null) => {
    const url = baseUrl + PATH + path;
    const sent = body === null ? null : JSON.stringify(body);
    // The operator chooses the address, so it may be private.
    return readAnswer(verb, await fetch({ url, method, headers, body: sent, allowPrivate: true }));
  };
  return {
    create: ({ buyOrder, sessionId, amount, returnUrl }) =>
      call('create', 'POST', '', { buy_order: buyOrder, session_id: sessionId, amount, return_url: returnUrl }),
    commit: (token) => call('commit', 'PUT', `/${encodeURIComponent(token)}`, {}),
    status: (token) => call('status', 'GET', `/${encodeURIComponent(token)}`, null),
    refund: (token, amount) => call('refund', 'POST', `/${encodeURIComponent(token)}/refunds`, { amount }),
  };
}

const NEVER_LEFT: ReadonlySet<string> = new Set(['connect', 'dns', 'refused_address']);

function readAnswer(verb: string, outcome: FetchOutcome): WebpayAnswer {
  if (outcome.kind === 'failed') {
    const Failure = NEVER_LEFT.has(outcome.reason) ? NothingSent : Error;
    throw new Failure(`Webpay ${verb}: no answer, ${outcome.reason} ${outcome.detail}`);
  }
  if (outcome.status === 401 || outcome.status === 403)
    throw new CredentialsRefused(`Webpay ${verb}: status ${outcome.status}`);
  const body = parseObject(outcome.excerpt);
  if (outcome.status === 422) return refusalOf(body?.['error_message']);
  if (outcome.status !== 200 || body === null) throw new Error(`Webpay ${verb}: status ${outcome.status}`);
  return { kind: 'answered', body };
}

/** Transbank returns these texts; no documented code has the same meaning. */
function refusalOf(message: unknown): WebpayRefusal {
  const text = typeof message === 'string' ? message : '';
  const [finished, state = ''] = /invalid finished state:?\s*(\w*)/i.exec(text) ?? [];
  if (finished !== undefined) return { kind: 'refused', reason: 'finished', state: state.toUpperCase() };
  if (/locked by another process/i.test(text)) return { kind: 'refused', reason: 'busy' };
  if (/^invalid status '\d+'/i.test(text)) return { kind: 'refused', reason: 'not_ready' };
  return { kind: 'refused', reason: 'other', text: forLog(text) };
}

/** Shortens a text, and leaves out what may be a token or a card number. */
function forLog(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/[\w-]{13,}|\d[\d -]{11,}\d/g, '…')
    .slice(0, 200);
}
