import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import type { Database } from '../../../src/db/database.ts';
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
      for (const text of [answer.text, log]) assert.doesNotMatch(text, /8856 ?0044 ?6623/);
    }
    assert.match(log, /CARD_NUMBER/);
    assert.deepEqual(await db.query('select id from transactions'), []);
    const json = signedBody(development.service_token, development.secret_token, { x_reference: '2026112113000001' });
    assert.equal((await server.post('/trxs', { json })).status, 200);
  });
});

forEachEngine('JSON sent with the content type of a form, as curl -d does,', (openTestDatabase) => {
  test('is refused with the header to send', async () => {
    const app = createTestApp(await openTestDatabase());
    const { development } = await createPaymentService(app, 'Shop', TESTER);
    await using server = await startTestServer(app);
    const fields = signedBody(development.service_token, development.secret_token);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    for (const body of [JSON.stringify(fields), `\n ${JSON.stringify(fields, null, 1)}\n`]) {
      const answer = await server.post('/trxs', { headers, body });
      assert.deepEqual([answer.status, jsonOf(answer)['code']], [415, 'UNSUPPORTED_MEDIA_TYPE']);
      assert.match(answer.text, /Send Content-Type: application\/json/);
    }
    assert.equal((await server.post('/trxs', { headers, body: String(new URLSearchParams(fields)) })).status, 200);
  });
});

forEachEngine('a form sent with the content type of JSON', (openTestDatabase) => {
  test('is refused with the header to send', async () => {
    const app = createTestApp(await openTestDatabase());
    const { development } = await createPaymentService(app, 'Shop', TESTER);
    await using server = await startTestServer(app);
    const body = String(new URLSearchParams(signedBody(development.service_token, development.secret_token)));
    const answer = await server.post('/trxs', { headers: { 'content-type': 'application/json' }, body });
    assert.deepEqual([answer.status, jsonOf(answer)['code']], [400, 'INVALID_JSON']);
    assert.match(answer.text, /The body is a form, .* Content-Type: application\/x-www-form-urlencoded/);
  });
});

forEachEngine('unsigned objects', (openTestDatabase) => {
  const document = { type: 'factura', rut: '76.543.210-3', razon_social: 'Not the payer' };
  const kept = (db: Database) => db.query('select unsigned_fields from transactions');

  test('that a payer added to a signed form are discarded when the browser sends the form', async () => {
    const db = await openTestDatabase();
    const app = createTestApp(db);
    const { development } = await createPaymentService(app, 'Shop', TESTER);
    await using server = await startTestServer(app);
    const form = signedBody(development.service_token, development.secret_token);
    assert.equal((await server.post('/trxs', { json: { ...form, x_document: document } })).status, 200);
    assert.match(JSON.stringify(await kept(db)), /Not the payer/);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams(form).toString();
    assert.equal((await server.post('/initTransaction', { headers, body })).status, 303);
    assert.equal(JSON.stringify(await kept(db)), '[{"unsigned_fields":null}]');
    assert.equal((await server.post('/trxs', { json: { ...form, x_document: document } })).status, 200);
    assert.equal(JSON.stringify(await kept(db)), '[{"unsigned_fields":null}]');
  });

  test('that contain a card number are refused by name, and so are signed fields that contain one', async () => {
    const db = await openTestDatabase();
    const app = createTestApp(db);
    const { development } = await createPaymentService(app, 'Shop', TESTER);
    await using server = await startTestServer(app);
    const cases: [Record<string, string>, Record<string, unknown>, string][] = [
      [{}, { x_document: { name: 'TC 4111 1111 1111 1111' } }, '/x_document'],
      [{ x_reference: 'TC 4111111111111111' }, {}, '/x_reference'],
      [{ x_url_callback: 'https://shop.example.cl/?card=4111-1111-1111-1111' }, {}, '/x_url_callback'],
    ];
    for (const [changes, objects, pointer] of cases) {
      const signed = signedBody(development.service_token, development.secret_token, changes);
      const answer = await server.post('/trxs', { json: { ...signed, ...objects } });
      const [error] = jsonOf(answer)['errors'] as { pointer: string; code: string }[];
      assert.deepEqual([answer.status, error?.code, error?.pointer], [400, 'CARD_NUMBER', pointer]);
    }
    assert.deepEqual(await kept(db), []);
  });
});

forEachEngine('the callback address of a signed request', (openTestDatabase) => {
  test('may have a query and no path', async () => {
    const app = createTestApp(await openTestDatabase());
    const { development } = await createPaymentService(app, 'Shop', TESTER);
    await using server = await startTestServer(app);
    const fields = { x_url_callback: 'https://shop.example.cl?wc-api=shop' };
    const json = signedBody(development.service_token, development.secret_token, fields);
    const answer = await server.post('/trxs', { json });
    assert.equal(answer.status, 200, answer.text);
  });

  test('cannot be the service itself: it is refused on creation, and never called if stored', async (context) => {
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
    assert.equal(
      (await create(development, 'http://127.0.0.1:9/callback'))[0],
      200,
      'another port is not the service itself',
    );
  });
});
