import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cancelTransaction } from '../../src/checkout/cancel-transaction.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { loadEnvironment } from '../../src/payment-services/find-environment.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { selectByReference } from '../../src/transactions/transaction-queries.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { jsonOf, startTestServer } from '../support/test-server.ts';
import { signedBody, withSignature } from '../support/test-shop.ts';

const BROWSER = {
  'content-type': 'application/x-www-form-urlencoded',
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
};
const HREF = /<a class="primary" href="([^"]*)"/;

forEachEngine('a shop’s form that is refused', (openTestDatabase) => {
  test('shows the payer a page in their language that says that nothing was charged', async () => {
    await using shop = await open(openTestDatabase);
    for (const [language, tag, said] of [
      ['es-CL,es;q=0.9', 'es-CL', 'No se te cobró nada'],
      ['en-GB', 'en', 'Nothing was charged'],
    ] as const) {
      const answer = await shop.post(shop.sign({ x_amount: '1' }), { 'accept-language': language });
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [400, 'text/html; charset=utf-8']);
      assert.equal(answer.headers.get('content-language'), tag);
      assert.ok(answer.text.includes(said));
      assert.match(answer.text, /<code>INVALID_AMOUNT<\/code>/);
      assert.equal(answer.text.match(/<h1>/g)?.length, 1);
    }
  });

  test('links back to the shop by its signed address', async () => {
    await using shop = await open(openTestDatabase);
    const backOf = async (changes: Record<string, string>) =>
      HREF.exec((await shop.post(shop.sign({ x_amount: '1', ...changes }))).text)?.[1];
    assert.equal(await backOf({}), 'https://shop.example.cl/cancel?order=1');
    assert.equal(await backOf({ x_url_cancel: '/cart?a=1&b=2' }), 'https://shop.example.cl/cart?a=1&amp;b=2');
    const onePage = { x_url_cancel: 'https://shop.example.cl/complete?status=cancel' };
    assert.equal(
      await backOf(onePage),
      'https://shop.example.cl/',
      'the link leads to the shop, because the page itself answers 405 to a visit',
    );
    for (const x_url_cancel of ['javascript:alert(1)', 'data:text/html,x', '//evil.example.net/', 'nonsense'])
      assert.equal(await backOf({ x_url_cancel }), undefined, x_url_cancel);
  });

  test('links nowhere when the form is not validly signed', async () => {
    await using shop = await open(openTestDatabase);
    const evil = { x_url_cancel: 'https://evil.example.net/no', x_url_complete: 'https://evil.example.net/ok' };
    const unsigned = shop.sign();
    const forms: [status: number, form: Record<string, string>][] = [
      [401, { ...unsigned, ...evil }],
      [401, withSignature({ ...unsigned, ...evil, x_account_id: 'nobody' }, 'a secret of nobody')],
      [400, { ...unsigned, ...evil, x_amount: '' }],
      [400, { ...unsigned, ...evil, more: '1' }],
      [400, {}],
    ];
    for (const [status, form] of forms) {
      const answer = await shop.post(form);
      assert.equal(answer.status, status);
      assert.match(answer.headers.get('content-type') as string, /^text\/html/);
      assert.doesNotMatch(answer.text, /evil|shop\.example/);
    }
  });

  test('for an order that has ended says so, and creates no transaction', async () => {
    await using shop = await open(openTestDatabase);
    assert.equal((await shop.post(shop.sign())).status, 303);
    assert.equal(
      (await shop.post(shop.sign({ x_session_id: 'session-2' }))).status,
      303,
      'the form opens a pending order again',
    );
    const transaction = (await selectByReference(shop.app.db, shop.environmentId, 'ORD-1')) as Transaction;
    await cancelTransaction(shop.app, transaction);
    const answer = await shop.post(shop.sign({ x_session_id: 'session-3' }), { 'accept-language': 'en' });
    assert.equal(answer.status, 409);
    assert.match(answer.text, /This order has a payment already/);
    assert.equal(HREF.exec(answer.text)?.[1], 'https://shop.example.cl/cancel?order=1');
    assert.equal((await shop.app.db.query('select id from transactions')).length, 1);
  });

  test('shows a page for a wrong method, media type, query or size too', async () => {
    await using shop = await open(openTestDatabase);
    const { server } = shop;
    const answers = [
      await server.get('/initTransaction', BROWSER),
      await server.post('/initTransaction', {
        headers: { ...BROWSER, 'content-type': 'multipart/form-data' },
        body: '',
      }),
      await server.post('/initTransaction?x=1', { headers: BROWSER, body: 'a=1' }),
      await server.post('/initTransaction', { headers: BROWSER, body: `a=${'b'.repeat(20_000)}` }),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [405, 415, 400, 413],
    );
    for (const { headers } of answers) assert.match(headers.get('content-type') as string, /^text\/html/);
    assert.equal(answers[0]?.headers.get('allow'), 'POST');
  });

  test('returns JSON to a client that accepts nothing else', async () => {
    await using shop = await open(openTestDatabase);
    const answer = await shop.post(shop.sign({ x_amount: '1' }), { accept: 'application/json' });
    assert.deepEqual([answer.status, jsonOf(answer)['code']], [400, 'INVALID_AMOUNT']);
  });
});

async function open(openTestDatabase: OpenTestDatabase) {
  const app = createTestApp(await openTestDatabase());
  const { development: tokens } = await createPaymentService(app, 'Shop', TESTER);
  const environment = await loadEnvironment(app, tokens.service_token);
  const server = await startTestServer(app);
  return {
    app,
    server,
    environmentId: environment?.id ?? 0,
    sign: (changes: Record<string, string> = {}) => signedBody(tokens.service_token, tokens.secret_token, changes),
    post: (fields: Record<string, string>, headers: Record<string, string> = {}) =>
      server.post('/initTransaction', {
        headers: { ...BROWSER, ...headers },
        body: new URLSearchParams(fields).toString(),
      }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
