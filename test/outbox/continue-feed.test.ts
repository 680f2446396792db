import assert from 'node:assert/strict';
import { test } from 'node:test';
import { continueFeed } from '../../src/outbox/feed/continue-feed.ts';
import { readFeed } from '../../src/outbox/feed/read-feed.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { removeTriggers } from '../support/test-books.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';

const EVERYTHING = { id: 'usr_1', environmentIds: null };

forEachEngine('a feed on a server whose transaction ids start again', (openTestDatabase, engine) => {
  test('continues after every cursor that was given out before', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    await createTestTransaction(app, environment, { reference: 'BEFORE' });
    // As in a dump of a much older server.
    if (engine === 'postgres') {
      await removeTriggers(app.db);
      await app.db.transaction((tx) => tx.query('update events set commit_id = 900000000000'));
    }
    assert.equal(await continueFeed(app), engine === 'postgres');
    assert.equal(await continueFeed(app), false);
    const before = await readWhole(app, null);
    assert.deepEqual(before.references, ['BEFORE']);
    await createTestTransaction(app, environment, { reference: 'AFTER' });
    const after = await readWhole(app, before.next);
    assert.deepEqual(after.references, ['AFTER']);
    assert.equal(await continueFeed(app), false);
  });
});

/**
 * Reads until the feed is complete. PostgreSQL shows an event when no older transaction of the server runs, also of
 * other tests.
 */
async function readWhole(app: ReturnType<typeof createTestApp>, after: string | null) {
  for (;;) {
    const { events, next } = await readFeed(app, EVERYTHING, after, 10);
    if (events.length > 0) return { references: events.map((event) => event.transaction?.reference), next };
  }
}
