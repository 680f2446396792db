import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import { forEachEngine } from '../support/engines.ts';
import { killBookkeeper } from './books-under-kills.ts';
import { report } from './support/report.ts';

const KILLS = Number(process.env.FAULT_KILLS ?? 200);

forEachEngine('books under kills', (openTestDatabase, engine) => {
  test(`agree with what happened after each of ${KILLS} kills`, async () => {
    const result = await killBookkeeper(openTestDatabase, { kills: KILLS, random: createSeededRandom(1) });
    report(`books under kills on ${engine}`, { ...result, problems: result.problems.length });
    assert.deepEqual(result.problems, []);
    assert.ok(result.payments >= KILLS && result.refunds > 0 && result.movements > 0, 'there was something to book');
  });
});
