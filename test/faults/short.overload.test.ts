import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { checkStandstill, checkStorm, standStill, stormService } from './overload.ts';

/** The short form of overload.fault.ts. */
test('far too many requests are refused early, and then all is as before', async () => {
  assert.deepEqual(checkStorm(await stormService(500)), []);
});

forEachEngine('a database that stands still, in short', (openTestDatabase, engine) => {
  const skip = engine === 'sqlite' && 'SQLite runs in the thread that answers';
  test('refuses who would wait too long, and serves those who wait', { skip }, async () => {
    const { url } = await openTestDatabase();
    assert.deepEqual(checkStandstill(await standStill(url, 3_000)), []);
  });
});
