import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDatabase } from '../../src/db/open-database.ts';
import { describeDatabase } from '../contracts/database.contract.ts';
import { forEachEngine } from '../support/engines.ts';

forEachEngine('the database', (openTestDatabase, engine) => {
  describeDatabase(openTestDatabase);

  test('the adapter names its engine', async () => {
    assert.equal((await openTestDatabase()).engine, engine);
  });

  if (engine === 'postgres') {
    test('two transactions that deadlock both succeed in the end', async () => {
      const db = await openTestDatabase({ migrated: false });
      await db.transaction((tx) => tx.query('create table locks (id bigint primary key, taken integer)'));
      await db.transaction((tx) => tx.query('insert into locks values (1, 0), (2, 0)'));
      let runs = 0;
      let held = 0;
      let bothHoldOne = () => {};
      const barrier = new Promise<void>((resolve) => {
        bothHoldOne = resolve;
      });
      const take = (first: number, second: number) =>
        db.transaction(async (tx) => {
          runs += 1;
          await tx.query('update locks set taken = taken + 1 where id = $1', [first]);
          held += 1;
          if (held === 2) bothHoldOne();
          await barrier;
          await tx.query('update locks set taken = taken + 1 where id = $1', [second]);
        });
      await Promise.all([take(1, 2), take(2, 1)]);
      assert.ok(runs > 2, 'a deadlock makes a transaction run again');
      const rows = await db.query<{ taken: number }>('select taken from locks');
      assert.deepEqual(
        rows.map((row) => row.taken),
        [2, 2],
      );
    });

    test('a statement prepared before a migration is prepared again after it', async () => {
      const db = await openTestDatabase({ migrated: false });
      await db.transaction((tx) => tx.query('create table things (id integer)'));
      const other = openDatabase(db.url, { connections: 3, pooler: false, onFatal: () => {} });
      const read = () => other.transaction((tx) => tx.query('select * from things'));
      const readAlone = () => other.query('select * from things');
      const all = () => Promise.all([read(), read(), read(), readAlone(), readAlone(), readAlone()]);
      await all();
      await db.transaction((tx) => tx.query('alter table things add column name text'));
      assert.deepEqual((await all()).flat(), []);
      await other.close();
    });

    test('behind a pooler no prepared statement has a name', async () => {
      const { url } = await openTestDatabase();
      const db = openDatabase(url, { connections: 1, pooler: true, onFatal: () => {} });
      await db.query('select name from schema_migrations');
      assert.equal((await db.query('select name from pg_prepared_statements')).length, 0);
      await db.close();
    });
  } else {
    test('a backup taken while the service runs holds what was committed', async () => {
      const db = await openTestDatabase({ migrated: false });
      await db.transaction((tx) => tx.query('create table things (id integer)'));
      await db.transaction((tx) => tx.query('insert into things values (1)'));
      const folder = mkdtempSync(join(tmpdir(), 'rubrica-backup-'));
      const file = join(folder, 'copy.db');
      await db.backup(file);
      const copy = await openTestDatabase({ url: `sqlite:${file}` });
      assert.equal((await copy.query('select id from things')).length, 1);
      await copy.close();
      rmSync(folder, { recursive: true });
    });

    test('a read outside a transaction cannot write', async () => {
      const db = await openTestDatabase();
      await assert.rejects(db.query("insert into schema_migrations values ('x', 'y', 'z', 0)"), /readonly/);
    });
  }
});

test('a database URL with another scheme is refused', () => {
  const options = { connections: 1, pooler: false, onFatal: () => {} };
  assert.throws(() => openDatabase('mysql://127.0.0.1/x', options), /sqlite: or postgres:/);
});
