import type { ErrorCode, Problem } from './api-errors.ts';

/**
 * `NO_ANSWER`: nothing came back in time, so it may have been done or not. `UNREADABLE_ANSWER`: something else answered,
 * such as a proxy. The others are the service's own, each with its page at `/errors/{code}`; a service that is newer than
 * this package may have more.
 */
export type RubricaErrorCode = ErrorCode | 'NO_ANSWER' | 'UNREADABLE_ANSWER' | (string & Record<never, never>);

export type RubricaErrorDetails = {
  /** HTTP status, or null when nothing came back. */
  status: number | null;
  code: RubricaErrorCode;
  title: string;
  /** What is wrong in this case. */
  detail: string;
  /** Everything that is wrong with the request, each with its fix. */
  errors: Problem['errors'];
  /** Names the request in the log of the service. */
  requestId: string | null;
  /** True when the same call may succeed later. The client has repeated it already where that was safe. */
  retryable: boolean;
  /** For how long the service wishes to be left alone. */
  retryAfterMs: number | null;
};

/** Why a call failed. Its texts hold no secret. */
export class RubricaError extends Error implements RubricaErrorDetails {
  readonly status: number | null;
  readonly code: RubricaErrorCode;
  readonly title: string;
  readonly detail: string;
  readonly errors: Problem['errors'];
  readonly requestId: string | null;
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;

  constructor(details: RubricaErrorDetails, cause?: unknown) {
    super(`${details.code}: ${details.detail}`, { cause });
    this.name = 'RubricaError';
    this.status = details.status;
    this.code = details.code;
    this.title = details.title;
    this.detail = details.detail;
    this.errors = details.errors;
    this.requestId = details.requestId;
    this.retryable = details.retryable;
    this.retryAfterMs = details.retryAfterMs;
  }
}
