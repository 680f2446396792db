import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A callback as it arrived. */
export type Arrival = { at: number; path: string; id: string; body: string };

/** A merchant's server on loopback. `/hang` never answers, `/slow` after two seconds, `/fail` 500, all else at once. */
export type SlowMerchant = Disposable & { url: string; arrivals: Arrival[] };

export async function startSlowMerchant(slowMs = 2_000): Promise<SlowMerchant> {
  const arrivals: Arrival[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '/';
      const id = String(request.headers['webhook-id']);
      arrivals.push({ at: performance.now(), path, id, body: Buffer.concat(chunks).toString() });
      const answer = () => response.writeHead(path.startsWith('/fail') ? 500 : 200).end();
      if (path.startsWith('/hang')) return;
      if (path.startsWith('/slow')) setTimeout(answer, slowMs);
      else answer();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    [Symbol.dispose]: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
