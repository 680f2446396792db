import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soak } from './soak.ts';

/** The short form of soak.fault.ts: too short for a leak, long enough to check all responses and measurements. */
test('a steady load of three seconds is answered, and the write-ahead log stays short', async () => {
  const { created, paid, mostLogMb, descriptors, problems } = await soak(3_000);
  assert.deepEqual(problems, []);
  assert.ok(created > 0 && paid > 0 && descriptors[1] > 0);
  assert.ok(mostLogMb <= 64);
});
