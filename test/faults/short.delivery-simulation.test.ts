import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runSeed } from './simulation/run-seed.ts';
import { SIMULATED_PLANTS } from './simulation/simulated-plants.ts';

/** The short form of delivery-simulation.fault.ts. */
describe('the delivery engine in a simulated world, in short', () => {
  test('keeps its word in eight worlds', async () => {
    for (let seed = 101; seed <= 108; seed++) {
      const { violations } = await runSeed(seed, { plant: null });
      assert.deepEqual(violations, [], `FAULT_SEED=${seed} bin/test test/faults/delivery-simulation.fault.ts`);
    }
  });

  test('is the same world again with the same seed', async () => {
    const [one, other] = [await runSeed(2, { plant: null }), await runSeed(2, { plant: null })];
    assert.equal(one.hash, other.hash);
    assert.notEqual(one.hash, (await runSeed(3, { plant: null })).hash);
  });

  test('lets 300 callbacks of a merchant that hangs delay nobody else', async () => {
    const { violations, firstAttemptMs } = await runSeed(1, { plant: null, burst: 300 });
    assert.deepEqual(violations, []);
    assert.ok(firstAttemptMs.length > 10);
    assert.ok((firstAttemptMs.at(-1) as number) <= 5_000);
  });

  for (const { plant, seed } of SIMULATED_PLANTS) {
    test(`catches the planted bug: ${plant}`, async () => {
      const { violations } = await runSeed(seed, { plant });
      assert.notDeepEqual(violations, [], `seed ${seed} did not catch it; the long run finds one that does`);
    });
  }
});
