import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { countStatements, describeSchema, killMigration, makeOldStore } from './killed-migration.ts';

/** The short form of killed-migration.fault.ts. */
forEachEngine('a killed migration, short form', (openTestDatabase) => {
  test('is completed by the next start after a kill at its last statement', async () => {
    const whole = await describeSchema((await openTestDatabase()).url);
    const db = await openTestDatabase({ migrated: false });
    await makeOldStore(db);
    assert.deepEqual(await killMigration(db.url, countStatements(db.engine)), []);
    assert.deepEqual(await describeSchema(db.url), whole);
  });

  test('catches the planted bug: migration without a transaction, killed', async () => {
    const db = await openTestDatabase({ migrated: false });
    await makeOldStore(db);
    assert.notDeepEqual(await killMigration(db.url, 2, 'migration without a transaction, killed'), []);
  });
});
