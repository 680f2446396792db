import assert from 'node:assert/strict';
import { connect, Socket } from 'node:net';
import { after, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { DialTarget } from '../../src/lib/network/dial-address.ts';
import { createSafeFetch, type FetchOutcome, type SafeFetchOptions } from '../../src/lib/network/safe-fetch.ts';
import { makeCertificate } from '../support/make-certificate.ts';
import { answerOf, startRawServer } from '../support/raw-server.ts';

const shop = await startRawServer((socket) => socket.write(answerOf(200, 'ok')));
const shopCertificate = makeCertificate('shop.example.com');
const trustedShop = await startRawServer((socket) => socket.write(answerOf(200, 'ok')), shopCertificate);
const otherShop = await startRawServer((socket) => socket.write(answerOf(200)), makeCertificate('shop.example.com'));
setDefaultCACertificates([...getCACertificates('default'), shopCertificate.cert]);

after(() => Promise.all([shop.close(), trustedShop.close(), otherShop.close()]));

const request = {
  url: 'http://shop.example.com/cb',
  method: 'POST',
  headers: {},
  body: 'a=1',
  allowPrivate: true,
} as const;

/** Returns a client with a fake resolver, and a dialler that records every target and connects all to one server. */
function fakeNetwork(answers: Record<string, string[][]>, options: SafeFetchOptions = {}) {
  const dialled: DialTarget[] = [];
  const lookups: string[] = [];
  const sockets: Socket[] = [];
  const client = createSafeFetch({
    resolve: async (host) => {
      lookups.push(host);
      const [next, ...later] = answers[host] ?? [];
      if (next === undefined) throw Object.assign(new Error('unknown name'), { code: 'ENOTFOUND' });
      if (later.length > 0) answers[host] = later;
      return next;
    },
    dial: (target) => {
      dialled.push(target);
      const socket = connect({ host: '127.0.0.1', port: shop.port });
      sockets.push(socket);
      return socket;
    },
    ...options,
  });
  return { ...client, dialled, lookups, sockets };
}

/** A port without a listener on any machine. */
const PORT_OF_NOBODY = 9;

/** Waits until undici can use the connection again: one turn of the loop after the answer. */
const reusable = () => new Promise((resolve) => setTimeout(resolve, 1));

function failureOf(outcome: FetchOutcome): string {
  return outcome.kind === 'failed' ? `${outcome.reason} ${outcome.detail}` : `answered ${outcome.status}`;
}

const forbiddenAnswers: Record<string, string[]> = {
  loopback: ['127.0.0.1'],
  'loopback in IPv6': ['::1'],
  'a public address and then loopback': ['93.184.216.34', '127.0.0.1'],
  'loopback and then a public address': ['127.0.0.1', '93.184.216.34'],
  'public in IPv4, private in IPv6': ['93.184.216.34', 'fd00::1'],
  'cloud metadata': ['169.254.169.254'],
  'mapped loopback': ['::ffff:127.0.0.1'],
  NAT64: ['64:ff9b::7f00:1'],
  'this machine': ['0.0.0.0'],
  'an address of our own': ['198.41.0.4'],
  'something that is no address': ['localhost'],
};

for (const [name, addresses] of Object.entries(forbiddenAnswers)) {
  test(`a name that resolves to ${name} is refused without a connection`, async () => {
    const network = fakeNetwork(
      { 'shop.example.com': [addresses] },
      { ownPlaces: () => ({ ownAddresses: ['198.41.0.4'] }) },
    );
    const outcome = await network.fetch({ ...request, url: 'https://shop.example.com/cb', allowPrivate: false });
    assert.equal(failureOf(outcome), 'refused_address URL_NOT_ALLOWED');
    assert.deepEqual(network.dialled, []);
    await network.close();
  });
}

test('in development too, the program never calls a metadata service of a cloud', async () => {
  const addresses = { 'shop.example.com': [['10.0.0.7']], 'cloud.example.com': [['10.0.0.7', 'fd00:ec2::254']] };
  const network = fakeNetwork(addresses);
  for (const host of ['169.254.169.254', '[fe80::1]', '[::ffff:6464:64c8]', '168.63.129.16', 'cloud.example.com']) {
    const outcome = await network.fetch({ ...request, url: `http://${host}/latest` });
    assert.equal(failureOf(outcome), 'refused_address URL_NOT_ALLOWED', host);
  }
  assert.deepEqual(network.dialled, []);
  assert.equal(failureOf(await network.fetch({ ...request, url: 'http://shop.example.com/cb' })), 'answered 200');
  await network.close();
});

test('in development too, the program never calls its own listening port', async () => {
  const ownOrigins: string[] = [];
  const network = fakeNetwork({ 'shop.example.com': [['127.0.0.1']] }, { ownPlaces: () => ({ ownOrigins }) });
  const own = { ...request, url: 'http://shop.example.com:8080/trxs' };
  assert.equal(failureOf(await network.fetch(own)), 'answered 200');
  ownOrigins.push('http://shop.example.com:8080');
  assert.equal(failureOf(await network.fetch(own)), 'refused_address URL_NOT_ALLOWED');
  assert.equal(failureOf(await network.fetch({ ...own, url: 'http://shop.example.com:8081/trxs' })), 'answered 200');
  assert.equal(network.dialled.length, 2);
  await network.close();
});

for (const url of [
  'http://shop.example.com/cb',
  'https://127.0.0.1/',
  'https://[::1]/',
  'https://8.8.8.8/',
  'https://2130706433/',
  'https://localhost/',
  'https://shop.example.com:6379/',
  'https://user:pass@shop.example.com/',
  'nonsense',
]) {
  test(`${url} is refused before any name is looked up`, async () => {
    const network = fakeNetwork({ 'shop.example.com': [['93.184.216.34']] });
    const outcome = await network.fetch({ ...request, url, allowPrivate: false });
    assert.match(failureOf(outcome), /^refused_address (INVALID_URL|URL_NOT_ALLOWED)$/);
    assert.deepEqual([network.dialled, network.lookups], [[], []]);
    await network.close();
  });
}

test('the connection goes to the address that was checked, under the URL’s name, without another look-up', async () => {
  const network = fakeNetwork({ 'shop.example.com': [['93.184.216.34'], ['127.0.0.1']] }, { connectMs: 20 });
  const outcome = await network.fetch({ ...request, url: 'https://shop.example.com:8443/cb', allowPrivate: false });
  // The server has no TLS, so no answer comes in time. Only the target counts.
  assert.match(failureOf(outcome), /^(?:connect|tls) ETIMEDOUT$/);
  assert.deepEqual(network.dialled, [{ address: '93.184.216.34', port: 8443, servername: 'shop.example.com' }]);
  assert.deepEqual(network.lookups, ['shop.example.com']);
  await network.close();
});

test('a name that turns private is refused at the next call, even with a connection still open', async () => {
  const network = fakeNetwork({ 'shop.example.com': [['93.184.216.34'], ['93.184.216.34', '10.0.0.1']] });
  const first = await network.fetch(request);
  assert.equal(first.kind, 'answered');
  const second = await network.fetch({ ...request, url: 'https://shop.example.com/cb', allowPrivate: false });
  assert.equal(failureOf(second), 'refused_address URL_NOT_ALLOWED');
  assert.equal(network.dialled.length, 1);
  await network.close();
});

test('a connection is kept and reused while its address is still among the name’s addresses', async () => {
  const rotating = [['93.184.216.34', '93.184.216.35'], ['93.184.216.35', '93.184.216.34'], ['93.184.216.35']];
  const network = fakeNetwork({ 'shop.example.com': rotating });
  const dialledAfter = [];
  for (let i = 0; i < 3; i++) {
    assert.equal((await network.fetch(request)).kind, 'answered');
    dialledAfter.push(network.dialled.map((target) => target.address));
    await reusable();
  }
  const [one, two] = ['93.184.216.34', '93.184.216.35'];
  assert.deepEqual(dialledAfter, [[one], [one], [one, two]]);
  await network.close();
});

test('two names at one address share no connection', async () => {
  const network = fakeNetwork({ 'a.example.com': [['93.184.216.34']], 'b.example.com': [['93.184.216.34']] });
  await network.fetch({ ...request, url: 'http://a.example.com/' });
  await network.fetch({ ...request, url: 'http://b.example.com/' });
  assert.equal(network.dialled.length, 2);
  await network.close();
});

test('a new connection replaces one that the server has closed', async () => {
  const network = fakeNetwork({ 'shop.example.com': [['93.184.216.34']] });
  await network.fetch(request);
  const closed = new Promise((resolve) => network.sockets[0]?.once('close', resolve));
  network.sockets[0]?.destroy();
  await closed;
  assert.equal((await network.fetch(request)).kind, 'answered');
  assert.equal(network.dialled.length, 2);
  await network.close();
});

test('the next address is tried when one does not answer, up to three', async () => {
  const dialled: string[] = [];
  const deadUntil = (count: number) =>
    createSafeFetch({
      resolve: async () => ['93.184.216.1', '93.184.216.2', '93.184.216.3', '93.184.216.4'],
      dial: ({ address }) => {
        dialled.push(address);
        return connect({ host: '127.0.0.1', port: dialled.length > count ? shop.port : PORT_OF_NOBODY });
      },
    });
  const third = deadUntil(2);
  assert.equal((await third.fetch(request)).kind, 'answered');
  assert.deepEqual(dialled.splice(0), ['93.184.216.1', '93.184.216.2', '93.184.216.3']);
  const fourth = deadUntil(3);
  assert.equal(failureOf(await fourth.fetch(request)), 'connect ECONNREFUSED');
  assert.equal(dialled.length, 3);
  await Promise.all([third.close(), fourth.close()]);
});

test('no other address is tried once the request was sent, whatever becomes of the answer', async () => {
  const broken = await startRawServer((socket) => socket.destroy());
  const dialled: string[] = [];
  const { fetch, close } = createSafeFetch({
    resolve: async () => ['93.184.216.1', '93.184.216.2'],
    dial: ({ address }) => {
      dialled.push(address);
      return connect({ host: '127.0.0.1', port: broken.port });
    },
  });
  assert.equal((await fetch(request)).kind, 'failed');
  assert.deepEqual(dialled, ['93.184.216.1']);
  await Promise.all([close(), broken.close()]);
});

test('a name without addresses, an unknown name and a silent name server fail as DNS errors', async () => {
  const network = fakeNetwork({ 'shop.example.com': [[]] });
  assert.equal(failureOf(await network.fetch(request)), 'dns ENODATA');
  assert.equal(failureOf(await network.fetch({ ...request, url: 'http://gone.example.com/' })), 'dns ENOTFOUND');
  const silent = fakeNetwork({}, { resolve: () => new Promise(() => {}), connectMs: 5 });
  assert.equal(failureOf(await silent.fetch(request)), 'dns ETIMEDOUT');
  await Promise.all([network.close(), silent.close()]);
});

test('a connection that is never established times out', async () => {
  // A socket that never connects is as silent as a firewall.
  const network = fakeNetwork({ 'shop.example.com': [['93.184.216.34']] }, { connectMs: 5, dial: () => new Socket() });
  assert.equal(failureOf(await network.fetch(request)), 'connect ETIMEDOUT');
  await network.close();
});

test('a request whose time ran out while it was connecting is never sent', async () => {
  const closed = Promise.withResolvers<number>();
  const dial = (): Socket => {
    const socket = new Socket();
    socket.once('close', () => closed.resolve(socket.bytesWritten));
    setTimeout(() => socket.connect({ host: '127.0.0.1', port: shop.port }), 30);
    return socket;
  };
  const network = fakeNetwork({ 'shop.example.com': [['93.184.216.34']] }, { totalMs: 5, dial });
  assert.equal(failureOf(await network.fetch(request)), 'timeout ETIMEDOUT');
  assert.equal(await closed.promise, 0);
  await network.close();
});

const tlsClient = createSafeFetch({ resolve: async () => ['127.0.0.1'] });
after(() => tlsClient.close());

test('over TLS the certificate must be valid for the name in the URL', async () => {
  const url = (name: string, port: number) => `https://${name}:${port}/cb`;
  const good = await tlsClient.fetch({ ...request, url: url('shop.example.com', trustedShop.port) });
  assert.equal(good.kind, 'answered');
  assert.match(trustedShop.requests[0] ?? '', /\r\nhost: shop\.example\.com:\d+\r\n/);
  const wrongName = await tlsClient.fetch({ ...request, url: url('other.example.com', trustedShop.port) });
  assert.equal(failureOf(wrongName), 'tls ERR_TLS_CERT_ALTNAME_INVALID');
  const byAddress = await tlsClient.fetch({ ...request, url: url('127.0.0.1', trustedShop.port) });
  assert.equal(failureOf(byAddress), 'tls ERR_TLS_CERT_ALTNAME_INVALID');
  const selfSigned = await tlsClient.fetch({ ...request, url: url('shop.example.com', otherShop.port) });
  assert.equal(failureOf(selfSigned), 'tls DEPTH_ZERO_SELF_SIGNED_CERT');
  assert.deepEqual([trustedShop.requests.length, otherShop.requests.length], [1, 0]);
});

test('close ends requests in progress and refuses later ones', async () => {
  const hanging = await startRawServer(() => void network.close());
  const network = createSafeFetch();
  const outcome = await network.fetch({ ...request, url: hanging.url });
  assert.equal(failureOf(outcome), 'reset UND_ERR_DESTROYED');
  assert.equal(failureOf(await network.fetch({ ...request, url: hanging.url })), 'connect ECLOSED');
  await hanging.close();
});
