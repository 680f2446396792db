import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { comesTrue } from '../support/comes-true.ts';
import { forEachEngine, type TestDatabase } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { openByUrl } from '../support/test-database.ts';

forEachEngine('the database of a test', (openTestDatabase, engine) => {
  // On SQLite each test has a separate file.
  if (engine === 'sqlite') return;

  let before: { db: TestDatabase; name: string };
  let running: TestDatabase;

  async function open(): Promise<{ db: TestDatabase; name: string; used: number }> {
    const db = await openTestDatabase();
    const [row] = await db.query<{ name: string }>('select current_database() as name');
    const name = row?.name ?? '';
    const used = await db.query('select 1 as one from environments');
    return { db, name, used: used.length };
  }

  test('can be changed by the test', async () => {
    before = await open();
    await createPaymentService(createTestApp(before.db), 'Shop', TESTER);
    assert.equal((await before.db.query('select id from environments')).length, 2);
  });

  test('is reused by the next test, emptied, with ids from 1', async () => {
    const { db, name, used } = await open();
    assert.deepEqual([name, used], [before.name, 0]);
    const app = createTestApp(db);
    await createPaymentService(app, 'Shop', TESTER);
    assert.deepEqual(
      (await db.query<{ id: number }>('select id from environments order by id')).map(({ id }) => id),
      [1, 2],
    );
  });

  test('refuses statements that the previous test left running', async () => {
    const { db } = before;
    await assert.rejects(db.query('select 1 as one'), { code: 'STORAGE_UNAVAILABLE' });
    before = await open();
    await before.db.transaction((tx) => tx.query('alter table environments disable trigger all'));
  });

  test('is replaced after a change of the schema', async () => {
    const opened = await open();
    assert.notEqual(opened.name, before.name);
    before = opened;
    await createPaymentService(createTestApp(before.db), 'Shop', TESTER);
    await before.db.transaction((tx) => tx.query('analyze environments'));
  });

  test('is replaced after new statistics for the query planner', async () => {
    const opened = await open();
    assert.notEqual(opened.name, before.name);
    before = opened;
    // Another connection pool of the test, opened by the URL.
    const program = openByUrl(opened.db.url);
    const others = `select 1 as one from pg_stat_activity where datname = current_database() and application_name = 'rubrica'`;
    assert.equal((await program.query(others)).length, 1);
    await program.close();
    // The server closes a connection shortly after the client.
    assert.ok(await comesTrue(async () => (await opened.db.query(others)).length === 0));
  });

  test('is reused when the programs of its test have ended', async () => {
    const opened = await open();
    assert.equal(opened.name, before.name);
    before = opened;
    running = openByUrl(opened.db.url);
    await running.query('select 1 as one');
  });

  test('is replaced while a program of its test still runs', async () => {
    before = await open();
    assert.notEqual(before.name, new URL(running.url).pathname.slice(1));
    await running.close();
    await before.db.query(`alter database ${before.name} set synchronous_commit = 'off'`);
  });

  test('is replaced after a change of its settings', async () => {
    assert.notEqual((await open()).name, before.name);
  });
});
