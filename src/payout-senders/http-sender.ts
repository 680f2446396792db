import { parseObject } from '../lib/parse-object.ts';
import type { FetchOutcome, FetchRequest, SafeFetch } from '../lib/safe-fetch.ts';
import type { LookUpAnswer, PayoutSender, SenderSilence, Transfer, TransferOrder } from './payout-sender.ts';

const LONGEST_REASON = 200;

/** Where the provider is, and the key that opens it. */
export type HttpSenderOptions = { url: string; key: string | null; fetch: SafeFetch };

/**
 * Hands transfers to the provider that the operator has a contract with; docs/payout-provider.md is what it speaks.
 *
 * Nothing is tried twice here: an order whose answer is lost is looked up. The address is the operator's own choice, so unlike the
 * URLs of merchants it may be private.
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

/** Whatever is not exactly the published schema is no answer: it must never end a payout. */
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

/** Of something that is to be a number or a short word. */
function shown(value: unknown): string {
  return typeof value === 'number' || typeof value === 'string' ? String(value).slice(0, 20) : '?';
}

const UNKNOWN = { kind: 'unknown' } as const;

const NO_REASON: SenderSilence = 'no reason was given';

/** Why, as a bank or a provider says it. It may stay for ever, and long digits in it may be an account or a RUT. */
function plainReason(said: unknown): string {
  const text = typeof said === 'string' ? said.replace(/\p{Cc}/gu, ' ').trim() : '';
  return text.replace(/\d[\d.]{4,}(?:-[\dkK])?/g, '…').slice(0, LONGEST_REASON) || NO_REASON;
}
