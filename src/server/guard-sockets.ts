import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { App } from '../app.ts';
import { CATALOGUE, type ErrorCode, Problem } from '../error-catalogue.ts';
import { FIXED_HEADERS } from '../http/fixed-headers.ts';
import { logRefusal } from '../http/log-refusal.ts';
import { problemBody } from '../http/send-problem.ts';
import { closeSlowReaders, type HttpSocket } from './close-slow-readers.ts';
import { SERVER_LIMITS } from './server-limits.ts';
import { shareConnections } from './share-connections.ts';
import { shutOutFloods } from './shut-out-floods.ts';
import { takeTurns } from './take-turns.ts';

// An `import` of this module would also load Node's `fetch` client: 13 MB for one table.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/**
 * Limits the cost of connections, and answers what arrives without becoming a request: CONNECT, and expectations other
 * than 100-continue. `shared`: each network has a share of the connections; false behind a balancer, which opens all of
 * them.
 */
export function guardSockets(app: App, server: Server, shared: boolean): void {
  server.maxHeadersCount = SERVER_LIMITS.headers;
  server.maxConnections = SERVER_LIMITS.connections;
  if (shared) shareConnections(app, server);
  server.on('drop', () => app.metrics.refused.inc({ reason: 'connections' }));
  closeSlowReaders(app, server);
  const closed = () => app.metrics.refused.inc({ reason: 'flood' });
  const flooded = shared ? shutOutFloods(server, SERVER_LIMITS.floods, closed) : () => {};
  takeTurns(
    server,
    (response) => {
      answerRaw(app, response, 'OVERLOADED', 'pipelining');
      flooded(response.req.socket);
    },
    (socket) => {
      app.metrics.refused.inc({ reason: 'pipelining' });
      flooded(socket);
    },
  );
  server.on('connect', (_request, socket: Socket) => refuse(app, socket, 'METHOD_NOT_ALLOWED'));
  server.on('checkExpectation', (_request, response: ServerResponse) =>
    answerRaw(app, response, 'EXPECTATION_FAILED', 'malformed'),
  );
}

function answerRaw(app: App, response: ServerResponse, code: ErrorCode, reason: string): void {
  noteRefusal(app, code, reason);
  response.writeHead(CATALOGUE[code].status, rawHeaders(code));
  response.end(rawBody(app, code));
}

/** Answers malformed requests and requests that timed out. For the `clientError` event. */
export function answerClientError(app: App): (error: Error & { code?: string }, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET') return;
    refuse(app, socket, SOCKET_CODES[error.code ?? ''] ?? 'HTTP_MALFORMED');
  };
}

const SOCKET_CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

/** Sends the refusal after the responses of earlier requests. Each request gets exactly one response. */
function refuse(app: App, socket: HttpSocket, code: ErrorCode): void {
  // An earlier fault, or a response with `Connection: close`, has already ended this connection.
  if (!socket.writable) return;
  const current = socket._httpMessage ?? null;
  if (current?.req.complete) {
    // Now the refusal would be read as the response to a request that is still running.
    socket.pause();
    current.once('close', () => refuse(app, socket, code));
    return;
  }
  if (current?.headersSent) {
    socket.destroy();
    return;
  }
  noteRefusal(app, code, code === 'REQUEST_TIMEOUT' ? 'slow_sender' : 'malformed');
  socket.end(rawAnswer(app, code));
  // If the connection closed now with unread input, the system would drop the response before the client reads it.
  socket.resume();
  setTimeout(() => socket.destroy(), SERVER_LIMITS.lingerMs).unref();
}

function noteRefusal(app: App, code: ErrorCode, reason: string): void {
  app.metrics.refused.inc({ reason });
  logRefusal(app, { status: CATALOGUE[code].status, code });
}

function rawAnswer(app: App, code: ErrorCode): string {
  const { status } = CATALOGUE[code];
  const body = rawBody(app, code);
  const headers = { ...rawHeaders(code), 'content-length': String(Buffer.byteLength(body)) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}

function rawHeaders(code: ErrorCode): Record<string, string> {
  return {
    ...FIXED_HEADERS,
    'content-type': 'application/problem+json; charset=utf-8',
    connection: 'close',
    ...(CATALOGUE[code].status === 503 && { 'retry-after': '1' }),
    ...(code === 'METHOD_NOT_ALLOWED' && { allow: 'GET, HEAD, POST' }),
  };
}

function rawBody(app: App, code: ErrorCode): string {
  return JSON.stringify(problemBody(app, new Problem(code), 'none'));
}
