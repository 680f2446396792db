import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkSlowDisk, createOnSlowDisk } from './slow-disk.ts';
import { report } from './support/report.ts';
import { whyNoInjection } from './support/system-calls.ts';

const SECONDS = Number(process.env.FAULT_SECONDS ?? 60);
const reason = await whyNoInjection();

describe('a slow disk', { skip: reason !== null && `SLOW DISKS WERE NOT TESTED: ${reason}` }, () => {
  test(`delays creates for ${SECONDS} seconds and fails none`, async () => {
    const result = await createOnSlowDisk(SECONDS * 1000);
    const { slowed, acknowledged, p99Ms } = result;
    report('slow disk', { 'slow flushes': slowed, acknowledged, 'p99 ms': p99Ms });
    assert.deepEqual(checkSlowDisk(result), []);
    assert.ok(p99Ms <= 450, 'a create waits for two slow flushes at most');
  });

  test('catches the planted bug: short queue', async () => {
    const problems = checkSlowDisk(await createOnSlowDisk(5_000, 'short queue'));
    report('short queue', { problems: problems.length, first: problems[0] });
    assert.notDeepEqual(problems, []);
  });
});
