import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIXES } from '../../protocol/signature-causes.ts';
import { SIGNING_CATALOGUE } from '../../protocol/signing-error.ts';
import { readConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { CATALOGUE } from '../../src/error-catalogue.ts';
import { createTestApp } from '../support/test-app.ts';
import { jsonOf, startTestServer } from '../support/test-server.ts';

const db = openDatabase('sqlite::memory:', { connections: 1, pooler: false, onFatal: () => {} });

test('every code of the service, of the SDK and of the explainer has a page that needs no script', async () => {
  await using server = await startTestServer(createTestApp(db));
  for (const code of [...Object.keys(CATALOGUE), ...Object.keys(SIGNING_CATALOGUE), ...Object.keys(FIXES)]) {
    const { status, headers, text } = await server.get(`/errors/${code}`);
    assert.equal(status, 200, code);
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(text, new RegExp(`<title>${code} · Rúbrica</title>`));
    assert.doesNotMatch(text, /<script/);
  }
});

test('an error links to its page below the public address and base path', async () => {
  const config = readConfig({ MASTER_KEY: '5a'.repeat(32), PUBLIC_URL: 'https://pay.example.cl', BASE_PATH: '/pagos' });
  await using server = await startTestServer(createTestApp(db, { config }));
  const { type } = jsonOf(await server.get('/pagos/nothing'));
  assert.equal(type, 'https://pay.example.cl/pagos/errors/NOT_FOUND');
  assert.equal((await server.get('/pagos/errors/NOT_FOUND')).status, 200);
});

test('a page says the status and what to do', async () => {
  await using server = await startTestServer(createTestApp(db));
  const { text } = await server.get('/errors/INVALID_COUNTRY');
  assert.match(text, /<h1>The country is not an ISO 3166-1 code<\/h1>/);
  assert.match(text, /<dt>HTTP status<\/dt><dd>400<\/dd>/);
  assert.match(text, /Send two letters, such as CL\./);
  for (const part of ['What happened', 'What to do', 'Usual causes', 'Example', 'Without a shell on the server'])
    assert.ok(text.includes(`<h2>${part}</h2>`), part);
  assert.match(text, /<pre class="wrong"><code>&quot;x_shop_country&quot;: &quot;Chile&quot;<\/code>/);
  assert.match((await server.get('/errors/INVALID_TIMESTAMP')).text, /the SDK, on your side/);
});

test('the page of a refused approval names its causes, and does not advise a smaller amount', async () => {
  await using server = await startTestServer(createTestApp(db));
  const { text } = await server.get('/errors/APPROVAL_REFUSED');
  for (const cause of [/proposed the payout or requested the refund/, /changed the account/, /an API token/, /too old/])
    assert.match(text, cause);
  assert.doesNotMatch(text, /smaller amount|over the limit/);
});

test('the page of a cause gives the fix in four languages', async () => {
  await using server = await startTestServer(createTestApp(db));
  const { text } = await server.get('/errors/FIELDS_NOT_SORTED');
  assert.match(text, /<h1>Sort the fields by name before joining them<\/h1>/);
  assert.match(text, /bin\/rubrica explain, explain\(\) of the SDK/);
  for (const [language, fix] of [
    ['PHP', 'ksort($fields);'],
    ['JavaScript', 'Object.keys(fields).sort()'],
    ['Python', 'sorted(fields)'],
    ['Ruby', 'fields.sort.to_h'],
  ] as const) {
    assert.ok(text.includes(`<h3>${language}</h3>\n<p><code>${fix}</code></p>`), language);
  }
});

test('the page of a signature error links to the page that signs, and shows commands as code', async () => {
  const config = readConfig({ MASTER_KEY: '5a'.repeat(32), BASE_PATH: '/pagos' });
  await using server = await startTestServer(createTestApp(db, { config }));
  const { text } = await server.get('/errors/SIGNATURE_INVALID');
  for (const path of ['/pagos/docs/sign', '/pagos/docs/sign#explain', '/pagos/errors'])
    assert.ok(text.includes(`href="${path}">`), path);
  assert.match(text, /<code>bin\/rubrica explain<\/code>/);
});

test('the list has every error once, with a link to its page', async () => {
  await using server = await startTestServer(createTestApp(db));
  const { status, text } = await server.get('/errors');
  assert.equal(status, 200);
  const listed = [...text.matchAll(/<a href="\/errors\/(\w+)"/g)].map(([, code]) => String(code));
  const codes = new Set([CATALOGUE, FIXES, SIGNING_CATALOGUE].flatMap((one) => Object.keys(one)));
  assert.deepEqual(listed.sort(), [...codes].sort());
});

test('the list shows status and title, and is searched by code, status and words of both languages', async () => {
  await using server = await startTestServer(createTestApp(db));
  const found = async (words: string, language = 'en') => {
    const { text } = await server.get(`/errors?q=${encodeURIComponent(words)}`, { 'accept-language': language });
    return [...text.matchAll(/<a href="\/errors\/(\w+)"/g)].map(([, code]) => code);
  };
  const { text } = await server.get('/errors');
  assert.match(
    text,
    /REFERENCE_CONFLICT<\/code><\/a> <span class="status">409<\/span> <span>The reference was used before</,
  );
  assert.deepEqual(await found('reference_conflict'), ['REFERENCE_CONFLICT']);
  assert.deepEqual(await found('409 zebra'), []);
  for (const [words, code] of [
    ['409 reference', 'REFERENCE_CONFLICT'],
    ['pais', 'INVALID_COUNTRY'],
    ['sort fields', 'FIELDS_NOT_SORTED'],
  ] as const)
    assert.ok((await found(words)).includes(code), words);
  assert.deepEqual(await found('nothing has <these> words'), []);
  assert.match((await server.get('/errors?q=%3Cb%3E')).text, /value="&lt;b&gt;"/);
});

test('who chose a language stays in it from the list to an error, back, and in a search', async () => {
  await using server = await startTestServer(createTestApp(db));
  const chosen = await server.get('/errors?lang=es', { 'accept-language': 'en' });
  assert.ok(chosen.text.includes('href="/errors/INVALID_JSON?lang=es"'));
  assert.ok(chosen.text.includes('<input type="hidden" name="lang" value="es">'));
  const error = await server.get('/errors/INVALID_JSON?lang=es', { 'accept-language': 'en' });
  assert.ok(error.text.includes('<a class="secondary" href="/errors?lang=es">'));
  const own = await server.get('/errors', { 'accept-language': 'es' });
  assert.ok(own.text.includes('href="/errors/INVALID_JSON"'), 'the language of the browser needs no word');
});

test('every error page has both languages, and is in Spanish when the visitor asks for it', async () => {
  await using server = await startTestServer(createTestApp(db));
  const spanish = { 'accept-language': 'es-CL,es;q=0.9' };
  for (const code of [...Object.keys(CATALOGUE), ...Object.keys(SIGNING_CATALOGUE), ...Object.keys(FIXES)]) {
    const [es, en] = [
      await server.get(`/errors/${code}`, spanish),
      await server.get(`/errors/${code}?lang=en`, spanish),
    ];
    assert.equal(es.headers.get('content-language'), 'es-CL', code);
    assert.match(es.text, /<h2>Causas habituales<\/h2>\n<ul><li>./, code);
    assert.match(es.text, new RegExp(`href="/errors/${code}\\?lang=en" lang="en"`));
    assert.equal(en.headers.get('content-language'), 'en', code);
    const titles = [es, en].map(({ text }) => /<h1>(.*?)<\/h1>/.exec(text)?.[1]);
    assert.notEqual(titles[0], titles[1], code);
  }
});

test('an unknown code is answered 404', async () => {
  await using server = await startTestServer(createTestApp(db));
  for (const code of ['NOTHING', 'invalid_form', 'constructor', '__proto__', 'toString']) {
    const answer = await server.get(`/errors/${code}`);
    assert.deepEqual([answer.status, jsonOf(answer)['code']], [404, 'NOT_FOUND'], code);
  }
});
