import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { checkSplit, splitFromDatabase } from './network-split.ts';

/** The short form of network-split.fault.ts: with a short time-out what happens in half a minute takes seconds. */
forEachEngine('a network fault between the service and its database, short form', (openTestDatabase, engine) => {
  const skip = engine === 'sqlite' && 'an embedded store has no network';
  for (const fault of ['silent', 'commits unanswered'] as const) {
    test(`${fault}: every request is answered in time, and nothing is lost`, { skip }, async () => {
      const { url } = await openTestDatabase();
      const result = await splitFromDatabase(url, { fault, ms: 1_000, plant: 'short time-out' });
      assert.deepEqual(checkSplit(fault, result), []);
    });
  }

  test('catches the planted bug: an unknown commit is called refused', { skip }, async () => {
    const { url } = await openTestDatabase();
    const plant = 'short time-out, an unknown commit is called refused';
    const report = await splitFromDatabase(url, { fault: 'commits unanswered', ms: 1_000, plant });
    const isCaught = report.problems.some((problem) => problem.startsWith('refused and stored'));
    assert.ok(isCaught, JSON.stringify(report));
  });
});
