import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const page = read('docs/scaling.md');
const sql = globSync('migrations/*.sql', { cwd: root }).toSorted().map(read).join('\n');

/** The text between the outer parentheses of every `create table`, and what was added later, by table that is still there. */
function tables(): Map<string, string> {
  const created = [...sql.matchAll(/^create table (\w+) \((.*?)^\)[^;]*;/gms)];
  const added = [...sql.matchAll(/^alter table (\w+) add column (\w+)/gm)];
  const columns = new Map(created.map(([, name, body]) => [name as string, body as string]));
  for (const [, name, column] of added) columns.set(name as string, `${columns.get(name as string)}\n  ${column} `);
  for (const [, name] of sql.matchAll(/^drop table (\w+)/gm)) columns.delete(name as string);
  return columns;
}

const rows = [...page.matchAll(/^\| `(\w+)` \| (.*?) \|/gm)].map(([, table, key]) => ({
  table: table as string,
  key: key as string,
}));

test('the page of scaling has the key of every table', () => {
  assert.deepEqual(rows.map(({ table }) => table).toSorted(), [...tables().keys()].toSorted());
});

for (const { table, key } of rows) {
  test(`the key of ${table} is a column it has, or is said to be missing`, () => {
    const column = /^`(\w+)`( \(to be added\))?$/.exec(key);
    if (column === null) {
      assert.match(key, /^(?:copy on every node|one node)$/);
      return;
    }
    const exists = new RegExp(`^  ${column[1]} `, 'm').test(tables().get(table) ?? '');
    assert.equal(exists, column[2] === undefined);
  });
}

test('every test that the page names is there, with the sentence that it quotes', () => {
  const named = [...page.matchAll(/`(test\/[\w/.-]+\.ts)`(?:, "([^"…]+))?/g)];
  assert.ok(named.length > 5);
  for (const [, path, sentence] of named) {
    assert.ok(existsSync(join(root, path as string)), String(path));
    if (sentence !== undefined) assert.ok(read(path as string).includes(sentence.trim()), sentence);
  }
});
