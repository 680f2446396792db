import type { AddressInfo } from 'node:net';
import type { App } from '../../src/app.ts';
import { buildServer } from '../../src/server/build-server.ts';
import { ROUTES } from '../../src/server/routes.ts';
import { checkReply } from './check-reply.ts';

export type Answer = { status: number; headers: Headers; text: string };

export type Question = { headers?: Record<string, string>; json?: unknown; body?: string };

/** The real server with the real routes on loopback. `await using` closes it at the end of the test. */
export type TestServer = AsyncDisposable & {
  /** For a browser. */
  origin: string;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  head(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, question?: Question): Promise<Answer>;
  /** The same by another method. */
  send(method: string, path: string, question?: Question): Promise<Answer>;
};

export async function startTestServer(app: App): Promise<TestServer> {
  const server = buildServer(app, ROUTES);
  await server.listen({ host: '127.0.0.1', port: 0 });
  const origin = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  const ask = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(origin + path, { redirect: 'manual', ...init });
    const answer = { status: response.status, headers: response.headers, text: await response.text() };
    const contentType = response.headers.get('content-type');
    const prefix = app.config.basePaths.find((base) => path.startsWith(`${base}/`)) ?? '';
    const own = path.slice(prefix.length);
    if (init.method !== 'HEAD') checkReply({ method: init.method ?? 'GET', path: own, contentType, ...answer });
    return answer;
  };
  const send: TestServer['send'] = (method, path, { headers = {}, json, body } = {}) => {
    const text = json === undefined ? body : JSON.stringify(json);
    const type = json === undefined ? {} : { 'content-type': 'application/json' };
    return ask(path, { method, headers: { ...type, ...headers }, ...(text !== undefined && { body: text }) });
  };
  return {
    origin,
    get: (path, headers = {}) => ask(path, { headers }),
    head: (path, headers = {}) => ask(path, { method: 'HEAD', headers }),
    post: (path, question) => send('POST', path, question),
    send,
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** The members of an answer's JSON body. */
export function jsonOf(answer: Answer): Record<string, unknown> {
  return JSON.parse(answer.text) as Record<string, unknown>;
}
