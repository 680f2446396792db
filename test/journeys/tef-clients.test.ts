import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { NO_LIMITS, upsertPayoutLimits } from '../../src/payouts/approval/payout-limit-queries.ts';
import { carryOutPayouts } from '../../src/payouts/carry-out-payouts.ts';
import { setPayoutSender } from '../../src/payouts/set-payout-sender.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { openPayoutDesk } from '../support/test-payouts.ts';
import { jsonOf, startTestServer } from '../support/test-server.ts';

/**
 * A client as its published code behaves: the paths for log-in and payment, and the format of the token and the body.
 */
type Client = {
  name: string;
  login: string;
  authorization: (jwt: string) => string;
  pay: string;
  body: string;
  id: string;
  balance: readonly string[];
  /** The URL that receives its callbacks, byte for byte. */
  told: string | null;
};

const CLIENTS: readonly Client[] = [
  {
    name: 'MONAX (Node)',
    login: '/loginToken',
    authorization: (jwt) => `Bearer ${jwt}`,
    pay: '/tef',
    id: '0b5d2f06-98a9-4d9c-9a7e-6a0a5d8b3f11',
    body: '{"tef":{"id":"0b5d2f06-98a9-4d9c-9a7e-6a0a5d8b3f11","messageToAddressee":"Retiro MONAX","amount":9000,"recipientData":{"rut":"12.531.909-2","name":"Ana Núñez","email":"ana@example.cl"},"bankData":{"bankSBIFNumber":"012","bankAccount":"12531909"}},"callbackUrl":"https://functions.monax.example/pagofacil/tef?token=S3cr%3Dt&user=7"}',
    balance: [],
    told: 'https://functions.monax.example/pagofacil/tef?token=S3cr%3Dt&user=7',
  },
  {
    name: 'Radar (Python)',
    login: '/v1/loginToken',
    authorization: (jwt) => `Bearer ${jwt}`,
    pay: '/v1/payout/tef',
    id: 'gmail.com-5f1f4b52-7c0e-4a0c-8a51-3b1f1a6f7f10',
    body: '{"tef": {"id": "gmail.com-5f1f4b52-7c0e-4a0c-8a51-3b1f1a6f7f10", "messageToAddressee": "Pago", "amount": "1800", "recipientData": {"rut": "12531909-2", "name": "Ana N\\u00fa\\u00f1ez", "email": "ana@example.cl"}, "bankData": {"bankSBIFNumber": "012", "bankAccount": "12531909"}}, "callbackUrl": "https://bot.example/tef"}',
    balance: ['/v1/payout/balance'],
    told: 'https://bot.example/tef',
  },
  {
    name: 'the QA scripts (Python), with the token alone and the address in tef.url',
    login: '/dev/loginToken',
    authorization: (jwt) => jwt,
    pay: '/dev/tef',
    id: 'a8K2mZ0qL5xY7vB1nC4dE6fG9hJ3kP8r',
    body: '{"tef": {"id": "a8K2mZ0qL5xY7vB1nC4dE6fG9hJ3kP8r", "messageToAddressee": "Prueba", "amount": 100, "recipientData": {"rut": "12.531.909-2", "name": "Ana", "email": "alexander"}, "bankData": {"bankSBIFNumber": "012", "bankAccount": "12531909"}, "url": "https://qa.example/hook"}}',
    balance: ['/dev/balance', '/dev/availableBalance'],
    told: 'https://qa.example/hook',
  },
];

/** The requests of the QA collections that must be refused: CP_002 to CP_007. */
const REFUSED: readonly [string, RegExp][] = [
  ['"amount":9000', /"amount":null/],
  ['"rut":"12.531.909-2"', /"rut":""/],
  ['"name":"Ana Núñez"', /"name":""/],
  ['"email":"ana@example.cl"', /"email":""/],
  ['"bankAccount":"12531909"', /"bankAccount":""/],
  ['"bankSBIFNumber":"012"', /"bankSBIFNumber":""/],
];

async function setUp(openTestDatabase: OpenTestDatabase) {
  const config = readConfig({ MASTER_KEY: '5a'.repeat(32), LOG_LEVEL: 'silent', BASE_PATH: '/v1,/dev' });
  const app = createTestApp(await openTestDatabase(), { config });
  const server = await startTestServer(app);
  const desk = await openPayoutDesk(app);
  const { environment, maker, users } = desk;
  await setPayoutSender(app, environment, { kind: 'simulated', url: null, key: null }, maker);
  const rule = { ...NO_LIMITS, automatic_per_payout: 20_000 };
  await app.db.transaction((tx) => upsertPayoutLimits(tx, environment.id, rule));
  const { email, api_token } = users.program;
  const logIn = async (path: string) => {
    const reply = await server.post(path, { json: { email, apiToken: api_token } });
    assert.equal(reply.status, 200, reply.text);
    return (jsonOf(reply) as { access_token_jwt: string }).access_token_jwt;
  };
  return { app, server, logIn, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

forEachEngine('published clients of the transfers API', (openTestDatabase) => {
  test('each logs in, pays, gets the result at its callback URL, and reads the transfer', async () => {
    await using at = await setUp(openTestDatabase);
    for (const client of CLIENTS) {
      const authorization = client.authorization(await at.logIn(client.login));
      const headers = { authorization, 'content-type': 'application/json' };
      const paid = await at.server.post(client.pay, { body: client.body, headers });
      assert.equal(paid.status, 201, `${client.name}: ${paid.text}`);
      // MONAX throws if the response has a member `error` that is not null.
      assert.equal((jsonOf(paid) as { error?: unknown }).error ?? null, null);
      assert.equal(typeof jsonOf(paid)['message'], 'string');
      await carryOutPayouts(at.app, 10);
      const path = `${client.pay.startsWith('/dev') ? '/dev' : ''}/tef/${client.id}`;
      const { tefResponse } = jsonOf(await at.server.get(path, headers)) as {
        tefResponse: { status: string; tef: { id: string } };
      };
      assert.deepEqual([tefResponse.status, tefResponse.tef.id], ['completed', client.id], client.name);
      for (const balance of client.balance) {
        const { balance: pesos } = jsonOf(await at.server.get(balance, headers)) as { balance: unknown };
        assert.equal(typeof pesos, 'number');
      }
    }
    const delivery = createCallbackDelivery(at.app, () => {});
    await delivery.poll();
    await delivery.drain();
    const told = at.app.sent.filter(({ url }) => CLIENTS.some((client) => client.told === url));
    assert.equal(told.length, CLIENTS.length);
    for (const { url, method, headers, body } of told) {
      const client = CLIENTS.find((one) => one.told === url);
      const { tefResponse } = JSON.parse(String(body)) as { tefResponse: { status: string; tef: { id: string } } };
      assert.deepEqual([method, headers['content-type'], tefResponse.tef.id], ['POST', 'application/json', client?.id]);
      assert.match(headers['webhook-signature'] ?? '', /^v1,/);
    }
  });

  test('the invalid requests of the QA collections are refused with 422 and a message', async () => {
    await using at = await setUp(openTestDatabase);
    const [{ body, pay }] = CLIENTS as [Client];
    const authorization = `Bearer ${await at.logIn('/loginToken')}`;
    for (const [part, wanted] of REFUSED) {
      const empty = part.includes('amount":9') ? '"amount":null' : part.replace(/:".*"$/, ':""');
      const wrong = body.replace(part, empty);
      assert.match(wrong, wanted);
      const refused = await at.server.post(pay, {
        body: wrong,
        headers: { authorization, 'content-type': 'application/json' },
      });
      assert.equal(refused.status, 422, part);
      assert.equal(typeof jsonOf(refused)['message'], 'string');
    }
  });
});
