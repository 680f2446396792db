import { operation } from '../../http/endpoint.ts';
import { replyOf, Type } from '../../http/json-schema.ts';
import { invalidBody, type Members, readMembers } from '../../http/read-members.ts';
import type { FailureReason } from '../../lib/network/exchange-request.ts';
import type { FetchOutcome } from '../../lib/network/safe-fetch.ts';
import { STATE_AFTER } from '../../outbox/callback-state.ts';
import { reportAttempt } from '../../outbox/listeners/listen-for-callbacks.ts';
import type { NextStep } from '../../outbox/retry-schedule.ts';
import { LISTENER_BODY_ERRORS, LISTENER_PATH, readNumber, requireListener } from './listener-reply.ts';

const REASONS = [
  'dns',
  'connect',
  'timeout',
  'tls',
  'reset',
  'too_large',
  'protocol',
] as const satisfies FailureReason[];

const RequestSchema = Type.Object(
  {
    callback: Type.Integer({ description: 'Id of the callback' }),
    lease: Type.String(),
    duration_ms: Type.Integer({ description: 'Duration in milliseconds; more than 60,000 counts as 60,000' }),
    status: Type.Optional(Type.Integer({ description: 'Status of the response; leave it out without a response' })),
    failure: Type.Optional(Type.String({ enum: REASONS, description: 'Reason why there was no response' })),
    detail: Type.Optional(Type.String({ description: 'System error code, such as `ECONNREFUSED`' })),
    retry_after: Type.Optional(Type.String({ description: 'Header of the response, unchanged' })),
    location: Type.Optional(Type.String({ description: 'Header of the response, unchanged' })),
    excerpt: Type.Optional(Type.String({ description: 'Start of the response body, with spaces for line breaks' })),
    retry: Type.Optional(Type.String({ enum: ['yes', 'no'], description: '`no`: a failed callback is not retried' })),
  },
  { $id: 'ListenerAttempt', additionalProperties: false },
);

const data = Type.Object({
  step: Type.String({
    enum: Object.keys(STATE_AFTER) as NextStep['kind'][],
    description: 'The next step; `unwanted`: the webhook has ended meanwhile',
  }),
  next_attempt_at: Type.Nullable(Type.String()),
});

/** Records the outcome of a callback that a listener posted. */
export const postListenerAttempts = operation({
  consumes: ['application/json'],
  describe: {
    operationId: 'reportCallback',
    summary: 'Report the result of a development callback',
    description: 'Records the result as a delivery attempt. The schedule of the callback decides the next step.',
    tag: 'Webhooks',
    parameters: LISTENER_PATH,
    body: RequestSchema,
    bodyExample: { callback: 1, lease: 'AbCdEfGhIjKlMnOp', duration_ms: 12, status: 200 },
    replies: {
      200: {
        description: 'The next step',
        schema: replyOf('ListenerAttemptReply', data),
        example: { message: 'OK', errors: null, data: { step: 'delivered', next_attempt_at: null } },
      },
    },
    errors: ['LISTENER_ENDED', ...LISTENER_BODY_ERRORS],
  },
  handle: async (app, request) => {
    const listener = await requireListener(app, request);
    const report = readMembers(request, RequestSchema);
    const { step, nextAttemptAt } = await reportAttempt(app, listener, {
      callbackId: readNumber('callback', report.callback),
      lease: report.lease,
      outcome: outcomeOf(report),
      retry: report.retry !== 'no',
    });
    const next = step.kind === 'retry' ? new Date(nextAttemptAt).toISOString() : null;
    return { message: 'OK', errors: null, data: { step: step.kind, next_attempt_at: next } };
  },
});

const LONGEST_MS = 60_000;

function outcomeOf(report: Members<typeof RequestSchema>): FetchOutcome {
  const durationMs = Math.min(readNumber('duration_ms', report.duration_ms), LONGEST_MS);
  const { failure, detail, excerpt, retry_after: retryAfter, location } = report;
  if (failure !== null) return { kind: 'failed', reason: failure, detail: codeOf(detail), durationMs };
  if (report.status === null) throw neither();
  const status = readNumber('status', report.status);
  if (status < 200 || status > 599) throw neither();
  const answered = {
    kind: 'answered',
    status,
    retryAfter,
    excerpt: excerpt?.slice(0, 2_048) ?? '',
    durationMs,
  } as const;
  return location === null ? answered : { ...answered, location: location.slice(0, 2_048) };
}

function codeOf(detail: string | null): string {
  return detail !== null && /^[A-Z][A-Z0-9_]{1,60}$/.test(detail) ? detail : 'UNKNOWN';
}

function neither() {
  const fix = 'Send the status of the answer (200 to 599), or failure where nothing was answered.';
  const es = {
    message: 'status no sirve.',
    fix: 'Envía el estado de la respuesta (200 a 599), o failure si nadie respondió.',
  };
  return invalidBody([{ pointer: '/status', code: 'INVALID_PARAMETER', message: 'status cannot be used.', fix, es }]);
}
