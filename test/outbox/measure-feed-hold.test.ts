import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { measureFeedHold } from '../../src/outbox/feed/measure-feed-hold.ts';
import { comesTrue } from '../support/comes-true.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';

forEachEngine('the process that holds back the feed', (openTestDatabase, engine) => {
  if (engine === 'sqlite') {
    test('does not exist, because row ids follow the order of the commits', async () => {
      const app = createTestApp(await openTestDatabase());
      assert.equal(await measureFeedHold(app), null);
      assert.match(await app.metrics.registry.metrics(), /^rubrica_feed_held_seconds\{.*\} 0$/m);
    });
    return;
  }

  test('is reported with its pid, program and database, also when it uses another database', async () => {
    const app = createTestApp(await openTestDatabase());
    const other = await openTestDatabase({ migrated: false });
    const client = new pg.Client({ connectionString: other.url, application_name: 'nightly-report' });
    await client.connect();
    await client.query('begin');
    await client.query('select pg_current_xact_id()');
    const pid = (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;
    // The transaction counts after a certain age. Another test may have an older one on the same server.
    assert.ok(await comesTrue(async () => (await measureFeedHold(app))?.pid === pid));
    const hold = await measureFeedHold(app);
    assert.equal(hold?.application, 'nightly-report');
    assert.equal(hold?.database, new URL(other.url).pathname.slice(1));
    assert.ok((hold?.ageMs ?? 0) >= 5_000);
    const metrics = await app.metrics.registry.metrics();
    assert.match(
      metrics,
      new RegExp(`^rubrica_feed_held_seconds\\{pid="${pid}",application="nightly-report",.*\\} (?:[5-9]|\\d\\d)`, 'm'),
    );
    await client.query('rollback');
    await client.end();
    assert.ok(await comesTrue(async () => (await measureFeedHold(app))?.pid !== pid));
    assert.doesNotMatch(await app.metrics.registry.metrics(), /nightly-report/);
  });
});
