import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../src/db/open-database.ts';
import { createTestApp } from '../support/test-app.ts';
import { jsonOf, startTestServer } from '../support/test-server.ts';

const db = openDatabase('sqlite::memory:', { connections: 1, pooler: false, onFatal: () => {} });
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

test('a browser at an address that there is not gets a page in the language of its payer', async () => {
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

test('whoever does not ask for a page gets the JSON of every error, and so does another method', async () => {
  await using server = await startTestServer(createTestApp(db));
  for (const accept of ['*/*', 'application/json', 'application/xhtml+xml']) {
    const answer = await server.get('/pai/x', { accept });
    assert.deepEqual([answer.status, jsonOf(answer)['code']], [404, 'NOT_FOUND'], accept);
  }
  const answer = await server.get('/loginToken', BROWSER);
  assert.deepEqual([answer.status, jsonOf(answer)['code']], [405, 'METHOD_NOT_ALLOWED']);
});

test('a file that is too large for a screen was refused with the JSON of 16 KiB: a person reads a page with the limit', async () => {
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

test('an address that only resembles another is unknown, and refuses no method', async () => {
  await using server = await startTestServer(createTestApp(db));
  for (const path of ['/openapi-json', '/openapi/transfersXjson']) {
    const answer = await server.get(path);
    assert.deepEqual([answer.status, answer.headers.get('allow')], [404, null], path);
  }
});
