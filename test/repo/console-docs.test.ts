import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PERMISSIONS, type Permission } from '../../src/auth/permission.ts';
import { sectionsOf } from '../../src/console/console-sections.ts';
import { tell } from '../../src/console/console-texts.ts';
import { readSourceFiles } from '../support/source-tree.ts';

test('each section of the navigation of the console has its row in docs/console.md, in both languages', () => {
  const may = new Set(Object.keys(PERMISSIONS) as Permission[]);
  const sections = sectionsOf({ may, environmentIds: null }).flatMap((group) => group.sections);
  assert.ok(sections.length > 20);
  for (const [language, path] of [
    ['en', 'docs/console.md'],
    ['es', 'docs/es/console.md'],
  ] as const) {
    const [page] = readSourceFiles(path);
    const rows = new Set([...(page?.text ?? '').matchAll(/^\| ([^|]+) \| /gm)].map(([, name]) => name));
    assert.deepEqual(
      sections.map(({ text }) => tell(language, text)).filter((name) => !rows.has(name)),
      [],
      path,
    );
  }
});
