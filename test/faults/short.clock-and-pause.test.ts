import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { addReplicaAhead, jumpClock } from './clock-jump.ts';
import { pauseReplica } from './paused-replica.ts';

/** The short form of clock-jump.fault.ts and paused-replica.fault.ts. */
test('a clock that is set forth moves no expiry and no attempt', async () => {
  assert.deepEqual(await jumpClock(2, { short: true }), []);
});

forEachEngine('replicas, in short', (openTestDatabase, engine) => {
  const skip = engine === 'sqlite' && 'an embedded store has one process';
  test('agree on what is due when the clock of one is two hours ahead', { skip }, async () => {
    assert.deepEqual(await addReplicaAhead((await openTestDatabase()).url), []);
  });

  test('take over from one that is paused, which changes nothing when it comes back', { skip }, async () => {
    const { url } = await openTestDatabase();
    assert.deepEqual(await pauseReplica(url, 'short lease'), []);
  });
});
