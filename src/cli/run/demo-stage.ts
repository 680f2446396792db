import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Actor } from '../../audit/actor.ts';
import type { RunningApp } from '../../compose-app.ts';
import type { Config } from '../../config.ts';
import { StoreHeldError } from '../../db/database.ts';
import { commandLineActor } from '../find-actor.ts';
import { type RunningService, startService } from './serve-command.ts';

/** A step of the demo had the wrong result. */
export class DemoFailure extends Error {}

/** A request that a merchant's server received. */
export type Received = { path: string; headers: Record<string, string>; body: string };

/** The running service, the shop's receiver, and the functions that print. */
export type Demo = {
  app: RunningApp;
  url: string;
  receiverUrl: string;
  /** The actor of every change. */
  by: Actor;
  /** Waits for the next request to the shop's receiver. Throws `DemoFailure` after a minute. */
  nextCallback: () => Promise<Received>;
  step(title: string): void;
  say(text: string): void;
  show(label: string, text: string): void;
  /** Prints a tick, or throws `DemoFailure`. */
  check(holds: boolean, claim: string): void;
  close(): Promise<void>;
};

/**
 * Starts the service on the configured port (on a free port if that one is taken), and the receiver on loopback. While
 * another demo runs, the database is in memory.
 */
export async function openDemo(config: Config): Promise<Demo> {
  const service = await startDespite(config);
  const receiver = await openReceiver();
  let steps = 0;
  const say = (text: string) => void process.stdout.write(`\n  ${text}\n`);
  const show = (label: string, text: string) => void process.stdout.write(`    ${label.padEnd(22)}${text}\n`);
  say(`Rúbrica runs at ${service.url}, on ${service.app.db.engine}.`);
  return {
    app: service.app,
    url: service.url,
    receiverUrl: receiver.url,
    by: commandLineActor(),
    nextCallback: receiver.next,
    step: (title) => void process.stdout.write(`\n  ${++steps}. ${title}\n`),
    say,
    show,
    check: (holds, claim) => {
      if (!holds) throw new DemoFailure(claim);
      process.stdout.write(`    ✓ ${claim}\n`);
    },
    close: async () => {
      await service.stop();
      receiver.server.close();
      receiver.server.closeAllConnections();
    },
  };
}

/**
 * Sends a request on a connection of its own. The service closes an idle one after 5 seconds: on a busy machine this
 * can be the moment at which the next request uses it.
 */
export function ask(
  url: string,
  { headers, ...init }: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
): Promise<Response> {
  return fetch(url, { ...init, headers: { ...headers, connection: 'close' } });
}

async function startDespite(config: Config): Promise<RunningService> {
  try {
    return await startService(config);
  } catch (error) {
    if (error instanceof StoreHeldError) return startDespite({ ...config, databaseUrl: 'sqlite::memory:' });
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return startDespite({ ...config, port: 0 });
    throw error;
  }
}

const CALLBACK_WITHIN_MS = 60_000;

type Receiver = { server: Server; url: string; next: () => Promise<Received> };

async function openReceiver(): Promise<Receiver> {
  const arrived: Received[] = [];
  const arrivals = new EventEmitter();
  const server = createServer((request, response) => {
    void readReceived(request).then((received) => {
      arrived.push(received);
      response.end('OK');
      arrivals.emit('one');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const next = async () => {
    if (arrived.length === 0) {
      await once(arrivals, 'one', { signal: AbortSignal.timeout(CALLBACK_WITHIN_MS) }).catch(() => {
        throw new DemoFailure('no callback arrived');
      });
    }
    return arrived.shift() as Received;
  };
  return { server, url: `http://127.0.0.1:${port}`, next };
}

async function readReceived(request: IncomingMessage): Promise<Received> {
  const body = Buffer.concat(await request.toArray()).toString();
  return { path: request.url ?? '/', headers: request.headers as Record<string, string>, body };
}
