import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A callback as it arrived. */
export type Arrival = { at: number; path: string; id: string; body: string };

/**
 * A merchant's server on loopback. `/hang` never responds. `/held` responds after `release`, but at once to a callback
 * that it knows. `/fail` responds 500. Every other path responds at once.
 */
export type SlowMerchant = Disposable & {
  url: string;
  arrivals: Arrival[];
  /** Sends the held responses. */
  release(): void;
};

export async function startSlowMerchant(): Promise<SlowMerchant> {
  const arrivals: Arrival[] = [];
  const held: (() => void)[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '/';
      const id = String(request.headers['webhook-id']);
      const known = arrivals.some((arrival) => arrival.id === id);
      arrivals.push({ at: performance.now(), path, id, body: Buffer.concat(chunks).toString() });
      const answer = () => response.writeHead(path.startsWith('/fail') ? 500 : 200).end();
      if (path.startsWith('/hang')) return;
      if (path.startsWith('/held') && !known) held.push(answer);
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
    release: () => {
      for (const answer of held.splice(0)) answer();
    },
  };
}
