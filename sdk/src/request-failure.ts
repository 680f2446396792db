import type { RefundReply } from './api-types.ts';
import { RubricaError } from './rubrica-error.ts';

/**
 * Returns the error of a call that got no response: `NOT_SENT` when the connection failed before anything was written
 * to it, otherwise `NO_ANSWER`. In browsers, Deno and Workers it is always `NO_ANSWER`: their errors have no code.
 */
export function failureOf({ request, idempotencyKey }: Sent, timeoutMs: number, cause: unknown): RubricaError {
  const told = { status: null, errors: [], data: null, requestId: null, retryable: true, retryAfterMs: null };
  const nothing = { ...told, request, idempotencyKey };
  const fault = connectionFault(cause);
  if (fault !== null) {
    const detail = `There was no connection (${fault.code}), so nothing was sent. ${fault.fix}`;
    return new RubricaError({ ...nothing, code: 'NOT_SENT', title: 'Not sent', detail }, cause);
  }
  const why = nameOf(cause) === 'TimeoutError' ? `no answer within ${timeoutMs} ms` : `no answer: ${lastCause(cause)}`;
  const next =
    idempotencyKey === null
      ? 'Ask what became of it, or call again with the same reference.'
      : `Call again with the idempotency key ${idempotencyKey}.`;
  const detail = `It may have been done or not (${why}). ${next}`;
  return new RubricaError({ ...nothing, code: 'NO_ANSWER', title: 'No answer', detail }, cause);
}

/** Returns the error of a refused refund, which the service reports with status 200 and a code. */
export function refusedRefund({ code, message }: RefundReply, sent: Sent, requestId: string | null): RubricaError {
  const nothing = { ...sent, errors: [], data: null, requestId, retryable: false, retryAfterMs: null };
  // A newer service may have further codes.
  const fix = (REFUND_FIXES as Record<string, string>)[code] ?? 'Read why at /errors of the service.';
  return new RubricaError({ ...nothing, status: 200, code, title: message, detail: `${message}. ${fix}` });
}

/** The service answers a refused refund without a fix. */
const REFUND_FIXES: Record<Exclude<RefundReply['code'], 'REFUND_PROCESSING'>, string> = {
  TRANSACTION_NOT_COMPLETED: 'Refund the transaction when it is paid.',
  ALREADY_REFUNDED: 'Do not refund it again: listRefunds shows its refunds.',
  METHOD_GIVES_NO_REFUNDS: 'Send the money back in another way, because the payment method gives no refunds.',
  REFUND_WINDOW_CLOSED: 'Send the money back in another way, because the payment method gives no refund any more.',
  REFUND_TOO_EARLY: 'Ask again some working hours later.',
  PARTIAL_REFUND_NOT_ALLOWED: 'Refund all of the payment, because the payment method gives no part of it back.',
  REFUND_AMOUNT_TOO_HIGH: 'Send at most what is left of the payment: listRefunds shows what was refunded.',
  REFUND_AMOUNT_NOT_TOTAL: 'Send all that is left of the payment, or the type parcial.',
  INSUFFICIENT_BALANCE: 'Wait for new payments of the merchant, or deposit money for it.',
};

/** The method and address of a request, and the idempotency key that it carried. */
export type Sent = { request: string; idempotencyKey: string | null };

type Fault = { code: string; fix: string };

/** Finds the code that Node and Bun put on the error or on one of its causes. */
function connectionFault(error: unknown): Fault | null {
  if (!(error instanceof Error)) return null;
  const { code } = error as { code?: unknown };
  const fix = typeof code === 'string' ? FIXES.find(([codes]) => codes.test(code))?.[1] : undefined;
  if (fix !== undefined) return { code: String(code), fix };
  return connectionFault(error.cause);
}

/** The codes of failures before the first byte of a request, each with its fix. */
const FIXES: readonly [codes: RegExp, fix: string][] = [
  [/^(?:ECONNREFUSED|ConnectionRefused)$/, 'Check that the service runs, and the host and port of baseUrl.'],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, 'Check the host of baseUrl, and the name servers.'],
  [/^UND_ERR_CONNECT_TIMEOUT$/, 'Check the host and port of baseUrl, and the firewalls on the way.'],
  [
    /^(?:CERT_|ERR_TLS_CERT_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|UNABLE_TO_(?:GET_ISSUER_CERT|VERIFY_LEAF))/,
    'Check the certificate of the service, and NODE_EXTRA_CA_CERTS for one that your company issued.',
  ],
  // These bytes come in place of the first record of TLS, so the request was not written.
  [
    /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/,
    'The port does not answer with TLS: check the port of baseUrl, or write http: for a service in development.',
  ],
];

/** Returns the innermost cause: the outer message (`fetch failed`) says nothing. */
function lastCause(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return error.cause instanceof Error ? lastCause(error.cause) : error.message;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}
