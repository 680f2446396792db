import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { test } from 'node:test';
import { EXPLAIN_LIMITS } from '../../../src/api/transactions/explain-refusal.ts';
import type { App } from '../../../src/app.ts';
import { limitKey } from '../../../src/limits/limit.ts';
import { incrementCount } from '../../../src/limits/limit-queries.ts';
import { createPaymentService, type NewPaymentService } from '../../../src/payment-services/create-payment-service.ts';
import { disablePaymentService } from '../../../src/payment-services/disable-payment-service.ts';
import { loadEnvironment } from '../../../src/payment-services/find-environment.ts';
import { rotateSecretToken } from '../../../src/payment-services/rotate-secret-token.ts';
import { forEachEngine } from '../../support/engines.ts';
import { TESTER } from '../../support/test-actor.ts';
import { createTestApp } from '../../support/test-app.ts';
import { type Answer, jsonOf, startTestServer, type TestServer } from '../../support/test-server.ts';
import { signedBody } from '../../support/test-shop.ts';

type Item = { pointer: string; code: string; message: string; fix: string };
type Tokens = { service_token: string; secret_token: string };
type Body = Record<string, unknown>;

/** Mistakes of a shop's program. The tests of the SDK hold every explanation; these hold that the answer has them. */
const MISTAKES: { name: string; code: string; pointer: string; make: (tokens: Tokens, service: Service) => Body }[] = [
  {
    name: 'the Secret Token of production',
    code: 'SECRET_OF_OTHER_ENVIRONMENT',
    pointer: '',
    make: ({ service_token }, { production }) => signedBody(service_token, production.secret_token),
  },
  {
    name: 'an amount signed as 12990.0 and sent as 12990',
    code: 'NUMBER_PRINTED_DIFFERENTLY',
    pointer: '/x_amount',
    make: ({ service_token, secret_token }) => ({
      ...signedBody(service_token, secret_token, { x_amount: '12990.0' }),
      x_amount: 12_990,
    }),
  },
  {
    name: 'base64 in place of hexadecimal',
    code: 'SIGNATURE_IN_BASE64',
    pointer: '/x_signature',
    make: ({ service_token, secret_token }) => {
      const body = signedBody(service_token, secret_token);
      return { ...body, x_signature: Buffer.from(body.x_signature as string, 'hex').toString('base64') };
    },
  },
  {
    name: 'an unsigned object that was signed',
    code: 'OBJECT_SIGNED',
    pointer: '/x_products',
    make: ({ service_token, secret_token }) => ({
      ...signedBody(service_token, secret_token, { x_products: '[{"name":"a"}]' }),
      x_products: [{ name: 'a' }],
    }),
  },
];

type Service = Required<NewPaymentService>;

forEachEngine('a refused signature', (openTestDatabase) => {
  for (const { name, code, pointer, make } of MISTAKES) {
    test(`with a development token is explained: ${name}`, async () => {
      const app = createTestApp(await openTestDatabase());
      const service = await createPaymentService(app, 'Shop', TESTER);
      await using server = await startTestServer(app);
      const answer = await server.post('/trxs', { json: make(service.development, service) });
      assert.deepEqual([answer.status, jsonOf(answer)['code']], [401, 'SIGNATURE_INVALID']);
      const [item, ...others] = itemsOf(answer);
      assert.deepEqual([item?.code, item?.pointer, others], [code, pointer, []]);
      assert.equal(jsonOf(answer)['detail'], item?.message);
      assertTellsNoSecret(answer, service);
      assert.deepEqual(await app.db.query('select id from transactions'), []);
    });

    test(`with a production token is answered like an unknown account: ${name}`, async () => {
      const app = createTestApp(await openTestDatabase());
      const service = await createPaymentService(app, 'Shop', TESTER);
      await using server = await startTestServer(app);
      const { production, development } = service;
      const refused = await server.post('/trxs', { json: make(production, { ...service, production: development }) });
      const unknown = await server.post('/trxs', { json: make({ ...production, service_token: 'unknown' }, service) });
      assert.equal(refused.status, 401);
      assert.deepEqual(itemsOf(refused), []);
      assert.deepEqual(comparable(refused), comparable(unknown));
    });
  }

  test('is explained on a thread of lower priority, so that payments do not wait', async () => {
    const app = createTestApp(await openTestDatabase());
    const { development, production } = await createPaymentService(app, 'Shop', TESTER);
    await using server = await startTestServer(app);
    const answer = await server.post('/trxs', { json: signedBody(development.service_token, production.secret_token) });
    assert.equal(itemsOf(answer).length, 1);
    if (process.platform !== 'linux') return;
    const niceness = globSync('/proc/self/task/*/stat').map((path) => niceOf(readFileSync(path, 'utf8')));
    assert.ok(niceness.includes(constants.priority.PRIORITY_BELOW_NORMAL));
    assert.ok(niceness.includes(getPriority()), 'the other threads keep their priority');
  });

  test('is explained when it was made with a secret that has been rotated out', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id, development: old } = await createPaymentService(app, 'Shop', TESTER);
    await rotateSecretToken(app, id, 'development', 0, TESTER);
    app.now.advance(2_000);
    await using server = await startTestServer(app);
    const answer = await server.post('/trxs', { json: signedBody(old.service_token, old.secret_token) });
    assert.deepEqual([answer.status, itemsOf(answer)[0]?.code], [401, 'SECRET_ROTATED']);
  });

  test('is explained with a fix in the programming language of the client, or in all four', async () => {
    const app = createTestApp(await openTestDatabase());
    const { development: tokens } = await createPaymentService(app, 'Shop', TESTER);
    await using server = await startTestServer(app);
    const fixFor = async (userAgent: string) => {
      const json = { ...signedBody(tokens.service_token, tokens.secret_token), x_signature: unsortedSignature(tokens) };
      return itemsOf(await server.post('/trxs', { json, headers: { 'user-agent': userAgent } }))[0]?.fix;
    };
    assert.equal(await fixFor('GuzzleHttp/7'), 'ksort($fields);');
    assert.equal(await fixFor('python-requests/2.32'), 'sorted(fields)');
    assert.equal(await fixFor('axios/1.7'), 'Object.keys(fields).sort()');
    assert.equal(await fixFor('Faraday v2'), 'fields.sort.to_h');
    assert.match((await fixFor('curl/8')) ?? '', /^PHP: ksort.* \| JavaScript: .* \| Python: .* \| Ruby: /);
  });

  test('is explained for form requests too', async () => {
    const app = createTestApp(await openTestDatabase());
    const service = await createPaymentService(app, 'Shop', TESTER);
    await using server = await startTestServer(app);
    const { service_token } = service.development;
    const body = new URLSearchParams(signedBody(service_token, service.production.secret_token)).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
    for (const path of ['/trxs', '/v2/trxs', '/initTransaction']) {
      const answer = await server.post(path, { body, headers });
      assert.deepEqual([answer.status, itemsOf(answer)[0]?.code], [401, 'SECRET_OF_OTHER_ENVIRONMENT'], path);
    }
  });

  test('gets no explanation when nothing can be proved', async () => {
    const app = createTestApp(await openTestDatabase());
    const { development: tokens } = await createPaymentService(app, 'Shop', TESTER);
    await using server = await startTestServer(app);
    const answer = await server.post('/trxs', { json: signedBody(tokens.service_token, 'somebody else') });
    assert.deepEqual([answer.status, itemsOf(answer)], [401, []]);
  });

  test('gets no explanation for a disabled payment service', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id, development, production } = await createPaymentService(app, 'Shop', TESTER);
    await disablePaymentService(app, id, TESTER);
    await using server = await startTestServer(app);
    const json = signedBody(development.service_token, production.secret_token);
    assert.deepEqual(itemsOf(await server.post('/trxs', { json })), []);
  });

  test('is explained only a limited number of times for each address and each account', async () => {
    const app = createTestApp(await openTestDatabase());
    const { development, production } = await createPaymentService(app, 'Shop', TESTER);
    const other = await createPaymentService(app, 'Other shop', TESTER);
    const { id } = (await loadEnvironment(app, development.service_token)) as { id: number };
    await using server = await startTestServer(app);
    const ask = (service: Service) =>
      explanationOf(server, signedBody(service.development.service_token, service.production.secret_token));
    await useUp(app, 'account', String(id), 1);
    const service = { development, production } as Service;
    assert.deepEqual(
      [await ask(service), await ask(service), await ask(other)],
      ['SECRET_OF_OTHER_ENVIRONMENT', undefined, 'SECRET_OF_OTHER_ENVIRONMENT'],
    );
    await useUp(app, 'address', '127.0.0.1', 3);
    assert.equal(await ask(other), undefined);
    app.now.advance(EXPLAIN_LIMITS.account.windowMs);
    assert.equal(await ask(service), 'SECRET_OF_OTHER_ENVIRONMENT');
  });
});

/** Reads the priority in `/proc/…/stat`. The thread's name may have spaces and ends at the last parenthesis. */
function niceOf(stat: string): number {
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
}

function itemsOf(answer: Answer): Item[] {
  return jsonOf(answer)['errors'] as Item[];
}

async function explanationOf(server: TestServer, json: Body): Promise<string | undefined> {
  const answer = await server.post('/trxs', { json });
  assert.equal(answer.status, 401);
  return itemsOf(answer)[0]?.code;
}

/** Asserts that the answer has neither a secret nor the right signature. */
function assertTellsNoSecret({ text }: Answer, { development, production }: Service): void {
  const right = signedBody(development.service_token, development.secret_token);
  for (const secret of [development.secret_token, production.secret_token, right.x_signature as string]) {
    assert.ok(!text.includes(secret));
  }
}

/** Returns an answer without the parts that differ between any two answers. */
function comparable({ status, headers, text }: Answer): unknown {
  const { 'x-request-id': requestId, date: _date, ...others } = Object.fromEntries(headers);
  return { status, headers: others, text: text.replaceAll(requestId as string, '') };
}

/** Returns the signature of the fields in the order of the old documentation, unsorted. */
function unsortedSignature({ service_token, secret_token }: Tokens): string {
  const { x_signature: _right, ...fields } = signedBody(service_token, secret_token);
  const message = Object.entries(fields).toReversed().flat().join('');
  return createHmac('sha256', secret_token).update(message).digest('hex');
}

async function useUp(app: App, name: keyof typeof EXPLAIN_LIMITS, subject: string, left: number): Promise<void> {
  const limit = EXPLAIN_LIMITS[name];
  const use = { key: limitKey(app, limit, subject), now: app.now(), endsAt: app.now() + limit.windowMs, renews: false };
  await app.db.transaction((tx) => incrementCount(tx, { ...use, times: limit.most - left }));
}
