import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { setImmediate as nextRound } from 'node:timers/promises';
import { shareOfOne } from '../../src/lib/fair-shares.ts';
import { SERVER_LIMITS } from '../../src/server/server-limits.ts';
import { takeTurns } from '../../src/server/take-turns.ts';

const { waitingRequests, allWaitingRequests } = SERVER_LIMITS;

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

test('a request starts after the answer to the one before it, and other connections are served in between', async () => {
  await using at = await serve();
  const texts = at.send(Array.from({ length: 10 }, (_, index) => get(`/${index}`)).join(''));
  await at.begun(1);
  for (let round = 0; round < 20; round++) await nextRound();
  assert.deepEqual(at.paths, ['/0']);
  void at.send(get('/other'));
  await at.begun(2);
  assert.deepEqual(at.paths, ['/0', '/other']);
  at.answerAll();
  assert.equal(statuses(await texts(10)).length, 10);
  assert.deepEqual(at.paths.slice(2), ['/1', '/2', '/3', '/4', '/5', '/6', '/7', '/8', '/9']);
});

test('pipelined requests keep their bodies', async () => {
  await using at = await serve();
  at.answerAll();
  const bodies = ['one', 'x'.repeat(40_000), 'three'];
  const post = (body: string) => `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  await at.send(bodies.map(post).join(''))(3);
  assert.deepEqual(at.bodies, bodies);
});

// Without a limit, one connection with 1,500 requests blocks all others for nine seconds.
test('too many waiting requests on one connection get one 503, and the connection is closed', async () => {
  await using at = await serve();
  const texts = at.send(get('/').repeat(1_500));
  await at.begun(1);
  at.answerAll();
  const expected = [...Array(1 + waitingRequests).fill(200), 503];
  assert.deepEqual(statuses(await texts(Infinity)), expected);
  assert.equal(at.paths.length, 1 + waitingRequests);
});

// If the connection is read for one more second, dropping its 80,000 requests blocks all others for 20 seconds.
test('a refused connection that keeps sending is cut off', async () => {
  await using at = await serve();
  at.answerAll();
  const { ended, sent } = at.sendOn(get('/').repeat(1_500));
  await ended;
  assert.equal(at.isDropped(), true, `${sent()} requests were sent`);
});

test('a network with too many waiting requests is cut off, and is served again later', async () => {
  await using at = await serve();
  const within = Math.floor(shareOfOne(allWaitingRequests) / waitingRequests);
  const connections = within + 2;
  const all = Array.from({ length: connections }, () => at.send(get('/').repeat(waitingRequests)));
  await at.begun(connections);
  await at.dropped();
  at.answerAll();
  const answers = await Promise.all(all.map((texts) => texts(waitingRequests)));
  assert.ok(answers.filter((text) => statuses(text).length === waitingRequests).length >= within);
  const again = at.send(get('/').repeat(waitingRequests));
  assert.equal(statuses(await again(waitingRequests)).length, waitingRequests);
});

function statuses(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
}

/** Starts a server whose answers wait until `answerAll`. */
async function serve() {
  const held: ServerResponse[] = [];
  const state = { paths: [] as string[], bodies: [] as string[], open: false };
  const [begun, dropped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isDropped = false;
  let listeners: { count: number; done: () => void }[] = [];
  const server = createServer((request, response) => {
    state.paths.push(request.url ?? '');
    for (const { done } of listeners.filter(({ count }) => state.paths.length >= count)) done();
    listeners = listeners.filter(({ count }) => state.paths.length < count);
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      if (request.method === 'POST') state.bodies.push(body);
      if (state.open) response.end('ok');
      else held.push(response);
    });
  });
  takeTurns(
    server,
    (response) => response.writeHead(503, { connection: 'close' }).end(),
    () => {
      isDropped = true;
      dropped.resolve();
    },
  );
  begun.resolve();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    ...state,
    begun: (count: number) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (state.paths.length >= count) resolve();
      else listeners.push({ count, done: resolve });
      return promise;
    },
    dropped: () => dropped.promise,
    isDropped: () => isDropped,
    /** Sends a text repeatedly while the connection is open. */
    sendOn: (text: string) => {
      const socket = connect(port, '127.0.0.1').resume();
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      let times = 0;
      const write = () => {
        for (times++; !socket.destroyed && socket.write(text); times++);
      };
      socket.on('error', () => {});
      socket.on('drain', write).once('connect', write);
      socket.once('close', () => resolve());
      return { ended, sent: () => times * 1_500 };
    },
    answerAll: () => {
      state.open = true;
      for (const response of held.splice(0)) response.end('ok');
    },
    /** Sends a text. Returns the received text after this many answers, or at the end of the connection. */
    send: (text: string) => {
      const socket = connect(port, '127.0.0.1');
      let received = '';
      const ended = new Promise<void>((resolve) => socket.on('close', () => resolve()));
      socket.on('error', () => {});
      socket.on('data', (chunk) => (received += String(chunk)));
      socket.write(text);
      return async (answers: number) => {
        const enough = new Promise<void>((resolve) => {
          const look = () => statuses(received).length >= answers && resolve();
          socket.on('data', look);
          look();
        });
        await Promise.race([enough, ended]);
        if (answers !== Infinity) socket.destroy();
        return received;
      };
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
