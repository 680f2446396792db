import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open-database.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const page = read('docs/scaling.md');
const columns = await readColumns();

/** Returns the columns of every table except the table of migrations and SQLite's own tables. */
async function readColumns(): Promise<Map<string, Set<string>>> {
  const db = openDatabase('sqlite::memory:', { connections: 1, pooler: false, onFatal: () => {} });
  await migrate(db);
  const rows = await db.query<{ table_name: string; column_name: string }>('select * from {columns} as columns');
  await db.close();
  const ours = rows.filter(({ table_name }) => !/^(?:sqlite_|schema_migrations$)/.test(table_name));
  const byTable = Map.groupBy(ours, ({ table_name }) => table_name);
  return new Map([...byTable].map(([table, of]) => [table, new Set(of.map(({ column_name }) => column_name))]));
}

const rows = [...page.matchAll(/^\| `(\w+)` \| (.*?) \|/gm)].map(([, table, key]) => ({
  table: table as string,
  key: key as string,
}));

test('docs/scaling.md has the key of every table', () => {
  const listed = rows.map(({ table }) => table);
  assert.deepEqual(
    [...columns.keys()].filter((table) => !listed.includes(table)),
    [],
    'tables without a row in docs/scaling.md',
  );
  assert.deepEqual(
    listed.filter((table) => !columns.has(table)),
    [],
    'rows of docs/scaling.md without a table',
  );
  assert.equal(new Set(listed).size, listed.length, 'each table has one row');
});

for (const { table, key } of rows) {
  test(`the key of ${table} is one of its columns`, () => {
    const column = /^`(\w+)`$/.exec(key)?.[1];
    if (column === undefined) {
      assert.match(key, /^(?:copy on every node|one node)$/);
      return;
    }
    assert.ok(columns.get(table)?.has(column));
  });
}

test('every test that docs/scaling.md quotes exists, with the quoted title', () => {
  const named = [...page.matchAll(/`(test\/[\w/.-]+\.ts)`(?:, "([^"…]+))?/g)];
  assert.ok(named.length > 5);
  for (const [, path, sentence] of named) {
    assert.ok(existsSync(join(root, path as string)), String(path));
    if (sentence !== undefined) assert.ok(read(path as string).includes(sentence.trim()), sentence);
  }
});
