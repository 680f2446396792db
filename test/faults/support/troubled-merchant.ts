import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What a merchant does to some callbacks that it gets for the first time. It accepts them the second time, and all
 * others at once; only `gone` answers 410 to everything.
 */
export const TROUBLES = [
  'none',
  'error',
  'busy',
  'redirect',
  'reset',
  'endless',
  'hang',
  'slow headers',
  'gone',
] as const;

export type Trouble = (typeof TROUBLES)[number];

/** What the merchant received of one callback. */
export type Received = { times: number; taken: number; bodies: Set<string> };

export type TroubledMerchant = Disposable & {
  urlOf(trouble: Trouble): string;
  /** By `webhook-id`. */
  received: Map<string, Received>;
};

/**
 * One callback in this many is troubled. Those that take the 15 s of a time-out are rarer: four at once would block
 * their queue for long.
 */
const EVERY = 10;
const SLOW_EVERY = 200;
const SLOW: readonly Trouble[] = ['endless', 'hang', 'slow headers'];

/** Starts a server on loopback with a separate path, and so a separate queue, for each trouble. */
export async function startTroubledMerchant(): Promise<TroubledMerchant> {
  const received = new Map<string, Received>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => {});
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const id = String(request.headers['webhook-id']);
      const known = received.get(id) ?? { times: 0, taken: 0, bodies: new Set<string>() };
      received.set(id, known);
      known.times++;
      known.bodies.add(Buffer.concat(chunks).toString());
      const trouble = decodeURIComponent((request.url ?? '/').slice(1)) as Trouble;
      const first = known.times === 1 && received.size % (SLOW.includes(trouble) ? SLOW_EVERY : EVERY) === 0;
      if (trouble === 'gone') response.writeHead(410).end();
      else if (first && trouble !== 'none') cause(trouble, response);
      else {
        known.taken++;
        response.writeHead(200).end();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (trouble) => `http://127.0.0.1:${port}/${encodeURIComponent(trouble)}`,
    received,
    [Symbol.dispose]: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function cause(trouble: Exclude<Trouble, 'none' | 'gone'>, response: ServerResponse): void {
  if (trouble === 'error') response.writeHead(500).end();
  else if (trouble === 'busy') response.writeHead(429, { 'retry-after': '2' }).end();
  else if (trouble === 'redirect') response.writeHead(307, { location: '/none' }).end();
  else if (trouble === 'reset') response.socket?.resetAndDestroy();
  else if (trouble === 'endless') sendForEver(response.writeHead(500));
  else if (trouble === 'slow headers') dribble(response);
}

function sendForEver(response: ServerResponse): void {
  const timer = setInterval(() => response.write('x'.repeat(1024)), 20);
  response.once('close', () => clearInterval(timer));
}

/** Sends an endless header line, one byte at a time. */
function dribble({ socket }: ServerResponse): void {
  socket?.write('HTTP/1.1 200 OK\r\nx-slow: ');
  const timer = setInterval(() => socket?.write('x'), 200);
  socket?.once('close', () => clearInterval(timer));
}
