import type { ErrorCode, Problem } from './api-errors.ts';

/**
 * `NOT_SENT`: there was no connection, so nothing was done. `NO_ANSWER`: it was sent and nothing came back, so it may have been
 * done or not. `UNREADABLE_ANSWER`: something else answered, such as a proxy. The others are the service's own, each with its page at `/errors/{code}`; a service that is newer than
 * this package may have more.
 */
export type RubricaErrorCode =
  | ErrorCode
  | 'NOT_SENT'
  | 'NO_ANSWER'
  | 'UNREADABLE_ANSWER'
  | (string & Record<never, never>);

export type RubricaErrorDetails = {
  /** HTTP status, or null when nothing came back. */
  status: number | null;
  code: RubricaErrorCode;
  title: string;
  /** The details of this case. */
  detail: string;
  /** Everything that is wrong with the request, each with its fix. */
  errors: Problem['errors'];
  /** Answered beside the error: `data.next` of a cursor that counts no more is the one to go on with. */
  data: Problem['data'];
  /** Method and address, without the query: `POST https://pay.example.cl/trxs`. */
  request: string;
  /** Names the request in the log of the service. */
  requestId: string | null;
  /** The call was sent with it. Give it again, so that what may have been done is not done twice; null where it had none. */
  idempotencyKey: string | null;
  /** True when the same call may succeed later. The client has repeated it already where that was safe. */
  retryable: boolean;
  /** For how long the service wishes to be left alone. */
  retryAfterMs: number | null;
};

/** Why a call failed. The message names the request, what is wrong, and what to do. Its texts hold no secret. */
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

function messageOf({ code, detail, errors, request, status, requestId }: RubricaErrorDetails): string {
  const fixes = new Set(errors.map(({ fix }) => fix));
  const answered = status === null ? '' : ` answered ${status}`;
  const named = requestId === null ? '' : `, request ${requestId}`;
  return `${[`${code}: ${detail}`, ...fixes].join(' ')} (${request}${answered}${named})`;
}
