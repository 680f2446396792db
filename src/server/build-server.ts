import { Readable } from 'node:stream';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import { Problem } from '../error-catalogue.ts';
import { publicPath } from '../http/assets.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { FIXED_HEADERS } from '../http/fixed-headers.ts';
import { checkFraming, checkMediaType, checkQuery } from '../http/framing.ts';
import { holdBack } from '../http/hold-back.ts';
import { addLimitHeaders, isCountedBefore, judgeFailure, limitAddress } from '../http/request-limits.ts';
import { noteFailure, sendFailure } from '../http/send-problem.ts';
import { randomHex } from '../lib/ids.ts';
import { discardRest } from './discard-rest.ts';
import { answerClientError, guardSockets } from './guard-sockets.ts';
import { saysNotBuilt } from './not-built.ts';
import { noticeProxy } from './notice-proxy.ts';
import { SERVER_LIMITS } from './server-limits.ts';
import { shareLargeBodies } from './share-large-bodies.ts';
import { isBrowser, type Start, sendRefusedPage, sendUnknown } from './unknown-page.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** By `performance.now()`. */
    startedAt: number;
  }
}

/** Builds the HTTP server for a table of endpoints. It does not listen yet. */
export function buildServer(app: App, endpoints: readonly Endpoint[]): FastifyInstance {
  // True if clients connect directly, so each network can be limited to its share.
  const isDirect = app.config.rateLimits && !app.config.trustProxy;
  const server = fastify({
    bodyLimit: SERVER_LIMITS.bodyBytes,
    // Trusts one hop: a client can write the entries further left in X-Forwarded-For, and pose as anybody.
    trustProxy: app.config.trustProxy ? (_address, hop) => hop === 0 : false,
    // Random instead of a counter: a counter would reveal the number of requests.
    genReqId: () => randomHex(9),
    requestTimeout: SERVER_LIMITS.requestMs,
    keepAliveTimeout: SERVER_LIMITS.idleMs,
    http: {
      // The documented limit is for the client's own headers; HTTP clients add more by themselves.
      maxHeaderSize: SERVER_LIMITS.headerBytes + 512,
      headersTimeout: SERVER_LIMITS.headersMs,
      connectionsCheckingInterval: 1_000,
      requireHostHeader: false,
    },
    schemaController: { compilersFactory: NO_COMPILERS },
    routerOptions: { maxParamLength: 200, caseSensitive: true },
    return503OnClosing: false,
    exposeHeadRoutes: false,
    clientErrorHandler: answerClientError(app),
    // A URL that cannot be decoded never reaches the hooks.
    frameworkErrors: (failure, request, reply) => {
      beginAnswer(app, request, reply);
      void sendUnknown(app, request, reply, failure);
    },
  });
  server.removeAllContentTypeParsers();
  // Bodies stay bytes: each endpoint parses its own strictly, and signatures cover the bytes as sent.
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  server.decorateRequest('startedAt', 0);
  server.addHook('onRequest', (request, reply, done) => {
    beginAnswer(app, request, reply);
    if (!app.config.trustProxy && 'x-forwarded-for' in request.raw.headers) noticeProxy(app, request);
    const { endpoint } = request.routeOptions.config;
    done(refusalOf(request, endpoint));
  });
  // Uses `onSend`: the listeners of `onResponse` on every response cost as much as reading the request.
  server.addHook('onSend', (request, reply, payload, done) => {
    if (app.config.rateLimits) addLimitHeaders(request, reply);
    count(app, request, reply);
    discardRest(request.raw);
    const isRefusal = reply.statusCode >= 400 && reply.statusCode < 500;
    const heldMs = isRefusal && isDirect ? holdBack(app, request.ip) : 0;
    const sent = request.method === 'HEAD' ? withoutStream(payload) : payload;
    if (heldMs === 0) done(null, sent);
    else setTimeout(() => done(null, sent), heldMs);
  });
  const answerUnknown = createUnknownAnswerer(app, endpoints);
  server.setErrorHandler(async (failure, request, reply) => {
    const { endpoint } = request.routeOptions.config;
    const problem = sizeProblem(failure, endpoint) ?? failure;
    const answer = app.config.rateLimits ? await judgeFailure(app, request, problem) : problem;
    if (lacksName(request, answer)) return answerUnknown(request, reply);
    return refuse(app, endpoint, request, reply, answer);
  });
  addEndpoints(app, server, endpoints);
  server.setNotFoundHandler(answerUnknown);
  guardSockets(app, server.server, isDirect);
  return server;
}

function beginAnswer(app: App, request: FastifyRequest, reply: FastifyReply): void {
  request.startedAt = performance.now();
  reply.headers(FIXED_HEADERS);
  reply.header('x-request-id', request.id);
  if (app.stopping.aborted) reply.header('connection', 'close');
}

/** A stream is not read for HEAD: otherwise the headers wait until it ends. */
function withoutStream(payload: unknown): unknown {
  if (!(payload instanceof Readable)) return payload;
  payload.destroy();
  return null;
}

/** Endpoints parse their own bodies. Without this, Fastify loads 10 MB of schema compilers that no route uses. */
const NO_COMPILERS = { buildValidator: refuseSchema, buildSerializer: refuseSchema };

function refuseSchema(): never {
  throw new Error('Routes have no schema; see describe in endpoint.ts');
}

/** Sends a refusal in the endpoint's format, or as JSON. */
function refuse(
  app: App,
  endpoint: Endpoint | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
  failure: unknown,
): FastifyReply {
  if (endpoint?.refuse !== undefined)
    return endpoint.refuse(app, request, reply, noteFailure(app, request, reply, failure));
  const start = endpoint === undefined ? null : startOf(endpoint);
  if (start !== null) return sendRefusedPage(app, request, reply, failure, start);
  // A payer's program may have added something to the link.
  const isForPayers = endpoint === undefined || endpoint.access === 'pay-link';
  if (isForPayers && isUnknown(failure)) return sendUnknown(app, request, reply, failure);
  return sendFailure(app, request, reply, failure);
}

/** Returns where the reader of a page can start again; null if the endpoint is not a page. */
function startOf({ access, paths: [path] }: Endpoint): Start | null {
  if (access === 'session' || path.startsWith('/console/')) return '/console';
  return /^\/(?:docs|errors)(?:\/|$)/.test(path) ? '/docs' : null;
}

/** Returns whether a browser asks for a page without its name, such as `/docs/` with a trailing slash. */
function lacksName(request: FastifyRequest, failure: unknown): boolean {
  return isUnknown(failure) && isBrowser(request) && Object.values(request.params as object).includes('');
}

function isUnknown(failure: unknown): boolean {
  return failure instanceof Problem && failure.code === 'NOT_FOUND';
}

/** Returns a refusal that says the endpoint's body limit; null for any other failure. */
function sizeProblem(failure: unknown, endpoint: Endpoint | undefined): Problem | null {
  if ((failure as { code?: unknown } | null)?.code !== 'FST_ERR_CTP_BODY_TOO_LARGE') return null;
  const kib = (endpoint?.bodyLimit ?? SERVER_LIMITS.bodyBytes) / 1024;
  const most = kib < 1024 ? `${kib} KiB` : `${kib / 1024} MiB`;
  const detail = { en: `Send at most ${most} here.`, es: `Aquí se reciben a lo más ${most}.` };
  return new Problem('PAYLOAD_TOO_LARGE', { detail });
}

/** Passes a refusal to `done` instead of throwing: an exception on the request path costs more than the check. */
function refusalOf(request: FastifyRequest, endpoint: Endpoint | undefined): Problem | undefined {
  try {
    checkFraming(request.raw);
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
  const prefixes = ['', ...app.config.basePaths];
  for (const endpoint of endpoints) {
    const counted = isCountedBefore(app, endpoint);
    const own = endpoint.notBelowBasePath === true ? [''] : prefixes;
    for (const path of endpoint.paths.flatMap((one) => own.map((prefix) => prefix + one))) {
      server.route({
        // One route for both methods: Fastify's separate routes for HEAD cost a quarter more.
        method: endpoint.method === 'GET' ? ['GET', 'HEAD'] : endpoint.method,
        url: path,
        bodyLimit: endpoint.bodyLimit ?? SERVER_LIMITS.bodyBytes,
        config: { endpoint },
        ...(app.config.rateLimits && shareLargeBodies(app, endpoint)),
        handler: (request, reply) => {
          // A trailer could repeat a header after all checks.
          if (request.raw.rawTrailers.length > 0)
            throw new Problem('HTTP_MALFORMED', {
              detail: { en: 'Trailers are not taken.', es: 'No se aceptan trailers.' },
            });
          const handle = () => endpoint.handle(app, request, reply);
          return counted ? limitAddress(app, request).then(handle) : handle();
        },
      });
    }
  }
}

/**
 * Answers unknown requests. Calls of the old service get 404 with what to use instead. A known path with another method
 * gets 405, anything else 404. A browser at a page's address with a trailing slash is redirected to the page.
 */
function createUnknownAnswerer(app: App, endpoints: readonly Endpoint[]) {
  const below = `(?:${app.config.basePaths.map((path) => RegExp.escape(path)).join('|')})?`;
  const known = endpoints.flatMap((endpoint) =>
    endpoint.paths.map(
      (path): Known => ({
        endpoint,
        pattern: new RegExp(
          `^${endpoint.notBelowBasePath === true ? '' : below}${path.replaceAll('.', '[.]').replace(/:\w+/g, '[^/]+')}$`,
        ),
        methods: endpoint.method === 'GET' ? ['GET', 'HEAD'] : [endpoint.method],
      }),
    ),
  );
  const isAt = (path: string) => (one: Known) => one.pattern.test(path);
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const path = (request.raw.url ?? '/').split('?', 1)[0] as string;
    const prefix = app.config.basePaths.find((base) => path.startsWith(`${base}/`)) ?? '';
    const own = path.slice(prefix.length);
    const notBuilt = saysNotBuilt(request.method, own);
    if (notBuilt !== null) return sendUnknown(app, request, reply, new Problem('NOT_BUILT', { detail: notBuilt }));
    const there = known.filter(isAt(path));
    if (there.length > 0) return refuseMethod(app, there, request, reply);
    const meant = path.endsWith('/')
      ? known.filter(isAt(path.slice(0, -1))).find(({ methods }) => methods.includes(request.method))
      : undefined;
    if (meant !== undefined && request.method === 'GET' && isBrowser(request)) {
      const base = meant.endpoint.notBelowBasePath === true ? '' : publicPath(app);
      return reply.redirect(`${base}${own.slice(0, -1)}${(request.raw.url ?? '').slice(path.length)}`, 308);
    }
    const start = (['/console', '/docs'] as const).find((below) => own.startsWith(`${below}/`));
    if (start !== undefined) return sendRefusedPage(app, request, reply, new Problem('NOT_FOUND'), start);
    return sendUnknown(app, request, reply, new Problem('NOT_FOUND', meant && { detail: NO_SLASH }));
  };
}

/** An endpoint at one of its paths. */
type Known = { readonly endpoint: Endpoint; readonly pattern: RegExp; readonly methods: readonly string[] };

function refuseMethod(app: App, there: readonly Known[], request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const allow = [...new Set(there.flatMap(({ methods }) => methods))].sort().join(', ');
  reply.header('allow', allow);
  const detail = { en: `It accepts ${allow}.`, es: `Acepta ${allow}.` };
  const [{ endpoint }] = there as [Known];
  return refuse(app, endpoint, request, reply, new Problem('METHOD_NOT_ALLOWED', { detail }));
}

const NO_SLASH = {
  en: 'Write the address without its last slash.',
  es: 'Escribe la dirección sin la barra final.',
};

function count(app: App, request: FastifyRequest, { statusCode: status }: FastifyReply): void {
  const route = request.routeOptions.url ?? 'none';
  const ms = performance.now() - request.startedAt;
  app.metrics.answered(route, status, ms);
  app.log.debug({ request: request.id, route, status, ms }, 'answered');
}
