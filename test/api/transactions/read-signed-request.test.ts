import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { createPaymentService } from '../../../src/payment-services/create-payment-service.ts';
import { forEachEngine } from '../../support/engines.ts';
import { TESTER } from '../../support/test-actor.ts';
import { createTestApp } from '../../support/test-app.ts';
import { jsonOf, startTestServer } from '../../support/test-server.ts';
import { startTestService } from '../../support/test-service.ts';
import { signedBody } from '../../support/test-shop.ts';

forEachEngine('a card number in a signed request', (openTestDatabase) => {
  test('is refused without being kept, repeated or logged', async () => {
    const db = await openTestDatabase();
    let log = '';
    const app = createTestApp(db, { log: pino({ level: 'trace' }, { write: (line) => void (log += line) }) });
    const { development } = await createPaymentService(app, 'Shop', TESTER);
    await using server = await startTestServer(app);
    for (const [field, value] of [
      ['x_reference', '4051885600446623'],
      ['x_session_id', '4051 8856 0044 6623'],
    ] as const) {
      const json = signedBody(development.service_token, development.secret_token, { [field]: value });
      const answer = await server.post('/trxs', { json });
      const [error] = jsonOf(answer)['errors'] as { pointer: string; code: string }[];
      assert.deepEqual([answer.status, error?.code, error?.pointer], [400, 'CARD_NUMBER', `/${field}`]);
      for (const text of [answer.text, log]) assert.doesNotMatch(text, /6623/);
    }
    assert.match(log, /CARD_NUMBER/);
    assert.deepEqual(await db.query('select id from transactions'), []);
    const json = signedBody(development.service_token, development.secret_token, { x_reference: '2026112113000001' });
    assert.equal((await server.post('/trxs', { json })).status, 200);
  });
});

forEachEngine('the callback address of a signed request', (openTestDatabase) => {
  test('is never the service itself: refused when the transaction is created, and not called if it is stored', async (context) => {
    const PUBLIC_URL = 'https://pay.example.cl';
    const { app, url } = await startTestService(context, (await openTestDatabase()).url, { PUBLIC_URL });
    const { development, production } = await createPaymentService(app, 'Shop', TESTER);
    const create = async (tokens: typeof development, x_url_callback: string) => {
      const fields = signedBody(tokens.service_token, tokens.secret_token, { x_url_callback });
      const answer = await fetch(`${url}/trxs`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(fields),
      });
      const { code, errors } = (await answer.json()) as { code: string; errors: { pointer: string }[] | null };
      return [answer.status, code, errors?.[0]?.pointer];
    };
    const refused = [400, 'URL_NOT_ALLOWED', '/x_url_callback'];
    const { port } = new URL(url);
    for (const own of [`${url}/trxs`, `http://localhost:${port}/`, `${PUBLIC_URL}/trxs`]) {
      assert.deepEqual(await create(development, own), refused, own);
      const call = { url: own, method: 'POST', headers: {}, body: '', allowPrivate: true } as const;
      const outcome = await app.fetch(call);
      assert.deepEqual([outcome.kind, 'detail' in outcome && outcome.detail], ['failed', 'URL_NOT_ALLOWED'], own);
    }
    assert.deepEqual(await create(production, `${PUBLIC_URL}/trxs`), refused);
    assert.equal((await create(development, 'http://127.0.0.1:9/callback'))[0], 200, 'another port of the same host');
  });
});
