import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { problem, SigningError } from '../../protocol/signing-error.ts';
import { StorageError } from '../../src/db/database.ts';
import { problemOf } from '../../src/http/send-problem.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { startTestServer } from '../support/test-server.ts';
import { signedBody } from '../support/test-shop.ts';

test('an error code that only callbacks have is answered as INTERNAL to a request', () => {
  assert.equal(problemOf(new SigningError([problem('MISSING_FIELD', 'x_amount')])).code, 'MISSING_FIELD');
  assert.equal(problemOf(new SigningError([problem('WEBHOOK_TIME_REFUSED', null)])).code, 'INTERNAL');
});

forEachEngine('readiness', (openTestDatabase) => {
  test('reports an unavailable store with 503, and logs any other failure and answers 500', async () => {
    const db = await openTestDatabase();
    const logged: unknown[] = [];
    const log = pino(
      { base: null, level: 'error' },
      { write: (line) => void logged.push(JSON.parse(line).err?.message) },
    );
    let failure: Error | null = null;
    const query: typeof db.query = (...asked) => (failure === null ? db.query(...asked) : Promise.reject(failure));
    await using server = await startTestServer(createTestApp({ ...db, query }, { log }));
    const statusOf = async (each: Error | null) => {
      failure = each;
      return (await server.get('/readyz')).status;
    };
    assert.equal(await statusOf(null), 200);
    assert.equal(await statusOf(new StorageError('STORAGE_UNAVAILABLE', null)), 503);
    assert.equal(await statusOf(Object.assign(new Error('late'), { code: 'ETIMEDOUT' })), 503);
    assert.deepEqual(logged, []);
    assert.equal(await statusOf(new TypeError('a bug')), 500);
    assert.deepEqual(logged, ['a bug']);
  });
});

forEachEngine('a full disk', (openTestDatabase) => {
  test('refuses each request, and raises one alarm a minute', async () => {
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
