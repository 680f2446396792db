import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { inspect } from 'node:util';
import openapi from '../../openapi.json' with { type: 'json' };
import { SigningError } from '../../protocol/signing-error.ts';
import type { RubricaClientOptions } from '../../sdk/src/client-options.ts';
import { createRubricaClient } from '../../sdk/src/rubrica-client.ts';
import { RubricaError } from '../../sdk/src/rubrica-error.ts';

/** The response of the service, or the failure of the network. */
type Scripted = Error | { status?: number; headers?: Record<string, string>; json?: object; text?: string };

type Sent = { url: string; method: string; headers: Record<string, string>; body?: string; redirect: string };

const ORDER = {
  x_amount: 12990,
  x_currency: 'CLP',
  x_customer_email: 'ana@example.cl',
  x_reference: 'ORD-1',
  x_session_id: 'session-1',
  x_shop_country: 'CL',
  x_url_callback: 'https://shop.example/callback',
  x_url_cancel: 'https://shop.example/cancel',
  x_url_complete: 'https://shop.example/complete',
};
const TOKENS = { serviceToken: 'service-token', secretToken: 'the secret' };
const CREATED = { json: { data: { idTrx: 1001, payUrl: [] } } };
const STATUS = { json: { data: { status: 'pending' } } };
const VALIDATION = { json: { data: { id: 'bav_1' } } };
const ACCOUNT = { rut: '12345678-5', bankData: { bankSBIFNumber: '012', bankAccount: '12345678' } };
const LOST = new TypeError('fetch failed');
const REFUSED = new TypeError('fetch failed', { cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }) });

describe('createTransaction', () => {
  const cases: { name: string; answers: Scripted[]; waits: number[]; ends: number | string }[] = [
    { name: 'is sent once when it is answered', answers: [CREATED], waits: [], ends: 1001 },
    { name: 'is retried when the answer is lost', answers: [LOST, CREATED], waits: [500], ends: 1001 },
    {
      name: 'is retried when its outcome is unknown',
      answers: [refusal(503, 'OUTCOME_UNKNOWN'), CREATED],
      waits: [500],
      ends: 1001,
    },
    {
      name: 'is retried after the requested delay while the service restarts',
      answers: [refusal(503, 'STOPPING', '1'), CREATED],
      waits: [1500],
      ends: 1001,
    },
    {
      name: 'is retried after the requested delay when the rate limit was reached',
      answers: [refusal(429, 'RATE_LIMITED', '7'), CREATED],
      waits: [7500],
      ends: 1001,
    },
    {
      name: 'is retried when a proxy cannot reach the service',
      answers: [{ status: 502, text: '<html>' }, CREATED],
      waits: [500],
      ends: 1001,
    },
    {
      name: 'is given up after four attempts',
      answers: [LOST, LOST, LOST, LOST],
      waits: [500, 1000, 2000],
      ends: 'NO_ANSWER',
    },
    {
      name: 'is not retried when the requested delay exceeds half a minute',
      answers: [refusal(429, 'RATE_LIMITED', '3600')],
      waits: [],
      ends: 'RATE_LIMITED',
    },
    {
      name: 'is not retried with a wrong field',
      answers: [refusal(400, 'INVALID_AMOUNT')],
      waits: [],
      ends: 'INVALID_AMOUNT',
    },
    {
      name: 'is not retried with a wrong signature',
      answers: [refusal(401, 'SIGNATURE_INVALID')],
      waits: [],
      ends: 'SIGNATURE_INVALID',
    },
    {
      name: 'is not retried with a used reference',
      answers: [refusal(409, 'REFERENCE_CONFLICT')],
      waits: [],
      ends: 'REFERENCE_CONFLICT',
    },
    {
      name: 'is not retried when no payment method can collect it',
      answers: [refusal(503, 'NO_PAYMENT_METHOD', '1')],
      waits: [],
      ends: 'NO_PAYMENT_METHOD',
    },
  ];
  for (const { name, answers, waits, ends } of cases) {
    test(name, async (context) => {
      const { client, sent, waited } = open(context, answers, TOKENS);
      const outcome = await client.createTransaction(ORDER).then(({ idTrx }) => idTrx, codeOf);
      assert.equal(outcome, ends);
      assert.deepEqual(waited, waits);
      assert.equal(sent.length, answers.length);
      assert.equal(new Set(sent.map(({ body }) => body)).size, 1, 'every attempt sends the same bytes');
    });
  }

  test('is retried only within patienceMs, and longer without that option', async (context) => {
    const busy = (after: string) => refusal(503, 'OVERLOADED', after);
    const answers = [busy('0'), busy('4'), CREATED];
    const { client, waited } = open(context, answers, { ...TOKENS, patienceMs: 4000 });
    await assert.rejects(client.createTransaction(ORDER), { code: 'OVERLOADED' });
    assert.deepEqual(waited, [500]);
    const patient = open(context, answers, TOKENS);
    assert.equal((await patient.client.createTransaction(ORDER)).idTrx, 1001);
  });

  test('is signed, with the Service Token among its fields', async (context) => {
    const { client, sent } = open(context, [CREATED], TOKENS);
    await client.createTransaction(ORDER);
    const { x_signature: signature, ...fields } = JSON.parse(sent[0]?.body ?? '') as Record<string, string>;
    assert.deepEqual(fields, { ...ORDER, x_amount: '12990', x_account_id: 'service-token' });
    assert.equal(signature, '834b390f93575f77222dc28e8baf518352237ba2e83fef2b165a424c431d871c');
    assert.equal(sent[0]?.headers['content-type'], 'application/json');
  });

  test('is not sent when its fields may not be signed', async (context) => {
    const { client, sent } = open(context, [], TOKENS);
    await assert.rejects(client.createTransaction({ ...ORDER, x_reference: 'x_amount1' }), {
      name: 'SigningError',
      message:
        'AMBIGUOUS_FIELD: x_reference contains the name of another field: x_amount. Write _ as %5F in URLs (?x%5Freference=1) and keep field names out of every other value.',
    });
    assert.deepEqual(sent, []);
  });

  test('accepts shop URLs without TLS only when the service has no TLS', async (context) => {
    const order = { ...ORDER, x_url_callback: 'http://127.0.0.1:9000/callback' };
    const local = open(context, [CREATED], { ...TOKENS, baseUrl: 'http://127.0.0.1:8080' });
    assert.equal((await local.client.createTransaction(order)).idTrx, 1001);
    await assert.rejects(open(context, [], TOKENS).client.createTransaction(order), SigningError);
  });
});

describe('other calls', () => {
  test('that only read are retried', async (context) => {
    const { client, sent } = open(context, [LOST, STATUS], { accessToken: 'jwt' });
    assert.equal(await client.getStatus(7), 'pending');
    assert.deepEqual(
      sent.map(({ url, headers }) => [url, headers['authorization']]),
      Array.from({ length: 2 }, () => ['https://pay.example/base/v2/trxs/7/status', 'Bearer jwt']),
    );
  });

  test('with an idempotency key are retried with the same key, and the next call has another key', async (context) => {
    const { client, sent } = open(context, [LOST, VALIDATION, VALIDATION, VALIDATION], { accessToken: 'jwt' });
    await client.validateBankAccount(ACCOUNT);
    await client.validateBankAccount(ACCOUNT, { language: 'es' });
    await client.validateBankAccount(ACCOUNT, { idempotencyKey: 'mine' });
    const [first, repeated, second, third] = sent.map(({ headers }) => headers['Idempotency-Key']);
    assert.match(first ?? '', /^[0-9a-f-]{36}$/);
    assert.equal(repeated, first);
    assert.notEqual(second, first);
    assert.equal(third, 'mine');
    assert.deepEqual(
      sent.map(({ headers }) => headers['Accept-Language']),
      [undefined, undefined, 'es', undefined],
    );
  });

  test('that the service would not recognise as a retry are not retried', async (context) => {
    const { client, sent } = open(context, [LOST], { accessToken: 'jwt' });
    await assert.rejects(client.validateBankAccounts([ACCOUNT]), { code: 'NO_ANSWER', retryable: true });
    assert.equal(sent.length, 1);
  });

  test('that must not happen twice are retried only when nothing was done', async (context) => {
    const decided = { json: { data: { batch: { id: 'pb_1' } } } };
    const failures = [REFUSED, refusal(429, 'RATE_LIMITED', '1')];
    const { client, sent } = open(context, [...failures, decided, ...failures, LOST], { accessToken: 'jwt' });
    assert.equal((await client.rejectPayoutBatch('pb_1', 'twice')).id, 'pb_1');
    await assert.rejects(client.approvePayoutBatch('pb_1', { code: '123456' }), { code: 'NO_ANSWER' });
    assert.equal(sent.length, 6);
    for (const answer of [refusal(503, 'OUTCOME_UNKNOWN'), { status: 429, text: '<html>' }]) {
      const other = open(context, [answer], { accessToken: 'jwt' });
      await assert.rejects(other.client.submitPayoutBatch('pb_1'), { retryable: true });
      assert.equal(other.sent.length, 1);
    }
  });

  test('read the feed page by page to its end', async (context) => {
    const pages = [
      { json: { data: { events: [{ id: 'a' }], next: 'one', has_more: true } } },
      { json: { data: { events: [], next: 'two', has_more: false } } },
    ];
    const { client, sent } = open(context, pages, { accessToken: 'jwt' });
    const read = await Array.fromAsync(client.events('a+b'));
    assert.deepEqual(
      read.map(({ next }) => next),
      ['one', 'two'],
    );
    assert.deepEqual(
      sent.map(({ url }) => new URL(url).search),
      ['?after=a%2Bb', '?after=one'],
    );
  });

  test('throw the cursor with which a reader of the feed continues after a restore', async (context) => {
    const { status, json } = refusal(409, 'CURSOR_BEFORE_RESTORE');
    const { client } = open(context, [{ status, json: { ...json, data: { next: 'one' } } }], { accessToken: 'jwt' });
    await assert.rejects(client.events('old').next(), { code: 'CURSOR_BEFORE_RESTORE', data: { next: 'one' } });
  });

  test('throw the reason of a refused refund, which the service answers with status 200', async (context) => {
    const json = { code: 'REFUND_WINDOW_CLOSED', message: 'La Trx tiene más de 90 días', errors: null, data: null };
    const { client } = open(context, [{ json, headers: { 'x-request-id': 'request-1' } }], { accessToken: 'jwt' });
    await assert.rejects(client.createRefund(7, { amount: 1000, type: 'parcial' }, { idempotencyKey: 'key-1' }), {
      name: 'RubricaError',
      status: 200,
      idempotencyKey: 'key-1',
      requestId: 'request-1',
      code: 'REFUND_WINDOW_CLOSED',
      message:
        'REFUND_WINDOW_CLOSED: La Trx tiene más de 90 días. Send the money back in another way, because the payment method gives no refund any more. (POST https://pay.example/base/trxs/7/nullification answered 200, request request-1)',
      retryable: false,
    });
  });

  test('that were sent once and then found no connection end in NO_ANSWER', async (context) => {
    const { client } = open(context, [LOST, REFUSED, REFUSED, REFUSED], { accessToken: 'jwt' });
    await assert.rejects(client.getStatus(1), { code: 'NO_ANSWER' });
  });

  test('that were sent once and then met a limit or a proxy end in NO_ANSWER', async (context) => {
    const proxy = { status: 502, text: '<html>' };
    const lasts = [[refusal(429, 'RATE_LIMITED', '60')], [{ status: 403, text: '<html>' }], [proxy, proxy, proxy]];
    for (const last of lasts) {
      const { client } = open(context, [LOST, ...last], { accessToken: 'jwt' });
      await assert.rejects(client.createRefund(7, { amount: 1000, type: 'parcial' }), { code: 'NO_ANSWER' });
    }
  });

  test('that were sent once and then had their token refused end in NO_ANSWER, with their key', async (context) => {
    const invalid = refusal(401, 'TOKEN_INVALID');
    const unreachable = [REFUSED, REFUSED, REFUSED, REFUSED];
    const login = { login: { username: 'ana@example.cl', password: 'her password' } };
    for (const [options, answers] of [
      [{ accessToken: 'jwt' }, [LOST, invalid]],
      [login, [session('one', 3600), LOST, invalid, ...unreachable]],
      [login, [session('one', 3600), LOST, invalid, session('two', 3600), ...unreachable]],
    ] as const) {
      const { client } = open(context, [...answers], options);
      const refund = client.createRefund(7, { amount: 1000, type: 'parcial' }, { idempotencyKey: 'key-1' });
      await assert.rejects(refund, { code: 'NO_ANSWER', idempotencyKey: 'key-1' });
    }
  });

  test('that never found a connection end in NOT_SENT', async (context) => {
    const { client } = open(context, [REFUSED, REFUSED, REFUSED, REFUSED], { accessToken: 'jwt' });
    await assert.rejects(client.getStatus(1), { code: 'NOT_SENT', status: null, retryable: true });
  });

  test('name the option that they need', async (context) => {
    const { client } = open(context, [], {});
    await assert.rejects(client.createTransaction(ORDER), /serviceToken and a secretToken/);
    await assert.rejects(client.listPaymentMethods(), /serviceToken/);
    await assert.rejects(
      client.getStatus(7),
      / an accessToken, or login: \{ apiToken: … \}\. Give it to createRubricaClient\.$/,
    );
  });
});

describe('baseUrl', () => {
  const refused: [baseUrl: string, says: RegExp][] = [
    ['pay.example.cl', /such as https:\/\/pay\.example\.cl$/],
    ['localhost:8080', /such as http:\/\/localhost:8080$/],
    ['pay.example.cl/base', /such as https:\/\/pay\.example\.cl\/base$/],
    ['127.0.0.1:8080/base', /such as http:\/\/127\.0\.0\.1:8080\/base$/],
    ['/base', /with its scheme/],
    ['', /with its scheme/],
    [undefined as unknown as string, /is 'undefined': write the whole address/],
    ['ftp://pay.example.cl', /with its scheme/],
    ['https://ana:her-password@pay.example.cl', /holds a user or a password/],
    ['https://pay.example.cl/?token=secret', /has a query or a fragment/],
  ];
  for (const [baseUrl, says] of refused) {
    test(`that is '${baseUrl}' is refused at once`, () => {
      assert.throws(() => createRubricaClient({ baseUrl }), says);
    });
  }

  test('is not repeated in the error when it contains a password', () => {
    for (const baseUrl of ['ana:her-password@pay.example.cl', 'ftp://ana:her-password@pay.example.cl']) {
      const failure = whyRefused(baseUrl);
      assert.ok(!failure.includes('her-password'), failure);
    }
  });

  function whyRefused(baseUrl: string): string {
    try {
      createRubricaClient({ baseUrl });
    } catch (error) {
      return String(error);
    }
    return assert.fail(`${baseUrl} was taken`);
  }
});

describe('access tokens', () => {
  const login = { username: 'ana@example.cl', password: 'her password' };

  test('come from one login for concurrent calls, and are used until they expire', async (context) => {
    const { client, sent } = open(context, [session('one', 3600), STATUS, STATUS, STATUS], { login });
    await Promise.all([client.getStatus(1), client.getStatus(2)]);
    await client.getStatus(3);
    assert.deepEqual(authorizations(sent), [undefined, 'Bearer one', 'Bearer one', 'Bearer one']);
    assert.deepEqual(JSON.parse(sent[0]?.body ?? ''), login);
  });

  test('are renewed before they expire', async (context) => {
    const { client, sent } = open(context, [session('one', 30), STATUS, session('two', 3600), STATUS], { login });
    await client.getStatus(1);
    await client.getStatus(2);
    assert.deepEqual(authorizations(sent), [undefined, 'Bearer one', undefined, 'Bearer two']);
  });

  test('are renewed once when the service refuses them', async (context) => {
    const invalid = refusal(401, 'TOKEN_INVALID');
    const answers = [
      session('one', 3600),
      invalid,
      session('two', 3600),
      STATUS,
      invalid,
      session('three', 3600),
      invalid,
    ];
    const { client, sent } = open(context, answers, { login });
    assert.equal(await client.getStatus(1), 'pending');
    assert.deepEqual(authorizations(sent), [undefined, 'Bearer one', undefined, 'Bearer two']);
    await assert.rejects(client.getStatus(2), { code: 'TOKEN_INVALID' });
    assert.equal(sent.length, answers.length);
  });

  test('also come from an API token, which is sent in the header', async (context) => {
    const answers = [{ json: { access_token_jwt: 'one', expires_in: 3600, token_type: 'Bearer' } }, STATUS];
    const { client, sent } = open(context, answers, { login: { apiToken: 'api_1' } });
    await client.getStatus(1);
    assert.deepEqual(authorizations(sent), ['Bearer api_1', 'Bearer one']);
    assert.equal(sent[0]?.body, '{}');
  });

  test('are requested again after a failed login', async (context) => {
    const { client } = open(context, [refusal(401, 'LOGIN_FAILED'), session('one', 3600), STATUS], { login });
    await assert.rejects(client.getStatus(1), { code: 'LOGIN_FAILED' });
    assert.equal(await client.getStatus(1), 'pending');
  });

  test('that the caller supplied are not renewed', async (context) => {
    const { client, sent } = open(context, [refusal(401, 'TOKEN_INVALID')], { accessToken: 'jwt' });
    await assert.rejects(client.getStatus(1), { code: 'TOKEN_INVALID', status: 401, retryable: false });
    assert.equal(sent.length, 1);
  });
});

describe('a RubricaError', () => {
  test('has the fields of the service’s answer', async (context) => {
    const item = { pointer: '/x_amount', code: 'INVALID_AMOUNT', message: 'No amount.', fix: 'Write digits.' };
    const refused = refusal(400, 'INVALID_AMOUNT');
    const { client } = open(context, [{ ...refused, json: { ...refused.json, errors: [item] } }], TOKENS);
    const error = await client.createTransaction(ORDER).catch((error: unknown) => error);
    assert.ok(error instanceof RubricaError);
    const { status, code, title, detail, errors, requestId, retryable, retryAfterMs, message } = error;
    assert.deepEqual(
      { status, code, title, detail, errors, requestId, retryable, retryAfterMs, message },
      {
        status: 400,
        code: 'INVALID_AMOUNT',
        title: 'Title',
        detail: 'Detail.',
        errors: [item],
        requestId: 'request-1',
        retryable: false,
        retryAfterMs: null,
        message:
          'INVALID_AMOUNT: Detail. No amount. Write digits. (POST https://pay.example/base/trxs answered 400, request request-1)',
      },
    );
  });

  test('names every error once, and no fix without its error', () => {
    const item = (message: string, fix: string) => ({ pointer: '', code: 'INVALID_BODY' as const, message, fix });
    const text = 'Send a text.';
    const told = { code: 'INVALID_BODY', title: '', detail: `rut is missing. ${text}`, data: null, request: 'POST x' };
    const nothing = { status: null, requestId: null, idempotencyKey: null, retryable: false, retryAfterMs: null };
    const say = (errors: RubricaError['errors']) => new RubricaError({ ...told, ...nothing, errors }).message;
    const errors = [item('rut is missing.', text), item('name is missing.', text), item('name is missing.', text)];
    assert.equal(say(errors), 'INVALID_BODY: rut is missing. Send a text. name is missing. Send a text. (POST x)');
    const many = Array.from({ length: 12 }, (_, at) => item(`Row ${at}.`, text));
    assert.match(say(many), /Row 9\. Send a text\. And 2 more in errors\. \(POST x\)$/);
  });

  for (const [name, answer, status] of [
    ['a page of a proxy', { status: 404, text: '<html>' }, 404],
    ['a page where JSON was expected', { status: 200, text: '<html>' }, 200],
    [
      'a redirect, which is not followed',
      { status: 302, headers: { location: 'https://elsewhere.example/' }, text: '' },
      302,
    ],
    ['JSON of another service', { status: 404, json: { error: 'not found' } }, 404],
    ['JSON of another service with its own code', { status: 404, json: { code: 404, detail: 'Not found.' } }, 404],
    [
      'an error of another service without a list',
      { status: 404, json: { code: 'A', detail: 'b', errors: null } },
      404,
    ],
    ['errors that are texts', { status: 404, json: { code: 'A', detail: 'b', errors: { x: ['c'] } } }, 404],
  ] as const) {
    test(`says that something else than the service answered: ${name}`, async (context) => {
      const { client, sent } = open(context, [answer], { accessToken: 'jwt' });
      await assert.rejects(client.getStatus(1), { code: 'UNREADABLE_ANSWER', status, retryable: false });
      assert.equal(sent[0]?.redirect, 'manual');
    });
  }

  test('is not thrown for a token that cannot be sent: a TypeError hides it, and nothing is sent', async (context) => {
    const { client, sent } = open(context, [], { accessToken: 'a token\nof two lines' });
    const error = await client.getStatus(1).catch((error: unknown) => error);
    assert.ok(error instanceof TypeError);
    assert.match(error.message, /authorization holds a line break .*\. Send visible ASCII characters alone\.$/);
    assert.ok(!inspect(error, { depth: 9 }).includes('two lines'));
    assert.deepEqual(sent, []);
  });

  test('and the client show no secret', async (context) => {
    const given = { ...TOKENS, login: { username: 'ana@example.cl', password: 'her password' } };
    const { client } = open(context, [LOST, LOST, LOST, LOST], given);
    const error = await client.createTransaction(ORDER).catch((error: unknown) => error);
    const shown = inspect([client, error], { depth: 9, showHidden: true }) + JSON.stringify([client, error]);
    for (const secret of ['the secret', 'her password', 'ana@example.cl']) assert.ok(!shown.includes(secret), secret);
  });
});

/**
 * The endpoints without a method in the client: other addresses of one call, the calls of `listen`, and the calls of
 * operators.
 */
const WITHOUT_METHOD = [
  'GET /v2/payments',
  'POST /listeners',
  'POST /listeners/{listener}/next',
  'POST /listeners/{listener}/attempts',
  'DELETE /listeners/{listener}',
  'POST /v2/login',
  'POST /login',
  'GET /api-tokens',
  'DELETE /api-tokens/{id}',
  'GET /healthz',
  'GET /readyz',
];

test('every operation of the API that answers JSON has a method', () => {
  const described = Object.entries(openapi.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => 'application/json' in ((operation as Described).responses?.['200']?.content ?? {}))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  const client = readFileSync(join(import.meta.dirname, '../../sdk/src/rubrica-client.ts'), 'utf8');
  assert.deepEqual(
    described.filter((operation) => !client.includes(`'${operation}'`)),
    WITHOUT_METHOD,
    'each operation has a method in sdk/src/rubrica-client.ts, or is in WITHOUT_METHOD of this test',
  );
});

type Described = { responses?: { '200'?: { content?: object } } };

/** Opens a client whose network gives scripted responses. It does not really wait: `waited` has the intended pauses. */
function open(context: TestContext, answers: readonly Scripted[], options: Partial<RubricaClientOptions>) {
  const sent: Sent[] = [];
  const waited: number[] = [];
  const left = [...answers];
  context.mock.method(Math, 'random', () => 1);
  context.mock.method(globalThis, 'setTimeout', (done: () => void, ms: number) => {
    waited.push(ms);
    setImmediate(done);
  });
  const fetch = async (url: string, init: object) => {
    sent.push({ url, ...(init as Omit<Sent, 'url'>) });
    const answer = left.shift() ?? new Error('The script has no more answers');
    if (answer instanceof Error) throw answer;
    const { status = 200, headers = {}, json, text = JSON.stringify(json) } = answer;
    return { status, headers: new Headers(headers), text: async () => text };
  };
  return { client: createRubricaClient({ baseUrl: 'https://pay.example/base/', fetch, ...options }), sent, waited };
}

function refusal(status: number, code: string, retryAfter?: string) {
  const json = { status, code, title: 'Title', detail: 'Detail.', errors: [], request_id: 'request-1', data: null };
  return { status, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter }, json };
}

function session(token: string, seconds: number): Scripted {
  return { json: { data: { access_token_jwt: token, expires_in: seconds, token_type: 'Bearer' } } };
}

function authorizations(sent: readonly Sent[]): (string | undefined)[] {
  return sent.map(({ headers }) => headers['authorization']);
}

function codeOf(error: unknown): string {
  if (error instanceof RubricaError) return error.code;
  throw error;
}
