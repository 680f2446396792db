import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { addReplicaAhead, jumpClock } from './clock-jump.ts';
import { pauseReplica } from './paused-replica.ts';

/** The short form of clock-jump.fault.ts and paused-replica.fault.ts. */
test('a jump of the wall clock forward changes no expiry and no retry', async () => {
  assert.deepEqual(await jumpClock(2, { short: true }), []);
});

forEachEngine('replicas, short form', (openTestDatabase, engine) => {
  const skip = engine === 'sqlite' && 'an embedded store has one process';
  test('agree on what is due if the clock of one is two hours ahead', { skip }, async () => {
    assert.deepEqual(await addReplicaAhead((await openTestDatabase()).url), []);
  });

  test('take over from a paused one, which changes nothing when it resumes', { skip }, async () => {
    const { url } = await openTestDatabase();
    assert.deepEqual(await pauseReplica(url, 'short lease'), []);
  });
});
