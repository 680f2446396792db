import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServe } from '../faults/support/serve-process.ts';
import { forEachEngine } from '../support/engines.ts';

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
});
