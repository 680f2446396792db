import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database, InsertTarget, InsertWithFollowers, SqlValue } from '../../src/db/database.ts';
import type { OpenTestDatabase } from '../support/engines.ts';

/** Declares the contract of every adapter of the `Database` port. */
export function describeDatabase(openTestDatabase: OpenTestDatabase): void {
  const openWithTable = async () => {
    const db = await openTestDatabase({ migrated: false });
    await db.transaction((tx) => tx.query('create table things (id bigint primary key, name text, size integer)'));
    return db;
  };

  const values: [string, SqlValue, SqlValue, SqlValue][] = [
    ['the largest exact integer', Number.MAX_SAFE_INTEGER, 'x', 0],
    ['a negative integer', -1, 'x', -2_147_483_648],
    ['null', 1, null, null],
    ['an empty text', 1, '', 1],
    ['quotes and line breaks', 1, `it's "a"\\\n\ttext;--`, 1],
    ['letters outside the BMP', 1, 'Rúbrica ✍🏽 日本', 1],
  ];
  for (const [what, id, name, size] of values) {
    test(`${what} is read back as it was stored`, async () => {
      const db = await openWithTable();
      await db.transaction((tx) =>
        tx.query('insert into things (id, name, size) values ($1, $2, $3)', [id, name, size]),
      );
      await db.transaction((tx) => tx.insertRows(things, [{ id: -7, name, size }]));
      const rows = await db.query('select * from things order by id desc');
      assert.deepEqual(plain(rows), [
        { id, name, size },
        { id: -7, name, size },
      ]);
    });
  }

  test('a parameter is bound by its number, in any order and more than once', async () => {
    const db = await openWithTable();
    const sql = 'select cast($2 as text) as second, cast($1 as text) as first, cast($2 as text) as again';
    assert.deepEqual(plain(await db.query(sql, ['a', 'b'])), [{ second: 'b', first: 'a', again: 'b' }]);
  });

  test('a transaction sees its own writes at once, and others see them only after its commit', async () => {
    const db = await openWithTable();
    await db.transaction(async (tx) => {
      await insertThing(tx, 1);
      assert.equal((await tx.query('select id from things')).length, 1);
      assert.equal((await db.query('select id from things')).length, 0);
    });
    assert.equal((await db.query('select id from things')).length, 1);
  });

  test('a transaction that throws leaves nothing behind, and its error reaches the caller unchanged', async () => {
    const db = await openWithTable();
    const mistake = new Error('a mistake');
    const failing = db.transaction(async (tx) => {
      await insertThing(tx, 1);
      throw mistake;
    });
    await assert.rejects(failing, mistake);
    assert.equal((await db.query('select id from things')).length, 0);
  });

  test('a failed statement rolls back the whole transaction, and the next transaction works', async () => {
    const db = await openWithTable();
    const failing = db.transaction(async (tx) => {
      await insertThing(tx, 1);
      await insertThing(tx, 1);
    });
    await assert.rejects(failing);
    await db.transaction((tx) => insertThing(tx, 2));
    assert.deepEqual(plain(await db.query('select id from things')), [{ id: 2 }]);
  });

  test('a transaction that continues after a failed statement stores nothing and is rejected', async () => {
    const db = await openWithTable();
    const goingOn = db.transaction(async (tx) => {
      const things = { name: 'things', columns: ['id', 'name'] };
      await tx.insertRows(things, [{ id: 1, name: 'one' }]);
      await tx.insertRows(things, [{ id: 1, name: 'again' }]).catch(() => {});
      await tx.query(`insert into things (id, name) values (2, 'after it')`).catch(() => {});
    });
    await assert.rejects(goingOn, /unique/i);
    assert.deepEqual(await db.query('select id from things'), []);
  });

  test('a failed transaction does not affect one that was requested while it waited', async () => {
    const db = await openWithTable();
    let giveUp = () => {};
    const waiting = new Promise<void>((resolve) => {
      giveUp = resolve;
    });
    const failing = db.transaction(async (tx) => {
      await insertThing(tx, 1);
      await waiting;
      throw new Error('gave up');
    });
    const other = db.transaction((tx) => insertThing(tx, 2));
    giveUp();
    await assert.rejects(failing, /gave up/);
    await other;
    assert.deepEqual(plain(await db.query('select id from things')), [{ id: 2 }]);
  });

  test('concurrent transactions do not lose updates', async () => {
    const db = await openWithTable();
    await db.transaction((tx) => insertThing(tx, 1));
    const grow = () => db.transaction((tx) => tx.query('update things set size = size + 1 where id = 1'));
    await Promise.all(Array.from({ length: 40 }, grow));
    assert.deepEqual(plain(await db.query('select size from things')), [{ size: 41 }]);
  });

  test('many rows are inserted in one call, and omitted columns are null', async () => {
    const db = await openWithTable();
    const rows = Array.from({ length: 1000 }, (_, id) => ({ id, name: `thing ${id}` }));
    await db.transaction((tx) => tx.insertRows(things, rows));
    const [counted] = await db.query<{ rows: number; sizes: number }>(
      'select count(*) as rows, count(size) as sizes from things',
    );
    assert.deepEqual({ ...counted }, { rows: 1000, sizes: 0 });
    assert.deepEqual(plain(await db.query('select name from things where id = 999')), [{ name: 'thing 999' }]);
  });

  test('a text cut in the middle of a character is stored well-formed, and similar texts are stored unchanged', async () => {
    const db = await openWithTable();
    const names = ['cut \u{1f600}'.slice(0, 5), '\udead end', String.raw`\ud83d\\ud83d`, '\u{1f600}', '\\', '"\u001f'];
    await db.transaction((tx) =>
      tx.insertRows(
        things,
        names.map((name, id) => ({ id, name })),
      ),
    );
    await db.transaction((tx) => tx.query('insert into things (id, name) values (9, $1)', [names[0] as string]));
    const rows = await db.query<{ name: string }>('select name from things order by id');
    assert.deepEqual(
      rows.map(({ name }) => name),
      [...names, names[0] as string].map((name) => name.toWellFormed()),
    );
  });

  test('an insert of no rows is allowed', async () => {
    const db = await openWithTable();
    assert.deepEqual(await db.transaction((tx) => tx.insertRows(things, [], 'returning id')), []);
  });

  test('conflicting rows are left out of the answer, also within one call', async () => {
    const db = await openWithTable();
    await db.transaction((tx) => insertThing(tx, 1));
    const rows = [1, 2, 2, 3].map((id) => ({ id, name: 'new', size: 5 }));
    const inserted = await db.transaction((tx) =>
      tx.insertRows<{ id: number }>(things, rows, 'on conflict (id) do nothing returning id'),
    );
    assert.deepEqual(new Set(inserted.map((row) => row.id)), new Set([2, 3]));
    assert.equal((await db.query('select id from things')).length, 3);
  });

  for (const count of [1, 7, 8, 9, 40]) {
    test(`of ${count} duplicated rows, each new one is inserted once, with its follower`, async () => {
      const db = await openWithTable();
      await db.transaction(async (tx) => {
        await tx.query('create unique index things_name on things (name)');
        await tx.query('create table followers (thing bigint, note text)');
        await insertThing(tx, 3);
      });
      const rows = [0, count].flatMap((first) =>
        Array.from({ length: count }, (_, at) => ({ id: 100 + first + at, name: `thing ${at}` })),
      );
      const answer = await db.transaction((tx) => tx.insertNewRows<{ thing: number }>(followedThings, rows));
      const fresh = rows.slice(0, count).filter(({ name }) => name !== 'thing 3');
      assert.deepEqual(new Set(answer.map(({ thing }) => thing)), new Set(fresh.map(({ id }) => id)));
      assert.deepEqual(plain(await db.query('select id, name from things where id >= 100 order by id')), fresh);
      const followers = await db.query('select thing as id, note as name from followers order by thing');
      assert.deepEqual(plain(followers), fresh);
    });
  }

  test('one invalid row among new rows rolls back all of them, and a later insert works', async () => {
    const db = await openWithTable();
    await db.transaction(async (tx) => {
      await tx.query('create unique index things_name on things (name)');
      await tx.query('create table followers (thing bigint, note text)');
    });
    const rows = Array.from({ length: 20 }, (_, at) => ({ id: at === 13 ? 5 : at, name: `thing ${at}` }));
    const insert = (some: typeof rows) => db.transaction((tx) => tx.insertNewRows(followedThings, some));
    await assert.rejects(insert(rows), /unique/i);
    assert.deepEqual(plain(await db.query('select id from things')), []);
    assert.equal((await insert(rows.slice(0, 9))).length, 9);
  });

  test('texts are ordered by their bytes where a statement says {bytewise}', async () => {
    const db = await openWithTable();
    const names = ['b', 'a', 'B', 'ñ', '_', '1'];
    await db.transaction((tx) =>
      tx.insertRows(
        things,
        names.map((name, id) => ({ id, name })),
      ),
    );
    const rows = await db.query<{ name: string }>('select name from things order by name {bytewise}');
    assert.deepEqual(rows.map((row) => row.name).join(''), '1B_abñ');
  });

  test('an unknown token of the dialect is refused', async () => {
    const db = await openWithTable();
    await assert.rejects(db.query('select {nonsense} from things'), /nonsense/);
  });

  test('committed rows are there when the database is opened again', async () => {
    const db = await openWithTable();
    await db.transaction((tx) => insertThing(tx, 1));
    await db.close();
    const next = await openTestDatabase({ url: db.url });
    assert.deepEqual(plain(await next.query('select id from things')), [{ id: 1 }]);
  });
}

const things: InsertTarget = { name: 'things', columns: ['id', 'name', 'size'] };

const followedThings: InsertWithFollowers = {
  table: things,
  unless: 'name',
  key: 'id',
  followers: 'insert into followers (thing, note) select id, name from inserted returning thing',
};

function insertThing(tx: { query: Database['query'] }, id: number): Promise<unknown> {
  return tx.query('insert into things (id, name, size) values ($1, $2, 1)', [id, `thing ${id}`]);
}

/** Copies the rows to plain objects, because the rows of one engine have no prototype. */
function plain(rows: readonly object[]): object[] {
  return rows.map((row) => ({ ...row }));
}
