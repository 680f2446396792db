import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { SigningError } from '../../protocol/signing-error.ts';
import type { App } from '../app.ts';
import { StorageError } from '../db/database.ts';
import { CATALOGUE, type ErrorCode, Problem } from '../error-catalogue.ts';
import type { AnsweredError } from '../error-item.ts';
import { BatcherFullError } from '../lib/batcher.ts';
import type { Language } from '../lib/language.ts';
import { perInstance } from '../lib/per-instance.ts';
import { logRefusal } from './log-refusal.ts';
import { noteRefusal } from './note-refusal.ts';
import { problemHeaders } from './problem-headers.ts';
import { answerLanguage, signingItem, wordsOf } from './problem-words.ts';

/** The body of every error: RFC 9457, and the members that older clients read. */
export type ProblemBody = {
  type: string;
  title: string;
  status: number;
  code: ErrorCode;
  detail: string;
  errors: AnsweredError[];
  request_id: string;
  message: string;
  data: Record<string, unknown> | null;
  error?: string;
};

/** Returns the body of an expected refusal. With `requestId` the operator finds the log line. */
export function problemBody(app: App, problem: Problem, requestId: string, language: Language = 'en'): ProblemBody {
  const { title, detail, errors } = wordsOf(problem, language);
  const { data, legacy } = problem.extras;
  return {
    type: `${app.config.publicUrl ?? ''}${app.config.basePath}/errors/${problem.code}`,
    title,
    status: statusOf(problem),
    code: problem.code,
    detail,
    errors,
    request_id: requestId,
    message: title,
    data: data ?? null,
    ...(legacy !== undefined && { error: legacy.error, ...legacy.members }),
  };
}

/** Answers any failure. An unexpected failure is logged with its stack and answered as `INTERNAL`. */
export function sendFailure(app: App, request: FastifyRequest, reply: FastifyReply, failure: unknown): FastifyReply {
  return sendProblem(app, request, reply, noteFailure(app, request, reply, failure));
}

/** Sends the JSON of a refusal that is already logged. */
export function sendProblem(app: App, request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply {
  const language = answerLanguage(request.headers['accept-language']);
  return reply
    .code(statusOf(problem))
    .headers(HEADERS[language])
    .send(JSON.stringify(problemBody(app, problem, request.id, language)));
}

/** Returns the status of a refusal. */
export function statusOf(problem: Problem): number {
  return problem.extras.legacy?.status ?? CATALOGUE[problem.code].status;
}

const HEADERS = {
  en: { 'content-type': 'application/problem+json; charset=utf-8', vary: 'accept-language' },
  es: { 'content-type': 'application/problem+json; charset=utf-8', vary: 'accept-language', 'content-language': 'es' },
} as const;

/** Logs a failure and sets its headers. The caller sends the body in its own format. */
export function noteFailure(app: App, request: FastifyRequest, reply: FastifyReply, failure: unknown): Problem {
  const { endpoint } = request.routeOptions.config;
  const read = problemOf(failure);
  const problem = endpoint?.reword?.(read) ?? read;
  const status = statusOf(problem);
  const line = { request: request.id, route: request.routeOptions.url ?? null, status, code: problem.code };
  if (problem.code === 'INTERNAL') app.log.error({ ...line, err: failure }, 'request failed');
  // On a closed connection nobody reads the response: the client left, or its malformed bytes were already refused and
  // logged.
  else if (request.raw.socket.writable) logRefusal(app, line);
  if (problem.code === 'STORAGE_FULL') alarmFullDisk(app);
  else app.outage.covers(failure);
  noteRefusal(app, request, problem, status);
  reply.headers(problemHeaders(problem));
  return problem;
}

const ALARM_AGAIN_MS = 60_000;
const lastAlarm = perInstance<App, { at: number }>(() => ({ at: Number.NEGATIVE_INFINITY }));

/** Every request is refused until a person frees space, so one line a minute is enough. */
function alarmFullDisk(app: App): void {
  const last = lastAlarm(app);
  if (app.now() - last.at < ALARM_AGAIN_MS) return;
  last.at = app.now();
  app.log.error({ alarm: 'storage_full' }, 'the disk is full: nothing is accepted until there is room');
}

/** Converts a failure into the problem that the caller reads. */
export function problemOf(failure: unknown): Problem {
  if (failure instanceof Problem) return failure;
  if (failure instanceof SigningError && isCatalogued(failure.code)) {
    return new Problem(failure.code, { errors: failure.problems.map(signingItem) });
  }
  if (failure instanceof StorageError) return new Problem(failure.code);
  if (failure instanceof BatcherFullError) return new Problem('OVERLOADED');
  const code = FRAMEWORK_CODES[(failure as FastifyError | null)?.code ?? ''];
  return new Problem(code ?? 'INTERNAL');
}

const FRAMEWORK_CODES: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'HTTP_MALFORMED',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_BAD_URL: 'NOT_FOUND',
  FST_ERR_MAX_PARAM_LENGTH: 'NOT_FOUND',
  ECONNRESET: 'HTTP_MALFORMED',
};

/**
 * Returns whether a code belongs to a request parser. The other codes are for callbacks, which nobody sends to this
 * service, so one here is a bug.
 */
function isCatalogued(code: string): code is ErrorCode {
  return code in CATALOGUE;
}
