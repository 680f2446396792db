import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import { killUnderLoad } from './kill-under-load.ts';

/** The short form of kill-under-load.fault.ts. */
test('three kills under load lose nothing and duplicate nothing', async () => {
  const { problems, acknowledged, open } = await killUnderLoad({ kills: 3, random: createSeededRandom(1) });
  assert.deepEqual(problems, []);
  assert.ok(acknowledged > 0 && open > 0, 'the kills interrupted requests');
});

test('catches the planted bug: reply before commit', async () => {
  const { problems } = await killUnderLoad({ kills: 1, plant: 'reply before commit', random: createSeededRandom(2) });
  assert.ok(problems.some((problem) => problem.startsWith('lost')));
});
