import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A round-robin balancer in front of replicas. `checks`: polls `/readyz`; otherwise it notices only failing
 * connections.
 */
export type RoundRobinProxy = AsyncDisposable & {
  readonly url: string;
  /** Replaces the replica at `index`. */
  replace(index: number, url: string): void;
  /** Whether it sends requests to the replica at `index`. */
  sendsTo(index: number): boolean;
};

const CHECK_EVERY_MS = 20;
/** Requests share the rotation, so one may get the same replica twice. */
const MOST_ATTEMPTS = 8;

/**
 * Starts the proxy. It keeps connections open, like nginx and HAProxy. It sends a request to another replica only if
 * the connection failed, so that no replica has seen the request. Without a ready replica, or after 8 failed
 * connections, it returns 503. Any other failure is a 502.
 */
export async function startRoundRobinProxy(urls: readonly string[], checks: boolean): Promise<RoundRobinProxy> {
  const replicas = urls.map((url) => ({ url, ready: true }));
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  const next = () => {
    for (let tried = 0; tried < replicas.length; tried++) {
      const replica = replicas[turn++ % replicas.length];
      if (replica?.ready) return replica;
    }
    return undefined;
  };
  const server = createServer((incoming, outgoing) => pass(incoming, outgoing, MOST_ATTEMPTS));
  const pass = (incoming: IncomingMessage, outgoing: ServerResponse, attempts: number) => {
    const replica = next();
    if (replica === undefined || attempts === 0) return void outgoing.writeHead(503).end();
    const { method, url, headers } = incoming;
    const asked = request(replica.url + url, { method, headers, agent }, (answer) => {
      const { connection: _, 'keep-alive': __, ...rest } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 502, rest);
      answer.pipe(outgoing);
    });
    asked.on('error', (error: NodeJS.ErrnoException) => {
      if (error.syscall === 'connect') pass(incoming, outgoing, attempts - 1);
      else outgoing.writeHead(502).end();
    });
    asked.end();
  };
  const stopping = new AbortController();
  const checking = checks ? checkReplicas(replicas, stopping.signal) : Promise.resolve();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    replace: (index, url) => {
      replicas[index] = { url, ready: true };
    },
    sendsTo: (index) => replicas[index]?.ready ?? false,
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await checking;
      agent.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}

async function checkReplicas(replicas: { url: string; ready: boolean }[], stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    for (const replica of replicas) {
      replica.ready = await fetch(`${replica.url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    }
    await sleep(CHECK_EVERY_MS);
  }
}
