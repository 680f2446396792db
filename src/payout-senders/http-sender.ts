import { replaceMisleading } from '../lib/misleading-text.ts';
import type { FetchOutcome, FetchRequest, SafeFetch } from '../lib/network/safe-fetch.ts';
import { parseObject } from '../lib/parse-object.ts';
import type { LookUpAnswer, PayoutSender, SenderSilence, Transfer, TransferOrder } from './payout-sender.ts';

const LONGEST_REASON = 200;

/** The provider's URL and its bearer token. */
export type HttpSenderOptions = { url: string; key: string | null; fetch: SafeFetch };

/**
 * Sends transfers to the operator's provider by the protocol of docs/payout-provider.md.
 *
 * Never retries: a transfer whose response is lost is looked up. The operator chooses the URL, so it may be a private
 * address, unlike the URLs of merchants.
 */
export function createHttpSender({ url, key, fetch }: HttpSenderOptions): PayoutSender {
  const headers = { accept: 'application/json', ...(key !== null && { authorization: `Bearer ${key}` }) };
  const ask = (request: Pick<FetchRequest, 'url' | 'method' | 'body'>, more: Record<string, string>) =>
    fetch({ ...request, headers: { ...headers, ...more }, allowPrivate: true });
  return {
    code: 'http',
    send: async (order) => {
      const more = { 'content-type': 'application/json', 'idempotency-key': order.id };
      const answer = readAnswer(await ask({ url, method: 'POST', body: bodyOf(order) }, more), order);
      return answer.kind === 'absent' ? { kind: 'unknown' } : answer;
    },
    lookUp: async (transfer) =>
      readAnswer(await ask({ url: placeOf(url, transfer.id), method: 'GET', body: null }, {}), transfer),
  };
}

function placeOf(url: string, id: string): string {
  const place = new URL(url);
  place.pathname = `${place.pathname.replace(/\/$/, '')}/${encodeURIComponent(id)}`;
  return place.href;
}

function bodyOf(order: TransferOrder): string {
  const { id, reference, amount, currency, rut, name, email, bankCode, account, accountType, message } = order;
  return JSON.stringify({
    id,
    reference,
    amount,
    currency,
    recipient: { rut, name, email },
    bank: bankCode,
    account,
    account_type: accountType,
    message,
  });
}

/** Returns `unknown` for a response that differs from the published schema, because it must never end a payout. */
function readAnswer(outcome: FetchOutcome, { id, amount, currency }: Transfer): LookUpAnswer {
  if (outcome.kind === 'failed') return { kind: 'unknown' };
  const body = parseObject(outcome.excerpt) ?? {};
  if (outcome.status === 404) return body['id'] === id && body['status'] === 'absent' ? { kind: 'absent' } : UNKNOWN;
  if (outcome.status < 200 || outcome.status > 299) return UNKNOWN;
  if (typeof body['id'] !== 'string') return UNKNOWN;
  if (body['id'] !== id) return { kind: 'contradiction', says: 'another transfer' };
  if (body['amount'] !== amount || body['currency'] !== currency) {
    return { kind: 'contradiction', says: `amount ${shown(body['amount'])} ${shown(body['currency'])}` };
  }
  switch (body['status']) {
    case 'confirmed':
    case 'pending':
      return { kind: body['status'] };
    case 'failed':
    case 'returned':
      return { kind: body['status'], reason: plainReason(body['reason']) };
    default:
      return UNKNOWN;
  }
}

/** Returns a value of the response for a message, at most 20 characters. */
function shown(value: unknown): string {
  return typeof value === 'number' || typeof value === 'string'
    ? replaceMisleading(String(value), ' ').slice(0, 20)
    : '?';
}

const UNKNOWN = { kind: 'unknown' } as const;

const NO_REASON: SenderSilence = 'no reason was given';

/**
 * Returns the reason of a bank or a provider without long numbers: the text may be stored for ever, and a number may be
 * an account or a RUT.
 */
function plainReason(said: unknown): string {
  const text = typeof said === 'string' ? replaceMisleading(said, ' ').trim() : '';
  return text.replace(/\d(?:[ .-]?\d){4,}(?:-[kK])?/g, '…').slice(0, LONGEST_REASON) || NO_REASON;
}
