import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { openDatabase } from '../../src/db/open-database.ts';
import { closeSlowReaders } from '../../src/server/close-slow-readers.ts';
import { comesTrue } from '../support/comes-true.ts';
import { createTestApp } from '../support/test-app.ts';

const MEBIBYTE = 1024 * 1024;
const NEVER = { writeMs: 1e9, writeBytesPerSecond: 1, unreadBytes: 1e12 };

test('a client that does not read its answer in time is cut off and counted, and one that reads is not', async () => {
  await using patient = await serve({ ...NEVER, writeMs: 180_000 });
  await using at = await serve({ ...NEVER, writeMs: 100, writeBytesPerSecond: 1e9 });
  const late = patient.ask();
  at.ask();
  await comesTrue(async () => (await at.refused()) === 1);
  late.resume();
  await once(late, 'end');
  assert.equal(late.bytesRead > 20 * MEBIBYTE, true);
  assert.equal(await patient.refused(), undefined);
});

test('a client that reads a growing answer at the least rate or faster is not cut off', async () => {
  await using at = await serve({ ...NEVER, writeMs: 100, writeBytesPerSecond: MEBIBYTE / 2 }, () =>
    Readable.from(Array.from({ length: 384 }, () => Buffer.alloc(MEBIBYTE / 16))),
  );
  const client = at.ask();
  // At most 64 KiB in 5 ms, which takes two seconds or longer in all. The sweep is every 500 ms.
  client.on('data', () => {
    client.pause();
    setTimeout(() => client.resume(), 5);
  });
  client.resume();
  await once(client, 'close');
  assert.equal(client.bytesRead > 24 * MEBIBYTE, true, `${client.bytesRead} bytes were read`);
  assert.equal(await at.refused(), undefined);
});

// Without a limit, 2,100 clients that never read take 3.2 GB.
test('when unread answers exceed the limit, the longest-waiting clients are cut off until half is left', async () => {
  await using at = await serve({ ...NEVER, unreadBytes: 50 * MEBIBYTE });
  for (let client = 0; client < 4; client++) at.ask();
  await comesTrue(async () => ((await at.refused()) ?? 0) > 0);
  assert.ok(at.open() >= 1, 'at least one client stays');
});

async function serve(limits: Parameters<typeof closeSlowReaders>[2], stream?: () => Readable) {
  const app = createTestApp(openDatabase('sqlite::memory:', { connections: 1, pooler: false, onFatal: () => {} }));
  const large = Buffer.alloc(24 * MEBIBYTE);
  const server = createServer((_request, response) => {
    response.writeHead(200, { connection: 'close' });
    if (stream === undefined) response.end(large);
    else stream().pipe(response);
  });
  const clients: Socket[] = [];
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  closeSlowReaders(app, server, limits);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    ask: () => {
      const socket = connect(port, '127.0.0.1');
      clients.push(socket);
      socket.on('error', () => {});
      socket.pause();
      socket.write(`GET / HTTP/1.1\r\nHost: a\r\n\r\n`);
      return socket;
    },
    open: () => sockets.size,
    refused: async () => (await app.metrics.refused.get()).values[0]?.value,
    [Symbol.asyncDispose]: async () => {
      for (const socket of clients) socket.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}
