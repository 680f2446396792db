import { isDay } from '../lib/calendar-day.ts';
import type { FetchOutcome, SafeFetch } from '../lib/network/safe-fetch.ts';
import { parseObject } from '../lib/parse-object.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import { compareNames, NAME_MATCHES, type NameMatch } from './compare-names.ts';
import type { HolderAnswer, HolderQuestion, ValidationProvider } from './validation-provider.ts';

export type HttpProviderOptions = {
  url: string;
  /** Sent as a bearer token. */
  key: string | null;
  fetch: SafeFetch;
  now: () => number;
  /** Waits between two attempts; tests skip the wait. */
  sleep?: (ms: number) => Promise<void>;
};

const TRIES = 2;
const RETRY_MS = 250;
const FAILURES_UNTIL_PAUSE = 5;
const PAUSE_MS = 30_000;
const LONGEST_PAUSE_SECONDS = 3600;

/**
 * Asks the operator's verification service by the protocol of docs/validation-provider.md.
 *
 * The question has an idempotency key, so a failed attempt is retried once. The operator chooses the URL, so it may be
 * a private address, unlike the URLs of merchants.
 */
export function createHttpProvider(options: HttpProviderOptions): ValidationProvider {
  const { now, sleep = pause } = options;
  const breaker = createCircuitBreaker({ failures: FAILURES_UNTIL_PAUSE, pauseMs: PAUSE_MS, now });

  async function ask(question: HolderQuestion): Promise<HolderAnswer> {
    let answer: HolderAnswer = { kind: 'unavailable' };
    for (let tries = 1; tries <= TRIES && breaker.allows(); tries++) {
      if (tries > 1) await sleep(RETRY_MS);
      const said = readAnswer(await post(options, question), question.name, now());
      if (said.kind !== 'timeout' && said.kind !== 'unavailable') {
        breaker.succeeded();
        return said.kind === 'expired' ? { kind: 'unavailable' } : said;
      }
      answer = said;
      breaker.failed();
    }
    return answer;
  }

  return { name: 'http', version: '1', realHolders: true, covers: () => true, ask };
}

function post({ url, key, fetch }: HttpProviderOptions, question: HolderQuestion): Promise<FetchOutcome> {
  const { id, rut, bankCode, account, name } = question;
  return fetch({
    url,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'idempotency-key': id,
      ...(key !== null && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({ rut, bank: bankCode, account, ...(name !== null && { name }) }),
    allowPrivate: true,
  });
}

/** `expired`: a result that is no longer valid. The provider works, and the same question has the same answer. */
type ProviderAnswer = HolderAnswer | { kind: 'expired' };

function readAnswer(outcome: FetchOutcome, name: string | null, now: number): ProviderAnswer {
  if (outcome.kind === 'failed') return { kind: outcome.reason === 'timeout' ? 'timeout' : 'unavailable' };
  if (outcome.status === 202) return { kind: 'pending' };
  if (outcome.status === 429) return { kind: 'rate_limited', retryAfterSeconds: secondsOf(outcome.retryAfter) };
  if (outcome.status === 408 || outcome.status === 504) return { kind: 'timeout' };
  return outcome.status === 200 ? readBody(outcome.excerpt, name, now) : { kind: 'unavailable' };
}

/**
 * A response that differs from the published schema counts as unavailable, because it must never become a verdict.
 */
function readBody(text: string, name: string | null, now: number): ProviderAnswer {
  const body = parseObject(text) ?? {};
  const expiresAt = expiryOf(body['valid_until']);
  const nameMatch = nameMatchOf(body, name);
  if (expiresAt === undefined || nameMatch === undefined) return { kind: 'unavailable' };
  const isExpired = expiresAt !== null && expiresAt <= now;
  switch (body['result']) {
    case 'match':
    case 'close_match':
      return isExpired ? EXPIRED : { kind: body['result'], expiresAt, nameMatch };
    case 'no_match':
      return isExpired ? EXPIRED : { kind: 'no_match', expiresAt, detail: detailOf(body['reason']) };
    case 'not_checkable':
    case 'opted_out':
      return isExpired ? EXPIRED : { kind: body['result'] };
    default:
      return { kind: 'unavailable' };
  }
}

const EXPIRED = { kind: 'expired' } as const;

/**
 * Returns `undefined` if the member is present but not a `date-time` of the schema. `Date.parse` alone reads
 * `01/02/2027` as 2 January, and `1` as a year.
 */
function expiryOf(value: unknown): number | null | undefined {
  if (value === undefined || value === null) return null;
  const isTime = typeof value === 'string' && DATE_TIME.test(value) && isDay(value.slice(0, 10));
  const time = isTime ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** RFC 3339, with any number of digits after the second. */
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * Returns the provider's grade, or compares the provider's name here and discards it. Returns `undefined` if a member
 * has another type or value.
 */
function nameMatchOf(body: Record<string, unknown>, name: string | null): NameMatch | null | undefined {
  const { name_match: told = null, holder_name: held = null } = body;
  if (told !== null && !NAME_MATCHES.some((match) => match === told)) return undefined;
  if (held !== null && typeof held !== 'string') return undefined;
  if (name === null) return null;
  return (told as NameMatch | null) ?? (held === null ? null : compareNames(name, held));
}

/** Returns only the published words: free text might contain a name or a RUT. */
function detailOf(value: unknown): string | null {
  return value === 'no_account' || value === 'other_holder' || value === 'account_closed' ? value : null;
}

function secondsOf(retryAfter: string | null): number {
  const seconds = /^\d{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) : 60;
  return Math.min(Math.max(seconds, 1), LONGEST_PAUSE_SECONDS);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
