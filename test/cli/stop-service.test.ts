import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { startService } from '../../src/cli/serve-command.ts';
import { readConfig } from '../../src/config.ts';
import { enqueueCallback } from '../../src/outbox/enqueue-callback.ts';
import { claimCallbacks } from '../../src/outbox/outbox-queries.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

forEachEngine('a service that ends', (openTestDatabase, engine) => {
  const start = (databaseUrl: string) =>
    startService(
      readConfig({ DATABASE_URL: databaseUrl, MASTER_KEY: '5a'.repeat(32), LOG_LEVEL: 'silent', PORT: '0' }),
    );

  test('answers the request that is on its way on an open connection, and tells it to close', async () => {
    const service = await start((await openTestDatabase()).url);
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1').setEncoding('utf8');
    const ask = () => socket.write('GET /healthz HTTP/1.1\r\nHost: pay.example.cl\r\n\r\n');
    ask();
    const [first] = (await once(socket, 'data')) as [string];
    assert.match(first, /^HTTP\/1\.1 200 /);
    assert.doesNotMatch(first, /connection: close/i);
    const stopped = service.stop();
    ask();
    const rest = await socket.toArray();
    assert.match(rest.join(''), /^HTTP\/1\.1 200 [^]*connection: close/i);
    await stopped;
  });

  test(`and had claimed callbacks ${engine === 'sqlite' ? 'leaves them to the next at once' : 'may live on elsewhere'}`, async () => {
    const db = await openTestDatabase();
    const app = createTestApp(db);
    const environment = await createTestEnvironment(app);
    await app.db.transaction(async (tx) => {
      await enqueueCallback(tx, environment, {
        amount: 12_990,
        currency: 'CLP',
        reference: 'ORD-1',
        result: 'completed',
        message: 'Approved',
        timestamp: app.now(),
        transactionId: 1,
        sequence: 2,
        url: 'http://127.0.0.1:9/callback',
      });
    });
    const far = Date.now() + 3_600_000;
    const claim = { lease: 'of-the-killed', now: far, until: far + 60_000, perEndpoint: 9, limit: 9, excluded: [] };
    assert.equal((await app.db.transaction((tx) => claimCallbacks(tx, claim))).length, 1);
    const service = await start(db.url);
    const [callback] = await db.query<{ lease: string | null }>('select lease from callbacks');
    await service.stop();
    assert.equal(callback?.lease === 'of-the-killed', engine !== 'sqlite');
  });
});
