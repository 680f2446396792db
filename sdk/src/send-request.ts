import type { Problem } from './api-errors.ts';
import { isRefusedRefund, isReplyTo } from './reply-member.ts';
import { failureOf, refusedRefund, type Sent } from './request-failure.ts';
import { RubricaError } from './rubrica-error.ts';

/** The part of `fetch` that the client uses. The platform's `fetch` and its wrappers fit. */
export type Fetch = (url: string, init: object) => Promise<FetchReply>;

export type FetchReply = { status: number; headers: { get(name: string): string | null }; text(): Promise<string> };

export type Connection = { baseUrl: string; fetch: Fetch; timeoutMs: number; patienceMs: number };

type Values = Record<string, string | number | undefined>;

/** The values of a request, by place. Undefined values are left out. */
export type RequestParts = { path?: Values; query?: Values; header?: Values; body?: object };

/**
 * Sends one request and returns the JSON of the response. `operation` is its method and path, such as `GET /trxs/{id}`.
 * Throws `RubricaError` for every other response, for a refused refund, and when no response came.
 */
export async function sendRequest(connection: Connection, operation: string, parts: RequestParts): Promise<unknown> {
  const [method = '', path = ''] = operation.split(' ');
  const address = connection.baseUrl + pathOf(path, parts);
  const answer = await exchange(connection, { method, address }, parts);
  const json = parseObject(answer.text);
  const sent = sentAs({ method, address }, parts);
  if (!isGood(answer) || json === null || !isReplyTo(operation, json)) throw refusalOf(answer, json, sent);
  if (isRefusedRefund(operation, json)) throw refusedRefund(json, sent, answer.headers.get('x-request-id'));
  return json;
}

type Target = { method: string; address: string };

function sentAs({ method, address }: Target, { header }: RequestParts): Sent {
  const key = header?.['Idempotency-Key'];
  return { request: `${method} ${address}`, idempotencyKey: key === undefined ? null : String(key) };
}

type Answer = { status: number; headers: FetchReply['headers']; text: string };

async function exchange(connection: Connection, { method, address }: Target, parts: RequestParts): Promise<Answer> {
  const { fetch, timeoutMs } = connection;
  const init = {
    method,
    headers: headersOf(parts),
    // Do not follow redirects: signed values and tokens must reach no other address.
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
    ...(parts.body !== undefined && { body: JSON.stringify(parts.body) }),
  };
  try {
    const reply = await fetch(address + queryOf(parts), init);
    const answer = { status: reply.status, headers: reply.headers, text: await reply.text() };
    // A response without a length can be cut off unnoticed.
    if (isGood(answer) && /^(?:\{|$)/.test(answer.text) && parseObject(answer.text) === null)
      throw new Error('the answer was cut off');
    return answer;
  } catch (cause) {
    throw failureOf(sentAs({ method, address }, parts), timeoutMs, cause);
  }
}

function isGood({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

/** Refuses a value that no header can carry. The platform's own error would show the value, which may be a token. */
function headersOf({ body, header }: RequestParts): Record<string, string> {
  const headers = defined({ 'content-type': body && 'application/json', ...header });
  const wrong = Object.entries(headers).find(([, value]) => !/^[\t -~]*$/.test(value.trim()));
  if (wrong !== undefined)
    throw new TypeError(
      `What is to be sent as ${wrong[0]} holds a line break or another such character. Send visible ASCII characters alone.`,
    );
  return headers;
}

function pathOf(path: string, { path: values = {} }: RequestParts): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
}

function queryOf({ query = {} }: RequestParts): string {
  const search = new URLSearchParams(defined(query)).toString();
  return search === '' ? '' : `?${search}`;
}

function defined(values: Values): Record<string, string> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

function refusalOf({ status, headers }: Answer, json: object | null, sent: Sent): RubricaError {
  const problem = { ...unreadable(status), ...(isProblem(json) && json) };
  const { code, title, detail, errors, data, request_id: requestId } = problem;
  // A retry cannot help: the operator must configure a payment method.
  const retryable = (status === 429 || status >= 500) && code !== 'NO_PAYMENT_METHOD';
  const retryAfterMs = readRetryAfter(headers.get('retry-after'));
  return new RubricaError({ status, code, title, detail, errors, data, ...sent, requestId, retryable, retryAfterMs });
}

/** Checks the whole shape, because a gateway's errors may also have `code` and `detail`. */
function isProblem(json: object | null): json is Problem {
  const { code, detail, errors = [] } = (json ?? {}) as Partial<Record<keyof Problem, unknown>>;
  const isList = Array.isArray(errors) && errors.every((one) => typeof one === 'object' && one !== null);
  return typeof code === 'string' && typeof detail === 'string' && isList;
}

function unreadable(status: number) {
  const detail = `Something else than the service answered, with status ${status}. Check baseUrl and the proxies.`;
  return { code: 'UNREADABLE_ANSWER', title: 'Unreadable answer', detail, errors: [], data: null, request_id: null };
}

/** Reads `Retry-After`, a number of seconds or a date. Returns milliseconds. */
function readRetryAfter(value: string | null): number | null {
  if (value === null) return null;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(ms, 0);
}
