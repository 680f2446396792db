import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import { type ByteExchange, exchangeBytes, LAST_REQUEST } from './exchange-bytes.ts';
import { signedJson } from './signed-requests.ts';
import { NO_TRACES, type ProductTarget, startProduct } from './target.ts';

const HEADERS_TIMEOUT_MS = 300;
const REQUEST_TIMEOUT_MS = 500;

describe('on one connection', () => {
  let target: ProductTarget;
  before(async () => {
    target = await startProduct();
  });
  beforeEach(() => target.reset());
  after(() => target.close());

  test('pipelined requests are answered in order', async () => {
    const references = ['P-1', 'P-2', 'P-3'];
    const posts = references.map((reference) => post(signedJson({ x_reference: reference })));
    const exchange = await exchangeBytes(target.port, posts.join('') + LAST_REQUEST);
    assert.deepEqual(statuses(exchange), [200, 200, 200, 200]);
    const ids = exchange.answers.slice(0, 3).map(({ body }) => JSON.parse(body).data.idTrx);
    assert.deepEqual(
      ids,
      [...ids].sort((a, b) => a - b),
    );
    assert.equal((await target.traces()).transactions, 3);
  });

  test('a refused request does not affect the next one', async () => {
    const unsigned = post(signedJson({ x_reference: 'P-4' }).replace('P-4', 'P-5'));
    const exchange = await exchangeBytes(target.port, unsigned + post(signedJson()) + LAST_REQUEST);
    assert.deepEqual(statuses(exchange), [401, 200, 200]);
    assert.equal((await target.traces()).transactions, 1);
  });

  test('64 concurrent requests with one reference get the same transaction or a conflict', async () => {
    const amounts = ['1000', '2000'];
    const posts = Array.from({ length: 64 }, (_, at) => post(signedJson({ x_amount: amounts[at % 2] as string })));
    const exchanges = await Promise.all(posts.map((text) => exchangeBytes(target.port, text + LAST_REQUEST)));
    const answers = exchanges.map(({ answers }) => answers[0]);
    assert.deepEqual(new Set(answers.map((answer) => answer?.status)), new Set([200, 409]));
    assert.equal(new Set(answers.map((answer) => JSON.parse(answer?.body ?? '').data.idTrx)).size, 1);
    assert.deepEqual(await target.traces(), { ...NO_TRACES, transactions: 1, events: 1 });
  });

  // If the answer to the broken bytes came first, a stored transaction would look refused.
  test('broken bytes after a request are answered after the request', async () => {
    const exchange = await exchangeBytes(target.port, `${post(signedJson())}\x01\x02 broken\r\n\r\n`);
    assert.deepEqual(statuses(exchange), [200, 400]);
    assert.equal((await target.traces()).transactions, 1);
  });

  test('CONNECT after a request is answered after the request', async () => {
    const tunnel = 'CONNECT localhost:1 HTTP/1.1\r\nHost: localhost:1\r\n\r\n';
    const exchange = await exchangeBytes(target.port, post(signedJson()) + tunnel);
    assert.deepEqual(statuses(exchange), [200, 405]);
    assert.match(exchange.answers[1]?.body ?? '', /METHOD_NOT_ALLOWED/);
  });

  test('a request hidden in an oversized body is never read', async () => {
    const hidden = post(signedJson());
    const body = hidden.padStart(20_000);
    const exchange = await exchangeBytes(target.port, post(body));
    assert.deepEqual(statuses(exchange), [413]);
    assert.deepEqual(await target.traces(), NO_TRACES);
  });

  test('a request inside the body of another is treated as text', async () => {
    const exchange = await exchangeBytes(target.port, post(post(signedJson())) + LAST_REQUEST);
    assert.deepEqual(statuses(exchange), [400, 200]);
    assert.deepEqual(await target.traces(), NO_TRACES);
  });

  test('a request that its client cuts off leaves nothing behind', async () => {
    const text = post(signedJson());
    for (const share of [0.1, 0.5, 0.9]) await leaveAfter(target.port, text.slice(0, text.length * share));
    assert.deepEqual(statuses(await exchangeBytes(target.port, LAST_REQUEST)), [200]);
    assert.deepEqual(await target.traces(), NO_TRACES);
  });
});

// A separate server, so that its short time-outs affect no other test on a slow machine.
describe('on a connection with short timeouts', () => {
  let target: ProductTarget;
  before(async () => {
    target = await startProduct({ headersTimeoutMs: HEADERS_TIMEOUT_MS, requestTimeoutMs: REQUEST_TIMEOUT_MS });
  });
  beforeEach(() => target.reset());
  after(() => target.close());

  test('a body that arrives too slowly times out', async () => {
    const head = 'POST /trxs HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n';
    const exchange = await exchangeBytes(target.port, head, { drip: { text: ' ', everyMs: 20 } });
    assert.deepEqual(statuses(exchange), [408]);
    assert.match(exchange.answers[0]?.body ?? '', /REQUEST_TIMEOUT/);
    assert.ok(exchange.ms >= REQUEST_TIMEOUT_MS - 50, `${exchange.ms} ms`);
    assert.deepEqual(await target.traces(), NO_TRACES);
  });

  test('chunks that arrive too slowly time out', async () => {
    const head =
      'POST /trxs HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
    const exchange = await exchangeBytes(target.port, head, { drip: { text: '1\r\n \r\n', everyMs: 20 } });
    assert.deepEqual(statuses(exchange), [408]);
    assert.deepEqual(await target.traces(), NO_TRACES);
  });

  test('slow clients do not delay others, and time out', async () => {
    Object.assign(target.server, { headersTimeout: 60_000, requestTimeout: 60_000 });
    const dawdlers = Array.from({ length: 300 }, () =>
      exchangeBytes(target.port, 'POST /trxs HTTP/1.1\r\n', { drip: { text: 'X-A: b\r\n', everyMs: 100 } }),
    );
    const meanwhile = await exchangeBytes(target.port, post(signedJson()) + LAST_REQUEST);
    assert.deepEqual(statuses(meanwhile), [200, 200]);
    Object.assign(target.server, { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS });
    for (const exchange of await Promise.all(dawdlers)) assert.deepEqual(statuses(exchange), [408]);
  });

  // Seeded, so that a failure is reproducible. A cut, doubled or changed byte makes another request or none.
  test('1,000 damaged requests never cause a server error, a stray answer or another order', async () => {
    const random = createSeededRandom(20261121);
    const whole = Buffer.from(post(signedJson()).replace('\r\n', '\r\nConnection: close\r\n'));
    // A damaged request may ask for keep-alive.
    Object.assign(target.server, { keepAliveTimeout: 100, keepAliveTimeoutBuffer: 0 });
    for (let round = 0; round < 4; round++) {
      const damaged = Array.from({ length: 250 }, () => damage(whole, random));
      const exchanges = await Promise.all(damaged.map((bytes) => exchangeBytes(target.port, bytes)));
      for (const [at, { answers, rest }] of exchanges.entries()) {
        const sent = JSON.stringify(damaged[at]?.toString('latin1'));
        assert.equal(rest, '', sent);
        assert.ok(answers.length >= 1 && answers.every(({ status }) => status < 500), sent);
      }
    }
    const stored = await target.app.db.query<{ reference: string; amount: number }>(
      'select reference, amount from transactions',
    );
    assert.ok(stored.every(({ reference, amount }) => reference === 'OWN-1' && amount === 1000));
    assert.ok(stored.length <= 1);
  });
});

describe('the connection limits of the running server', () => {
  test('are the limits of docs/limits.md', async () => {
    const target = await startProduct();
    try {
      const { headersTimeout, requestTimeout, keepAliveTimeout, maxConnections, maxHeadersCount } = target.server;
      assert.deepEqual(
        { headersTimeout, requestTimeout, keepAliveTimeout, maxConnections, maxHeadersCount },
        {
          headersTimeout: 10_000,
          requestTimeout: 20_000,
          keepAliveTimeout: 5_000,
          maxConnections: 2_000,
          maxHeadersCount: 64,
        },
      );
    } finally {
      await target.close();
    }
  });
});

function post(body: string): string {
  return `POST /trxs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

function statuses({ answers }: ByteExchange): number[] {
  return answers.map(({ status }) => status);
}

/** Sends bytes and resets the connection. */
function leaveAfter(port: number, text: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('close', () => resolve());
    socket.write(text, () => socket.resetAndDestroy());
  });
}

/** Cuts out, doubles, changes or moves one to three bytes. */
function damage(whole: Buffer, random: () => number): Buffer {
  let bytes = whole;
  for (let times = 1 + Math.floor(random() * 3); times > 0; times--) {
    const at = Math.floor(random() * bytes.length);
    const length = 1 + Math.floor(random() * 3);
    const [before, piece, rest] = [bytes.subarray(0, at), bytes.subarray(at, at + length), bytes.subarray(at + length)];
    const noise = Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)));
    const kinds = [
      [before, rest],
      [before, piece, piece, rest],
      [before, noise, rest],
      [before, rest, piece],
    ];
    bytes = Buffer.concat(kinds[Math.floor(random() * kinds.length)] ?? []);
  }
  return bytes;
}
