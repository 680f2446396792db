import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import { forEachEngine } from '../support/engines.ts';
import { type DeliveryOptions, deliverUnderKills } from './delivery-under-kills.ts';
import { report } from './support/report.ts';
import { TROUBLES } from './support/troubled-merchant.ts';

const CALLBACKS = Number(process.env.FAULT_CALLBACKS ?? 4_000);
const KILLS = Number(process.env.FAULT_KILLS ?? 8);

forEachEngine('callbacks under kills', (openTestDatabase, engine) => {
  async function deliver(options: Partial<DeliveryOptions>) {
    const db = await openTestDatabase();
    await db.close();
    const usual = { callbacks: CALLBACKS, kills: KILLS, troubles: TROUBLES };
    const result = await deliverUnderKills(db.url, { ...usual, random: createSeededRandom(1), ...options });
    const shown = {
      states: JSON.stringify(result.states),
      problems: result.problems.length,
      first: result.problems[0],
    };
    report(`${options.plant ?? 'callbacks under kills'} on ${engine}`, { ...result, ...shown });
    return result;
  }

  test(`all ${CALLBACKS} arrive despite ${KILLS} kills and faulty merchants`, { timeout: 600_000 }, async () => {
    const { problems, repeated } = await deliver({});
    assert.deepEqual(problems.slice(0, 5), []);
    assert.ok(repeated > 0, 'the kills interrupted deliveries');
  });

  test('catches the planted bug: mark before send', async () => {
    const planted = {
      callbacks: 2_000,
      kills: 3,
      troubles: ['none'],
      plant: 'mark before send',
    } as const;
    assert.notDeepEqual((await deliver(planted)).problems, []);
  });
});
