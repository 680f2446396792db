import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkDiskFault, createOnFailingDisk } from './failing-disk.ts';
import { report } from './support/report.ts';
import { type Injection, whyNoInjection } from './support/system-calls.ts';

/** The n-th call fails, for n from 1 to this. */
const POINTS = Number(process.env.FAULT_POINTS ?? 60);
const reason = await whyNoInjection();

const faults: readonly Pick<Injection, 'call' | 'fault'>[] = [
  { call: 'fsync', fault: 'error=EIO' },
  { call: 'fsync', fault: 'error=ENOSPC' },
  { call: 'fsync', fault: 'signal=KILL' },
  { call: 'pwrite64', fault: 'error=EIO' },
  { call: 'pwrite64', fault: 'error=ENOSPC' },
  { call: 'pwrite64', fault: 'signal=KILL' },
];

describe('a failing disk', { skip: reason !== null && `FAILING DISKS WERE NOT TESTED: ${reason}` }, () => {
  for (const { call, fault } of faults) {
    test(`${fault} at each of the first ${POINTS} calls of ${call} loses nothing`, async () => {
      const answers: Record<string, number> = {};
      const problems: string[] = [];
      let whileServing = 0;
      for (let point = 1; point <= POINTS; point++) {
        const injection = { call, fault, at: String(point) };
        const result = await createOnFailingDisk(injection);
        if (result.started) whileServing++;
        for (const problem of checkDiskFault(injection, result)) problems.push(`call ${point}: ${problem}`);
        for (const [answer, count] of Object.entries(result.answers)) answers[answer] = (answers[answer] ?? 0) + count;
      }
      report(`${call} ${fault}`, {
        points: POINTS,
        'while serving': whileServing,
        ...answers,
        problems: problems.length,
      });
      assert.deepEqual(problems, []);
      assert.ok(whileServing > POINTS / 4, 'the faults hit a service under load');
    });
  }

  const plants = [
    { plant: 'keeps serving after a failed commit', call: 'fsync', fault: 'error=EIO', points: [8] },
    { plant: 'swallows the error of a commit', call: 'pwrite64', fault: 'error=EIO', points: [40, 44, 48, 52, 56, 60] },
    { plant: 'event in a separate commit', call: 'pwrite64', fault: 'signal=KILL', points: [40, 44, 48, 52, 56, 60] },
  ] as const;
  for (const { plant, call, fault, points } of plants) {
    test(`catches the planted bug: ${plant}`, async () => {
      const problems: string[] = [];
      for (const point of points) {
        const injection = { call, fault, at: String(point) };
        problems.push(...checkDiskFault(injection, await createOnFailingDisk(injection, plant)));
      }
      report(plant, { problems: problems.length, first: problems[0] });
      assert.notDeepEqual(problems, []);
    });
  }
});
