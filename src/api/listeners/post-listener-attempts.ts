import { operation } from '../../http/endpoint.ts';
import { Type } from '../../http/json-schema.ts';
import { invalidBody, type Members, readMembers } from '../../http/read-members.ts';
import type { FailureReason } from '../../lib/exchange-request.ts';
import type { FetchOutcome } from '../../lib/safe-fetch.ts';
import { reportAttempt } from '../../outbox/listen-for-callbacks.ts';
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
    callback: Type.Integer({ description: 'Its id' }),
    lease: Type.String(),
    duration_ms: Type.Integer({ description: 'How long it took; 60,000 at most' }),
    status: Type.Optional(Type.Integer({ description: 'Of the answer; leave it out where nothing was answered' })),
    failure: Type.Optional(Type.String({ enum: REASONS, description: 'Why there was no answer' })),
    detail: Type.Optional(Type.String({ description: 'A code such as `ECONNREFUSED`' })),
    retry_after: Type.Optional(Type.String({ description: 'The header, as it was answered' })),
    location: Type.Optional(Type.String({ description: 'The header, as it was answered' })),
    excerpt: Type.Optional(Type.String({ description: 'The beginning of the answer, line breaks as spaces' })),
    retry: Type.Optional(Type.String({ enum: ['yes', 'no'], description: '`no`: what failed is given up' })),
  },
  { $id: 'ListenerAttempt', additionalProperties: false },
);

const data = Type.Object({
  step: Type.String({
    description: 'The next step: `delivered`, `redirected`, `retry`, `superseded`, `dead`, `disable`',
  }),
  next_attempt_at: Type.Union([Type.String(), Type.Null()]),
});

/** Records the outcome of a callback that a listener posted. */
export const postListenerAttempts = operation({
  consumes: ['application/json'],
  describe: {
    operationId: 'reportCallback',
    summary: 'Report what came of a callback of development',
    description:
      'It is recorded like any other delivery attempt, and the schedule of the callback decides what comes next.',
    tag: 'Webhooks',
    parameters: LISTENER_PATH,
    body: RequestSchema,
    bodyExample: { callback: 1, lease: 'AbCdEfGhIjKlMnOp', duration_ms: 12, status: 200 },
    replies: {
      200: {
        description: 'What comes next',
        schema: Type.Object({ message: Type.String(), errors: Type.Null(), data }, { $id: 'ListenerAttemptReply' }),
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
