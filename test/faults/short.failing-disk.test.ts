import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkDiskFault, createOnFailingDisk } from './failing-disk.ts';
import { whyNoInjection } from './support/system-calls.ts';

const reason = await whyNoInjection();

/** The short form of failing-disk.fault.ts. */
describe('a failing disk, short form', { skip: reason !== null && `FAILING DISKS WERE NOT TESTED: ${reason}` }, () => {
  const faults = [
    { call: 'fsync', fault: 'error=EIO', at: '9' },
    { call: 'pwrite64', fault: 'error=ENOSPC', at: '45' },
  ] as const;
  for (const injection of faults) {
    test(`${injection.fault} at call ${injection.at} of ${injection.call} loses nothing`, async () => {
      assert.deepEqual(checkDiskFault(injection, await createOnFailingDisk(injection)), []);
    });
  }

  test('catches the planted bug: keeps serving after a failed commit', async () => {
    const injection = { call: 'fsync', fault: 'error=EIO', at: '9' } as const;
    const result = await createOnFailingDisk(injection, 'keeps serving after a failed commit');
    assert.notDeepEqual(checkDiskFault(injection, result), []);
  });
});
