import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import { forEachEngine } from '../support/engines.ts';
import { deliverUnderKills } from './delivery-under-kills.ts';

/** The short form of delivery-under-kills.fault.ts, with a short lease and troubles that last no longer. */
forEachEngine('callbacks under kills, short form', (openTestDatabase, engine) => {
  const skip = engine === 'postgres' && 'the long form has both engines';
  const random = createSeededRandom(1);
  test('all arrive, even with faulty merchants', { skip }, async () => {
    const db = await openTestDatabase();
    await db.close();
    const size = { callbacks: 600, kills: 2, troubles: ['none', 'reset', 'gone'] } as const;
    const { problems } = await deliverUnderKills(db.url, { ...size, plant: 'short lease', random });
    assert.deepEqual(problems.slice(0, 5), []);
  });

  test('catches the planted bug: mark before send', { skip }, async () => {
    const db = await openTestDatabase();
    await db.close();
    const size = { callbacks: 600, kills: 1, troubles: ['none'] } as const;
    const { problems } = await deliverUnderKills(db.url, { ...size, plant: 'mark before send', random });
    assert.ok(problems.some((problem) => problem.startsWith('lost')));
  });
});
