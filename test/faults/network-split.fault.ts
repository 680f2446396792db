import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { checkSplit, type SplitOptions, splitFromDatabase } from './network-split.ts';
import { report } from './support/report.ts';

const LONGEST_RECOVERY_MS = 15_000;
const SECONDS = Number(process.env.FAULT_SECONDS ?? 20);

forEachEngine('a network fault between the service and its database', (openTestDatabase, engine) => {
  const skip = engine === 'sqlite' && 'an embedded store has no network';

  async function split(options: SplitOptions): Promise<string[]> {
    const { url } = await openTestDatabase();
    const result = await splitFromDatabase(url, options);
    const problems = checkSplit(options.fault, result);
    const { recoveredMs } = result;
    if (recoveredMs !== null && recoveredMs > LONGEST_RECOVERY_MS) problems.push(`recovered after ${recoveredMs} ms`);
    const ready = JSON.stringify(result.ready);
    report(options.plant ?? `network: ${options.fault}`, {
      ...result,
      ready,
      problems: problems.length,
      first: problems[0],
    });
    return problems;
  }

  for (const fault of ['silent', 'commits unanswered', 'resets', 'slow'] as const) {
    test(`${fault} for ${SECONDS} seconds: every request is answered in time, and nothing is lost`, {
      skip,
    }, async () => {
      assert.deepEqual(await split({ fault, ms: SECONDS * 1000 }), []);
    });
  }

  test('catches the planted bug: waits for the database for ever', { skip }, async () => {
    assert.notDeepEqual(await split({ fault: 'silent', ms: 35_000, plant: 'waits for the database for ever' }), []);
  });

  test('catches the planted bug: an unknown commit is called refused', { skip }, async () => {
    const plant = 'an unknown commit is called refused';
    const problems = await split({ fault: 'commits unanswered', ms: 12_000, plant });
    assert.ok(problems.some((problem) => problem.startsWith('refused and stored')));
  });
});
