import assert from 'node:assert/strict';
import { test } from 'node:test';
import { disableUser } from '../../../src/auth/change-user.ts';
import { readConfig } from '../../../src/config.ts';
import { forEachEngine, type OpenTestDatabase } from '../../support/engines.ts';
import { TESTER } from '../../support/test-actor.ts';
import { createTestApp } from '../../support/test-app.ts';
import { type Answer, jsonOf, type Question, startTestServer } from '../../support/test-server.ts';
import { createTestUser } from '../../support/test-user.ts';

const PASSWORD_LOGINS = ['/users/login', '/v2/login', '/login'];

async function setUp(openTestDatabase: OpenTestDatabase) {
  const app = createTestApp(await openTestDatabase());
  const user = await createTestUser(app);
  const server = await startTestServer(app);
  return { app, user, server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Uses the access token for a request, then returns the answer with the type of the token in place of the token. */
async function shapeOf(
  server: { get(path: string, headers: Record<string, string>): Promise<Answer> },
  answer: Answer,
) {
  const token = /"(?:access_token_jwt|accessToken)":"([^"]+)"/.exec(answer.text)?.[1] ?? '';
  assert.match(token, JWT);
  assert.equal((await server.get('/events', { authorization: `Bearer ${token}` })).status, 200);
  return { status: answer.status, body: JSON.parse(answer.text.replace(token, 'JWT')) as unknown };
}

forEachEngine('the login endpoints', (openTestDatabase) => {
  test('answer in the shape that the clients of each endpoint expect', async () => {
    await using at = await setUp(openTestDatabase);
    const { server, user } = at;
    const json = { username: user.email, password: user.password };
    const fields = { access_token_jwt: 'JWT', expires_in: 86_400, token_type: 'Bearer' };
    assert.deepEqual(await shapeOf(server, await server.post('/users/login', { json })), {
      status: 200,
      body: { message: 'Login exitoso', errors: null, data: fields },
    });
    assert.deepEqual(await shapeOf(server, await server.post('/v2/login', { json })), {
      status: 200,
      body: { accessToken: 'JWT', token_type: 'Bearer', expires_in: 86_400 },
    });
    assert.deepEqual(await shapeOf(server, await server.post('/login', { json })), { status: 200, body: fields });
  });

  test('give an access token for an API token, in the header or in the body', async () => {
    await using at = await setUp(openTestDatabase);
    const { app, server, user } = at;
    const headers = { authorization: `bearer ${user.api_token}` };
    const seconds = app.now() / 1000;
    const questions: [Question, number][] = [
      [{ headers }, 31_536_000],
      [{ headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' } }, 31_536_000],
      [{ headers, json: {} }, 31_536_000],
      [{ headers, json: { expDate: seconds + 90 } }, 90],
      [{ json: { email: user.email, apiToken: user.api_token } }, 31_536_000],
      [{ json: { email: user.email, apiToken: user.api_token, expDate: seconds + 90 } }, 90],
    ];
    for (const [question, expiresIn] of questions) {
      assert.deepEqual(await shapeOf(server, await server.post('/loginToken', question)), {
        status: 200,
        body: { access_token_jwt: 'JWT', expires_in: expiresIn, token_type: 'Bearer' },
      });
    }
  });

  test('refuse a wrong password in the shape that the clients of each endpoint expect', async () => {
    await using at = await setUp(openTestDatabase);
    const json = { username: at.user.email, password: 'wrong' };
    const answers = await Promise.all(PASSWORD_LOGINS.map((path) => at.server.post(path, { json })));
    assert.deepEqual(
      answers.map((answer) => {
        const { code, message, status, error } = jsonOf(answer);
        return [answer.status, status, code, message, error];
      }),
      [
        [401, 401, 'LOGIN_FAILED', 'Wrong e-mail or password', undefined],
        [401, 401, 'LOGIN_FAILED', 'Wrong e-mail or password', undefined],
        [400, 400, 'LOGIN_FAILED', 'Wrong e-mail or password', 'Wrong email or password.'],
      ],
    );
  });

  test('do not reveal whether an address has a user, by status, text, length or headers', async () => {
    await using at = await setUp(openTestDatabase);
    const disabled = await createTestUser(at.app);
    await disableUser(at.app, disabled.id, TESTER);
    const attempts = [
      { username: at.user.email, password: 'wrong' },
      { username: 'nobody@example.cl', password: at.user.password },
      { username: disabled.email, password: disabled.password },
    ];
    for (const path of PASSWORD_LOGINS) {
      const answers = [];
      for (const json of attempts) answers.push(anonymous(await at.server.post(path, { json })));
      assert.deepEqual(answers[1], answers[0]);
      assert.deepEqual(answers[2], answers[0]);
    }
  });

  test('refuse an invalid API token with 403 in the header and 401 in the body, and a missing one with 400', async () => {
    await using at = await setUp(openTestDatabase);
    const questions: [Question, number, string, string | undefined][] = [
      [{ headers: { authorization: 'Bearer api_wrong' } }, 403, 'API_TOKEN_INVALID', 'Not a valid or expired token'],
      [{ headers: { authorization: at.user.api_token } }, 400, 'INVALID_HEADER', 'Invalid Authorization Header'],
      [{}, 400, 'INVALID_HEADER', 'Invalid Authorization Header'],
      [{ json: { email: at.user.email, apiToken: 'api_wrong' } }, 401, 'API_TOKEN_INVALID', undefined],
      [{ json: { email: 'other@example.cl', apiToken: at.user.api_token } }, 401, 'API_TOKEN_INVALID', undefined],
    ];
    for (const [question, status, code, error] of questions) {
      const answer = await at.server.post('/loginToken', question);
      const body = jsonOf(answer);
      assert.deepEqual([answer.status, body.status, body.code, body.error], [status, status, code, error]);
    }
  });

  test('refuse the eleventh wrong password with 429 and the time to wait', async () => {
    await using at = await setUp(openTestDatabase);
    const json = { username: at.user.email, password: 'wrong' };
    for (let i = 0; i < 10; i++) assert.notEqual((await at.server.post('/users/login', { json })).status, 429);
    for (const path of PASSWORD_LOGINS) {
      const answer = await at.server.post(path, { json });
      assert.equal(answer.status, 429);
      assert.equal(jsonOf(answer).code, 'RATE_LIMITED');
      assert.equal(answer.headers.get('retry-after'), '1800');
      assert.equal(answer.headers.get('ratelimit-policy'), '"login-account";q=10;w=1800');
    }
  });

  test('count a client behind a balancer by the address the balancer saw, not by one the client sent', async () => {
    const config = readConfig({ MASTER_KEY: '5a'.repeat(32), LOG_LEVEL: 'silent', TRUST_PROXY: 'true' });
    const app = createTestApp(await openTestDatabase(), { config });
    await using server = await startTestServer(app);
    for (const written of ['198.51.100.1', '198.51.100.2']) {
      const headers = { 'x-forwarded-for': `${written}, 203.0.113.9` };
      await server.post('/users/login', { headers, json: { username: written, password: 'wrong' } });
    }
    const rows = await app.db.query<{ used: number }>('select used from limit_counts order by used');
    assert.deepEqual(
      rows.map((row) => row.used),
      [1, 1, 1, 1, 2],
    );
  });

  const bodies: [string, number, string, string[]][] = [
    ['', 400, 'INVALID_JSON', ['']],
    ['{"username":"a","username":"b","password":"c"}', 400, 'DUPLICATE_KEY', ['/username']],
    ['[]', 400, 'NOT_AN_OBJECT', ['']],
    ['{"__proto__":{},"username":"a","password":"c"}', 400, 'FORBIDDEN_KEY', ['/__proto__']],
    ['{}', 422, 'INVALID_BODY', ['/username', '/password']],
    ['{"username":"","password":1,"x/y":true}', 422, 'INVALID_BODY', ['/username', '/password', '/x~1y']],
    ['{"username":["a"],"password":null}', 422, 'INVALID_BODY', ['/username', '/password']],
    ['{"username":"a","password":"b","payouts":true}', 422, 'INVALID_BODY', ['/payouts']],
  ];
  test('read bodies strictly and report every error in a body', async () => {
    await using at = await setUp(openTestDatabase);
    const headers = { 'content-type': 'application/json' };
    for (const path of PASSWORD_LOGINS) {
      for (const [body, status, code, pointers] of bodies) {
        const answer = await at.server.post(path, { headers, body });
        const problem = jsonOf(answer) as { code: string; errors: { pointer: string }[] };
        assert.deepEqual([answer.status, problem.code], [status, code], body);
        assert.deepEqual(
          problem.errors.map((error) => error.pointer),
          pointers,
        );
      }
    }
    assert.equal((await at.server.post('/users/login', { body: '{}' })).status, 415);
    assert.equal((await at.server.post('/users/login?x=1', { json: {} })).status, 400);
    assert.equal((await at.server.post('/loginToken', { body: '{}' })).status, 415);
  });

  test('refuse a value of 4097 characters, as the description of the API says', async () => {
    await using at = await setUp(openTestDatabase);
    const long = 'x'.repeat(4097);
    for (const path of PASSWORD_LOGINS) {
      const answer = await at.server.post(path, { json: { username: at.user.email, password: long } });
      assert.deepEqual([answer.status, jsonOf(answer)['code']], [400, 'FIELD_TOO_LONG'], path);
    }
    const answer = await at.server.post('/loginToken', { json: { email: at.user.email, apiToken: long } });
    assert.deepEqual([answer.status, jsonOf(answer)['code']], [400, 'FIELD_TOO_LONG']);
  });

  test('refuse an API token login that lacks a member, or whose end time is past or invalid', async () => {
    await using at = await setUp(openTestDatabase);
    const { email, api_token: apiToken } = at.user;
    const cases: [object, string][] = [
      [{ email }, '/apiToken'],
      [{ apiToken }, '/email'],
      [{ email, apiToken, expDate: at.app.now() / 1000 }, '/expDate'],
      [{ email, apiToken, expDate: at.app.now() + 90_000 }, '/expDate'],
      [{ email, apiToken, expDate: -1 }, '/expDate'],
      [{ email, apiToken, expDate: 1.5e9 + 0.5 }, '/expDate'],
      [{ email, apiToken, expDate: '1900000000' }, '/expDate'],
    ];
    for (const [json, pointer] of cases) {
      const answer = await at.server.post('/loginToken', { json });
      const { errors } = jsonOf(answer) as { errors: { pointer: string }[] };
      assert.deepEqual([answer.status, errors.map((error) => error.pointer)], [422, [pointer]]);
    }
  });
});

/** Returns an answer without the parts that differ between two equal requests. */
function anonymous({ status, headers, text }: Answer) {
  const kept = [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
  return { status, headers: kept, text: text.replace(/"request_id":"[^"]+"/, '') };
}
