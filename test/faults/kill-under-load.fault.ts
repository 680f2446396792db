import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom } from '../support/test-app.ts';
import { killUnderLoad } from './kill-under-load.ts';
import { report } from './support/report.ts';

const KILLS = Number(process.env.FAULT_KILLS ?? 200);

test(`${KILLS} kills under load lose nothing and double nothing`, async () => {
  const result = await killUnderLoad({ kills: KILLS, random: createSeededRandom(1) });
  report('kill -9 under load', { ...result, problems: result.problems.length });
  assert.deepEqual(result.problems, []);
  assert.ok(result.open > 0, 'the kills did interrupt requests');
  assert.ok(result.acknowledged > 100 * KILLS, 'there was load');
  assert.ok(result.slowestStartMs <= 2_000, `ready again after ${result.slowestStartMs} ms`);
});

test('catches the planted bug: reply before commit', async () => {
  const result = await killUnderLoad({ kills: 10, plant: 'reply before commit', random: createSeededRandom(2) });
  const lost = result.problems.filter((problem) => problem.startsWith('lost'));
  report('reply before commit', { kills: result.kills, acknowledged: result.acknowledged, lost: lost.length });
  assert.ok(lost.length > 0);
});
