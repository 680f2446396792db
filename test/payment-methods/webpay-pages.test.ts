import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cancelTransaction } from '../../src/checkout/cancel-transaction.ts';
import { simulatedMethod } from '../../src/payment-methods/simulated-method.ts';
import { removeMethodSettings, setMethodSettings } from '../../src/payment-services/method-settings.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import { payToken } from '../../src/transactions/transaction.ts';
import { readStates } from '../checkout/checkout-case.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, createTestClock } from '../support/test-app.ts';
import { acceptedRefund } from '../support/test-refunds.ts';
import { jsonOf, startTestServer, type TestServer } from '../support/test-server.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';
import { type Ending, openWebpay, TEST_ACCOUNT } from '../support/webpay-case.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': 'en' };
const ENGLISH = { 'accept-language': 'en' };

/** Opens the pages of a development transaction with Webpay, alone or with the simulated method. */
async function open(context: Ending, openTestDatabase: OpenTestDatabase, alone: boolean) {
  const now = createTestClock();
  const { method, standIn } = await openWebpay(context, { now });
  const paymentMethods = alone ? [method] : [simulatedMethod, method];
  const app = createTestApp(await openTestDatabase(), { now, paymentMethods });
  const environment = await createTestEnvironment(app);
  const { paymentServiceId } = environment;
  await setMethodSettings(
    app,
    { paymentServiceId, environment: 'development', method: 'webpay' },
    TEST_ACCOUNT,
    TESTER,
  );
  const transaction = await createTestTransaction(app, environment);
  now.advance(1000);
  const server = await startTestServer(app);
  context.after(() => server[Symbol.asyncDispose]());
  return { app, server, standIn, environment, transaction, path: `/pay/${payToken(transaction)}` };
}

async function payBy(server: TestServer, path: string): Promise<string> {
  const { status, text } = await server.post(path, { headers: FORM, body: 'method=webpay' });
  assert.equal(status, 200);
  return /name="token_ws" value="(\w{64})"/.exec(text)?.[1] as string;
}

/** Returns the members of `GET /trxs/{id}` that only Webpay fills. */
async function readFacts(server: TestServer, id: number, headers: Record<string, string>): Promise<unknown[]> {
  const { data } = jsonOf(await server.get(`/trxs/${id}`, headers)) as { data: Record<string, unknown> };
  return ['authCode', 'paymentTypeCode', 'sharesNumber', 'responceCode', 'vci'].map((name) => data[name]);
}

forEachEngine('the pages of a payment by Webpay', (openTestDatabase) => {
  test('send the payer on when there is one method, by a form that a GET does not submit', async (context) => {
    const { app, server, path, standIn } = await open(context, openTestDatabase, true);
    const { status, text } = await server.get(path, ENGLISH);
    assert.equal(status, 200);
    assert.match(text, /<h1>Taking you to Webpay Plus<\/h1>/);
    assert.match(text, /the payment of CLP\s12,990 to Test shop there/);
    assert.match(text, /<img src="\/assets\/webpay-method\.svg"/);
    assert.match(
      text,
      new RegExp(`<form method="post" action="${path}" accept-charset="utf-8" data-submit-after="\\d+">`),
    );
    assert.match(text, /<input type="hidden" name="method" value="webpay">/);
    assert.match(text, /<button class="primary">Pay with Webpay Plus<\/button>/);
    assert.match(text, /<script src="\/assets\/submit-form\.js/);
    assert.equal((await server.get('/assets/webpay-method.svg')).status, 200);
    assert.deepEqual((await readStates(app)).attempts, []);
    assert.deepEqual(standIn.calls, []);
  });

  test('send the payer on only by the shop’s choice when there are several, with a link to the others', async (context) => {
    const { server, path } = await open(context, openTestDatabase, false);
    assert.doesNotMatch((await server.get(path)).text, /data-submit-after/);
    assert.doesNotMatch((await server.get(`${path}?method=simulated`)).text, /data-submit-after/);
    const { text } = await server.get(`${path}?method=webpay`, ENGLISH);
    assert.match(text, /data-submit-after/);
    assert.match(text, new RegExp(`<a class="secondary" href="${path}">Choose another payment method</a>`));
  });

  test('send the payer to Transbank by a form with the token, and the payer returns as paid', async (context) => {
    const { server, path, standIn } = await open(context, openTestDatabase, true);
    const { text, headers } = await server.post(path, { headers: FORM, body: 'method=webpay' });
    assert.ok(text.includes(`<form method="post" action="${standIn.url}/webpayserver/initTransaction"`));
    assert.match(headers.get('content-security-policy') as string, /form-action 'self' http:\/\/127\.0\.0\.1:\d+ /);
    const [token] = standIn.tokens() as [string];
    assert.ok(text.includes(`name="token_ws" value="${token}"`));
    const back = await server.get(path + new URL(standIn.choose(token, 'pay')).search.replace(/^/, '/return'));
    assert.deepEqual([back.status, back.headers.get('location')], [303, path]);
    const end = await server.get(path, ENGLISH);
    assert.match(end.text, /Payment approved/);
    assert.match(end.text, /<dt>Authorisation code<\/dt><dd>1213<\/dd>/);
  });

  test('leave the bank’s facts of a payment and of a decline in the API for existing clients', async (context) => {
    const bankSays = async (choice: 'pay' | 'decline') => {
      const { app, server, path, standIn, transaction } = await open(context, openTestDatabase, true);
      const { headers } = await createTestUser(app);
      const token = await payBy(server, path);
      assert.deepEqual(await readFacts(server, transaction.id, headers), [null, null, null, null, null]);
      await server.get(`${path}/return${new URL(standIn.choose(token, choice)).search}`);
      if (choice === 'decline') await cancelTransaction(app, transaction);
      return readFacts(server, transaction.id, headers);
    };
    assert.deepEqual(await bankSays('pay'), ['1213', 'VN', 0, 0, 'TSY']);
    assert.deepEqual(await bankSays('decline'), [null, 'VN', 0, -1, 'TSY']);
  });

  test('show no authorisation code for a declined payment, though the bank sends one', async (context) => {
    const { server, path, standIn } = await open(context, openTestDatabase, true);
    await server.get(`${path}/return${new URL(standIn.choose(await payBy(server, path), 'decline')).search}`);
    const { text } = await server.get(path, ENGLISH);
    assert.match(text, /Your bank declined the payment/);
    assert.doesNotMatch(text, /Authorisation code|000000/);
  });

  test('show a completed refund in both languages', async (context) => {
    const { app, server, path, standIn, transaction } = await open(context, openTestDatabase, true);
    await server.get(`${path}/return${new URL(standIn.choose(await payBy(server, path), 'pay')).search}`);
    assert.doesNotMatch((await server.get(path, ENGLISH)).text, /Refunded/);
    await acceptedRefund(app, transaction, 2990);
    assert.doesNotMatch(
      (await server.get(path, ENGLISH)).text,
      /Refunded/,
      'a refund is on the page only after the answer of the method',
    );
    await carryOutRefunds(app, 10);
    assert.match((await server.get(path, ENGLISH)).text, /<dt>Refunded<\/dt><dd>CLP\s2,990<\/dd>/);
    const spanish = await server.get(path, { 'accept-language': 'es-CL' });
    assert.match(spanish.text, /<dt>Devuelto<\/dt><dd>\$2\.990<\/dd>/);
  });

  test('show the method, and a way to turn back, to a payer on the form when the account is removed', async (context) => {
    const { app, server, path, environment } = await open(context, openTestDatabase, true);
    await payBy(server, path);
    const { paymentServiceId } = environment;
    await removeMethodSettings(app, { paymentServiceId, environment: 'development', method: 'webpay' }, TESTER);
    app.now.advance(1000);
    const { text } = await server.get(path, ENGLISH);
    assert.match(text, /<dt>Payment method<\/dt><dd>Webpay Plus<\/dd>/);
    assert.match(text, /I did not finish paying/);
  });

  test('say that nothing was charged to a payer who turned back, and do not send them away again', async (context) => {
    const { server, path, standIn } = await open(context, openTestDatabase, true);
    const token = await payBy(server, path);
    const body = new URL(standIn.choose(token, 'abort')).search.slice(1);
    const back = await server.post(`${path}/return`, { headers: FORM, body });
    assert.deepEqual([back.status, back.headers.get('location')], [303, path]);
    for (const address of [path, `${path}?method=webpay`]) {
      const { text } = await server.get(address, ENGLISH);
      assert.match(text, /role="alert"><strong>The payment was not completed<\/strong>/);
      assert.match(text, /You came back from Webpay Plus without paying. Nothing was charged/);
      assert.match(text, /<button name="method" value="webpay"/);
      assert.doesNotMatch(text, /data-submit-after/);
    }
  });

  test('let a payer who pressed Back say that they did not finish, and ask the bank', async (context) => {
    const { server, path, standIn } = await open(context, openTestDatabase, true);
    await payBy(server, path);
    const { text } = await server.get(path, ENGLISH);
    const [, name, value] = /<input type="hidden" name="(given_up)" value="(\w+)">/.exec(text) ?? [];
    assert.match(text, /I did not finish paying/);
    const back = await server.post(`${path}/return`, { headers: FORM, body: `${name}=${value}` });
    assert.equal(back.status, 303);
    assert.deepEqual(standIn.calls.slice(1), ['commit 422', 'status 200']);
    assert.match((await server.get(path, ENGLISH)).text, /Pay with Webpay Plus/);
  });

  test('lead the payer to the payment’s page whatever parameters the browser brings', async (context) => {
    const { server, path } = await open(context, openTestDatabase, true);
    await payBy(server, path);
    const odd = ['token_ws=%zz', 'token_ws=a&token_ws=b', '=', '&&', 'TBK_TOKEN', `x=${'y'.repeat(500)}`];
    for (const query of odd) {
      assert.equal((await server.get(`${path}/return?${query}`)).status, 303, query);
      assert.equal((await server.post(`${path}/return`, { headers: FORM, body: query })).status, 303, query);
    }
    assert.equal((await server.post(`${path}/return`)).status, 303);
    assert.match((await server.get(path, ENGLISH)).text, /We are confirming your payment/);
  });
});
