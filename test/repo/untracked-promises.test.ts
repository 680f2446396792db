import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runChild, withoutTestContext } from '../support/child-process.ts';

test('an uncaught error fails its file and names its place, although the runner tracks no promise', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'fails-aside.test.mjs');
  writeFileSync(file, FAILS_ASIDE);
  const preload = import.meta.resolve('../support/untracked-promises.ts');
  const args = [`--import=${preload}`, '--test-reporter=tap', file];

  const { status, stdout, stderr } = await runChild('node', args, { env: withoutTestContext() });

  assert.equal(status, 1);
  assert.match(stdout, /^ok 1 - is over before/m, 'an error after the end does not fail the test itself');
  assert.match(stderr, /unhandledRejection: Error: aside\n {4}at .*fails-aside\.test\.mjs:5:/);
});

const FAILS_ASIDE = `
import { setImmediate } from 'node:timers/promises';
import { test } from 'node:test';
test('is over before', async () => {
  const aside = async () => { await setImmediate(); throw new Error('aside'); };
  void aside();
  await setImmediate();
  await setImmediate();
});
`;
