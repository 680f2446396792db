import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import { forEachEngine } from '../support/engines.ts';
import type { PlantName } from './plants.ts';
import { rotateUnderKills } from './rotation-under-kills.ts';

/** The short form of rotation-under-kills.fault.ts. */
forEachEngine('replacing the master key while serving, short form', (openTestDatabase, engine) => {
  const rotate = async (kills: number, plant?: PlantName) => {
    const db = await openTestDatabase();
    await db.close();
    const options = { databaseUrl: db.url, secrets: 300, kills, random: createSeededRandom(1) };
    return rotateUnderKills(plant === undefined ? options : { ...options, plant });
  };

  test('with a kill fails no signature and loses no Secret Token', async () => {
    const { problems, answered } = await rotate(1);
    assert.deepEqual(problems, []);
    assert.ok(answered > 0);
  });

  test('catches the planted bug: rotation without a transaction, killed', async () => {
    const { problems } = await rotate(1, 'rotation without a transaction, killed');
    assert.ok(problems.includes('lost: 1 Secret Tokens'), problems.join());
  });

  // Does not depend on the store.
  const once = { skip: engine === 'postgres' };
  test('catches the planted bug: the previous key opens nothing', once, async () => {
    const { problems } = await rotate(1, 'the previous key opens nothing');
    assert.match(problems.join(), /serve ended before it was ready/);
  });
});
