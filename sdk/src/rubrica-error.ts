import type { ErrorCode, Problem } from './api-errors.ts';

/**
 * `NOT_SENT`: there was no connection, so nothing was done. `NO_ANSWER`: the request was sent and got no response, so
 * it may have been carried out. `UNREADABLE_ANSWER`: another server answered, such as a proxy. All others come from the
 * service, each with its page at `/errors/{code}`. A newer service may have further codes.
 */
export type RubricaErrorCode =
  | ErrorCode
  | 'NOT_SENT'
  | 'NO_ANSWER'
  | 'UNREADABLE_ANSWER'
  | (string & Record<never, never>);

export type RubricaErrorDetails = {
  /** HTTP status; null without a response. */
  status: number | null;
  code: RubricaErrorCode;
  title: string;
  /** The details of this case. */
  detail: string;
  /** Every error of the request, each with its fix. */
  errors: Problem['errors'];
  /** Data beside the error: for a refused feed cursor, `data.next` is the cursor to continue from. */
  data: Problem['data'];
  /** Method and address, without the query: `POST https://pay.example.cl/trxs`. */
  request: string;
  /** The id of the request in the service's log. */
  requestId: string | null;
  /** The idempotency key that was sent; null if the call had no key. Send it again, so that nothing is done twice. */
  idempotencyKey: string | null;
  /** True when the same call may succeed later. The client has already retried where that is safe. */
  retryable: boolean;
  /** The wait that the service asks for before the next request. */
  retryAfterMs: number | null;
};

/** The failure of a call. The message names the request, the error and the fix. It holds no secret. */
export class RubricaError extends Error implements RubricaErrorDetails {
  readonly status: number | null;
  readonly code: RubricaErrorCode;
  readonly title: string;
  readonly detail: string;
  readonly errors: Problem['errors'];
  readonly data: Problem['data'];
  readonly request: string;
  readonly requestId: string | null;
  readonly idempotencyKey: string | null;
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;

  constructor(details: RubricaErrorDetails, cause?: unknown) {
    super(messageOf(details), { cause });
    this.name = 'RubricaError';
    this.status = details.status;
    this.code = details.code;
    this.title = details.title;
    this.detail = details.detail;
    this.errors = details.errors;
    this.data = details.data;
    this.request = details.request;
    this.requestId = details.requestId;
    this.idempotencyKey = details.idempotencyKey;
    this.retryable = details.retryable;
    this.retryAfterMs = details.retryAfterMs;
  }
}

const MOST_SAID = 10;

function messageOf({ code, detail, errors, request, status, requestId }: RubricaErrorDetails): string {
  const answered = status === null ? '' : ` answered ${status}`;
  const named = requestId === null ? '' : `, request ${requestId}`;
  return `${[`${code}: ${detail}`, ...sayErrors(detail, errors)].join(' ')} (${request}${answered}${named})`;
}

/** Names each error with its fix, but nothing that the detail says already. */
function sayErrors(detail: string, errors: RubricaErrorDetails['errors']): string[] {
  const texts = errors.map(({ message, fix }) => (detail.includes(message) ? fix : `${message} ${fix}`));
  const said = [...new Set(texts)].filter((text) => !detail.includes(text));
  const more = said.length - MOST_SAID;
  return more > 0 ? [...said.slice(0, MOST_SAID), `And ${more} more in errors.`] : said;
}
