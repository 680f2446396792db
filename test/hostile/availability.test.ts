import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createUser } from '../../src/auth/create-user.ts';
import { limitLookUps } from '../../src/lib/network/limit-look-ups.ts';
import { createNameResolver } from '../../src/lib/network/resolve-name.ts';
import { createSafeFetch } from '../../src/lib/network/safe-fetch.ts';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { SERVER_LIMITS } from '../../src/server/server-limits.ts';
import { comesTrue } from '../support/comes-true.ts';
import { startNameServer } from '../support/name-server.ts';
import { TESTER } from '../support/test-actor.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { signedJson } from './signed-requests.ts';
import { type ProductTarget, startProduct } from './target.ts';

const HONEST = '127.0.9.9';

// Each attack runs during honest work, and is judged by order and by counts, so that a slow machine does not fail it.
describe('an attacker with many connections', () => {
  let target: ProductTarget;
  let attackers: Socket[] = [];
  before(async () => {
    target = await startProduct({ settings: { RATE_LIMITS: 'on' } });
    // Long, so that silent connections stay open while others are counted.
    target.server.headersTimeout = 60_000;
  });
  beforeEach(() => target.reset());
  after(() => target.close());

  async function attack(address: string, bytes = ''): Promise<Socket> {
    const socket = connect({ port: target.port, host: '127.0.0.1', localAddress: address });
    socket.on('error', () => {});
    attackers.push(socket);
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
    socket.write(bytes);
    return socket;
  }

  async function endAttack(): Promise<void> {
    const open = attackers.filter((socket) => !socket.closed);
    attackers = [];
    for (const socket of open) socket.destroy();
    assert.ok(await comesTrue(async () => (await connectionsOf(target)) <= 1));
  }

  test('who pipelines 1,500 requests gets few answers, and honest creates go on', async () => {
    const socket = await attack('127.0.0.2', 'GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1500));
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    const ended = once(socket, 'close');
    assert.deepEqual(await honestCreates(target, 20), Array(20).fill(200));
    await ended;
    const answers = text.match(/^HTTP\/1\.1 \d+/gm) ?? [];
    assert.ok(answers.length <= SERVER_LIMITS.waitingRequests + 2, `${answers.length} answers`);
    assert.match(await target.app.metrics.registry.metrics(), /^rubrica_refused_total\{reason="pipelining"\} [1-9]/m);
    await endAttack();
  });

  // Without a limit the server generates all responses of a connection that reads none: 3.2 GB.
  test('who never reads causes few answers to be generated, and honest creates go on', async () => {
    const asking = 'GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(60);
    for (let at = 0; at < 60; at++) (await attack(`127.0.0.${2 + (at % 4)}`, asking)).pause();
    assert.deepEqual(await honestCreates(target, 20), Array(20).fill(200));
    let [made, before] = [0, -1];
    const nothingMoves = async () => {
      [before, made] = [made, await answersOf(target, '/openapi.json')];
      return made > 0 && made === before;
    };
    assert.ok(await comesTrue(nothingMoves));
    // As many responses as fit into the system's buffers, and one more for each connection.
    assert.ok(made < (60 * 60) / 2, `${made} of 3,600 answers were made`);
    await endAttack();
  });

  test('who holds silent connections from four networks leaves room for sixty others', async () => {
    for (const address of ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5'])
      await Promise.all(Array.from({ length: 500 }, () => attack(address)));
    const others = await Promise.all(
      Array.from({ length: 60 }, (_, at) => create(target, `S-${at}`, `127.0.8.${at + 1}`)),
    );
    assert.deepEqual(others, Array(60).fill(200));
    await endAttack();
  });

  test('who keeps asking for the metrics rarely causes a new collection, and honest creates go on', async () => {
    const { registry } = target.app.metrics;
    const make = registry.metrics.bind(registry);
    let made = 0;
    registry.metrics = () => {
      made++;
      return make();
    };
    let asked = 0;
    let stop = false;
    const asking = Array.from({ length: 20 }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      while (!stop) {
        assert.equal(await send(target, { path: '/metrics', address: '127.0.0.1', agent }), 200);
        asked++;
      }
      agent.destroy();
    });
    assert.deepEqual(await honestCreates(target, 50), Array(50).fill(200));
    assert.ok(await comesTrue(() => asked > 200));
    stop = true;
    await Promise.all(asking);
    assert.ok(made < asked / 4, `${made} made for ${asked}`);
    registry.metrics = make;
  });

  // Matching must not take quadratic time, because it comes before any check of the client.
  test('who sends a content type of 7,900 spaces costs about as much as another refused request', async () => {
    const cpu = async (contentType: string) => {
      const begun = process.cpuUsage();
      for (let at = 0; at < 150; at++)
        // From many addresses, because repeated refusals of one network are delayed.
        await send(target, { path: '/trxs', method: 'POST', address: `127.0.1.${at + 1}`, contentType, body: '{' });
      const { user, system } = process.cpuUsage(begun);
      return user + system;
    };
    await cpu('text/plain');
    const short = await cpu(`application/json; a=b`);
    const long = await cpu(`application/json${' '.repeat(7900)}x`);
    assert.ok(long < short * 8, `${long} against ${short} microseconds`);
  });

  test('whose requests are refused fills no log: lines per minute are limited, and omitted lines are counted', async () => {
    for (let at = 0; at < 40; at++) {
      // An address that no earlier test has blocked.
      const socket = await attack('127.0.0.9', 'GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20));
      socket.resume();
    }
    const refused = () => target.logLines().filter((line) => line.includes('request refused'));
    assert.ok(await comesTrue(() => refused().length >= 600));
    await send(target, { path: '/nothing', address: HONEST });
    await endAttack();
    assert.equal(refused().length, 600);
    target.app.now.advance(60_000);
    await send(target, { path: '/nothing', address: HONEST });
    assert.match(refused().at(-1) ?? '', /"unlogged":\d+/);
  });
});

describe('an attacker who guesses passwords', () => {
  test('of many accounts does not keep another user from logging in meanwhile', async () => {
    const target = await startProduct();
    try {
      const user = { email: 'owner@example.cl', may: ['payments:read' as const], paymentServices: 'all' as const };
      const { password } = await createUser(target.app, user, TESTER);
      let looked = 0;
      const guesses = Array.from({ length: 20 }, async (_, at) => {
        await logIn(target, '127.0.0.2', `guess-${at}@example.cl`, 'wrong-password');
        looked++;
      });
      assert.equal(await logIn(target, HONEST, user.email, password), 200);
      assert.ok(looked < 20, `${looked} guesses were looked at first`);
      await Promise.all(guesses);
    } finally {
      await target.close();
    }
  });
});

describe('a merchant whose name server is silent', () => {
  test('delays no callback of another merchant', async () => {
    const silent = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`dead${at}.example.com`, null]));
    const names = await startNameServer({ ...silent, 'shop.example.com': { a: ['93.184.216.34'] } });
    const dialled: string[] = [];
    // No packet leaves this machine: connections to a public address go to a port without a listener.
    const outbound = createSafeFetch({
      resolve: limitLookUps(createNameResolver({ servers: [names.server] }), () => performance.now()),
      dial: ({ address }) => {
        dialled.push(address);
        return connect({ port: 1, host: '127.0.0.1' });
      },
    });
    const target = await startProduct({ parts: { fetch: outbound.fetch } });
    try {
      const [dead, honest] = [await createTestEnvironment(target.app), await createTestEnvironment(target.app)];
      for (let at = 0; at < 30; at++)
        await createPaidTransaction(target.app, dead, { urlCallback: `https://dead${at}.example.com/cb` });
      await createPaidTransaction(target.app, honest, { urlCallback: 'https://shop.example.com/cb' });
      const delivery = createCallbackDelivery(target.app, () => {});
      await delivery.poll();
      assert.ok(await comesTrue(() => dialled.length > 0));
      const tried = await target.app.db.query('select id from delivery_attempts');
      assert.ok(tried.length < 30, `${tried.length} silent ones were waited for first`);
      await outbound.close();
      await delivery.drain();
    } finally {
      await target.close();
      names.close();
    }
  });
});

async function honestCreates(target: ProductTarget, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let at = 0; at < count; at++) statuses.push(await create(target, `H-${at}`, HONEST));
  return statuses;
}

function create(target: ProductTarget, reference: string, address: string): Promise<number> {
  const body = signedJson({ x_reference: reference });
  return send(target, { path: '/trxs', method: 'POST', address, contentType: 'application/json', body });
}

function logIn(target: ProductTarget, address: string, email: string, password: string): Promise<number> {
  const body = JSON.stringify({ username: email, password });
  return send(target, { path: '/users/login', method: 'POST', address, contentType: 'application/json', body });
}

type Sent = { path: string; address: string; method?: string; contentType?: string; body?: string; agent?: Agent };

/** Sends one request from an address of this machine. Returns its status. */
function send(
  { port }: ProductTarget,
  { path, address, method = 'GET', contentType, body, agent }: Sent,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...(contentType !== undefined && { 'content-type': contentType }),
      ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
    };
    const options = { port, host: '127.0.0.1', localAddress: address, path, method, headers, agent: agent ?? false };
    const asking = request(options, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode ?? 0));
    });
    asking.on('error', reject);
    asking.end(body);
  });
}

async function answersOf({ app }: ProductTarget, route: string): Promise<number> {
  const line = new RegExp(`^rubrica_http_requests_total\\{route="${route}",status="200"\\} (\\d+)`, 'm');
  return Number(line.exec(await app.metrics.registry.metrics())?.[1] ?? 0);
}

function connectionsOf({ server }: ProductTarget): Promise<number> {
  return new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
}
