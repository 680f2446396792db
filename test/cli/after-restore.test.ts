import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from '../../src/cli/run/serve-command.ts';
import { readConfig } from '../../src/config.ts';
import { keepProcess } from '../../src/health/keep-process.ts';
import { listProcesses } from '../../src/health/list-processes.ts';
import { comesTrue } from '../support/comes-true.ts';
import { commandStore } from '../support/command-store.ts';
import { forEachEngine } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
import { createTestApp } from '../support/test-app.ts';

forEachEngine('after-restore', (openTestDatabase) => {
  test('is refused beside a running service and changes nothing, and works when the service has stopped', async (context) => {
    const db = await openTestDatabase();
    const { env } = commandStore(context, db);
    const service = await startService(readConfig({ ...env, PORT: '0' }));
    await using running = new AsyncDisposableStack();
    running.defer(() => service.stop());
    const app = createTestApp(db);
    assert.ok(await comesTrue(async () => (await listProcesses(app)).length === 1));
    const refused = await runCommand(['after-restore'], { env });
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /^ALREADY_SERVED: .* service runs on .*top .* first; start .* again afterwards/);
    assert.deepEqual(await db.query('select epoch from epochs'), []);
    const examined = await runCommand(['doctor'], { env: { ...env, PORT: String(service.app.config.port) } });
    assert.match(examined.stdout, /\nOK {7}port +the service runs on 127\.0\.0\.1:\d+\n/);
    await running.disposeAsync();
    assert.match((await runCommand(['after-restore'], { env })).stdout, /^Epoch \d+ has begun/);
  });

  test('does not wait for a process that is only in the backup', async (context) => {
    const db = await openTestDatabase();
    const { env } = commandStore(context, db);
    await keepProcess(createTestApp(db));
    await db.close();
    assert.match((await runCommand(['after-restore'], { env })).stdout, /^Epoch \d+ has begun/);
  });
});
