import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countAct } from '../src/audit/count-acts.ts';
import { startWorker } from '../src/worker.ts';
import { forEachEngine } from './support/engines.ts';
import { TESTER } from './support/test-actor.ts';
import { createTestApp } from './support/test-app.ts';

forEachEngine('the background of a process', (openTestDatabase) => {
  test('did nothing more at its end where the first of it failed', async () => {
    const app = createTestApp(await openTestDatabase());
    const failed: string[] = [];
    const warn = (_error: unknown, text: string) => void failed.push(text);
    const log = Object.assign(Object.create(app.log) as typeof app.log, { warn });
    let away = false;
    const transaction: typeof app.db.transaction = (work) =>
      away ? Promise.reject(new Error('the store is away')) : app.db.transaction(work);
    const db = Object.assign(Object.create(app.db) as typeof app.db, { transaction });
    const broken = { ...app, db, log };
    const worker = startWorker(broken, async () => false, assert.fail);
    countAct(broken, { by: TESTER, action: 'user.permission_refused', subject: { kind: 'permission', id: 'x' } });
    away = true;
    await worker.stop();
    assert.ok(failed.includes('this process is still listed'), failed.join());
  });
});
