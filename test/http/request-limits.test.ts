import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { App } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { type Database, StorageError } from '../../src/db/database.ts';
import type { Endpoint } from '../../src/http/endpoint.ts';
import { REQUEST_LIMITS } from '../../src/http/request-limits.ts';
import { type Limit, limitKey } from '../../src/limits/limit.ts';
import { incrementCount } from '../../src/limits/limit-queries.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { setLook } from '../../src/payment-services/set-look.ts';
import { setRequestLimit } from '../../src/payment-services/set-request-limit.ts';
import { ROUTES } from '../../src/server/routes.ts';
import { forEachEngine } from '../support/engines.ts';
import { pngOf } from '../support/make-image.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { type Answer, jsonOf, startTestServer, type TestServer } from '../support/test-server.ts';
import { createTestEnvironment, signedBody } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

const LIMITED = { MASTER_KEY: '5a'.repeat(32), LOG_LEVEL: 'silent', RATE_LIMITS: 'on' };
const CLIENT = '127.0.0.1';

function createLimitedApp(db: Database): TestApp {
  return createTestApp(db, { config: readConfig({ ...LIMITED, TRUST_PROXY: 'true' }) });
}

/** Uses up a limit except for `left`, without that many requests. */
async function useUp(app: App, limit: Limit, subject: string, left = 0): Promise<void> {
  const use = { key: limitKey(app, limit, subject), now: app.now(), endsAt: app.now() + limit.windowMs, renews: false };
  await app.db.transaction((tx) => incrementCount(tx, { ...use, times: limit.most - left }));
}

function countStatuses(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function postSigned(server: TestServer, token: string, secret: string, reference: string, headers = {}) {
  return server.post('/trxs', { json: signedBody(token, secret, { x_reference: reference }), headers });
}

forEachEngine('request limits', (openTestDatabase, engine) => {
  test('wrong signatures are limited across all replicas: of 200 sent to four replicas, 100 are checked', async () => {
    const db = await openTestDatabase();
    // SQLite allows one process.
    const others = engine === 'postgres' ? [1, 2, 3].map(() => openTestDatabase({ url: db.url })) : [];
    const apps = [db, ...(await Promise.all(others))].map((each) => createLimitedApp(each));
    const { production } = await createPaymentService(apps[0] as TestApp, 'Shop', TESTER);
    await using servers = await startServers(apps);
    const send = async (at: number): Promise<Answer> => {
      const from = { 'x-forwarded-for': `192.0.2.${at % 50}` };
      const answer = await postSigned(servers.at(at), production.service_token, 'wrong', `ORD-${at}`, from);
      // A machine that is too busy to count a request within two seconds says so, and has not counted it.
      return answer.status === 503 ? send(at) : answer;
    };
    const answers = await Promise.all(Array.from({ length: 200 }, (_, at) => send(at)));
    assert.deepEqual(countStatuses(answers), { 401: REQUEST_LIMITS.wrongSignatures.most, 429: 100 });
  });

  test('a correctly signed request is never refused because of wrong signatures in its name', async () => {
    const app = createLimitedApp(await openTestDatabase());
    const { development: tokens } = await createPaymentService(app, 'Shop', TESTER);
    await using server = await startTestServer(app);
    await useUp(app, REQUEST_LIMITS.wrongSignatures, tokens.service_token);
    await useUp(app, REQUEST_LIMITS.wrongCredentials, CLIENT);
    const wrong = await postSigned(server, tokens.service_token, 'wrong', 'ORD-1');
    assert.deepEqual([wrong.status, jsonOf(wrong)['code']], [429, 'RATE_LIMITED']);
    assert.equal(wrong.headers.get('retry-after'), '60');
    const next = await postSigned(server, tokens.service_token, 'wrong', 'ORD-1', { 'x-forwarded-for': '192.0.2.1' });
    const policy = next.headers.get('ratelimit-policy') ?? '';
    assert.ok(policy.includes('"wrong-signatures"') && policy.includes('"wrong-credentials"'), policy);
    const right = await postSigned(server, tokens.service_token, tokens.secret_token, 'ORD-1');
    assert.equal(right.status, 200);
  });

  test('wrong signatures from one network are counted together, for any Service Token', async () => {
    const app = createLimitedApp(await openTestDatabase());
    await using server = await startTestServer(app);
    await useUp(app, REQUEST_LIMITS.wrongCredentials, '2001:db8:0:1::', 2);
    const answers: Answer[] = [];
    for (const host of ['1', '2', 'ffff:3', '4']) {
      const from = { 'x-forwarded-for': `2001:db8:0:1::${host}` };
      answers.push(await postSigned(server, `invented-${host}`, 'wrong', 'ORD-1', from));
    }
    assert.deepEqual(countStatuses(answers), { 401: 2, 429: 2 });
    const elsewhere = await postSigned(server, 'invented-5', 'wrong', 'ORD-1', { 'x-forwarded-for': '192.0.2.9' });
    assert.equal(elsewhere.status, 401);
  });

  test('a payment service and a user have a limit each, and an answer says how many requests are left', async () => {
    const app = createLimitedApp(await openTestDatabase());
    const { id, development: tokens } = await createPaymentService(app, 'Shop', TESTER);
    const user = await createTestUser(app);
    await using server = await startTestServer(app);
    let order = 0;
    const create = () => postSigned(server, tokens.service_token, tokens.secret_token, `ORD-${++order}`);
    const cases: [Limit, string, () => Promise<Answer>][] = [
      [REQUEST_LIMITS.paymentService, id, create],
      [REQUEST_LIMITS.user, user.id, () => server.get('/events', user.headers)],
    ];
    for (const [limit, subject, ask] of cases) {
      const { name, most } = limit;
      const first = await ask();
      assert.deepEqual(
        [first.status, ...fieldsOf(first)],
        [200, `"${name}";q=${most};w=60`, `"${name}";r=${most - 1};t=60`],
      );
      await useUp(app, limit, subject, 1);
      const over = await ask();
      assert.deepEqual([over.status, ...fieldsOf(over)], [429, `"${name}";q=${most};w=60`, `"${name}";r=0;t=60`]);
      assert.equal(over.headers.get('retry-after'), '60');
      app.now.advance(limit.windowMs);
      assert.equal((await ask()).status, 200);
    }
  });

  test('a payment service has its own limit when one is set, and the default limit otherwise', async () => {
    const app = createLimitedApp(await openTestDatabase());
    const { id, development: tokens } = await createPaymentService(app, 'Shop', TESTER);
    await using server = await startTestServer(app);
    const policy = async (perMinute: number | null) => {
      await setRequestLimit(app, id, perMinute, TESTER);
      // The service reads the limit again within a second.
      app.now.advance(1_001);
      const answer = await postSigned(server, tokens.service_token, tokens.secret_token, `ORD-${perMinute}`);
      return [answer.status, fieldsOf(answer)[0]];
    };
    assert.deepEqual(await policy(2), [200, '"payment-service";q=2;w=60']);
    assert.deepEqual(await policy(1), [429, '"payment-service";q=1;w=60']);
    assert.deepEqual(await policy(null), [200, '"payment-service";q=6000;w=60']);
    assert.equal((await app.metrics.refused.get()).values[0]?.labels['reason'], 'payment-service');
  });

  test('a signed request that somebody sends again counts for the network and takes nothing from its payment service', async () => {
    const app = createLimitedApp(await openTestDatabase());
    const { id, development: tokens } = await createPaymentService(app, 'Shop', TESTER);
    await using server = await startTestServer(app);
    const send = async (reference: string, from: string, unsigned = {}) => {
      const json = {
        ...signedBody(tokens.service_token, tokens.secret_token, { x_reference: reference }),
        ...unsigned,
      };
      const answer = await server.post('/trxs', { json, headers: { 'x-forwarded-for': from } });
      return [answer.status, fieldsOf(answer)[0]?.split(';')[0]];
    };
    const [shop, payer] = ['192.0.2.1', '192.0.2.2'];
    assert.deepEqual(await send('ORD-1', shop), [200, '"payment-service"']);
    await useUp(app, REQUEST_LIMITS.paymentService, id, 2);
    for (const products of [[], [{ name: 'a', quantity: 1, price: 1 }], []])
      assert.deepEqual(await send('ORD-1', payer, { x_products: products }), [200, '"address"']);
    assert.deepEqual(await send('ORD-2', shop), [200, '"payment-service"']);
    assert.deepEqual(await send('ORD-3', shop), [429, '"payment-service"']);
    assert.deepEqual(await send('ORD-3', shop), [429, '"payment-service"'], 'a refused request was not counted');
    await useUp(app, REQUEST_LIMITS.address, payer);
    assert.deepEqual(await send('ORD-1', payer), [429, '"address"']);
  });

  test('wrong access tokens count for the network, and a right one is not refused because of them', async () => {
    const app = createLimitedApp(await openTestDatabase());
    const user = await createTestUser(app);
    await using server = await startTestServer(app);
    await useUp(app, REQUEST_LIMITS.wrongCredentials, CLIENT, 1);
    const statuses: number[] = [];
    for (const authorization of ['Bearer wrong', 'Bearer wrong', user.headers.authorization]) {
      statuses.push((await server.get('/events', { authorization })).status);
    }
    assert.deepEqual(statuses, [401, 429, 200]);
    const guessed = await server.post('/loginToken', {
      json: { email: 'a@example.cl', apiToken: `api_${'x'.repeat(43)}` },
    });
    assert.equal(guessed.status, 429, 'a wrong API token counts too');
    // Without a token there is no guess, so no limit applies.
    assert.equal((await server.get('/events')).status, 401);
  });

  test('a batch over the limit of its user is refused, and a request within it is not', async () => {
    const app = createLimitedApp(await openTestDatabase());
    const user = await createTestUser(app, { may: ['accounts:validate', 'payments:read'] });
    await using server = await startTestServer(app);
    await useUp(app, REQUEST_LIMITS.user, user.id, 2);
    const account = { rut: '11111111-1', bankData: { bankSBIFNumber: '001', bankAccount: '1234509876' } };
    const json = { items: Array.from({ length: 5 }, () => account) };
    const batch = await server.post('/validations/BankAccount/batch', { json, headers: user.headers });
    assert.equal(batch.status, 429);
    assert.equal((await server.get('/transactions', user.headers)).status, 200);
  });

  for (const endpoint of ROUTES.filter(({ access }) => ['public', 'service-token', 'pay-link'].includes(access))) {
    const { method, paths, unlimited } = endpoint;
    const counted = unlimited ? 'is not counted' : 'is counted for the network';
    test(`${method} ${paths[0]} ${counted}`, async () => {
      const app = createLimitedApp(await openTestDatabase());
      await using server = await startTestServer(app);
      await useUp(app, REQUEST_LIMITS.address, CLIENT);
      const { status } = await ask(server, endpoint);
      assert.equal(status === 429, unlimited === undefined);
    });
  }

  test('a logo counts for the network when the store is read, and the colour of a page never does', async () => {
    const app = createLimitedApp(await openTestDatabase());
    const shop = await createTestEnvironment(app);
    const bytes = pngOf(8, 8);
    const image = { type: 'image/png', width: 8, height: 8 } as const;
    await setLook(app, shop.paymentServiceId, { logo: { image, bytes } }, TESTER);
    const known = createHash('sha256').update(bytes).digest('hex');
    await using server = await startTestServer(app);
    await useUp(app, REQUEST_LIMITS.address, CLIENT, 2);
    const statuses: number[] = [];
    for (const name of [known, 'a'.repeat(64), 'b'.repeat(64), known, '1f6f4a.css']) {
      statuses.push((await server.get(`/looks/${name}`)).status);
    }
    assert.deepEqual(statuses, [200, 404, 429, 200, 200]);
  });

  test('a payer over the limit gets a page', async () => {
    const app = createLimitedApp(await openTestDatabase());
    await using server = await startTestServer(app);
    await useUp(app, REQUEST_LIMITS.address, CLIENT);
    const answer = await server.get('/pay/any', { 'accept-language': 'es' });
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [429, 'text/html; charset=utf-8']);
    assert.ok(Number(answer.headers.get('retry-after')) > 0);
  });

  test('a store that cannot count refuses no request', async () => {
    const db = await openTestDatabase();
    const full = () => Promise.reject(new StorageError('STORAGE_FULL', null));
    const app = createLimitedApp({ ...db, transaction: full });
    await using server = await startTestServer(app);
    assert.equal((await server.get('/payments')).status, 401);
    assert.equal((await server.get('/openapi.json')).status, 200);
  });

  test('without limits nothing is counted', async () => {
    const app = createTestApp(await openTestDatabase());
    const { production: tokens } = await createPaymentService(app, 'Shop', TESTER);
    await using server = await startTestServer(app);
    await postSigned(server, tokens.service_token, 'wrong', 'ORD-1');
    const { headers } = await server.get('/payments', { authorization: tokens.service_token });
    assert.equal(headers.get('ratelimit'), null);
    assert.deepEqual(await app.db.query('select * from limit_counts'), []);
  });
});

/** Returns the header fields of the RateLimit draft. */
function fieldsOf({ headers }: Answer): (string | null)[] {
  return [headers.get('ratelimit-policy'), headers.get('ratelimit')];
}

/** Sends a request that the endpoint itself answers. */
function ask(server: TestServer, { method, paths, consumes }: Endpoint): Promise<Answer> {
  const path = paths[0].replace(/:\w+/g, 'any');
  if (method === 'GET') return server.get(path);
  return server.post(path, { body: '{}', headers: { 'content-type': consumes?.[0] ?? 'application/json' } });
}

/** Starts a server for each app. `at` returns them in turn, like a balancer. */
async function startServers(apps: readonly App[]): Promise<AsyncDisposable & { at(turn: number): TestServer }> {
  const servers = await Promise.all(apps.map((app) => startTestServer(app)));
  return {
    at: (turn) => servers[turn % servers.length] as TestServer,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
    },
  };
}
