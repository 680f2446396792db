import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type RunningService, startService } from '../../src/cli/run/serve-command.ts';
import { readConfig } from '../../src/config.ts';

/** Starts the whole service with its worker on a free port of loopback, on a test's database. Stops with the test. */
export async function startTestService(
  context: TestContext,
  databaseUrl: string,
  settings: Record<string, string> = {},
): Promise<RunningService> {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-seen-'));
  const service = await startService(
    readConfig({
      DATABASE_URL: databaseUrl,
      DATA_DIR: folder,
      MASTER_KEY: '5a'.repeat(32),
      LOG_LEVEL: 'silent',
      PORT: '0',
      ...settings,
    }),
  );
  context.after(() => service.stop().then(() => rmSync(folder, { recursive: true })));
  return service;
}

export type ReceivedRequest = { method: string; url: string; headers: Record<string, string>; body: string };

/** Starts a merchant's server on loopback: records what it receives and responds with `answer`, by default 200. */
export async function startReceiver(
  context: TestContext,
  answer: (request: ReceivedRequest) => number | Promise<number> = () => 200,
): Promise<{ url: string; received: ReceivedRequest[]; next: () => Promise<ReceivedRequest> }> {
  const received: ReceivedRequest[] = [];
  const arrivals = new EventEmitter();
  const server = createServer((incoming, response) => {
    void readRequest(incoming).then(async (request) => {
      received.push(request);
      response.writeHead(await answer(request)).end();
      arrivals.emit('one');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.close();
    server.closeAllConnections();
  });
  let handedOut = 0;
  const next = async () => {
    if (handedOut === received.length) await once(arrivals, 'one');
    return received[handedOut++] as ReceivedRequest;
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, next };
}

async function readRequest(incoming: IncomingMessage): Promise<ReceivedRequest> {
  const body = Buffer.concat(await incoming.toArray()).toString();
  const { method = '', url = '' } = incoming;
  return { method, url, headers: incoming.headers as Record<string, string>, body };
}
