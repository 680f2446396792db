import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The cells of the rows with a state. */
const rows = read('docs/security-checklist.md')
  .split('\n')
  .filter((line) => /^\| \S.* \| (?:met|operator|not) \|/.test(line))
  .map((line) => line.split(' | ').map((cell) => cell.replaceAll(/^\| ?| ?\|$/g, '').trim()));

describe('the security checklist', () => {
  test('has the whole API Security Top 10, and rows for the chapters of the ASVS', () => {
    const names = rows.map(([name = '']) => name);
    for (let at = 1; at <= 10; at++)
      assert.ok(
        names.some((name) => name.startsWith(`API${at} `)),
        `API${at}`,
      );
    const chapters = new Set(names.flatMap((name) => /^(\d+)\.\d/.exec(name)?.[1] ?? []));
    assert.deepEqual([...chapters].map(Number), [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16]);
  });

  for (const [name = '', state, , proof = ''] of rows) {
    test(`names a test that exists: ${name}`, () => {
      if (state === 'not') {
        assert.equal(proof, '');
        return;
      }
      const [, path = '', sentence = ''] = /^`(test\/[\w/.-]+\.test\.ts)`, "(.+)"$/.exec(proof) ?? [];
      assert.ok(existsSync(join(root, path)), proof);
      assert.ok(
        testNames(read(path)).some((text) => text.includes(sentence)),
        `${path} has no test "${sentence}"`,
      );
    });
  }
});

function testNames(source: string): string[] {
  return [...source.matchAll(/\b(?:test|forEachEngine|describe)\(\s*(?:'([^'\n]*)'|`([^`]*)`)/g)].map(
    ([, plain, template]) => plain ?? template ?? '',
  );
}
