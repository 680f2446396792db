import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountOf, nameWithToken } from '../../src/audit/actor.ts';
import { writeCounts } from '../../src/audit/count-acts.ts';
import { listAudit } from '../../src/audit/list-audit.ts';
import { disableUser, enableUser } from '../../src/auth/change-user.ts';
import { createUser, type NewUser } from '../../src/auth/create-user.ts';
import { requestActor } from '../../src/auth/person-of.ts';
import { resetApiToken, resetPassword } from '../../src/auth/reset-secrets.ts';
import { endSession } from '../../src/auth/sign-in/end-sessions.ts';
import { authenticateBearer } from '../../src/auth/tokens/authenticate-bearer.ts';
import { logInWithApiToken } from '../../src/auth/tokens/log-in-with-api-token.ts';
import { makeApiToken } from '../../src/auth/tokens/make-api-token.ts';
import { setFee } from '../../src/payment-services/set-fee.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { jsonOf, startTestServer } from '../support/test-server.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

const EMAIL = 'tills@example.cl';
const [FIRST, FOURTH] = [nameWithToken(EMAIL, 'first'), nameWithToken(EMAIL, 'till 4')];

forEachEngine('a program with two API tokens', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const paid = await createPaidTransaction(app, await createTestEnvironment(app));
    const wish = {
      email: EMAIL,
      may: ['payments:read', 'refunds:create', 'events:read'],
      paymentServices: 'all',
    } as const;
    const user = await createUser(app, wish, TESTER);
    const fourth = await makeApiToken(app, user.id, { name: 'till 4', expiresAt: null }, TESTER);
    const server = await startTestServer(app);
    const refundWith = async (apiToken: string, key: string | null) => {
      const headers = { ...(await bearer(app, apiToken)), ...(key !== null && { 'idempotency-key': key }) };
      const json = { amount: 100, type: 'parcial' };
      const answer = await server.post(`/trxs/${paid.id}/nullification`, { headers, json });
      assert.equal(answer.status, 200, answer.text);
      return (jsonOf(answer)['data'] as { verificationToken: string }).verificationToken;
    };
    return { app, user, fourth: fourth?.api_token ?? '', server, refundWith };
  };

  test('appears in refunds, audit log and sign-ins under the name of the token that it used', async () => {
    const { app, user, fourth, server, refundWith } = await open();
    await using _server = server;
    await refundWith(user.api_token, 'a');
    await refundWith(fourth, 'b');
    const refunds = await app.db.query('select requested_by from refunds order by sequence');
    assert.deepEqual(
      refunds.map((row) => row['requested_by']),
      [FIRST, FOURTH],
    );
    const webhook = { url: 'https://shop.example.cl/told', webhook: 'refunds' };
    const told = await server.post('/webhooks', { headers: await bearer(app, fourth), json: webhook });
    assert.ok(told.status < 300, told.text);
    await writeCounts(app, 'end');
    assert.deepEqual(await namesOf(app, { action: 'refund.requested' }), [FOURTH, FIRST]);
    assert.deepEqual(await namesOf(app, { action: 'webhook.set' }), [FOURTH]);
    assert.deepEqual(new Set(await namesOf(app, { action: 'user.signed_in' })), new Set([FIRST, FOURTH]));
    assert.equal(
      (await namesOf(app, { who: EMAIL, action: 'refund.requested' })).length,
      2,
      'the account finds both acts',
    );
    assert.deepEqual(
      await namesOf(app, { who: FOURTH, action: 'refund.requested' }),
      [FOURTH],
      'a token finds its own acts',
    );
  });

  test('gets one refund when both tokens request the same refund without a key within a minute', async () => {
    const { app, user, fourth, server, refundWith } = await open();
    await using _server = server;
    const once = await refundWith(user.api_token, null);
    assert.equal(await refundWith(fourth, null), once);
    const other = await createUser(
      app,
      { email: `${EMAIL}.uk`, may: ['refunds:create'], paymentServices: 'all' },
      TESTER,
    );
    assert.notEqual(await refundWith(other.api_token, null), once, 'an account with a similar name has its own keys');
    assert.equal((await app.db.query('select id from refunds')).length, 2);
  });
});

type End = (app: TestApp, user: NewUser, session: string) => Promise<unknown>;

const ENDS: readonly [how: string, end: End][] = [
  ['its API token is reset, which makes one of the same name', (app, { id }) => resetApiToken(app, id, TESTER)],
  ['its password is reset', (app, { id }) => resetPassword(app, id, TESTER)],
  ['its session is ended', (app, _user, session) => endSession(app, session, TESTER)],
  [
    'it is disabled and enabled',
    async (app, { id }) => {
      await disableUser(app, id, TESTER);
      await enableUser(app, id, TESTER);
    },
  ],
];

forEachEngine('a request that knew its access token for a moment longer', (openTestDatabase) => {
  for (const [how, end] of ENDS) {
    test(`does nothing if ${how} before its commit`, async () => {
      const app = createTestApp(await openTestDatabase());
      const shop = await createTestEnvironment(app);
      const user = await createUser(app, { email: EMAIL, role: 'owner', paymentServices: 'all' }, TESTER);
      const { authorization } = await bearer(app, user.api_token);
      const letIn = await authenticateBearer(app, authorization, undefined);
      await end(app, user, letIn.sessionId ?? '');
      const by = requestActor(letIn, '192.0.2.1', ['movements:record']);
      const target = { ...shop, method: 'simulated', currency: 'CLP' };
      await assert.rejects(setFee(app, target, { rate_ppm: 29_500, fixed: 0 }, by), { code: 'TOKEN_INVALID' });
      assert.deepEqual(await app.db.query('select * from fees'), []);
    });
  }
});

const NAMES: [name: string, account: string][] = [
  [FOURTH, EMAIL],
  [EMAIL, EMAIL],
  ['command line: root@host (token x)', 'command line: root@host (token x)'],
  ['a@b.cl (token x) (token y)', 'a@b.cl (token x) (token y)'],
];

for (const [name, account] of NAMES) {
  test(`the account of ${name} is ${account}`, () => assert.equal(accountOf(name), account));
}

async function bearer(app: TestApp, apiToken: NewUser['api_token']) {
  const login = { apiToken, email: null, expiresAt: null, address: '192.0.2.7' };
  return { authorization: `Bearer ${(await logInWithApiToken(app, login)).text}` };
}

async function namesOf(app: TestApp, filter: { who?: string; action: string }): Promise<string[]> {
  return (await listAudit(app, filter, 20)).acts.map(({ who }) => who.name);
}
