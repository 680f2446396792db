import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { ROUTES } from '../../src/server/routes.ts';
import { SERVER_LIMITS } from '../../src/server/server-limits.ts';
import { shareLargeBodies } from '../../src/server/share-large-bodies.ts';
import { comesTrue } from '../support/comes-true.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestUser } from '../support/test-user.ts';

const MOST = 3 * 1024 * 1024;
const LARGE = JSON.stringify({ account: 'x'.repeat(100_000) });

forEachEngine('memory for large bodies', (openTestDatabase) => {
  test('is left for users when strangers from many networks send slow bodies', async () => {
    const config = readConfig({ MASTER_KEY: '5a'.repeat(32), LOG_LEVEL: 'silent', RATE_LIMITS: 'on' });
    const app = createTestApp(await openTestDatabase(), { config });
    await using server = await startTestServer(app);
    const finance = await createTestUser(app, { may: ['movements:record', 'books:read'] });
    await using strangers = new AsyncDisposableStack();
    for (let network = 2, left: number = SERVER_LIMITS.largeBodiesBytes; left > 0; network++, left -= MOST) {
      const at = { port: Number(new URL(server.origin).port), host: '127.0.0.1', localAddress: `127.0.1.${network}` };
      const socket = connect(at, () =>
        socket.write(
          `POST /bank-statements HTTP/1.1\r\nhost: pay.example.cl\r\ncontent-type: application/json\r\nauthorization: Bearer nobody\r\ncontent-length: ${Math.min(left, MOST)}\r\n\r\n{`,
        ),
      );
      socket.on('error', () => {});
      strangers.defer(() => void socket.destroy());
    }
    const json = { 'content-type': 'application/json' };
    const ofStranger = () =>
      server.post('/bank-statements', { body: LARGE, headers: { ...json, authorization: 'Bearer nobody' } });
    assert.ok(await comesTrue(async () => (await ofStranger()).status === 503));
    const byToken = await server.post('/bank-statements', { body: LARGE, headers: { ...json, ...finance.headers } });
    assert.equal(byToken.status, 422);
    const form = { 'content-type': 'multipart/form-data; boundary=x', 'sec-fetch-site': 'same-origin' };
    const bySession = await server.post('/console/settlements', {
      body: LARGE,
      headers: { ...form, ...finance.console },
    });
    assert.equal(bySession.status, 400);
  });

  test('is not reserved for a client that left while its credentials were checked', async () => {
    const app = createTestApp(await openTestDatabase());
    const endpoint = ROUTES.find(({ paths }) => paths[0] === '/bank-statements');
    assert.ok(endpoint);
    const reserve = shareLargeBodies(app, endpoint).onRequest as unknown as (from: object, to: object) => Promise<void>;
    const request = { headers: { 'content-length': String(MOST), authorization: 'Bearer nobody' }, ip: '192.0.2.1' };
    const left = { raw: Object.assign(new EventEmitter(), { destroyed: true }) };
    for (let bytes = 0; bytes <= SERVER_LIMITS.largeBodiesBytes; bytes += MOST) await reserve(request, left);
    const here = { raw: Object.assign(new EventEmitter(), { destroyed: false }) };
    await reserve(request, here);
    assert.equal(here.raw.listenerCount('close'), 1);
  });
});
