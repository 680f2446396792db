import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { decodeJwt, SignJWT } from 'jose';
import { disableUser } from '../../src/auth/change-user.ts';
import { addTotp } from '../../src/auth/factors/enrol-totp.ts';
import { resetApiToken, resetPassword } from '../../src/auth/reset-secrets.ts';
import { setRights } from '../../src/auth/set-rights.ts';
import { endSessionsOf } from '../../src/auth/sign-in/end-sessions.ts';
import { authenticateBearer } from '../../src/auth/tokens/authenticate-bearer.ts';
import { deriveKey } from '../../src/lib/seal.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { loadEnvironment } from '../../src/payment-services/find-environment.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { explain, listenToStatements } from '../support/heard-statements.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createTestUser, READ_AND_REFUND, type TestUser, withApiToken } from '../support/test-user.ts';

const WITHIN_A_SECOND = 999;
const NEED_A_FACTOR = ['support', 'finance', 'approver', 'operator', 'owner'];
const UUID = '3f0c7f0a-9f3e-4b67-8a53-0d5f0f8f7f11';

async function setUp(openTestDatabase: OpenTestDatabase) {
  const app = createTestApp(await openTestDatabase());
  const user = await createTestUser(app);
  const header = user.headers.authorization;
  return { app, user, header, token: header.slice('Bearer '.length) };
}

function codeOf(app: TestApp, authorization: string | undefined, apiKey?: string): Promise<string> {
  return authenticateBearer(app, authorization, apiKey).then(
    () => 'ok',
    (error: { code: string }) => error.code,
  );
}

const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 });

forEachEngine('a bearer token', (openTestDatabase, engine) => {
  test('names its user', async () => {
    const { app, user, header, token } = await setUp(openTestDatabase);
    assert.deepEqual(await authenticateBearer(app, header, undefined), {
      id: user.id,
      email: user.email,
      role: 'integration',
      may: new Set(READ_AND_REFUND),
      token: null,
      sessionId: decodeJwt(token).jti,
      environmentIds: null,
    });
  });

  test('gives a user of one payment service access to both of its environments', async () => {
    const app = createTestApp(await openTestDatabase());
    const [service] = [
      await createPaymentService(app, 'Own', TESTER),
      await createPaymentService(app, 'Other', TESTER),
    ];
    const { headers } = await createTestUser(app, { payouts: true, paymentServices: [service.id] });
    const tokens = [service.development.service_token, service.production.service_token];
    const environments = await Promise.all(tokens.map((token) => loadEnvironment(app, token)));
    const user = await authenticateBearer(app, headers.authorization, undefined);
    assert.deepEqual(user.environmentIds, new Set(environments.map((environment) => environment?.id)));
    assert.equal(user.may.has('accounts:validate'), true);
  });

  test('gives a developer only the development environments of the payment services that they may see', async () => {
    const app = createTestApp(await openTestDatabase());
    const services = [
      await createPaymentService(app, 'Own', TESTER),
      await createPaymentService(app, 'Other', TESTER),
    ] as const;
    const ids = [];
    for (const { development } of services) ids.push((await loadEnvironment(app, development.service_token))?.id);
    const rights = { role: 'developer', may: [] } as const;
    const own = await createTestUser(app, { ...rights, paymentServices: [services[0].id] });
    const all = await createTestUser(app, { ...rights, paymentServices: 'all' });
    const seen = async ({ headers }: typeof own) =>
      (await authenticateBearer(app, headers.authorization, undefined)).environmentIds;
    assert.deepEqual(await seen(own), new Set(ids.slice(0, 1)));
    assert.deepEqual(await seen(all), new Set(ids));
  });

  if (engine === 'sqlite')
    test('finds the environments of its user without a scan of a table', async () => {
      const app = createTestApp(await openTestDatabase());
      const service = await createPaymentService(app, 'Own', TESTER);
      const { headers } = await createTestUser(app, { paymentServices: [service.id] });
      const listening = listenToStatements(app);
      await authenticateBearer(listening.app, headers.authorization, undefined);
      for (const statement of listening.heard)
        assert.doesNotMatch((await explain(app, statement)).join(), /SCAN/, statement.sql);
    });

  test('is accepted with the scheme in any case, without a scheme, and next to an x-api-key header', async () => {
    const { app, header, token } = await setUp(openTestDatabase);
    for (const taken of [header, `bearer ${token}`, `BEARER  ${token}`, token]) {
      assert.equal(await codeOf(app, taken), 'ok');
    }
    assert.equal(await codeOf(app, header, 'key'), 'ok');
  });

  test('is refused with a code that tells a missing, a retired and an invalid token apart', async () => {
    const { app, header, token } = await setUp(openTestDatabase);
    const cases: [string | undefined, string | undefined, string][] = [
      [undefined, undefined, 'TOKEN_MISSING'],
      [undefined, '', 'TOKEN_MISSING'],
      [undefined, 'anything', 'PRIVATE_TOKEN_RETIRED'],
      ['', 'anything', 'PRIVATE_TOKEN_RETIRED'],
      ['Basic dXNlcjpwYXNz', 'anything', 'PRIVATE_TOKEN_RETIRED'],
      [UUID, undefined, 'PRIVATE_TOKEN_RETIRED'],
      [UUID.toUpperCase(), undefined, 'PRIVATE_TOKEN_RETIRED'],
      [UUID.replaceAll('-', ''), undefined, 'PRIVATE_TOKEN_RETIRED'],
      [`Bearer ${UUID}`, 'anything', 'TOKEN_INVALID'],
      ['', undefined, 'TOKEN_INVALID'],
      ['Bearer', undefined, 'TOKEN_INVALID'],
      ['Basic dXNlcjpwYXNz', undefined, 'TOKEN_INVALID'],
      ['tok_live_0123456789abcdef', undefined, 'TOKEN_INVALID'],
      [`Token ${token}`, undefined, 'TOKEN_INVALID'],
      [`${header} x`, undefined, 'TOKEN_INVALID'],
      [`${header},${header}`, undefined, 'TOKEN_INVALID'],
      [header.slice(0, -1), undefined, 'TOKEN_INVALID'],
      [`${header}A`, undefined, 'TOKEN_INVALID'],
      [`Bearer ${token.toUpperCase()}`, undefined, 'TOKEN_INVALID'],
      [`Bearer ${'a'.repeat(8000)}`, undefined, 'TOKEN_INVALID'],
      [`Bearer ${token}.${'a'.repeat(8000)}`, undefined, 'TOKEN_INVALID'],
    ];
    for (const [authorization, apiKey, code] of cases) {
      assert.equal(await codeOf(app, authorization, apiKey), code, `${authorization} ${apiKey}`.slice(0, 100));
    }
  });

  // Base64url of 32 bytes leaves two bits of the last character unused, which most decoders ignore.
  test('is refused when its last character is replaced by another one that decodes to the same signature', async () => {
    const { app, token } = await setUp(openTestDatabase);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet.indexOf(token.at(-1) as string);
    for (const bits of [1, 2, 3]) {
      assert.equal(await codeOf(app, `Bearer ${token.slice(0, -1)}${alphabet[last ^ bits]}`), 'TOKEN_INVALID');
    }
  });

  test('is refused when it is forged, whatever algorithm its header names', async () => {
    const { app, user } = await setUp(openTestDatabase);
    const seconds = app.now() / 1000;
    const genuine = { alg: 'HS256', key: deriveKey(app.config.masterKey, 'access-token') };
    const payload = { sub: user.id, version: 1, iss: 'rubrica', aud: 'rubrica-api', exp: seconds + 60 };
    const publicText = Buffer.from(RSA.publicKey.export({ type: 'spki', format: 'pem' }));
    const sign = (claims: Record<string, unknown>, { alg, key } = genuine) =>
      new SignJWT(claims).setProtectedHeader({ alg }).sign(key);
    assert.equal(await codeOf(app, `Bearer ${await sign(payload)}`), 'ok');
    const forged = {
      'another key': await sign(payload, { ...genuine, key: deriveKey(app.config.masterKey, 'secret-token') }),
      // With the key of the installation: only the list of algorithms refuses them.
      HS384: await sign(payload, { ...genuine, alg: 'HS384' }),
      HS512: await sign(payload, { ...genuine, alg: 'HS512' }),
      RS256: await new SignJWT(payload).setProtectedHeader({ alg: 'RS256' }).sign(RSA.privateKey),
      'the public key as the secret': await sign(payload, { ...genuine, key: publicText }),
      'another audience': await sign({ ...payload, aud: 'other' }),
      'another issuer': await sign({ ...payload, iss: 'other' }),
      'no end': await sign({ ...payload, exp: undefined }),
      'its end over': await sign({ ...payload, exp: seconds }),
      'no user': await sign({ ...payload, sub: undefined }),
      'a user that does not exist': await sign({ ...payload, sub: 'usr_x' }),
      'another version': await sign({ ...payload, version: 2 }),
      'a version that is text': await sign({ ...payload, version: '1' }),
      'no version': await sign({ ...payload, version: undefined }),
    };
    for (const [name, token] of Object.entries(forged)) {
      assert.equal(await codeOf(app, `Bearer ${token}`), 'TOKEN_INVALID', name);
    }
    const [, claims] = (await sign(payload)).split('.');
    const heads = ['none', 'nOnE', 'HS256'].map((alg) => Buffer.from(JSON.stringify({ alg })).toString('base64url'));
    for (const head of heads) {
      for (const end of ['', 'AAAA', 'A'.repeat(43)]) {
        assert.equal(await codeOf(app, `Bearer ${head}.${claims}.${end}`), 'TOKEN_INVALID');
      }
    }
  });

  test('stops working when it expires', async () => {
    const { app, header } = await setUp(openTestDatabase);
    app.now.advance(86_400_000 - 1);
    assert.equal(await codeOf(app, header), 'ok');
    app.now.advance(WITHIN_A_SECOND);
    assert.equal(await codeOf(app, header), 'TOKEN_INVALID');
  });

  const revocations = { disableUser, resetPassword, resetApiToken, endSessionsOf };
  for (const [name, revoke] of Object.entries(revocations)) {
    test(`is revoked by ${name} within a second, also on replicas that have it in their cache`, async () => {
      const db = await openTestDatabase();
      const apps = [createTestApp(db), createTestApp(await openTestDatabase({ url: db.url }))];
      const { id, headers } = await createTestUser(apps[0] as TestApp);
      for (const app of apps) assert.equal(await codeOf(app, headers.authorization), 'ok');
      await revoke(apps[0] as TestApp, id, TESTER);
      for (const app of apps) {
        app.now.advance(WITHIN_A_SECOND);
        assert.equal(await codeOf(app, headers.authorization), 'TOKEN_INVALID');
      }
    });
  }

  test('gets changed permissions of its user within a second', async () => {
    const { app, user, header } = await setUp(openTestDatabase);
    assert.equal((await authenticateBearer(app, header, undefined)).may.has('accounts:validate'), false);
    await setRights(app, user.id, { grant: ['accounts:validate'] }, TESTER);
    app.now.advance(WITHIN_A_SECOND);
    assert.equal((await authenticateBearer(app, header, undefined)).may.has('accounts:validate'), true);
  });

  test('of a password ends when its person adds or needs a second factor; one of an API token does not', async () => {
    const db = await openTestDatabase();
    const { config } = createTestApp(db);
    const app = createTestApp(db, { config: { ...config, secondFactorRoles: NEED_A_FACTOR } });
    const needs: [string, (user: TestUser) => Promise<unknown>][] = [
      ['a permission', ({ id }) => setRights(app, id, { grant: ['refunds:create'] }, TESTER)],
      ['a role', ({ id }) => setRights(app, id, { role: 'support' }, TESTER)],
      ['a factor', (user) => addTotp(app, user, 'Phone', TESTER)],
    ];
    for (const [name, begin] of needs) {
      const person = await createTestUser(app, { role: 'developer', may: [] });
      const { headers } = await withApiToken(app, person);
      assert.equal(await codeOf(app, person.headers.authorization), 'ok', name);
      await begin(person);
      app.now.advance(WITHIN_A_SECOND);
      assert.equal(await codeOf(app, person.headers.authorization), 'TOKEN_INVALID', name);
      assert.equal(await codeOf(app, headers.authorization), 'ok', name);
    }
    const program = await createTestUser(app, { may: ['refunds:create'] });
    assert.equal(await codeOf(app, program.headers.authorization), 'ok');
  });

  test('needs no second verification and no database query while it is in the cache', async () => {
    const { app, header } = await setUp(openTestDatabase);
    const user = await authenticateBearer(app, header, undefined);
    app.db.query = () => Promise.reject(new Error('asked'));
    assert.equal(await authenticateBearer(app, header, undefined), user);
    app.now.advance(WITHIN_A_SECOND);
    await assert.rejects(authenticateBearer(app, header, undefined), /asked/);
  });
});
