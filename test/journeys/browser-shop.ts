import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export type Visit = { key: string; contentType: string | undefined; body: string };

/** A shop for the payer's browser and the service. `got` waits for a request such as `POST /complete?order=1`. */
export type BrowserShop = {
  url: string;
  visits: Visit[];
  /**
   * Delays the response of `/complete` until `letIn`, so that a payer stays on the previous page while a test checks
   * it.
   */
  keepOut(): { letIn(): void };
  got(key: string): Promise<Visit>;
};

/**
 * Starts a shop whose `/complete` is on another port than its thank-you page, as when `api.shop.cl` redirects to
 * `www.shop.cl`. Stops with the test.
 */
export async function startBrowserShop(context: TestContext): Promise<BrowserShop> {
  const front = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Thanks</title><h1>Thank you</h1>');
  });
  const frontUrl = await listen(context, front);
  const visits: Visit[] = [];
  const news = new EventEmitter();
  let open: Promise<void> = Promise.resolve();
  const back = createServer((request, response) => {
    const leads = request.url?.startsWith('/complete') === true;
    const answer = () => {
      response.writeHead(leads ? 303 : 200, {
        'content-type': 'text/html',
        ...(leads && { location: `${frontUrl}/thanks` }),
      });
      response.end('<!doctype html><title>Shop</title><h1>The shop</h1>');
    };
    if (leads) void open.then(answer);
    else answer();
    void readVisit(request).then((visit) => {
      visits.push(visit);
      news.emit('visit');
    });
  });
  const got = async (key: string): Promise<Visit> => {
    for (;;) {
      const visit = visits.find((one) => one.key === key);
      if (visit !== undefined) return visit;
      await once(news, 'visit');
    }
  };
  const keepOut = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    open = promise;
    return { letIn: resolve };
  };
  return { url: await listen(context, back), visits, keepOut, got };
}

async function readVisit(request: IncomingMessage): Promise<Visit> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const contentType = request.headers['content-type'];
  return { key: `${request.method} ${request.url}`, contentType, body: Buffer.concat(chunks).toString() };
}

async function listen(context: TestContext, server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
