import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bench, OPERATION, SPEED, testFigures } from './quick-figures.ts';

for (const run of SPEED) testFigures(run);

test('an unknown figure is refused with the names of the known ones', async () => {
  const { status, stdout, stderr } = await bench('nonsense');
  assert.equal(status, 1);
  assert.equal((JSON.parse(stdout) as { error: { code: string } }).error.code, 'NOT_FOUND');
  const [, named = ''] = /there are ([^.]+)\./.exec(stderr) ?? [];
  const run = [...SPEED, ...OPERATION].flatMap(({ alone, withPostgres }) => Object.keys({ ...alone, ...withPostgres }));
  assert.deepEqual(named.split(', ').sort(), run.sort());
});
