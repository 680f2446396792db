import { once } from 'node:events';
import { createServer } from 'node:net';

// Below the ephemeral ports: the system could give one of those to the next connection as soon as it is free.
const FIRST = 20_000;
const COUNT = 10_000;

/** Returns a free port of loopback, for a program that cannot choose one itself. */
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
