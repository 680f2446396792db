import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAttention } from '../../src/attention/list-attention.ts';
import { measureAttention } from '../../src/attention/measure-attention.ts';
import { readConfig } from '../../src/config.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { storeSecretUse } from '../../src/payment-services/note-secret-use.ts';
import { addRefusedKey, type RefusedKey } from '../../src/refused-requests/refused-key-queries.ts';
import { storeRefusedRequests } from '../../src/refused-requests/store-refused-requests.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { startTestServer } from '../support/test-server.ts';
import { signedBody } from '../support/test-shop.ts';

const HOUR = 3_600_000;

forEachEngine('a merchant whose own service signs with a wrong key', (openTestDatabase) => {
  const open = async () => {
    const settings = { RUBRICA_ENV: 'production', PUBLIC_URL: 'https://pay.example.cl', RATE_LIMITS: 'off' };
    const config = readConfig({ MASTER_KEY: '5a'.repeat(32), LOG_LEVEL: 'silent', ...settings });
    const app = createTestApp(await openTestDatabase(), { config });
    const { id, production, development } = await createPaymentService(app, 'Norte', TESTER);
    const server = await startTestServer(app);
    const post = async (secret: string, times = 1) => {
      for (let at = 0; at < times; at++) {
        await server.post('/trxs', {
          json: signedBody(production.service_token, secret, { x_reference: `R-${app.now()}-${at}` }),
        });
      }
      await storeRefusedRequests(app);
      await storeSecretUse(app);
    };
    return { app, id, server, right: production.secret_token, other: development.secret_token, post };
  };

  test('is listed from the fifth wrong request on, also in production, where no request is kept', async () => {
    const { app, id, server, post } = await open();
    await using _server = server;
    const begun = app.now();
    await post('wrong', 4);
    assert.deepEqual(await listAttention(app, 'key', 10), []);
    app.now.advance(HOUR);
    await post('wrong');
    const [row, ...others] = await listAttention(app, null, 10);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [row?.kind, row?.id, row?.name, row?.environment, row?.since, row?.age],
      ['key', id, 'Norte', 'production', begun, HOUR],
    );
    assert.equal(row?.command, `bin/rubrica payment-service hand-over ${id} --environment production`);
    assert.match(row?.reason ?? '', /^5 requests in its name were signed wrongly, the last /);
    // The list of refused requests is empty without this setting.
    assert.match(row?.reason ?? '', / Which, from the next on, with REFUSED_REQUESTS=all: bin\/rubrica request list /);
    const measured = (await measureAttention(app)).find(({ kind }) => kind === 'key');
    assert.deepEqual([measured?.count, measured?.oldest], [1, begun]);
    assert.deepEqual(await app.db.query('select request_id from refused_requests'), []);
  });

  test('is listed while right keys and other keys of its own alternate, until an hour after the last wrong one', async () => {
    const { app, server, right, other, post } = await open();
    await using _server = server;
    const waits = async () => (await listAttention(app, 'key', 10)).length;
    await post(right);
    const reason = async () => (await listAttention(app, 'key', 10))[0]?.reason ?? '';
    await post(other, 5);
    assert.match(await reason(), /^5 requests .+: its service signed them with another Secret Token of its own/);
    await post('wrong', 2);
    app.now.advance(HOUR / 2);
    await post(right);
    assert.match(await reason(), /^7 requests .+: its service signed 5 of them with another Secret Token of its own/);
    app.now.advance(HOUR);
    await post(right);
    assert.equal(await waits(), 0);
  });

  test('is not listed when only a stranger signs with its Service Token and a wrong key', async () => {
    const { app, server, right, post } = await open();
    await using _server = server;
    const waits = async () => (await listAttention(app, 'key', 10)).length;
    await post(right);
    app.now.advance(30 * 24 * HOUR);
    await post('wrong', 20);
    assert.equal(await waits(), 0);
  });

  test('keeps the time of its last wrong request when a process writes an earlier one late', async () => {
    const { app, server, post } = await open();
    await using _server = server;
    await post('wrong', 5);
    const read = () => app.db.query<RefusedKey>('select * from refused_keys');
    const [before] = await read();
    const late = { ...(before as RefusedKey), since: app.now() - 2000, last_at: app.now() - 1000, refusals: 1 };
    await app.db.transaction((tx) => addRefusedKey(tx, late, 24 * HOUR));
    const [after] = await read();
    assert.deepEqual([after?.since, after?.last_at, after?.refusals], [late.since, before?.last_at, 6]);
  });

  test('is listed until a day after its last wrong request, and then counted from zero again', async () => {
    const { app, server, post } = await open();
    await using _server = server;
    const waits = async () => (await listAttention(app, 'key', 10)).length;
    await post('wrong', 5);
    app.now.advance(24 * HOUR);
    assert.equal(await waits(), 1);
    app.now.advance(1);
    assert.equal(await waits(), 0);
    await post('wrong', 4);
    assert.equal(await waits(), 0);
    await post('wrong');
    assert.equal(await waits(), 1);
  });
});
