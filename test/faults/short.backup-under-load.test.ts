import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backUpUnderLoad } from './backup-under-load.ts';

/** The short form of backup-under-load.fault.ts. */
test('a backup under load holds everything that was acknowledged before, and can be started', async () => {
  const { problems, rows } = await backUpUnderLoad(1, 'rubrica backup');
  assert.deepEqual(problems, []);
  assert.ok(rows > 1);
});

test('a copy of the main file only is caught', async () => {
  assert.notDeepEqual((await backUpUnderLoad(1, 'main file only')).problems, []);
});
