import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import { forEachEngine } from '../support/engines.ts';
import { rotateUnderKills } from './rotation-under-kills.ts';
import { report } from './support/report.ts';

const KILLS = Number(process.env.FAULT_KILLS ?? 20);
const SECRETS = Number(process.env.FAULT_SECRETS ?? 10_000);

forEachEngine('replacing the master key while serving', (openTestDatabase, engine) => {
  test(`with ${SECRETS} Secret Tokens and ${KILLS} kills fails no signature and loses no token`, async () => {
    const db = await openTestDatabase();
    await db.close();
    const options = { databaseUrl: db.url, secrets: SECRETS, kills: KILLS, random: createSeededRandom(1) };
    const result = await rotateUnderKills(options);
    report(`rotation under kills on ${engine}`, { ...result, problems: result.problems.length });
    assert.deepEqual(result.problems, []);
    assert.ok(result.answered > 0);
  });
});
