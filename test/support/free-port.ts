import { once } from 'node:events';
import { createServer } from 'node:net';

// Below the ports that systems hand out by themselves: one of those, given back, may belong to the next connection that
// anybody makes.
const FIRST = 20_000;
const COUNT = 10_000;

/** A port of loopback on which nobody listens, for a program that cannot choose one itself. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(COUNT * Math.random());
    const server = createServer();
    const listening = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!listening) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
