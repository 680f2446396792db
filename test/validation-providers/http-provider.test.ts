import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, suite, test } from 'node:test';
import {
  createSafeFetch,
  type FetchOutcome,
  type FetchRequest,
  type SafeFetch,
} from '../../src/lib/network/safe-fetch.ts';
import { createHttpProvider } from '../../src/validation-providers/http-provider.ts';
import { describeValidationProvider, HOLDER_NAME, questionOf } from '../contracts/validation-provider.contract.ts';

const VALID_UNTIL = '2030-01-01T00:00:00.000Z';
const SILENT = '7';
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

describeValidationProvider('the HTTP provider', async () => {
  const url = await listen(verificationService());
  const patient = createSafeFetch();
  const hasty = createSafeFetch({ totalMs: 300 });
  closers.unshift(patient.close, hasty.close);
  // A short time-out only for the case without an answer: a slow answer must not look like none.
  const fetch: SafeFetch = (request) =>
    (String(request.body).includes(`"account":"${SILENT}"`) ? hasty : patient).fetch(request);
  return {
    provider: createHttpProvider({ url, key: 'k', fetch, now: () => 0, sleep: async () => {} }),
    accounts: {
      match: '1',
      close_match: '2',
      no_account: '3',
      other_holder: '4',
      account_closed: '5',
      not_checkable: '6',
      timeout: SILENT,
      pending_then_match: '8',
      pending_then_no_match: '9',
      rate_limited: '10',
    },
  };
});

suite('the HTTP provider', () => {
  test('sends the question as published, with the key and an idempotency key', async () => {
    const { provider, sent } = stubbed([ok({ result: 'match', valid_until: VALID_UNTIL })]);
    const answer = await provider.ask(questionOf('0012345'));
    assert.deepEqual(answer, { kind: 'match', expiresAt: Date.parse(VALID_UNTIL), nameMatch: null });
    assert.deepEqual(sent, [
      {
        url: 'https://verify.example/holders',
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          'idempotency-key': 'bav_test0012345',
          authorization: 'Bearer secret-key',
        },
        body: '{"rut":"11111111-1","bank":"001","account":"0012345"}',
        allowPrivate: true,
      },
    ]);
  });

  const answers: [name: string, outcome: FetchOutcome, kind: string][] = [
    ['an opted-out bank', ok({ result: 'opted_out' }), 'opted_out'],
    ['an empty body', answered(200, ''), 'unavailable'],
    ['a body that is not JSON', answered(200, '<html>'), 'unavailable'],
    ['a JSON null', answered(200, 'null'), 'unavailable'],
    ['a result that is not published', ok({ result: 'ok' }), 'unavailable'],
    ['a result that is not a text', ok({ result: true }), 'unavailable'],
    ['a result of a prototype', ok({ result: 'constructor' }), 'unavailable'],
    ['an invalid expiry', ok({ result: 'match', valid_until: 'soon' }), 'unavailable'],
    ['an expiry in the past', ok({ result: 'match', valid_until: '1969-12-31T23:59:59Z' }), 'unavailable'],
    ['a redirect', answered(302, ''), 'unavailable'],
    ['a refused key', answered(401, ''), 'unavailable'],
    ['a server error', answered(500, ''), 'unavailable'],
    ['a gateway that gave up', answered(504, ''), 'timeout'],
    ['a name that does not resolve', failed('dns'), 'unavailable'],
    ['a connection refused', failed('connect'), 'unavailable'],
    ['no answer in time', failed('timeout'), 'timeout'],
  ];
  for (const [name, outcome, kind] of answers) {
    test(`${name} is ${kind}, never a verdict on the account`, async () => {
      const { provider } = stubbed([outcome, outcome]);
      assert.equal((await provider.ask(questionOf('1'))).kind, kind);
    });
  }

  test('a question whose answer was lost is asked once more', async () => {
    const { provider, sent } = stubbed([failed('reset'), ok({ result: 'match' })]);
    assert.deepEqual(await provider.ask(questionOf('1')), { kind: 'match', expiresAt: null, nameMatch: null });
    assert.equal(sent.length, 2);
    assert.deepEqual(sent[0], sent[1]);
  });

  test('a question that was answered is not asked again', async () => {
    const { provider, sent } = stubbed([ok({ result: 'no_match' })]);
    await provider.ask(questionOf('1'));
    assert.equal(sent.length, 1);
  });

  test('sends a name only if one was given, and accepts the provider’s grade of the match', async () => {
    const { provider, sent } = stubbed([ok({ result: 'match', name_match: 'partial', holder_name: HOLDER_NAME })]);
    const answer = await provider.ask({ ...questionOf('0012345'), name: 'Ana Díaz' });
    assert.deepEqual(answer, { kind: 'match', expiresAt: null, nameMatch: 'partial' });
    assert.equal(sent[0]?.body, '{"rut":"11111111-1","bank":"001","account":"0012345","name":"Ana Díaz"}');
  });

  test('an unpublished reason is not kept, because it could contain a name', async () => {
    const { provider } = stubbed([ok({ result: 'no_match', reason: 'belongs to Juan Pérez' })]);
    assert.deepEqual(await provider.ask(questionOf('1')), { kind: 'no_match', expiresAt: null, detail: null });
  });

  test('a provider that keeps failing is not asked for a while, and then tried again', async () => {
    let now = 0;
    const { provider, sent } = stubbed(new Array(20).fill(failed('connect')), () => now);
    for (let asked = 0; asked < 10; asked++) await provider.ask(questionOf('1'));
    assert.equal(sent.length, 5);
    now = 30_000;
    await provider.ask(questionOf('1'));
    assert.equal(sent.length, 6);
  });

  test('a result that is no longer valid is not asked for again, and stops no questions about other accounts', async () => {
    const expired = ok({ result: 'match', valid_until: '1969-12-31T23:59:59Z' });
    const { provider, sent } = stubbed([...Array.from({ length: 6 }, () => expired), ok({ result: 'match' })]);
    for (let asked = 1; asked <= 6; asked++) {
      assert.equal((await provider.ask(questionOf('1'))).kind, 'unavailable');
      assert.equal(sent.length, asked);
    }
    assert.equal((await provider.ask(questionOf('2'))).kind, 'match');
  });

  test('a body of more than 2 KiB is no answer, as docs/validation-provider.md says', async () => {
    const { fetch, close } = createSafeFetch();
    closers.unshift(close);
    for (const [bytes, kind] of [
      [2_048, 'match'],
      [2_049, 'unavailable'],
    ] as const) {
      const body = `{"result":${'"match"}'.padStart(bytes - 10)}`;
      const url = await listen(createServer((_request, response) => response.end(body)));
      const provider = createHttpProvider({ url, key: null, fetch, now: () => 0, sleep: async () => {} });
      assert.equal((await provider.ask(questionOf('1'))).kind, kind);
    }
  });

  const waits: [header: string | null, seconds: number][] = [
    ['7', 7],
    ['0', 1],
    [null, 60],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 60],
    ['999999', 3600],
  ];
  for (const [header, seconds] of waits) {
    test(`Retry-After ${header} means ${seconds} seconds`, async () => {
      const { provider } = stubbed([{ ...answered(429, ''), retryAfter: header } as FetchOutcome]);
      assert.deepEqual(await provider.ask(questionOf('1')), { kind: 'rate_limited', retryAfterSeconds: seconds });
    });
  }
});

function stubbed(outcomes: FetchOutcome[], now = () => 0) {
  const sent: FetchRequest[] = [];
  const provider = createHttpProvider({
    url: 'https://verify.example/holders',
    key: 'secret-key',
    now,
    sleep: async () => {},
    fetch: async (request) => {
      sent.push(request);
      return outcomes[sent.length - 1] ?? failed('connect');
    },
  });
  return { provider, sent };
}

function ok(body: object): FetchOutcome {
  return answered(200, JSON.stringify(body));
}

function answered(status: number, excerpt: string): FetchOutcome {
  return { kind: 'answered', status, retryAfter: null, excerpt, durationMs: 1 };
}

function failed(reason: 'dns' | 'connect' | 'timeout' | 'reset'): FetchOutcome {
  return { kind: 'failed', reason, detail: 'E', durationMs: 1 };
}

/** Creates a verification service as in docs/validation-provider.md. The account decides the answer. */
function verificationService(): Server {
  const asked = new Map<string, number>();
  const results: Record<string, object> = {
    1: { result: 'match', valid_until: VALID_UNTIL, holder_name: HOLDER_NAME },
    2: { result: 'close_match', valid_until: VALID_UNTIL, holder_name: HOLDER_NAME },
    3: { result: 'no_match', reason: 'no_account', valid_until: VALID_UNTIL },
    4: { result: 'no_match', reason: 'other_holder', valid_until: VALID_UNTIL, holder_name: 'Pedro Soto' },
    5: { result: 'no_match', reason: 'account_closed', valid_until: VALID_UNTIL },
    6: { result: 'not_checkable' },
    8: { result: 'match', valid_until: VALID_UNTIL },
    9: { result: 'no_match', valid_until: VALID_UNTIL },
  };
  return createServer((request, response) => void respond(request, response));

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { account } = JSON.parse(await textOf(request)) as { account: string };
    const key = request.headers['idempotency-key'] as string;
    const before = asked.get(key) ?? 0;
    asked.set(key, before + 1);
    if (account === SILENT) return;
    if (account === '10') return answer(response.setHeader('retry-after', '5'), 429, {});
    if (['8', '9'].includes(account) && before === 0) return answer(response, 202, {});
    answer(response, 200, results[account] ?? {});
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/holders`;
}
