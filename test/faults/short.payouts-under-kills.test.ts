import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import { forEachEngine } from '../support/engines.ts';
import { killPayers } from './payouts-under-kills.ts';

forEachEngine('payouts under kills, short form', (openTestDatabase, engine) => {
  test('no payout leaves twice or exceeds the balance', async () => {
    const processes = engine === 'postgres' ? 3 : 1;
    const options = { processes, kills: 3, payouts: 30, random: createSeededRandom(1) };
    const result = await killPayers(openTestDatabase, options);
    assert.deepEqual(result.problems, []);
    assert.ok(result.given > 0, 'payouts were sent');
  });
});
