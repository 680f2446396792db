import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_IDLE_COLLECTION } from '../../src/lib/keep-compiled-code.ts';
import { runChild } from '../support/child-process.ts';

test('V8 knows the flag that keeps compiled code while the service is idle', async () => {
  const statusWith = async (flag: string) => (await runChild('node', [flag, '--eval', '0'])).status;
  assert.equal(await statusWith(NO_IDLE_COLLECTION), 0);
  assert.notEqual(await statusWith('--memory-reducer-no-such-flag=0'), 0);
});
