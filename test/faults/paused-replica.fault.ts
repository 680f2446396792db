import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { pauseReplica } from './paused-replica.ts';
import { report } from './support/report.ts';

forEachEngine('a replica that is paused for longer than its lease', (openTestDatabase, engine) => {
  const skip = engine === 'sqlite' && 'an embedded store has one process';
  test('changes nothing when it comes back', { skip, timeout: 5 * 60_000 }, async () => {
    const { url } = await openTestDatabase();
    const problems = await pauseReplica(url);
    report('paused replica', { 'lease ms': 60_000, problems: problems.length });
    assert.deepEqual(problems, []);
  });
  test('is caught when no token fences it off', { skip }, async () => {
    const { url } = await openTestDatabase();
    const problems = await pauseReplica(url, 'short lease, no fencing token');
    report('no fencing token', { problems: problems.length, first: problems[0] });
    assert.notDeepEqual(problems, []);
  });
});
