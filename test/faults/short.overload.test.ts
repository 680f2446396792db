import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { checkStandstill, checkStorm, standStill, stormService } from './overload.ts';

/** The short form of overload.fault.ts. */
test('excess requests are refused early, and then the service recovers', async () => {
  assert.deepEqual(checkStorm(await stormService(500)), []);
});

forEachEngine('a stalled database, short form', (openTestDatabase, engine) => {
  const skip = engine === 'sqlite' && 'SQLite runs in the thread that answers';
  test('makes the service refuse requests that would wait too long, and serve the others', { skip }, async () => {
    const { url } = await openTestDatabase();
    assert.deepEqual(checkStandstill(await standStill(url, 3_000)), []);
  });
});
