import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyInThread } from '../src/cli/run/verify-in-thread.ts';
import { listProcesses } from '../src/health/list-processes.ts';
import { noteSecretUse } from '../src/payment-services/note-secret-use.ts';
import { noteRefusedRequest, type Refusal } from '../src/refused-requests/note-refused-request.ts';
import { startWorker } from '../src/worker.ts';
import { comesTrue } from './support/comes-true.ts';
import { forEachEngine } from './support/engines.ts';
import { listenToStatements } from './support/heard-statements.ts';
import { createTestApp } from './support/test-app.ts';
import { createTestEnvironment } from './support/test-shop.ts';

forEachEngine('the worker of a process', (openTestDatabase) => {
  test('tries every step of its stop, even if an earlier one fails', async () => {
    const app = createTestApp(await openTestDatabase());
    const { serviceToken } = await createTestEnvironment(app);
    const failed: string[] = [];
    const warn = (_error: unknown, text: string) => void failed.push(text);
    const log = Object.assign(Object.create(app.log) as typeof app.log, { warn });
    let away = false;
    const transaction: typeof app.db.transaction = (work) =>
      away ? Promise.reject(new Error('the store is away')) : app.db.transaction(work);
    const db = Object.assign(Object.create(app.db) as typeof app.db, { transaction });
    const broken = { ...app, db, log };
    const worker = startWorker(broken, async () => false, assert.fail, verifyInThread);
    const what = {
      requestId: 'r',
      at: app.now(),
      method: 'POST',
      route: '/trxs',
      status: 401,
      code: 'SIGNATURE_INVALID',
    };
    const said = { detail: { en: 'x', es: 'x' }, errors: [], body: null, serviceToken, bearer: null };
    noteRefusedRequest(broken, '192.0.2.1', (): Refusal => ({ ...what, ...said }));
    away = true;
    await worker.stop();
    assert.deepEqual(failed, [
      'the last refused requests could not be kept',
      'this process is still listed',
      'the last anchor could not be kept',
    ]);
  });

  test('records the use of a token during DRAIN_DELAY', async () => {
    const app = createTestApp(await openTestDatabase());
    await createTestEnvironment(app);
    const worker = startWorker(app, async () => true, assert.fail, verifyInThread);
    assert.ok(await comesTrue(async () => (await listProcesses(app)).length === 1));
    const answered = Promise.withResolvers<void>();
    const stopped = worker.stop(answered.promise);
    const [secret] = await app.db.query<{ id: string }>('select id from secret_tokens limit 1');
    app.now.advance(240_000);
    noteSecretUse(app, secret?.id ?? '');
    answered.resolve();
    await stopped;
    const [kept] = await app.db.query('select last_used_at from secret_tokens where id = $1', [secret?.id ?? '']);
    assert.equal(kept?.['last_used_at'], app.now());
    assert.deepEqual(await listProcesses(app), []);
  });

  test('looks for expired data once an hour, by the clock of the service', async () => {
    const { app, all } = listenToStatements(createTestApp(await openTestDatabase()));
    const count = (sql: string) => all.filter((heard) => heard.sql.startsWith(sql)).length;
    const lookedFor = () => count('delete from provider_questions');
    const turns = () => count('select 1 as ended from limit_counts');
    const worker = startWorker(app, async () => true, assert.fail, verifyInThread);
    // On PostgreSQL the first step of another loop sets the clock ahead.
    assert.ok(await comesTrue(() => turns() > 2));
    const before = lookedFor();
    assert.ok(await comesTrue(() => turns() > 4));
    assert.equal(lookedFor(), before);
    app.now.advance(3_600_000);
    assert.ok(await comesTrue(() => lookedFor() === before + 1));
    await worker.stop();
  });
});
