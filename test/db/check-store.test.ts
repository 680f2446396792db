import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { whyStoreIsUnusable } from '../../src/db/check-store.ts';
import { migrate } from '../../src/db/migrate.ts';
import { ConnectionClass, openSqliteDatabase } from '../../src/db/sqlite-database.ts';
import { quickFolder } from '../support/quick-folder.ts';

const folder = mkdtempSync(join(quickFolder(tmpdir()), 'rubrica-checked-'));
after(() => rmSync(folder, { recursive: true }));

/**
 * Checks a store with the schema after `spoil` has written into its file. Returns the problem, the reported progress
 * and SQLite's own check.
 */
async function check(name: string, spoil: (file: string) => void = () => {}) {
  const file = join(folder, name);
  const made = openSqliteDatabase(file);
  await migrate(made);
  await made.close();
  spoil(file);
  const db = openSqliteDatabase(file);
  const parts: number[] = [];
  const pages = await db.query('pragma quick_check');
  const wrong = await whyStoreIsUnusable(db, (_rows, part) => parts.push(part));
  await db.close();
  return { wrong, parts, pages: { ...pages[0] } };
}

test('an intact store is usable, and its check reports progress', async () => {
  const { wrong, parts } = await check('whole.db');
  assert.equal(wrong, null);
  assert.ok(parts.length > 10);
  assert.deepEqual(
    parts,
    parts.toSorted((one, other) => one - other),
  );
  assert.equal(parts.at(-1), 1);
});

test('an index that differs from its row is detected, although its pages are sound', async () => {
  const { wrong, pages } = await check('index.db', (file) => {
    const connection = new ConnectionClass(file, { defensive: false });
    const setIndex = (text: string) =>
      connection.exec(`pragma writable_schema = on;
        update sqlite_schema set sql = 'create index things_by_name on things (${text})' where name = 'things_by_name';
        pragma writable_schema = reset`);
    connection.exec('create table things (name text); create index things_by_name on things (name)');
    setIndex('upper(name)');
    connection.exec(`insert into things values ('a thing')`);
    setIndex('name');
    connection.close();
  });
  assert.deepEqual(pages, { quick_check: 'ok' });
  assert.match(wrong ?? '', /^it is damaged \(.*things_by_name/);
});
