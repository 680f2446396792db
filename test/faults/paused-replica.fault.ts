import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { pauseReplica } from './paused-replica.ts';
import { report } from './support/report.ts';

forEachEngine('a replica paused for longer than its lease', (openTestDatabase, engine) => {
  const skip = engine === 'sqlite' && 'an embedded store has one process';
  test('changes nothing when it resumes', { skip, timeout: 5 * 60_000 }, async () => {
    const { url } = await openTestDatabase();
    const problems = await pauseReplica(url);
    report('paused replica', { 'lease ms': 60_000, problems: problems.length });
    assert.deepEqual(problems, []);
  });
  test('catches the planted bug: no fencing token', { skip }, async () => {
    const { url } = await openTestDatabase();
    const problems = await pauseReplica(url, 'short lease, no fencing token');
    report('no fencing token', { problems: problems.length, first: problems[0] });
    assert.notDeepEqual(problems, []);
  });
});
