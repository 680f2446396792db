import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runSeed, type SeedReport } from './simulation/run-seed.ts';
import { SIMULATED_PLANTS } from './simulation/simulated-plants.ts';
import { report } from './support/report.ts';

/** FAULT_SEED=17 runs one seed with its whole trace. FAULT_SEEDS=50000 sets the number of seeds. */
const ONLY_SEED = Number(process.env.FAULT_SEED ?? 0);
const SEEDS = Number(process.env.FAULT_SEEDS ?? 2_000);
const SEEDS_FOR_PLANTS = 100;

describe('the delivery engine in a simulated world', { skip: ONLY_SEED > 0 }, () => {
  test(`keeps its promises in ${SEEDS} worlds`, async () => {
    const total = { seeds: 0, orders: 0, attempts: 0, mishaps: 0, events: 0 };
    const failed: SeedReport[] = [];
    for (let seed = 1; seed <= SEEDS; seed++) {
      const result = await runSeed(seed, { plant: null });
      total.seeds++;
      for (const key of ['orders', 'attempts', 'mishaps', 'events'] as const) total[key] += result.counts[key];
      if (result.violations.length > 0) failed.push(result);
    }
    report('simulation', { ...total, 'seeds that failed': failed.length });
    assert.ok(total.mishaps > total.seeds, 'the faults happened');
    assert.deepEqual(failed.map(describeFailure), []);
  });

  test('repeats the same world for the same seed', async () => {
    for (let seed = 1; seed <= 50; seed++) {
      const [one, other] = [await runSeed(seed, { plant: null }), await runSeed(seed, { plant: null })];
      assert.equal(one.hash, other.hash, `seed ${seed} gives the same trace twice`);
    }
  });

  test('delivers to others in time while a merchant with 10,000 callbacks hangs', async () => {
    const { violations, firstAttemptMs, counts } = await runSeed(1, { plant: null, burst: 10_000 });
    const p99 = firstAttemptMs[Math.floor(0.99 * firstAttemptMs.length)] as number;
    report('hung merchant', { ...counts, others: firstAttemptMs.length, 'first attempt p99 ms': p99 });
    assert.deepEqual(violations, []);
    assert.ok(p99 <= 5_000);
  });

  for (const { plant } of SIMULATED_PLANTS) {
    test(`catches the planted bug: ${plant}`, async () => {
      for (let seed = 1; seed <= SEEDS_FOR_PLANTS; seed++) {
        const { violations } = await runSeed(seed, { plant });
        if (violations.length === 0) continue;
        report(plant, { 'caught by seed': seed, says: violations[0] });
        return;
      }
      assert.fail(`one of ${SEEDS_FOR_PLANTS} seeds must catch the bug`);
    });
  }
});

test('FAULT_SEED prints the whole trace of one seed', { skip: ONLY_SEED === 0 }, async () => {
  const { lines, violations } = await runSeed(ONLY_SEED, { plant: null });
  console.log(lines.join('\n'));
  assert.deepEqual(violations, []);
});

function describeFailure({ seed, violations }: SeedReport): string {
  return `FAULT_SEED=${seed} bin/test test/faults/delivery-simulation.fault.ts  # ${violations.length}: ${violations[0]}`;
}
