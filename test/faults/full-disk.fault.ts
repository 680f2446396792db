import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkFullDisk, fillDisk } from './full-disk.ts';
import { report } from './support/report.ts';
import { createSmallDisk, whyNoDisk } from './support/scratch-disk.ts';

const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 10);
const reason = await whyNoDisk(() => createSmallDisk(1));

describe('a full disk', { skip: reason !== null && `FULL DISKS WERE NOT TESTED: ${reason}` }, () => {
  test(`stops writes, not reads, and writes succeed again when there is room, ${ROUNDS} times`, async () => {
    for (let round = 1; round <= ROUNDS; round++) {
      const result = await fillDisk();
      const { created, refused, acceptedAgainMs } = result;
      report('full disk', { round, created, refused, 'accepted again after ms': acceptedAgainMs });
      assert.deepEqual(checkFullDisk(result), []);
      assert.ok(acceptedAgainMs !== null && acceptedAgainMs <= 5_000);
    }
  });

  for (const plant of ['stops when the disk is full', 'says that a refused create was stored'] as const) {
    test(`catches the planted bug: ${plant}`, async () => {
      const problems = checkFullDisk(await fillDisk(plant));
      report(plant, { problems: problems.length, first: problems[0] });
      assert.notDeepEqual(problems, []);
    });
  }
});
