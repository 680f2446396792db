import type { FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import type { Problem } from '../error-catalogue.ts';
import { noteRefusedRequest } from '../refused-requests/note-refused-request.ts';
import type { Endpoint } from './endpoint.ts';
import { mediaTypeOf } from './framing.ts';
import { wordsOf } from './problem-words.ts';

/**
 * Stores the refusal of a shop's or a program's request for its developer. Requests of pages and of strangers are not
 * stored.
 */
export function noteRefusal(app: App, request: FastifyRequest, problem: Problem, status: number): void {
  const { endpoint } = request.routeOptions.config;
  if (endpoint === undefined || !KEPT_ACCESS.has(endpoint.access)) return;
  const { authorization } = request.headers;
  const { id } = (request.params ?? {}) as { id?: string };
  // The published JavaScript client sends the header as a query parameter.
  const { Authorization, x_account_id } = (request.query ?? {}) as Record<string, unknown>;
  const named = endpoint.access === 'service-token' ? (authorization ?? Authorization ?? x_account_id) : null;
  noteRefusedRequest(app, request.ip, () => ({
    requestId: request.id,
    at: app.now(),
    method: request.method,
    route: endpoint.paths[0],
    status,
    code: problem.code,
    // Stored in both languages, in whichever the client gets its response.
    detail: { en: wordsOf(problem, 'en').detail, es: wordsOf(problem, 'es').detail },
    errors: problem.extras.errors ?? [],
    body: endpoint.access === 'signature' ? bodyOf(request) : null,
    serviceToken: typeof named === 'string' && SERVICE_TOKEN.test(named) ? named : null,
    bearer:
      endpoint.access === 'bearer' && authorization !== undefined
        ? { authorization, transactionId: /^\d{1,15}$/.test(id ?? '') ? Number(id) : 0 }
        : null,
  }));
}

/** A text that does not match is not a Service Token, and PostgreSQL may reject it in a statement. */
const SERVICE_TOKEN = /^[!-~]{1,100}$/;

const KEPT_ACCESS: ReadonlySet<Endpoint['access']> = new Set(['signature', 'service-token', 'bearer']);

function bodyOf(request: FastifyRequest) {
  const bytes = request.body as Buffer | undefined;
  return bytes === undefined ? null : { bytes, isForm: mediaTypeOf(request.raw) !== 'application/json' };
}
