import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { checkStandstill, checkStorm, standStill, stormService } from './overload.ts';
import type { PlantName } from './plants.ts';
import { report } from './support/report.ts';

const SECONDS = Number(process.env.FAULT_SECONDS ?? 20);
/** Checked only in the long form, which runs alone: on a busy machine every response is slow. */
const LONGEST_READY_MS = 5_000;
/** The longest that a refused client may wait. */
const LONGEST_REFUSAL_MS = 1_000;

async function storm(seconds: number): Promise<string[]> {
  const result = await stormService(seconds * 1000);
  const problems = [
    ...checkStorm(result),
    ...tooFew(result.created),
    ...tooSlow('/readyz', result.slowestReadyMs, LONGEST_READY_MS),
  ];
  const { megabytes, ready } = result;
  const shown = { megabytes: megabytes.join(' then '), ready: JSON.stringify(ready) };
  report('storm', { seconds, ...result, ...shown, problems: problems.length, first: problems[0] });
  return problems;
}

test(`excess requests are refused early for ${SECONDS} seconds, and then the service recovers`, async () => {
  assert.deepEqual(await storm(SECONDS), []);
});

forEachEngine('a stalled database', (openTestDatabase, engine) => {
  const skip = engine === 'sqlite' && 'SQLite runs in the thread that answers';
  async function standstill(plant?: PlantName): Promise<string[]> {
    const { url } = await openTestDatabase();
    const result = await standStill(url, 7_000, plant);
    const late = tooSlow('a refusal', result.slowestRefusalMs, LONGEST_REFUSAL_MS);
    const problems = [...checkStandstill(result), ...late];
    report(plant ?? 'standstill', { ...result, problems: problems.length, first: problems[0] });
    return problems;
  }

  test('makes the service refuse at once every request that would wait too long', { skip }, async () => {
    assert.deepEqual(await standstill(), []);
  });

  test('catches the planted bug: endless queue', { skip }, async () => {
    assert.notDeepEqual(await standstill('endless queue'), []);
  });
});

function tooFew(created: number): string[] {
  return created < 500 ? [`only ${created} were created`] : [];
}

function tooSlow(what: string, tookMs: number, longestMs: number): string[] {
  return tookMs > longestMs ? [`${what} took ${tookMs} ms`] : [];
}
