import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { ask } from '../../src/cli/run/demo-stage.ts';

test('a request of the demo has a connection of its own, which the service cannot have closed', async () => {
  const connections = new Set<unknown>();
  await using server = createServer((request, response) => {
    connections.add(request.socket);
    response.end('OK');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const body of [null, new URLSearchParams({ method: 'simulated' }), '{}'])
    assert.equal(await (await ask(url, { method: body === null ? 'GET' : 'POST', body })).text(), 'OK');
  assert.equal(connections.size, 3);
});
