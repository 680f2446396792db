import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { createTestApp } from '../support/test-app.ts';
import { jsonOf, startTestServer } from '../support/test-server.ts';

const db = openDatabase('sqlite::memory:', { connections: 1, pooler: false, onFatal: () => {} });
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

test('a browser at an unknown address gets a page in its language', async () => {
  await using server = await startTestServer(createTestApp(db));
  for (const [language, title] of [
    ['es-CL', 'Esta página no existe'],
    ['en-GB', 'This page does not exist'],
  ] as const) {
    const { status, headers, text } = await server.get('/pai/x', { ...BROWSER, 'accept-language': language });
    assert.deepEqual([status, headers.get('content-type')], [404, 'text/html; charset=utf-8']);
    assert.ok(text.includes(`<h1>${title}</h1>`));
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/);
    assert.deepEqual(
      ['x-frame-options', 'cache-control', 'referrer-policy'].map((name) => headers.get(name)),
      ['DENY', 'no-store', 'no-referrer'],
    );
  }
});

test('a pay link with an added space, escape or text gives the payer a page in their language', async () => {
  await using server = await startTestServer(createTestApp(db));
  for (const added of ['%20', '%C2%A0', '%', 'a'.repeat(300)]) {
    for (const path of [`/pay/rt-1-hZ0${added}`, `/pay/rt-1-hZ0/cancel${added}`, `/link/pl_1${added}`]) {
      const { status, text } = await server.get(path, { ...BROWSER, 'accept-language': 'es-CL' });
      assert.equal(status, 404, path);
      assert.match(text, /<h1>Esta página no existe<\/h1><p>Revisa que la dirección esté completa/, path);
      const answer = await server.get(path);
      assert.deepEqual([answer.status, jsonOf(answer)['code']], [404, 'NOT_FOUND'], path);
    }
  }
});

test('an unknown address in the console leads staff back to the console, not to a shop', async () => {
  await using server = await startTestServer(createTestApp(db));
  const { status, text } = await server.get('/console/nada', { ...BROWSER, 'accept-language': 'es-CL' });
  assert.deepEqual([status, /tienda/.test(text), text.includes('href="/console"')], [404, false, true]);
});

test('a refused page of the console is in the language that the person chose there', async () => {
  await using server = await startTestServer(createTestApp(db));
  const chosen = { ...BROWSER, 'accept-language': 'es-CL', cookie: 'rubrica_language=en' };
  for (const [path, title] of [
    ['/console/nada', 'Nothing exists at this address'],
    ['/console/attention/take', 'This address does not accept that method'],
    // The browser stays at this address when a person chooses a language on the sign-in page with a kept search.
    ['/console/language', 'This address does not accept that method'],
  ] as const) {
    const { text } = await server.get(path, chosen);
    assert.ok(text.includes(`<h1>${title}</h1>`), text);
    assert.match(text, /Back to the console/);
  }
});

test('a client that does not ask for a page gets JSON, and so does another method', async () => {
  await using server = await startTestServer(createTestApp(db));
  for (const accept of ['*/*', 'application/json', 'application/xhtml+xml']) {
    const answer = await server.get('/pai/x', { accept });
    assert.deepEqual([answer.status, jsonOf(answer)['code']], [404, 'NOT_FOUND'], accept);
  }
  const answer = await server.get('/loginToken', BROWSER);
  const { code, detail } = jsonOf(answer);
  assert.deepEqual([answer.status, code, detail], [405, 'METHOD_NOT_ALLOWED', 'It accepts POST.']);
});

test('a file that is too large for a screen is refused with a page that names the limit', async () => {
  await using server = await startTestServer(createTestApp(db));
  const body = 'a'.repeat(256 * 1024 + 1);
  const path = '/console/merchants/ps_x/look';
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  const page = await server.post(path, { body, headers: { ...headers, ...BROWSER, 'accept-language': 'es-CL' } });
  assert.deepEqual([page.status, page.headers.get('content-type')], [413, 'text/html; charset=utf-8']);
  assert.match(page.text, /<p>Aquí se reciben a lo más 256 KiB\.<\/p>[^]*href="\/console"/);
  const json = await server.post(path, { body, headers });
  assert.deepEqual([json.status, jsonOf(json)['detail']], [413, 'Send at most 256 KiB here.']);
  const other = await server.get('/console/attention/take', BROWSER);
  assert.deepEqual(
    [other.status, other.headers.get('allow'), other.text.startsWith('<!doctype html>')],
    [405, 'POST', true],
  );
});

test('an unknown guide or error code gives a browser a page that leads to the documentation', async () => {
  await using server = await startTestServer(createTestApp(db));
  for (const [path, language, words] of [
    ['/docs/nope', 'es-CL', 'Ir a la documentación'],
    ['/docs/es/nope', 'en-GB', 'Go to the documentation'],
    ['/errors/NOPE', 'es-CL', 'No existe un error con este código.'],
  ] as const) {
    const { status, text } = await server.get(path, { ...BROWSER, 'accept-language': language });
    assert.equal(status, 404, path);
    assert.ok(text.includes(words) && text.includes('href="/docs"'), text);
    assert.equal(jsonOf(await server.get(path))['code'], 'NOT_FOUND', path);
  }
});

test('a trailing slash redirects a browser to the page, also below a base path, and redirects no other client', async () => {
  const config = readConfig({
    MASTER_KEY: '5a'.repeat(32),
    BASE_PATH: '/pagos',
    PUBLIC_URL: 'https://pay.example.cl',
  });
  await using server = await startTestServer(createTestApp(db, { config }));
  for (const path of ['/console/', '/pagos/console/']) {
    const { status, headers } = await server.get(`${path}?lang=es`, BROWSER);
    assert.deepEqual([status, headers.get('location')], [308, '/pagos/console?lang=es'], path);
    assert.equal((await server.get(path)).status, 404);
  }
  for (const [path, page] of [
    ['/docs/', '/pagos/docs'],
    ['/pagos/docs/', '/pagos/docs'],
    ['/docs/payouts/', '/pagos/docs/payouts'],
    ['/metrics/', '/metrics'],
  ] as const) {
    const { status, headers } = await server.get(path, BROWSER);
    assert.deepEqual([status, headers.get('location')], [308, page], path);
    assert.ok((await server.get(page, BROWSER)).status < 400, page);
  }
  assert.equal(jsonOf(await server.get('/docs/'))['code'], 'NOT_FOUND');
  for (const path of ['/nope/', '/trxs/', '//evil.example/'])
    assert.deepEqual([(await server.get(path, BROWSER)).headers.get('location'), path], [null, path]);
});

test('a trailing slash is named as the mistake, where the address without it takes the method', async () => {
  await using server = await startTestServer(createTestApp(db));
  const detailOf = async (method: string, path: string) => jsonOf(await server.send(method, path))['detail'];
  for (const [method, path] of [
    ['POST', '/trxs/'],
    ['POST', '/v2/trxs/'],
    ['GET', '/events/'],
  ] as const)
    assert.equal(await detailOf(method, path), 'Write the address without its last slash.', path);
  for (const path of ['/nope/', '/trxs//', '/tef/x/y/'])
    assert.equal(await detailOf('POST', path), 'Check the address; see /docs.', path);
});

test('an address that only resembles a known one is answered 404, not 405', async () => {
  await using server = await startTestServer(createTestApp(db));
  for (const path of ['/openapi-json', '/openapi/transfersXjson']) {
    const answer = await server.get(path);
    assert.deepEqual([answer.status, answer.headers.get('allow')], [404, null], path);
  }
});
