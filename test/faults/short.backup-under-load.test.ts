import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backUpUnderLoad } from './backup-under-load.ts';

/** The short form of backup-under-load.fault.ts. */
test('a backup under load contains everything acknowledged before it, and starts', async () => {
  const { problems, rows } = await backUpUnderLoad(1, 'rubrica backup');
  assert.deepEqual(problems, []);
  assert.ok(rows > 1);
});

test('catches the planted bug: a backup that copies only the main file', async () => {
  assert.notDeepEqual((await backUpUnderLoad(1, 'main file only')).problems, []);
});
