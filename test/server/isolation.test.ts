import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  missingCode,
  type Needed,
  PERMISSIONS,
  type Permission,
  permissionsOf,
  ROLES,
  type Role,
  rightsOf,
} from '../../src/auth/permission.ts';
import { CATALOGUE, type ErrorCode } from '../../src/error-catalogue.ts';
import type { Endpoint } from '../../src/http/endpoint.ts';
import { loadEnvironment } from '../../src/payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { ROUTES } from '../../src/server/routes.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { type Answer, jsonOf, startTestServer, type TestServer } from '../support/test-server.ts';
import { createTestTransaction, signedBody, withSignature } from '../support/test-shop.ts';
import { createTestUser, type TestUser } from '../support/test-user.ts';
import { untilVisible } from '../support/until-visible.ts';
import { type Merchant, MISSING, ROUTE_ROWS, type RouteRow, type World } from './route-rows.ts';
import { createWorld } from './route-world.ts';

type Headers = Record<string, string>;
type Listed = { name: string; endpoint: Endpoint; row: RouteRow };

/** Endpoints with a token. Screens of the console use a cookie: test/console/console-access.test.ts. */
const WITH_TOKEN = ROUTES.filter(({ access }) => access !== 'session').map((endpoint) => ({
  name: `${endpoint.method} ${endpoint.paths[0]}`,
  endpoint,
}));
const LISTED: Listed[] = WITH_TOKEN.flatMap(({ name, endpoint }) => {
  const row = ROUTE_ROWS[name];
  return row === undefined ? [] : [{ name, endpoint, row }];
});

const WITH_USER = LISTED.filter(({ endpoint: { access } }) => access === 'bearer');
const WITH_OBJECT = LISTED.flatMap(({ name, endpoint, row }) =>
  (row.objects ?? []).map((object) => ({ name: `${name} with ${object.object}`, endpoint, row, object })),
);
const READING_BODY = LISTED.filter(({ endpoint }) => endpoint.consumes !== undefined);

test('every endpoint has a row with its access, and every row has an endpoint', () => {
  const rows = Object.entries(ROUTE_ROWS).map(([name, { access }]) => `${name}: ${access}`);
  const endpoints = WITH_TOKEN.map(({ name, endpoint }) => `${name}: ${endpoint.access}`);
  assert.deepEqual(rows.sort(), endpoints.sort(), 'each endpoint has its row in test/server/route-rows.ts');
});

test('every endpoint whose path names an object has a request for such an object', () => {
  const named = LISTED.filter(({ endpoint }) => endpoint.access !== 'public' && endpoint.paths[0].includes('/:'));
  assert.deepEqual(
    named.filter(({ row }) => row.objects === undefined).map(({ name }) => name),
    [],
    'rows of test/server/route-rows.ts without `objects`',
  );
});

test('every endpoint that reads a body is tried with an unknown member, or has a reason not to be', () => {
  const untried = READING_BODY.filter(
    ({ row }) => (row.body === undefined) === (row.takesUnknownMembers === undefined),
  );
  assert.deepEqual(
    untried.map(({ name }) => name),
    [],
    'rows of test/server/route-rows.ts without `body`, or with `body` and `takesUnknownMembers`',
  );
});

forEachEngine('access to endpoints', (openTestDatabase, engine) => {
  test('a caller without a valid token gets the same refusal, whether the object exists or not', async () => {
    await using at = await setUp(openTestDatabase);
    const refusals: [credential: Headers, code: ErrorCode][] = [
      [{}, 'TOKEN_MISSING'],
      [{ authorization: 'Bearer wrong' }, 'TOKEN_INVALID'],
      [{ authorization: at.world.ana.user.api_token }, 'TOKEN_INVALID'],
      [{ authorization: '0198c1a2-7b3d-4e5f-8a9b-0c1d2e3f4a5b' }, 'PRIVATE_TOKEN_RETIRED'],
      [{ 'x-api-key': 'anything' }, 'PRIVATE_TOKEN_RETIRED'],
    ];
    for (const { name, endpoint, row } of WITH_USER) {
      for (const [headers, code] of refusals) {
        const [there, missing] = await at.askBoth(endpoint, row, at.world.ana, headers);
        assertRefused(there, code, name);
        assert.deepEqual(comparable(there), comparable(missing), name);
      }
    }
  });

  test('a user of any role may do what the role and its grants permit, and a refusal names the permission', async () => {
    await using at = await setUp(openTestDatabase);
    const { ana, ben } = at.world;
    for (const { role, granted, user } of await createUserOfEachKind(at.app, ana.service.id)) {
      const may = permissionsOf(role, granted);
      for (const { name, endpoint, row } of WITH_USER) {
        const [permission, ...others] = endpoint.needed as Needed;
        const isAllowed = may.has(permission) || others.some((other) => may.has(other));
        const about = `${role} with ${granted.join(' ') || 'no grant'}: ${name}`;
        if (!isAllowed && granted.length > 0) {
          // The roles show on both engines that this check comes before any look-up. So one engine is enough for
          // programs.
          if (engine === 'postgres') continue;
          const answer = await at.askOwn(endpoint, row, ana, user.headers);
          assertRefused(answer, missingCode(permission), about);
          assert.equal((jsonOf(answer)['data'] as { permission: string }).permission, permission, about);
          continue;
        }
        const [own, missing] = await at.askBoth(endpoint, row, ana, user.headers);
        const [foreign] = await at.askBoth(endpoint, row, ben, user.headers);
        if (isAllowed) {
          assert.notEqual(own.status, 401, about);
          assert.doesNotMatch(own.text, /PERMISSION_MISSING|PAYOUTS_NOT_ENABLED/, about);
          // A role cannot open an object that only its creator, or nobody, may see.
          const [object] = row.objects ?? [];
          if (object === undefined) continue;
          const opens = object.object === 'transaction' && rightsOf(role).environments === 'both';
          if (opens) assert.equal(own.status, 200, about);
          assert.equal(foreign.status, CATALOGUE[object.refusal].status, about);
          continue;
        }
        for (const answer of [own, missing, foreign]) {
          assertRefused(answer, missingCode(permission), about);
          assert.equal((jsonOf(answer)['data'] as { permission: string }).permission, permission, about);
        }
        assert.deepEqual(comparable(own), comparable(missing), about);
      }
    }
  });

  test('a developer sees test payments and no production payments', async () => {
    await using at = await setUp(openTestDatabase);
    const { ana } = at.world;
    const { production } = ana.service;
    const environment = (await loadEnvironment(at.app, production.service_token)) as ServiceEnvironment;
    const { id: earned } = await createTestTransaction(at.app, environment, { reference: 'EARNED-1' });
    for (const paymentServices of ['all', [ana.service.id]] as const) {
      const { headers } = await createTestUser(at.app, { role: 'developer', may: [], paymentServices });
      assert.equal((await at.server.get(`/trxs/${ana.transaction.id}`, headers)).status, 200);
      assertRefused(await at.server.get(`/trxs/${earned}`, headers), 'NOT_FOUND', 'production');
      assert.equal((await at.server.get(`/trxs/${earned}`, ana.user.headers)).status, 200);
      await untilVisible(at.app);
      const { text } = await at.server.get('/events', headers);
      assert.deepEqual([/ANA-1/.test(text), /EARNED-1/.test(text)], [true, false]);
    }
  });

  test('objects of another payment service are answered as not found', async () => {
    await using at = await setUp(openTestDatabase);
    const { ana, ben } = at.world;
    for (const { name, endpoint, row, object } of WITH_OBJECT) {
      for (const method of endpoint.method === 'GET' ? ['GET', 'HEAD'] : [endpoint.method]) {
        const ask = (id: string) =>
          at.ask({ ...endpoint, row, path: object.path(id, ben), headers: ben.user.headers, method });
        const foreign = await ask(ana.objects[object.object]);
        assert.equal(foreign.status, CATALOGUE[object.refusal].status, name);
        assert.deepEqual(comparable(foreign), comparable(await ask(MISSING[object.object])), name);
      }
    }
    assert.deepEqual(await at.countRows(), at.rowsAtFirst);
  });

  test('an id in another spelling finds nothing', async () => {
    await using at = await setUp(openTestDatabase);
    const { ana } = at.world;
    const { transaction: id } = ana.objects;
    for (const { name, endpoint, row, object } of WITH_OBJECT.filter((one) => one.object.object === 'transaction')) {
      for (const spelling of [`0${id}`, `${id}.0`, `+${id}`, `-${id}`, `${id}e0`, '0', '9'.repeat(30), `${id};`]) {
        const path = object.path(spelling, ana);
        const answer = await at.ask({ ...endpoint, row, path, headers: ana.user.headers });
        assertRefused(answer, object.refusal, `${name}: ${spelling}`);
      }
    }
  });

  test('a merchant sees their own objects, and a program for all payment services sees every merchant’s', async () => {
    await using at = await setUp(openTestDatabase);
    const { ana, overseer } = at.world;
    for (const { name, endpoint, row, object } of WITH_OBJECT.filter((one) => one.object.seenBy !== 'nobody')) {
      const id = ana.objects[object.object];
      const own = await at.ask({ ...endpoint, row, path: object.path(id, ana), headers: ana.user.headers });
      assert.equal(own.status, 200, name);
      const seen = await at.ask({ ...endpoint, row, path: object.path(id, ana), headers: overseer.headers });
      if (object.seenBy === 'overseer') assert.equal(seen.status, 200, name);
      else assertRefused(seen, object.refusal, name);
    }
  });

  test('a list shows a merchant its own rows, and shows a program for all payment services every row', async () => {
    await using at = await setUp(openTestDatabase);
    const { ana, ben, overseer } = at.world;
    await untilVisible(at.app);
    for (const { name, row } of LISTED) {
      if (row.lists === undefined) continue;
      const references = async (headers: Headers) => {
        const { text } = await at.server.get(row.lists as string, headers);
        return [ana, ben].map(({ transaction }) => text.includes(transaction.reference));
      };
      assert.deepEqual(await references(ana.user.headers), [true, false], name);
      assert.deepEqual(await references(ben.user.headers), [false, true], name);
      assert.deepEqual(await references(overseer.headers), [true, true], name);
    }
  });

  test('a payment service can sign only for itself, and its references are its own', async () => {
    await using at = await setUp(openTestDatabase);
    const { ana, ben } = at.world;
    const { service_token: account } = ana.service.production;
    const { secret_token: secret } = ben.service.production;
    for (const path of ['/trxs', '/v2/trxs']) {
      const foreign = await at.server.post(path, { json: signedBody(account, secret) });
      assertRefused(foreign, 'SIGNATURE_INVALID', path);
      const missing = await at.server.post(path, { json: signedBody('a'.repeat(64), secret) });
      assert.deepEqual(comparable(foreign), comparable(missing), path);
    }
    const { development: own } = ben.service;
    const fields = { x_reference: ana.transaction.reference };
    const answer = await at.server.post('/trxs', { json: signedBody(own.service_token, own.secret_token, fields) });
    assert.equal(answer.status, 200);
  });

  test('every endpoint refuses unknown members and parameters, and keeps nothing of such a request', async () => {
    await using at = await setUp(openTestDatabase);
    for (const { name, endpoint, row } of READING_BODY.filter(({ row }) => row.body !== undefined)) {
      for (const path of endpoint.paths) {
        for (const { body, type } of bodiesWithOneMore(at.world, endpoint, row)) {
          const request = { ...endpoint, row, path: ownPath(path, at.world.ana), headers: at.world.ana.user.headers };
          const answer = await at.ask({ ...request, type, body });
          assert.ok(refusesUnknown(answer), `${name} took ${body}: ${answer.status} ${answer.text.slice(0, 300)}`);
          const query = await at.ask({ ...request, path: `${request.path}?extra=1` });
          assertRefused(query, 'UNEXPECTED_QUERY', name);
        }
      }
    }
    assert.deepEqual(await at.countRows(), at.rowsAtFirst);
  });
});

type Kind = { role: Role; granted: readonly Permission[]; user: TestUser };

/**
 * Creates a user of each role without permissions, and a program for each single permission. All see one payment
 * service.
 */
async function createUserOfEachKind(app: TestApp, paymentServiceId: string): Promise<Kind[]> {
  const kinds = [
    ...(Object.keys(ROLES) as Role[]).map((role) => ({ role, granted: [] })),
    ...(Object.keys(PERMISSIONS) as Permission[]).map((one) => ({ role: 'integration' as const, granted: [one] })),
  ];
  const created: Kind[] = [];
  for (const { role, granted } of kinds) {
    const user = await createTestUser(app, { role, may: granted, paymentServices: [paymentServiceId] });
    created.push({ role, granted, user });
  }
  return created;
}

type Asked = {
  method: string;
  path: string;
  row: RouteRow;
  consumes?: Endpoint['consumes'];
  headers?: Headers;
  type?: string;
  body?: string;
};

type Setting = AsyncDisposable & {
  app: TestApp;
  server: TestServer;
  world: World;
  rowsAtFirst: unknown;
  /** Sends a request, with the body of the row unless it has one. */
  ask(asked: Asked): Promise<Answer>;
  /** Requests an existing object. */
  askOwn(endpoint: Endpoint, row: RouteRow, owner: Merchant, headers: Headers): Promise<Answer>;
  /** Requests an existing and a missing object. An endpoint without objects gets the same request twice. */
  askBoth(endpoint: Endpoint, row: RouteRow, owner: Merchant, headers: Headers): Promise<[Answer, Answer]>;
  countRows(): Promise<unknown>;
};

async function setUp(openTestDatabase: OpenTestDatabase): Promise<Setting> {
  const app = createTestApp(await openTestDatabase());
  const server = await startTestServer(app);
  const world = await createWorld(app, server);
  const countRows = () =>
    app.db.query(
      `select (select count(*) from transactions) as transactions, (select count(*) from refunds) as refunds,
         (select count(*) from payment_attempts) as attempts,
         (select count(*) from bank_account_validations) as validations`,
    );
  const ask = async ({ method, path, row, consumes, headers = {}, type = consumes?.[0], body }: Asked) => {
    if (method === 'GET') return server.get(path, headers);
    if (method === 'HEAD') return server.head(path, headers);
    const text = body ?? (row.body === undefined ? undefined : written(row.body(world), type as string));
    const sent = { ...headers, ...(type !== undefined && { 'content-type': type }) };
    return server.send(method, path, { headers: sent, ...(text !== undefined && { body: text }) });
  };
  const askFor = (
    objects: Merchant['objects'],
    ...[endpoint, row, owner, headers]: Parameters<Setting['askOwn']>
  ): Promise<Answer> => {
    const [object] = row.objects ?? [];
    const path = object === undefined ? (row.lists ?? endpoint.paths[0]) : object.path(objects[object.object], owner);
    return ask({ ...endpoint, row, path, headers });
  };
  const askOwn: Setting['askOwn'] = (endpoint, row, owner, headers) =>
    askFor(owner.objects, endpoint, row, owner, headers);
  const askBoth: Setting['askBoth'] = async (...asked) => [await askOwn(...asked), await askFor(MISSING, ...asked)];
  const rowsAtFirst = await countRows();
  return {
    app,
    server,
    world,
    rowsAtFirst,
    ask,
    askOwn,
    askBoth,
    countRows,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function written(body: Record<string, unknown>, type: string): string {
  return type === 'application/json' ? JSON.stringify(body) : new URLSearchParams(body as Headers).toString();
}

/**
 * Yields the body with one more member in each of its objects in turn. A signed body also comes with that member
 * signed.
 */
function* bodiesWithOneMore(
  world: World,
  { consumes = [] }: Endpoint,
  row: RouteRow,
): Generator<{ type: string; body: string }> {
  const body = (row.body as NonNullable<RouteRow['body']>)(world);
  const bodies = objectsIn(body).map((place) => withMember(body, place, 'extra'));
  if (row.access === 'signature') {
    const { x_signature: _signature, ...fields } = body as Record<string, string>;
    const { secret_token: secret } = world.ana.service.development;
    for (const name of ['x_extra', 'X_AMOUNT', 'x_result'])
      bodies.push(withSignature({ ...fields, [name]: '1' }, secret));
  }
  for (const type of consumes) for (const changed of bodies) yield { type, body: written(changed, type) };
}

type Place = readonly (string | number)[];

/** Returns the path to every object in a value. */
function objectsIn(value: unknown, place: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([name, member]) => objectsIn(member, [...place, name]));
  return Array.isArray(value) ? inner : [place, ...inner];
}

function withMember(body: Record<string, unknown>, place: Place, name: string): Record<string, unknown> {
  const copy = structuredClone(body);
  let object = copy;
  for (const step of place) object = object[step] as Record<string, unknown>;
  object[name] = '1';
  return copy;
}

function ownPath(path: string, { objects, transaction }: Merchant): string {
  return path
    .replace(':idUser', objects.user)
    .replace(':webhook', 'remittances')
    .replace(':listener', objects.listener)
    .replace(':id', objects.transaction)
    .replace(':token', `${transaction.id.toString(36)}-${transaction.pay_secret}`);
}

/**
 * Whether the answer refuses the unknown member. A payer gets a page without a code, and a batch has a verdict for each
 * item.
 */
function refusesUnknown({ status, headers, text }: Answer): boolean {
  if (headers.get('content-type')?.startsWith('text/html')) return status === 400;
  return (status >= 400 && status < 500 ? true : status === 200) && text.includes('"UNKNOWN_FIELD"');
}

/** Asserts a refusal with this code, or with this message on a page. */
function assertRefused(answer: Answer, code: ErrorCode, message: string): void {
  assert.equal(answer.status, CATALOGUE[code].status, message);
  if (answer.headers.get('content-type')?.startsWith('text/html')) return;
  assert.equal(jsonOf(answer)['code'], code, message);
}

/** Returns an answer without the parts that differ between any two answers. */
function comparable({ status, headers, text }: Answer): unknown {
  const {
    'x-request-id': requestId = '',
    date: _date,
    'content-length': length,
    ...others
  } = Object.fromEntries(headers);
  // Every refusal has its request id in the body, and these ids grow longer.
  return { status, headers: others, length: Number(length) - requestId.length, text: text.replaceAll(requestId, '') };
}
