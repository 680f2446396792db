import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runChild, withoutTestContext } from '../support/child-process.ts';

test('a test file that does not exist is named before anything starts', async () => {
  const args = ['test/support/run-tests.ts', 'test/lib/money.test.ts', 'test/no-such.test.ts'];
  const { status, stdout, stderr } = await runChild('node', args, { env: withoutTestContext() });
  assert.deepEqual([status, stdout], [1, '']);
  assert.equal(stderr, 'There is no test file test/no-such.test.ts: name one that exists.\n');
});
