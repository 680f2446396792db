import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backUpUnderLoad } from './backup-under-load.ts';
import { report } from './support/report.ts';

const BACKUPS = Number(process.env.FAULT_BACKUPS ?? 20);

test(`${BACKUPS} backups under load hold everything that was acknowledged before, and can be started`, async () => {
  const result = await backUpUnderLoad(BACKUPS, 'rubrica backup');
  report('backups under load', { ...result, problems: result.problems.length });
  assert.deepEqual(result.problems, []);
  assert.ok(result.meanwhile > 0, 'there was load during the backup');
});

test('a copy of the main file only is caught', async () => {
  const { problems } = await backUpUnderLoad(2, 'main file only');
  report('main file only', { problems: problems.length, first: problems[0] });
  assert.notDeepEqual(problems, []);
});

test('a backup that begins anew at every commit is caught', async () => {
  const { problems } = await backUpUnderLoad(1, 'small steps');
  report('small steps', { problems: problems.length, first: problems[0] });
  assert.match(problems[0] ?? '', /did not end/);
});
