import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hangMerchant } from './hung-merchant.ts';
import { report } from './support/report.ts';

/** The promise for the first attempt of a callback in docs/reliability.md. */
const withinMs = 5_000;

test('a hanging merchant with 300 waiting callbacks delays nobody else', async () => {
  const result = await hangMerchant(300, 20, { withinMs });
  report('hung merchant', { ...result, problems: result.problems.length });
  assert.deepEqual(result.problems, []);
});

test('catches the planted bug: global queue', async () => {
  const { problems } = await hangMerchant(100, 3, { withinMs, plant: 'global queue' });
  report('global queue', { problems: problems.length, first: problems[0] });
  assert.notDeepEqual(problems, []);
});
