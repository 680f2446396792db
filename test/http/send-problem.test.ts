import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { StorageError } from '../../src/db/database.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { startTestServer } from '../support/test-server.ts';
import { signedBody } from '../support/test-shop.ts';

forEachEngine('a full disk', (openTestDatabase) => {
  test('refuses each request, and is one alarm a minute', async () => {
    const db = await openTestDatabase();
    const { development: tokens } = await createPaymentService(createTestApp(db), 'Shop', TESTER);
    const lines: Record<string, unknown>[] = [];
    const log = pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line)) });
    const transaction = () => Promise.reject(new StorageError('STORAGE_FULL', null));
    const app = createTestApp({ ...db, transaction }, { log });
    await using server = await startTestServer(app);
    const body = JSON.stringify(signedBody(tokens.service_token, tokens.secret_token));
    const create = async () => {
      const { status, text } = await server.post('/trxs', { body, headers: { 'content-type': 'application/json' } });
      assert.deepEqual([status, JSON.parse(text).code], [503, 'STORAGE_FULL']);
    };
    const alarms = () => lines.filter(({ level, alarm }) => level === 50 && alarm === 'storage_full').length;

    await create();
    await create();
    assert.equal(alarms(), 1);
    app.now.advance(60_000);
    await create();
    assert.equal(alarms(), 2);
    assert.equal(lines.filter(({ msg }) => msg === 'request refused').length, 3);
  });
});
