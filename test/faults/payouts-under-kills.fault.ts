import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import { forEachEngine } from '../support/engines.ts';
import { killPayers } from './payouts-under-kills.ts';
import { report } from './support/report.ts';

const KILLS = Number(process.env.FAULT_KILLS ?? 100);

forEachEngine('payouts under kills', (openTestDatabase, engine) => {
  // SQLite allows one process at a time.
  const processes = engine === 'postgres' ? 8 : 1;
  test(`with ${processes} processes and ${KILLS} kills, no payout leaves twice or exceeds the balance`, async () => {
    const options = { processes, kills: KILLS, payouts: 300, random: createSeededRandom(1) };
    const result = await killPayers(openTestDatabase, options);
    report(`payouts under kills on ${engine}`, { ...result, problems: result.problems.length });
    assert.deepEqual(result.problems, []);
    assert.ok(
      result.given > 0 && result.lost > 0 && result.refused > 0,
      'payouts were sent, responses were lost and approvals were refused',
    );
  });
});
