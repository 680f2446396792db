import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { shutOutFloods } from '../../src/server/shut-out-floods.ts';

const LIMITS = { floods: 3, ms: 10_000, networks: 2 };

test('a network that floods three times is shut out with all its connections, and others are not', async () => {
  await using at = await serve();
  const first = await at.connect('127.0.0.2');
  const other = await at.connect('127.0.0.3');
  for (let flood = 0; flood < 2; flood++) at.flood(await at.connect('127.0.0.2'));
  assert.equal(at.closed(), 0);
  const ended = once(first.client, 'close');
  at.flood(await at.connect('127.0.0.2'));
  await ended;
  assert.equal(at.closed(), 4);
  await once((await at.connect('127.0.0.2')).client, 'close');
  assert.equal(at.closed(), 5);
  assert.equal(other.client.closed, false);
});

test('a network is admitted again when its time is over, and its floods are counted anew', async () => {
  await using at = await serve();
  for (let flood = 0; flood < 3; flood++) at.flood(await at.connect('127.0.0.2'));
  at.advance(LIMITS.ms);
  for (let flood = 0; flood < 2; flood++) at.flood(await at.connect('127.0.0.2'));
  assert.equal(at.closed(), 3);
});

test('when more networks flood than are remembered, the last of them is shut out too', async () => {
  await using at = await serve();
  for (const last of [2, 3, 4]) at.flood(await at.connect(`127.0.0.${last}`));
  for (let flood = 0; flood < 2; flood++) at.flood(await at.connect('127.0.0.4'));
  assert.equal(at.closed(), 3);
});

type Connection = { client: Socket; served: Socket };

async function serve() {
  let [closed, clock] = [0, 0];
  const server = createServer();
  const flooded = shutOutFloods(
    server,
    LIMITS,
    () => closed++,
    () => clock,
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    connect: async (localAddress: string): Promise<Connection> => {
      const served = once(server, 'connection');
      const client = connect({ port, host: '127.0.0.1', localAddress });
      client.on('error', () => {});
      client.resume();
      return { client, served: ((await served) as [Socket])[0] };
    },
    flood: ({ served }: Connection) => flooded(served),
    closed: () => closed,
    advance: (ms: number) => (clock += ms),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
