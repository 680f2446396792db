import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backUpUnderLoad } from './backup-under-load.ts';
import { report } from './support/report.ts';

const BACKUPS = Number(process.env.FAULT_BACKUPS ?? 20);

test(`${BACKUPS} backups under load contain everything acknowledged before them, and start`, async () => {
  const result = await backUpUnderLoad(BACKUPS, 'rubrica backup');
  report('backups under load', { ...result, problems: result.problems.length });
  assert.deepEqual(result.problems, []);
  assert.ok(result.meanwhile > 0, 'there was load during the backup');
});

test('catches the planted bug: a backup that copies only the main file', async () => {
  const { problems } = await backUpUnderLoad(2, 'main file only');
  report('main file only', { problems: problems.length, first: problems[0] });
  assert.notDeepEqual(problems, []);
});

test('catches the planted bug: a backup that restarts at every commit', async () => {
  const { problems } = await backUpUnderLoad(1, 'small steps');
  report('small steps', { problems: problems.length, first: problems[0] });
  assert.match(problems[0] ?? '', /did not end/);
});
