import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { comesTrue } from '../support/comes-true.ts';
import { forEachEngine, type TestDatabase } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { openByUrl } from '../support/test-database.ts';

forEachEngine('a store of a test', (openTestDatabase, engine) => {
  // There each test has a file of its own.
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

  test('is written into', async () => {
    before = await open();
    await createPaymentService(createTestApp(before.db), 'Shop', TESTER);
    assert.equal((await before.db.query('select id from environments')).length, 2);
  });

  test('is the same one, emptied, and gives ids from the first on', async () => {
    const { db, name, used } = await open();
    assert.deepEqual([name, used], [before.name, 0]);
    const app = createTestApp(db);
    await createPaymentService(app, 'Shop', TESTER);
    assert.deepEqual(
      (await db.query<{ id: number }>('select id from environments order by id')).map(({ id }) => id),
      [1, 2],
    );
  });

  test('is refused to what the test before has left running', async () => {
    const { db } = before;
    await assert.rejects(db.query('select 1 as one'), { code: 'STORAGE_UNAVAILABLE' });
    before = await open();
    await before.db.transaction((tx) => tx.query('alter table environments disable trigger all'));
  });

  test('is another one after a change of the schema', async () => {
    const opened = await open();
    assert.notEqual(opened.name, before.name);
    before = opened;
    await createPaymentService(createTestApp(before.db), 'Shop', TESTER);
    await before.db.transaction((tx) => tx.query('analyze environments'));
  });

  test('is another one after statistics that plans go by', async () => {
    const opened = await open();
    assert.notEqual(opened.name, before.name);
    before = opened;
    // A program of the test, at the address that it was given.
    const program = openByUrl(opened.db.url);
    const others = `select 1 as one from pg_stat_activity where datname = current_database() and application_name = 'rubrica'`;
    assert.equal((await program.query(others)).length, 1);
    await program.close();
    // The server ends a connection a moment after its program has.
    assert.ok(await comesTrue(async () => (await opened.db.query(others)).length === 0));
  });

  test('is the same one when the programs of its test have ended', async () => {
    const opened = await open();
    assert.equal(opened.name, before.name);
    before = opened;
    running = openByUrl(opened.db.url);
    await running.query('select 1 as one');
  });

  test('is another one while a program of its test still runs', async () => {
    before = await open();
    assert.notEqual(before.name, new URL(running.url).pathname.slice(1));
    await running.close();
    await before.db.query(`alter database ${before.name} set synchronous_commit = 'off'`);
  });

  test('is another one after a setting that later connections would have', async () => {
    assert.notEqual((await open()).name, before.name);
  });
});
