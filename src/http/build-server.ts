import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import { CATALOGUE, type ErrorCode, Problem } from '../error-catalogue.ts';
import { randomToken } from '../lib/ids.ts';
import type { Endpoint } from './endpoint.ts';
import { FIXED_HEADERS } from './fixed-headers.ts';
import { checkFraming, checkMediaType, checkQuery } from './framing.ts';
import { problemBody, sendFailure } from './send-problem.ts';

const BODY_LIMIT = 16 * 1024;

/** Builds the HTTP server for a table of endpoints; it does not listen yet. */
export function buildServer(app: App, endpoints: readonly Endpoint[]): FastifyInstance {
  const server = fastify({
    bodyLimit: BODY_LIMIT,
    trustProxy: app.config.trustProxy,
    genReqId: createRequestIds(),
    requestTimeout: 20_000,
    keepAliveTimeout: 5_000,
    http: { maxHeaderSize: 8 * 1024, headersTimeout: 10_000, connectionsCheckingInterval: 1_000, requireHostHeader: true },
    routerOptions: { maxParamLength: 200, caseSensitive: true },
    return503OnClosing: false,
    exposeHeadRoutes: true,
    clientErrorHandler: answerClientError(app),
  });
  server.removeAllContentTypeParsers();
  // Bodies stay bytes: every endpoint reads its own strictly, and the signed ones must see them as they were sent.
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(FIXED_HEADERS);
    reply.header('x-request-id', request.id);
    if (app.stopping.aborted) reply.header('connection', 'close');
    done(refusalOf(request));
  });
  server.addHook('onResponse', (request, reply, done) => {
    count(app, request, reply);
    done();
  });
  server.setErrorHandler((failure, request, reply) => sendFailure(app, request, reply, failure));
  addEndpoints(app, server, endpoints);
  server.setNotFoundHandler((request, reply) => answerUnknown(app, server, request, reply));
  guardSockets(app, server.server);
  return server;
}

type EndpointConfig = { endpoint?: Endpoint };

/** `done` takes the refusal rather than a throw: an exception on the request path costs more than the check. */
function refusalOf(request: FastifyRequest): Problem | undefined {
  try {
    checkFraming(request.raw);
    const { endpoint } = request.routeOptions.config as EndpointConfig;
    if (endpoint !== undefined) {
      checkQuery(endpoint, request.raw);
      checkMediaType(endpoint, request.raw);
    }
    return undefined;
  } catch (failure) {
    return failure as Problem;
  }
}

function addEndpoints(app: App, server: FastifyInstance, endpoints: readonly Endpoint[]): void {
  const prefixes = app.config.basePath === '' ? [''] : ['', app.config.basePath];
  for (const endpoint of endpoints) {
    for (const path of endpoint.paths.flatMap((one) => prefixes.map((prefix) => prefix + one))) {
      server.route({
        method: endpoint.method,
        url: path,
        bodyLimit: endpoint.bodyLimit ?? BODY_LIMIT,
        config: { endpoint },
        handler: (request, reply) => {
          // A trailer could name a header a second time, after everything was checked.
          if (request.raw.rawTrailers.length > 0) throw new Problem('HTTP_MALFORMED', { detail: 'Trailers are not taken.' });
          return endpoint.handle(app, request, reply);
        },
      });
    }
  }
}

function answerUnknown(app: App, server: FastifyInstance, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = (request.raw.url ?? '/').split('?', 1)[0] as string;
  const allowed = METHODS_SERVED.filter((method) => server.findRoute({ method, url: path }) !== null);
  if (allowed.length === 0) return sendFailure(app, request, reply, new Problem('NOT_FOUND'));
  return sendFailure(app, request, reply, new Problem('METHOD_NOT_ALLOWED', { headers: { allow: allowed.join(', ') } }));
}

const METHODS_SERVED = ['GET', 'HEAD', 'POST'] as const;

function createRequestIds(): () => string {
  const process = randomToken(6);
  let count = 0;
  return () => `${process}-${(++count).toString(36)}`;
}

function count(app: App, request: FastifyRequest, reply: FastifyReply): void {
  const route = request.routeOptions.url ?? 'none';
  app.metrics.requests.inc({ route, status: reply.statusCode });
  app.metrics.requestSeconds.observe({ route }, reply.elapsedTime / 1000);
  app.log.debug({ request: request.id, route, status: reply.statusCode, ms: reply.elapsedTime }, 'answered');
}

/** What arrives on a socket without becoming a request: CONNECT, an upgrade, an expectation that is not 100-continue. */
function guardSockets(app: App, server: Server): void {
  server.maxHeadersCount = 64;
  server.maxConnections = 2_000;
  server.on('connect', (_request, socket: Socket) => socket.end(rawAnswer(app, 'METHOD_NOT_ALLOWED')));
  server.on('checkExpectation', (_request, response) => {
    response.writeHead(417, { ...FIXED_HEADERS, 'content-type': 'application/problem+json', connection: 'close' });
    response.end(rawBody(app, 'EXPECTATION_FAILED'));
  });
}

const SOCKET_CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

function answerClientError(app: App) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    // Once an answer has begun, whatever is written now would be read as a second one.
    if (!socket.writable || socket.bytesWritten > 0) {
      socket.destroy();
      return;
    }
    const code = SOCKET_CODES[error.code ?? ''] ?? 'HTTP_MALFORMED';
    app.log.info({ status: CATALOGUE[code].status, code }, 'request refused');
    socket.end(rawAnswer(app, code));
  };
}

function rawAnswer(app: App, code: ErrorCode): string {
  const { status } = CATALOGUE[code];
  const body = rawBody(app, code);
  const headers = {
    ...FIXED_HEADERS,
    'content-type': 'application/problem+json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
    ...(status === 405 && { allow: METHODS_SERVED.join(', ') }),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}

function rawBody(app: App, code: ErrorCode): string {
  return JSON.stringify(problemBody(app, new Problem(code), 'none'));
}
