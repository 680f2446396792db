import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import { cutPowerUnderLoad } from './power-cut.ts';
import { report } from './support/report.ts';
import { createScratchDisk, whyNoDisk } from './support/scratch-disk.ts';

const CUTS = Number(process.env.FAULT_CUTS ?? 100);
const reason = await whyNoDisk(() => createScratchDisk(16));
const skip = reason === null ? false : `POWER CUTS WERE NOT TESTED: ${reason}`;

describe('power cuts under load', { skip }, () => {
  test(`${CUTS} of them lose nothing acknowledged`, async () => {
    const result = await cutPowerUnderLoad({ cuts: CUTS, random: createSeededRandom(1) });
    report('power cuts', { ...result, problems: result.problems.length });
    assert.deepEqual(result.problems, []);
    assert.equal(result.lossyCuts, CUTS, 'every cut lost unflushed data');
    assert.ok(result.open > 0, 'the cuts interrupted requests');
    assert.ok(result.acknowledged > 20 * CUTS, 'there was load');
  });

  for (const plant of ['synchronous normal', 'event in a separate commit'] as const) {
    test(`catches the planted bug: ${plant}`, async () => {
      const result = await cutPowerUnderLoad({ cuts: 15, plant, random: createSeededRandom(2) });
      report(plant, { acknowledged: result.acknowledged, problems: result.problems.length, first: result.problems[0] });
      assert.notDeepEqual(result.problems, []);
    });
  }
});
