import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlantName } from './plants.ts';
import { checkSoak, soak } from './soak.ts';
import { report } from './support/report.ts';

const SECONDS = Number(process.env.FAULT_SECONDS ?? 60);

async function soakFor(seconds: number, options: { creates?: number; plant?: PlantName } = {}): Promise<string[]> {
  const result = await soak(seconds * 1000, options);
  const problems = checkSoak(result);
  report(options.plant ?? 'soak', { seconds, ...result, problems: problems.length, first: problems[0] });
  return problems;
}

test(`memory, descriptors and the write-ahead log do not grow in ${SECONDS} seconds of steady load`, async () => {
  assert.deepEqual(await soakFor(SECONDS), []);
});

test('catches the planted bug: no checkpoint', async () => {
  // Enough for a log of more than 100 MB, however long it takes.
  const problems = await soakFor(20, { creates: 10_000, plant: 'no checkpoint' });
  assert.ok(problems.some((problem) => problem.startsWith('the write-ahead log grew')));
});
