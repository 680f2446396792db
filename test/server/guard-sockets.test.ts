import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { shareOfOne } from '../../src/lib/fair-shares.ts';
import { buildServer } from '../../src/server/build-server.ts';
import { ROUTES } from '../../src/server/routes.ts';
import { SERVER_LIMITS } from '../../src/server/server-limits.ts';
import { createTestApp } from '../support/test-app.ts';

const MOST = shareOfOne(SERVER_LIMITS.connections);
const db = openDatabase('sqlite::memory:', { connections: 1, pooler: false, onFatal: () => {} });

test('one address cannot take all connections, and can connect again after it closes one', async () => {
  await using server = await startServer({ RATE_LIMITS: 'on' });
  const open = await Promise.all(Array.from({ length: MOST }, () => server.connect()));
  assert.ok(open.every((socket) => !socket.destroyed));
  await once(await server.connect(), 'close');
  const [first] = open as [Socket];
  first.destroy();
  await server.closed();
  assert.match(await ask(await server.connect()), /^HTTP\/1\.1 200 /);
});

for (const settings of [{ RATE_LIMITS: 'off' }, { RATE_LIMITS: 'on', TRUST_PROXY: 'true' }]) {
  test(`connections are not limited per address with ${JSON.stringify(settings)}`, async () => {
    await using server = await startServer(settings);
    const open = await Promise.all(Array.from({ length: MOST + 1 }, () => server.connect()));
    assert.match(await ask(open.at(-1) as Socket), /^HTTP\/1\.1 200 /);
  });
}

// Without the limit, four addresses with 500 connections each leave none to others.
test('four addresses that open as many connections as they can leave room for sixty others', async () => {
  await using server = await startServer({ RATE_LIMITS: 'on' });
  for (const address of ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5'])
    await Promise.all(Array.from({ length: 500 }, () => server.connect(address)));
  const others = await Promise.all(Array.from({ length: 60 }, (_, at) => server.connect(`127.0.1.${at + 1}`)));
  for (const socket of others) assert.match(await ask(socket), /^HTTP\/1\.1 200 /);
});

async function startServer(settings: Record<string, string>) {
  const config = readConfig({ MASTER_KEY: '5a'.repeat(32), LOG_LEVEL: 'silent', ...settings });
  const server = buildServer(createTestApp(db, { config }), ROUTES);
  // The connections are silent while they are counted, so the server must not close them for that.
  server.server.headersTimeout = 0;
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const sockets: Socket[] = [];
  let closed = Promise.withResolvers<void>();
  server.server.on('connection', (socket: Socket) => socket.once('close', () => closed.resolve()));
  return {
    connect: async (localAddress = '127.0.0.1') => {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      socket.on('error', () => {});
      sockets.push(socket);
      await once(socket, 'connect');
      return socket;
    },
    /** Resolves when the server has seen the next connection end. */
    closed: () => {
      closed = Promise.withResolvers();
      return closed.promise;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await server.close();
    },
  };
}

async function ask(socket: Socket): Promise<string> {
  socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  return chunk.toString();
}
