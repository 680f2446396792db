import { parseObject } from '../lib/parse-object.ts';
import type { FetchOutcome, SafeFetch } from '../lib/safe-fetch.ts';
import { CredentialsRefused } from './payment-method.ts';

/** A merchant's account at Transbank. */
export type WebpayAccount = { commerceCode: string; apiKey: string };

/** The members of an answer. What is in them is checked where it is used. */
export type WebpayBody = Readonly<Record<string, unknown>>;

/**
 * `refused`: Transbank has judged the call and did nothing (422). `finished`: the payment has its end, which `state` names
 * in capitals: `AUTHORIZED`, `ABORTED` …, by an earlier commit or because the payer turned back. `not_ready`: the bank has
 * authorised nothing that could be committed. `busy`: it is being committed at this moment.
 */
export type WebpayAnswer = { kind: 'answered'; body: WebpayBody } | WebpayRefusal;

export type WebpayRefusal = { kind: 'refused'; reason: 'not_ready' | 'busy' | 'other' } | FinishedRefusal;

type FinishedRefusal = { kind: 'refused'; reason: 'finished'; state: string };

export type WebpayClient = {
  create(payment: { buyOrder: string; sessionId: string; amount: number; returnUrl: string }): Promise<WebpayAnswer>;
  commit(token: string): Promise<WebpayAnswer>;
  status(token: string): Promise<WebpayAnswer>;
  refund(token: string, amount: number): Promise<WebpayAnswer>;
};

/** Thrown when no connection came about, so that Transbank heard of nothing. */
export class NothingSent extends Error {}

const PATH = '/rswebpaytransaction/api/webpay/v1.2/transactions';

/**
 * The four calls of the Webpay Plus REST API, version 1.2. Rejects when Transbank did not answer, or not in the way that
 * its API does: what the call did is then not known. With `CredentialsRefused` when Transbank does not take the key. The
 * messages quote nothing that was sent or received.
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
    // The address is the operator's own choice, so it may be private.
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

/** The service answers with these texts; no documented code says the same. */
function refusalOf(message: unknown): WebpayRefusal {
  const text = typeof message === 'string' ? message : '';
  const [finished, state = ''] = /invalid finished state:?\s*(\w*)/i.exec(text) ?? [];
  if (finished !== undefined) return { kind: 'refused', reason: 'finished', state: state.toUpperCase() };
  if (/locked by another process/i.test(text)) return { kind: 'refused', reason: 'busy' };
  return { kind: 'refused', reason: /^invalid status '\d+'/i.test(text) ? 'not_ready' : 'other' };
}
