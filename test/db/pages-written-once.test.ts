import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { InsertWithFollowers } from '../../src/db/database.ts';
import { openSqliteDatabase } from '../../src/db/sqlite-database.ts';
import { quickFolder } from '../support/quick-folder.ts';

const COUNTS = '/proc/self/io';
const ROWS = 64;

const fatThings: InsertWithFollowers = {
  table: { name: 'things', columns: ['id', 'name'] },
  unless: 'name',
  key: 'id',
  followers: 'insert into followers (thing) select id from inserted returning thing',
};

test('inserts with random keys write each page once, without a copy beside the log', {
  skip: !existsSync(COUNTS),
}, async (context) => {
  const folder = mkdtempSync(join(quickFolder(tmpdir()), 'rubrica-pages-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'things.db');
  const db = openSqliteDatabase(file);
  let id = 0;
  const newRows = () => Array.from({ length: ROWS }, () => ({ id: id++, name: randomBytes(200).toString('hex') }));
  const insert = () => db.transaction((tx) => tx.insertNewRows(fatThings, newRows()));
  await db.transaction(async (tx) => {
    await tx.query('create table things (id integer primary key, name text)');
    await tx.query('create unique index things_name on things (name)');
    await tx.query('create table followers (thing integer)');
  });
  for (let commits = 0; commits < 15; commits++) await insert();
  const written = writtenBytes();
  const logged = statSync(`${file}-wal`).size;
  for (let commits = 0; commits < 5; commits++) await insert();
  const copied = writtenBytes() - written - (statSync(`${file}-wal`).size - logged);
  assert.ok(copied < 100_000, `${copied} bytes beside the log`);
  await db.close();
});

/** Returns the bytes that this process has written. */
function writtenBytes(): number {
  return Number(/^wchar: (\d+)$/m.exec(readFileSync(COUNTS, 'utf8'))?.[1]);
}
