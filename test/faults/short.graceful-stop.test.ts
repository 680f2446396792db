import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import { stopUnderLoad } from './graceful-stop.ts';

/** The short form of graceful-stop.fault.ts. */
test('SIGTERM under load fails no accepted request, and waits for a callback in progress', async () => {
  const { problems, acknowledged } = await stopUnderLoad({ stops: 2, random: createSeededRandom(1) });
  assert.deepEqual(problems, []);
  assert.ok(acknowledged > 2, 'there was load');
});

test('catches the planted bug: no drain', async () => {
  const { problems } = await stopUnderLoad({ stops: 1, plant: 'no drain', random: createSeededRandom(2) });
  assert.notDeepEqual(problems, []);
});
