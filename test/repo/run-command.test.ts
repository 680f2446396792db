import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand } from '../support/run-command.ts';

test('each command has its own status, environment and input, although one process runs them all', async () => {
  const { PATH } = process.env;
  const spanish = await runCommand(['open', '--help'], { env: { PATH, LANG: 'es_CL.UTF-8' } });
  assert.match(spanish.stdout, /Uso:/);
  const refused = await runCommand(['completion', 'tcsh'], { env: { PATH }, input: 'never read' });
  assert.deepEqual([refused.status, refused.stdout], [64, '']);
  assert.match(refused.stderr, /^USAGE: /);
  const unsigned = await runCommand(['sign', '--secret', 'a'.repeat(64)], { env: { PATH } });
  assert.deepEqual([unsigned.status, unsigned.stdout], [2, '']);
  const english = await runCommand(['open', '--help'], { env: { PATH } });
  assert.deepEqual([english.status, english.stderr], [0, '']);
  assert.match(english.stdout, /Usage:/);
});

test('concurrent commands do not mix their output', async () => {
  const { PATH } = process.env;
  const [first, second] = await Promise.all(
    ['bash', 'fish'].map((shell) => runCommand(['completion', shell], { env: { PATH } })),
  );
  assert.match(first?.stdout ?? '', /^# bash completion/);
  assert.match(second?.stdout ?? '', /^# fish completion/);
});
