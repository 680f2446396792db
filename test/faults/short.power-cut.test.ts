import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import { cutPowerUnderLoad } from './power-cut.ts';
import { createScratchDisk, whyNoDisk } from './support/scratch-disk.ts';

const reason = await whyNoDisk(() => createScratchDisk(16));
const skip = reason !== null && `POWER CUTS WERE NOT TESTED: ${reason}`;

/** The short form of power-cut.fault.ts. */
describe('power cuts under load, short form', { skip }, () => {
  test('two of them lose nothing acknowledged', async () => {
    const { problems, lossyCuts } = await cutPowerUnderLoad({ cuts: 2, random: createSeededRandom(1) });
    assert.deepEqual(problems, []);
    assert.equal(lossyCuts, 2, 'every cut lost unflushed data');
  });

  test('catches the planted bug: synchronous normal', async () => {
    const options = { cuts: 1, plant: 'synchronous normal', random: createSeededRandom(2) } as const;
    assert.notDeepEqual((await cutPowerUnderLoad(options)).problems, []);
  });
});
