import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import { whyMissing } from '../support/system-programs.ts';
import { restartReplicas, stopUnderLoad } from './graceful-stop.ts';
import { report } from './support/report.ts';

const STOPS = Number(process.env.FAULT_STOPS ?? 50);
/** The promise of docs/reliability.md. */
const LONGEST_EXIT_MS = 10_000;
const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 5);

describe('SIGTERM', () => {
  test(`stops a service under load ${STOPS} times without failing an accepted request`, async () => {
    const result = await stopUnderLoad({ stops: STOPS, random: createSeededRandom(1) });
    report('SIGTERM under load', { ...result, problems: result.problems.length });
    assert.deepEqual(result.problems, []);
    assert.ok(result.acknowledged > 10 * STOPS, 'there was load');
    assert.ok(result.notTaken > 0, 'the stops hit requests');
    assert.ok(result.slowestExitMs <= LONGEST_EXIT_MS, `ended after ${result.slowestExitMs} ms`);
  });

  test('catches the planted bug: no drain', async () => {
    const { problems } = await stopUnderLoad({ stops: 5, plant: 'no drain', random: createSeededRandom(2) });
    report('no drain', { problems: problems.length, first: problems[0] });
    assert.notDeepEqual(problems, []);
  });

  test(`restarts four replicas ${ROUNDS} times, and no request that clients may repeat fails`, {
    skip: whyMissing('initdb') ?? false,
  }, async () => {
    const result = await restartReplicas({ rounds: ROUNDS });
    report('rolling restarts', { ...result, problems: result.problems.length });
    assert.deepEqual(result.problems, []);
    assert.equal(result.failed, 0);
    assert.ok(result.repeated > 0, 'the restarts hit requests');
    assert.ok(result.slowestExitMs <= LONGEST_EXIT_MS, `ended after ${result.slowestExitMs} ms`);
  });
});
