import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { writeMark } from '../../src/epochs/mark-file.ts';
import { startServe } from '../faults/support/serve-process.ts';
import { forEachEngine } from '../support/engines.ts';
import { startTestService } from '../support/test-service.ts';

forEachEngine('a service whose store goes back', (openTestDatabase) => {
  test('stops with an alarm in its log that says so, once', async () => {
    const db = await openTestDatabase();
    await using service = await startServe({ databaseUrl: db.url });
    await db.transaction((tx) => tx.query('update store_marks set beat = -1'));
    assert.deepEqual(await service.exited, { status: 70, signal: null });
    const said = service.output().match(/.*the store has gone back.*/g) ?? [];
    assert.equal(said.length, 1);
    assert.equal((JSON.parse(said[0] ?? '') as { alarm: string }).alarm, 'unfit_for_store');
  });

  test('and was emptied does not start, and leaves it empty', async (context) => {
    const db = await openTestDatabase({ migrated: false });
    const dataDir = mkdtempSync(join(tmpdir(), 'rubrica-emptied-'));
    context.after(() => rmSync(dataDir, { recursive: true }));
    const config = readConfig({ DATABASE_URL: db.url, DATA_DIR: dataDir, MASTER_KEY: '5a'.repeat(32) });
    const seen = { store: 'before', beat: 7, epoch: 0, transactions: 2001, events: 5, callbacks: 0, at: 0 };
    await writeMark(config, seen);
    const starting = startTestService(context, db.url, { DATA_DIR: dataDir });
    await assert.rejects(starting, { code: 'STORE_IS_OLDER', message: /^This is not the store that was here before/ });
    assert.deepEqual(await db.query('select table_name from {columns} as columns'), []);
  });
});
