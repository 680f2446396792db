import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createSafeFetch } from '../../src/lib/network/safe-fetch.ts';
import { proxyAddress } from '../../src/lib/setting-readers.ts';
import { makeCertificate } from '../support/make-certificate.ts';
import { answerOf, startRawServer } from '../support/raw-server.ts';

const certificate = makeCertificate('shop.example.com');
setDefaultCACertificates([...getCACertificates('default'), certificate.cert]);

const request = { method: 'POST', headers: {}, body: 'a=1', allowPrivate: false } as const;

test('requests go through the proxy, with its credentials, to the address that was checked', async () => {
  await using shop = disposable(await startRawServer((socket) => socket.write(answerOf(200, 'ok')), certificate));
  await using proxy = await startProxy(() => shop.port);
  const client = createSafeFetch({ resolve: async () => ['93.184.216.34'], proxy: proxy.address('us%65r:p%40ss@') });
  const outcome = await client.fetch({ ...request, url: 'https://shop.example.com/cb' });
  assert.equal(outcome.kind === 'answered' ? outcome.status : outcome.detail, 200);
  assert.deepEqual(proxy.heads[0]?.split('\r\n'), [
    'CONNECT 93.184.216.34:443 HTTP/1.1',
    'Host: 93.184.216.34:443',
    `Proxy-Authorization: Basic ${btoa('user:p@ss')}`,
  ]);
  await client.close();
});

test('a plain HTTP request is tunnelled too, and an answer that arrives with the proxy’s is not lost', async () => {
  await using shop = disposable(await startRawServer((socket) => socket.write(answerOf(200, 'ok'))));
  await using proxy = await startProxy(() => shop.port);
  const client = createSafeFetch({ resolve: async () => ['10.1.2.3'], proxy: proxy.address() });
  const outcome = await client.fetch({ ...request, url: 'http://shop.test:8081/cb', allowPrivate: true });
  assert.equal(outcome.kind === 'answered' ? outcome.excerpt : outcome.detail, 'ok');
  assert.match(proxy.heads[0] ?? '', /^CONNECT 10\.1\.2\.3:8081 /);
  await client.close();
});

test('a private address is refused before the proxy is asked', async () => {
  await using proxy = await startProxy(() => 9);
  const client = createSafeFetch({ resolve: async () => ['169.254.169.254'], proxy: proxy.address() });
  const outcome = await client.fetch({ ...request, url: 'https://shop.example.com/cb' });
  assert.equal(outcome.kind === 'failed' && outcome.reason, 'refused_address');
  assert.deepEqual(proxy.heads, []);
});

const REFUSALS: [answer: string, detail: string][] = [
  ['HTTP/1.1 407 Proxy Authentication Required\r\n\r\n', 'EPROXYAUTH'],
  ['HTTP/1.1 403 Forbidden\r\n\r\n', 'EPROXYREFUSED'],
  ['nonsense\r\n\r\n', 'EPROXYREFUSED'],
  [`HTTP/1.1 200 ${'x'.repeat(10_000)}`, 'EPROXY'],
];
for (const [answer, detail] of REFUSALS) {
  test(`a proxy that answers ${answer.slice(0, 20)} is reported as ${detail}`, async () => {
    await using proxy = await startProxy(() => 9, { answer });
    const client = createSafeFetch({ resolve: async () => ['93.184.216.34'], proxy: proxy.address() });
    const outcome = await client.fetch({ ...request, url: 'https://shop.example.com/cb' });
    assert.deepEqual(outcome.kind === 'failed' && [outcome.reason, outcome.detail], ['connect', detail]);
    await client.close();
  });
}

test('an address to which the proxy cuts the tunnel is not tried before one with an open connection', async () => {
  await using shop = disposable(await startRawServer((socket) => socket.write(answerOf(200, 'ok'))));
  await using proxy = await startProxy(() => shop.port, { cut: '10.1.2.3' });
  const client = createSafeFetch({ resolve: async () => ['10.1.2.3', '10.1.2.4'], proxy: proxy.address() });
  for (let times = 0; times < 3; times++) {
    const outcome = await client.fetch({ ...request, url: 'http://shop.test:8081/cb', allowPrivate: true });
    assert.equal(outcome.kind === 'answered' ? outcome.excerpt : outcome.detail, 'ok');
    // Undici can use the connection again one turn of the loop after the answer.
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assert.deepEqual(
    proxy.heads.map((head) => head.split(' ')[1]),
    ['10.1.2.3:8081', '10.1.2.4:8081'],
  );
  await client.close();
});

test('a proxy that never answers fails within the connection timeout', async () => {
  await using proxy = await startProxy(() => 9, { answer: '' });
  const client = createSafeFetch({ resolve: async () => ['93.184.216.34'], proxy: proxy.address(), connectMs: 50 });
  const outcome = await client.fetch({ ...request, url: 'https://shop.example.com/cb' });
  assert.equal(outcome.kind === 'failed' && outcome.detail, 'ETIMEDOUT');
  await client.close();
});

function disposable<Server extends { close(): Promise<unknown> }>(server: Server) {
  return Object.assign(server, { [Symbol.asyncDispose]: async () => void (await server.close()) });
}

/** Starts a proxy that leads every tunnel to one port, except to the address `cut`, or only sends `answer`. */
async function startProxy(target: () => number, { answer, cut }: { answer?: string; cut?: string } = {}) {
  const heads: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.once('data', (chunk) => {
      heads.push(chunk.toString().replace(/\r\n\r\n$/, ''));
      if (cut !== undefined && chunk.includes(cut)) return void socket.end();
      if (answer !== undefined) return void socket.write(answer);
      const onward = connect(target(), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        socket.pipe(onward).pipe(socket);
      });
      onward.on('error', () => socket.destroy());
      sockets.push(onward);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    heads,
    address: (credentials = '') => proxyAddress('EGRESS_PROXY', `http://${credentials}127.0.0.1:${port}`),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
