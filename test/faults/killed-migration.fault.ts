import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { countStatements, describeSchema, killMigration, makeOldStore } from './killed-migration.ts';
import { report } from './support/report.ts';

const MOST_KILLS = 150;

forEachEngine('a killed migration', (openTestDatabase, engine) => {
  test('is completed by the next start, whichever statement it was killed at', { timeout: 20 * 60_000 }, async () => {
    const whole = await describeSchema((await openTestDatabase()).url);
    const statements = countStatements(engine);
    const problems: string[] = [];
    // Each kill costs two starts, so a longer history is killed at every second or third statement.
    const step = Math.ceil(statements / MOST_KILLS);
    for (let statement = 1; statement <= statements; statement += step) {
      const db = await openTestDatabase({ migrated: false });
      await makeOldStore(db);
      problems.push(...(await killMigration(db.url, statement)));
      assert.deepEqual(await describeSchema(db.url), whole, `after a kill at statement ${statement}`);
    }
    report(`killed migrations on ${engine}`, { statements, step, problems: problems.length });
    assert.deepEqual(problems, []);
  });

  test('catches the planted bug: migration without a transaction, killed', async () => {
    const db = await openTestDatabase({ migrated: false });
    await makeOldStore(db);
    const problems = await killMigration(db.url, 2, 'migration without a transaction, killed');
    report(`migration without a transaction on ${engine}`, { problems: problems.length, first: problems[0] });
    assert.notDeepEqual(problems, []);
  });
});
