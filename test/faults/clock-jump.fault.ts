import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { addReplicaAhead, jumpClock } from './clock-jump.ts';
import { report } from './support/report.ts';

const to2038 = Math.round((Date.UTC(2038, 0, 20) - Date.now()) / 3_600_000);
const jumps = [
  { jump: 'of two hours forward', hours: 2 },
  { jump: 'of two hours back', hours: -2 },
  { jump: 'to 2038, when seconds exceed 31 bits,', hours: to2038 },
];

describe('a jump of the wall clock', () => {
  for (const { jump, hours } of jumps) {
    test(`${jump} changes no expiry and no retry`, async () => {
      const problems = await jumpClock(hours);
      report('clock jump', { hours, problems: problems.length });
      assert.deepEqual(problems, []);
    });
    test(`${jump} catches the planted bug: goes by the wall clock`, async () => {
      const problems = await jumpClock(hours, { plant: 'goes by the wall clock' });
      report('goes by the wall clock', { hours, problems: problems.length, first: problems[0] });
      assert.notDeepEqual(problems, []);
    });
  }
});

forEachEngine('a replica whose clock is two hours ahead', (openTestDatabase, engine) => {
  const skip = engine === 'sqlite' && 'an embedded store has one process';
  test('agrees with the others on what is due', { skip }, async () => {
    const { url } = await openTestDatabase();
    const problems = await addReplicaAhead(url);
    report('replica ahead', { problems: problems.length });
    assert.deepEqual(problems, []);
  });
  test('catches the planted bug: not anchored', { skip }, async () => {
    const { url } = await openTestDatabase();
    const problems = await addReplicaAhead(url, 'not anchored');
    report('not anchored', { problems: problems.length, first: problems[0] });
    assert.notDeepEqual(problems, []);
  });
});
