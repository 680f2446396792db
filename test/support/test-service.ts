import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { type RunningService, startService } from '../../src/cli/serve-command.ts';
import { readConfig } from '../../src/config.ts';

/** The whole service on a free port of loopback, with its worker, on the database of a test. Stops with the test. */
export async function startTestService(
  context: TestContext,
  databaseUrl: string,
  settings: Record<string, string> = {},
): Promise<RunningService> {
  const service = await startService(
    readConfig({ DATABASE_URL: databaseUrl, MASTER_KEY: '5a'.repeat(32), LOG_LEVEL: 'silent', PORT: '0', ...settings }),
  );
  context.after(() => service.stop());
  return service;
}

export type ReceivedRequest = { method: string; url: string; headers: Record<string, string>; body: string };

/** A merchant's server on loopback: keeps what it receives and answers what `answer` says, 200 by default. */
export async function startReceiver(
  context: TestContext,
  answer: (request: ReceivedRequest) => number = () => 200,
): Promise<{ url: string; received: ReceivedRequest[]; next(): Promise<ReceivedRequest> }> {
  const received: ReceivedRequest[] = [];
  const waiting: ((request: ReceivedRequest) => void)[] = [];
  let handedOut = 0;
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const request = {
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      headers: incoming.headers as Record<string, string>,
      body: Buffer.concat(chunks).toString(),
    };
    received.push(request);
    response.writeHead(answer(request)).end();
    const resolve = waiting.shift();
    if (resolve !== undefined) {
      handedOut++;
      resolve(request);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const next = () => {
    const there = received[handedOut];
    if (there === undefined) return new Promise<ReceivedRequest>((resolve) => waiting.push(resolve));
    handedOut++;
    return Promise.resolve(there);
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, next };
}
