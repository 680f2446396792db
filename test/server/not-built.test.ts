import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { NOT_BUILT, saysNotBuilt } from '../../src/server/not-built.ts';
import { createTestApp } from '../support/test-app.ts';
import { jsonOf, startTestServer } from '../support/test-server.ts';

const db = openDatabase('sqlite::memory:', { connections: 1, pooler: false, onFatal: () => {} });

/** Calls of published clients of the old service, and the beginning of the answer. */
const CALLS: readonly (readonly [call: string, begins: string])[] = [
  ['POST /tbk/v2/initTransaction', 'The `ct_` generation'],
  ['GET /v1/services', 'The `pf_` generation'],
  ['GET /payTransaction/?Authorization=MTox', 'Pay links'],
  ['GET /trx-details/332637', 'The details'],
  ['GET /trx-details', 'The details'],
  ['POST /tokens/createToken', 'A token made'],
  ['GET /tokens/createToken', 'A token made'],
  ['POST /trxs/charges', 'Payment links'],
  ['POST /addToCreditBalance', 'Adding money'],
  ['POST /payout/addToCreditBalance', 'Adding money'],
  ['POST /users', 'Registration'],
  ['POST /bank_accounts/325', "A merchant's own"],
  ['POST /reports/remittances', 'Reports'],
  ['GET /reports', 'Reports'],
  ['POST /one-click-users/initInscription', 'Payments by a stored card'],
  ['POST /one-click-users', 'Payments by a stored card'],
  ['POST /subscription/create-button', 'The subscriptions API'],
  ['POST /black-list/add', 'The back office'],
];

test('a call of the old service that is not built is answered 404 with the alternative, not 405', async () => {
  await using server = await startTestServer(createTestApp(db));
  for (const [call, begins] of CALLS) {
    const [method = '', path = ''] = call.split(' ');
    const answer = method === 'GET' ? await server.get(path) : await server.post(path, { json: {} });
    assert.deepEqual([answer.status, jsonOf(answer)['code']], [404, 'NOT_BUILT'], call);
    assert.ok((jsonOf(answer)['detail'] as string).startsWith(begins), answer.text);
  }
});

test('every row of the table is covered by a call of this test', () => {
  const said = new Set(
    CALLS.map(([call]) => saysNotBuilt(...(call.split('?')[0]?.split(' ') as [string, string]))?.en),
  );
  assert.deepEqual(new Set(NOT_BUILT.map(({ en }) => en)), said);
});

test('docs/compatibility.md has every text of the table', () => {
  const docs = readFileSync(join(import.meta.dirname, '../../docs/compatibility.md'), 'utf8').replace(/\s+/g, ' ');
  for (const { en, es } of NOT_BUILT) {
    assert.ok(docs.includes(en), en);
    assert.notEqual(en, es);
  }
});

test('a wrong method is still answered 405, and an unknown address 404', async () => {
  const config = readConfig({ MASTER_KEY: '5a'.repeat(32), LOG_LEVEL: 'silent', BASE_PATH: '/v1' });
  await using server = await startTestServer(createTestApp(db, { config }));
  assert.equal(jsonOf(await server.get('/trxs'))['code'], 'METHOD_NOT_ALLOWED');
  assert.equal(jsonOf(await server.get('/nowhere'))['code'], 'NOT_FOUND');
  assert.equal(jsonOf(await server.get('/v1/nowhere'))['code'], 'NOT_FOUND');
  assert.equal(jsonOf(await server.post('/v1/addToCreditBalance', { json: {} }))['code'], 'NOT_BUILT');
});
