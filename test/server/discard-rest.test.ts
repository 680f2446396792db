import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { discardRest } from '../../src/server/discard-rest.ts';
import { SERVER_LIMITS } from '../../src/server/server-limits.ts';
import { type ProductTarget, startProduct } from '../hostile/target.ts';

const BYTES = 5_000_000;
const BODY = Buffer.alloc(BYTES, 'a');
const CHUNKED = Buffer.concat([Buffer.from(`${BYTES.toString(16)}\r\n`), BODY, Buffer.from('\r\n0\r\n\r\n')]);
const JSON_BODY = 'Content-Type: application/json\r\n';

describe('a client that writes its whole body before it reads', () => {
  let target: ProductTarget;
  before(async () => {
    target = await startProduct();
  });
  after(() => target.close());

  for (const path of ['/trxs', '/validations/BankAccount', '/validations/BankAccount/batch']) {
    test(`gets the refusal of 5 MB at ${path}`, async () => {
      const head = `${JSON_BODY}Content-Length: ${BYTES}\r\n`;
      assert.match(await writeThenRead(target.port, path, head, BODY), /^HTTP\/1\.1 413 .*PAYLOAD_TOO_LARGE/s);
    });
    test(`gets the refusal of 5 MB in chunks at ${path}`, async () => {
      const head = `${JSON_BODY}Transfer-Encoding: chunked\r\nConnection: close\r\n`;
      assert.match(await writeThenRead(target.port, path, head, CHUNKED), /^HTTP\/1\.1 413 .*PAYLOAD_TOO_LARGE/s);
    });
  }

  test('gets a refusal that is sent before the body is read, with Connection: close', async () => {
    const head = `Content-Type: text/plain\r\nContent-Length: ${BYTES}\r\nConnection: close\r\n`;
    assert.match(await writeThenRead(target.port, '/trxs', head, BODY), /^HTTP\/1\.1 415 /);
  });

  test('is cut when it sends more than the limit', async () => {
    const most = SERVER_LIMITS.discardBytes;
    for (const head of [`Content-Length: ${8 * most}\r\n`, `Content-Length: ${8 * most}\r\nConnection: close\r\n`]) {
      const socket = await open(target.port);
      // The client never stops by itself.
      const closed = closeOf(socket);
      socket.resume();
      socket.write(`POST /trxs HTTP/1.1\r\nHost: a\r\n${JSON_BODY}${head}\r\n`);
      for (let sent = 0; sent < 8 * most && !socket.destroyed; sent += BYTES)
        await new Promise<unknown>((resolve) => socket.write(BODY, resolve));
      await closed;
      // What lies in the buffers of the system was sent and never read.
      assert.ok(socket.bytesWritten < 4 * most, `${socket.bytesWritten} bytes`);
    }
  });
});

test('a client that goes on sending slowly after the last response is cut after the time limit', async () => {
  const server = createServer((request, response) => {
    discardRest(request, { discardBytes: 1_000_000, discardMs: 50 });
    response.writeHead(413, { connection: 'close' }).end('too large');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = await open((server.address() as AddressInfo).port);
  socket.resume();
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n');
  const drip = setInterval(() => socket.write('a'), 10);
  await closeOf(socket);
  clearInterval(drip);
  server.close();
});

test('a connection that stays open after a refusal serves the next request', async () => {
  const server = createServer((request, response) => {
    discardRest(request);
    response.end(request.url);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = await open((server.address() as AddressInfo).port);
  const text = readAll(socket);
  for (const path of ['/1', '/2']) {
    socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${BYTES}\r\n\r\n`);
    socket.write(BODY);
  }
  socket.write('GET /3 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  assert.deepEqual((await text).match(/^\/\d/gm), ['/1', '/2', '/3']);
  server.close();
});

/** Rejects if the connection is reset before everything is written and read. */
async function writeThenRead(port: number, path: string, head: string, body: Buffer): Promise<string> {
  const socket = await open(port, true);
  socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\n${head}\r\n`);
  await new Promise<void>((resolve, reject) => socket.write(body, (error) => (error ? reject(error) : resolve())));
  return readAll(socket);
}

async function readAll(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  await once(socket, 'end');
  return text;
}

/** Resolves also after a reset. */
function closeOf(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

async function open(port: number, strict = false): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  if (!strict) socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}
