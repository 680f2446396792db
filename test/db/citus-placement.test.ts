import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore, prepareStore } from '../../src/cli/prepare-store.ts';
import { whyFeedIsElsewhere } from '../../src/db/citus-placement.ts';
import type { Database } from '../../src/db/database.ts';
import { watchStore } from '../../src/epochs/watch-store.ts';
import { comesTrue } from '../support/comes-true.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';

forEachEngine('a store on a Citus node', (openTestDatabase, engine) => {
  test('is served where Citus is not installed', async () => {
    assert.equal(await whyFeedIsElsewhere(await openTestDatabase()), null);
  });
  if (engine === 'sqlite') return;

  test('is served by the node that has the schema', async () => {
    const db = await openTestDatabase();
    await describePlacement(db, { method: 'n', copies: 's', node: 1 });
    assert.equal(await whyFeedIsElsewhere(db), null);
    await openStore(createTestApp(db), true);
  });

  test('is refused with the reason when its events are on another node or spread by rows', async () => {
    for (const [placement, why] of [
      [{ method: 'n', copies: 's', node: 2 }, /on another node/],
      [{ method: 'h', copies: 'c', node: 1 }, /by rows/],
      [{ method: 'n', copies: 't', node: 1 }, /by rows/],
    ] as const) {
      const db = await openTestDatabase();
      await describePlacement(db, placement);
      const refusal = { status: 78, code: 'STORE_IS_DIVIDED', message: why };
      await assert.rejects(openStore(createTestApp(db), true), refusal);
      // Tables can be created through any node.
      await prepareStore(createTestApp(db), TESTER);
    }
  });

  test('is checked for Citus only once when there is none', async () => {
    const db = await openTestDatabase();
    let asked = 0;
    const query: Database['query'] = (sql, parameters) => {
      if (sql.includes('pg_dist_partition')) asked++;
      return db.query(sql, parameters);
    };
    const watch = await watchStore(createTestApp({ ...db, query }), () => assert.fail('the service does not stop'));
    // The watch checks once more at its end.
    await watch.stop();
    assert.equal(asked, 1);
  });

  test('stops its service when its schema moves to another node', async () => {
    const db = await openTestDatabase();
    await describePlacement(db, { method: 'n', copies: 's', node: 1 });
    const reasons: string[] = [];
    const watch = await watchStore(createTestApp(db), (error) => reasons.push(error.message));
    assert.deepEqual(reasons, []);
    await db.query('update pg_dist_placement set groupid = 2');
    assert.ok(await comesTrue(() => reasons.length > 0));
    await watch.stop();
    assert.match(reasons[0] ?? '', /on another node/);
  });

  for (const code of ['XX000', '57014', '55P03', '08006'])
    test(`treats the server error ${code} as an unavailable store, not as a bug`, async () => {
      const db = await openTestDatabase();
      const raise = `do $$ begin raise exception 'a shard has moved' using errcode = '${code}'; end $$`;
      await assert.rejects(db.query(raise), { code: 'STORAGE_UNAVAILABLE' });
    });
});

/** Creates the catalogues of Citus 13 as node 1 shows them. */
async function describePlacement(db: Database, { method = '', copies = '', node = 0 }): Promise<void> {
  for (const statement of [
    'create table pg_dist_partition (logicalrelid regclass, partmethod "char", repmodel "char")',
    'create table pg_dist_shard (logicalrelid regclass, shardid bigint)',
    'create table pg_dist_placement (shardid bigint, groupid integer)',
    'create table pg_dist_local_group (groupid integer)',
    `insert into pg_dist_partition values ('events', '${method}', '${copies}')`,
    `insert into pg_dist_shard values ('events', 102008)`,
    `insert into pg_dist_placement values (102008, ${node})`,
    'insert into pg_dist_local_group values (1)',
  ])
    await db.query(statement);
}
