import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createSafeFetch, type FetchOutcome } from '../../src/lib/network/safe-fetch.ts';
import { answerOf, type Reply, startRawServer } from '../support/raw-server.ts';

const patient = createSafeFetch();
const hasty = createSafeFetch({ totalMs: 60 });

after(async () => {
  await patient.close();
  await hasty.close();
});

/** Posts once to a server with this reply. Returns the outcome and the requests that the server received. */
async function postTo(reply: Reply, client = patient) {
  const server = await startRawServer(reply);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const request = { url: server.url, method: 'POST', headers, body: 'x_result=completed', allowPrivate: true } as const;
  const outcome = await client.fetch(request);
  await server.close();
  return { outcome, requests: server.requests, connections: server.connections() };
}

function outcomeOf({ durationMs, ...exchange }: FetchOutcome) {
  assert.ok(Number.isInteger(durationMs) && durationMs >= 0);
  return exchange;
}

const answered = (status: number, excerpt = '', retryAfter: string | null = null) => {
  return { kind: 'answered', status, retryAfter, excerpt };
};
const failed = (reason: string, detail: string) => ({ kind: 'failed', reason, detail });

test('the request arrives as given, with the host of the URL', async () => {
  const { outcome, requests } = await postTo((socket) => socket.write(answerOf(200, 'ok')));
  assert.deepEqual(outcomeOf(outcome), answered(200, 'ok'));
  const [head = '', body] = requests[0]?.split('\r\n\r\n') ?? [];
  assert.match(head, /^POST \/cb\?token=1 HTTP\/1\.1\r\n/);
  assert.match(head, /\r\nhost: 127\.0\.0\.1:\d+\r\n/);
  assert.match(head, /\r\ncontent-type: application\/x-www-form-urlencoded/);
  assert.equal(body, 'x_result=completed');
});

for (const status of [301, 302, 303, 307, 308]) {
  test(`a redirect (${status}) is an answer and is not followed`, async () => {
    const reply: Reply = (socket) => socket.write(answerOf(status, '', { location: '/elsewhere' }));
    const { outcome, requests } = await postTo(reply);
    assert.deepEqual(outcomeOf(outcome), { ...answered(status), location: '/elsewhere' });
    assert.equal(requests.length, 1);
  });
}

test('Retry-After is passed on as sent', async () => {
  const { outcome } = await postTo((socket) => socket.write(answerOf(429, 'slow down', { 'retry-after': '120' })));
  assert.deepEqual(outcomeOf(outcome), answered(429, 'slow down', '120'));
});

test('informational answers do not count as the answer', async () => {
  const early = 'HTTP/1.1 103 Early Hints\r\nretry-after: 9\r\nlink: </a>\r\n\r\n';
  const { outcome } = await postTo((socket) => socket.write(early + answerOf(204)));
  assert.deepEqual(outcomeOf(outcome), answered(204));
});

test('the excerpt is the first 2 KiB, without control characters', async () => {
  const { outcome } = await postTo((socket) => socket.write(answerOf(200, `\0\u001b[31m\tñ\n${'a'.repeat(4_000)}`)));
  assert.equal(outcome.kind, 'answered');
  assert.ok(outcome.kind === 'answered' && outcome.excerpt.startsWith('\uFFFD\uFFFD[31m\tñ\naaa'));
  assert.equal(Buffer.byteLength(outcome.excerpt.replaceAll('\uFFFD', '?')), 2_048);
});

test('an endless body is read to 16 KiB, and the answer counts', async () => {
  const closed = Promise.withResolvers<void>();
  const endless = await startRawServer((socket) => {
    socket.on('close', () => closed.resolve());
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    const pour = (): void => {
      if (!socket.destroyed) socket.write('a'.repeat(1_024), () => setImmediate(pour));
    };
    pour();
  });
  const outcome = await patient.fetch({ url: endless.url, method: 'GET', headers: {}, body: null, allowPrivate: true });
  assert.deepEqual(outcomeOf(outcome), answered(200, 'a'.repeat(2_048)));
  await closed.promise;
  await endless.close();
});

test('headers of more than 8 KiB are refused as too large', async () => {
  const { outcome } = await postTo((socket) => socket.write(answerOf(200, '', { 'x-long': 'a'.repeat(9_000) })));
  assert.deepEqual(outcomeOf(outcome), failed('too_large', 'UND_ERR_HEADERS_OVERFLOW'));
  const many = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`x-${i}`, 'a'.repeat(20)]));
  const second = await postTo((socket) => socket.write(answerOf(200, '', many)));
  assert.equal(second.outcome.kind === 'failed' && second.outcome.reason, 'too_large');
});

const hanging: Record<string, Reply> = {
  'no answer at all': () => {},
  'endless headers': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    const timer = setInterval(() => socket.write('x-slow: 1\r\n'), 5);
    socket.on('close', () => clearInterval(timer));
  },
  'a body that arrives byte by byte': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
    const timer = setInterval(() => socket.write('a'), 5);
    socket.on('close', () => clearInterval(timer));
  },
  'endless informational answers': (socket) => {
    const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 5);
    socket.on('close', () => clearInterval(timer));
  },
};

for (const [name, reply] of Object.entries(hanging)) {
  test(`${name}: the whole request times out`, async () => {
    const { outcome } = await postTo(reply, hasty);
    assert.deepEqual(outcomeOf(outcome), failed('timeout', 'ETIMEDOUT'));
  });
}

test('a connection that is cut before or within the answer fails as reset', async () => {
  const before = await postTo((socket) => socket.resetAndDestroy());
  assert.equal(before.outcome.kind === 'failed' && before.outcome.reason, 'reset');
  const within = await postTo((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'));
  assert.equal(within.outcome.kind === 'failed' && within.outcome.reason, 'reset');
});

for (const nonsense of ['SSH-2.0-OpenSSH_9\r\n\r\n', 'HTTP/1.1 abc\r\n\r\n', '\0\0\0\0']) {
  test(`${JSON.stringify(nonsense)} is refused, because it is not HTTP`, async () => {
    const { outcome } = await postTo((socket) => socket.write(nonsense));
    assert.equal(outcome.kind === 'failed' && outcome.reason, 'protocol');
  });
}

test('an answer with two content lengths is refused', async () => {
  const { outcome } = await postTo((socket) =>
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'),
  );
  assert.equal(outcome.kind === 'failed' && outcome.reason, 'protocol');
});

test('a header that cannot be sent fails, and nothing is sent', async () => {
  const server = await startRawServer((socket) => socket.write(answerOf(200)));
  const headers = { 'x-injected': 'a\r\nx-second: b' };
  const request = { url: server.url, method: 'POST', headers, body: null, allowPrivate: true } as const;
  assert.deepEqual(outcomeOf(await patient.fetch(request)), failed('protocol', 'UND_ERR_INVALID_ARG'));
  assert.equal(server.requests.length, 0);
  await server.close();
});
