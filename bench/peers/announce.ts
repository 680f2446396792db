import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Listens on a free port of loopback, prints it as a line of JSON, and ends with its parent process. */
export function announce(server: Server): void {
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`${JSON.stringify({ port })}\n`);
  });
  process.stdin.resume().on('end', () => process.exit(0));
}
