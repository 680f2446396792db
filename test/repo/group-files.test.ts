import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runChild, withoutTestContext } from '../support/child-process.ts';
import { groupFiles } from '../support/group-files.ts';

/** Writes test files into a new folder. Returns the folder, the files and the modules of their groups. */
function group(t: { after: (remove: () => void) => void }, texts: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const files = Object.keys(texts).map((name) => join(folder, `${name}.test.ts`));
  Object.values(texts).forEach((text, at) => {
    writeFileSync(files[at] as string, text);
  });
  return { folder, files, modules: groupFiles(files, { folder, atOnce: 1, minutes: 1 }) };
}

const sizesOf = (modules: readonly string[]) =>
  modules.map((path) => readFileSync(path, 'utf8').match(/^describe/gm)?.length);

test('every file is in one group: the eight longest come first, and the last groups are small', (t) => {
  const texts = Array.from({ length: 40 }, (_, at) => [`of-${100 + at}`, '/'.repeat(10 * (1 + at))]);
  const { modules } = group(t, Object.fromEntries(texts));
  assert.deepEqual(sizesOf(modules), [8, 10, 11, 6, 5]);
  assert.match(modules[0] as string, /0\+of-139\+of-138\+of-137\+of-136\+of-135\+of-134\+of-133\+of-132\.mjs$/);
  assert.match(modules[4] as string, /4\+of-104.*of-100\.mjs$/);
});

test('a group has fewer files when their names are long, because it has the names of all', (t) => {
  const texts = Array.from({ length: 12 }, (_, at) => [`${'x'.repeat(77)}-${10 + at}`, '']);
  assert.deepEqual(sizesOf(group(t, Object.fromEntries(texts)).modules), [3, 3, 3, 3]);
});

test('files that use cheap hashes share a process only with each other', (t) => {
  const cheap = `import '../support/cheap-hashes.ts';`;
  const { modules } = group(t, { one: cheap, two: 'test();', three: cheap });
  assert.deepEqual(sizesOf(modules), [2, 1]);
  assert.match(modules[0] as string, /0\+one\+three\.mjs$/);
  assert.match(modules[1] as string, /1\+two\.mjs$/);
});

test('a file that changes its process for others gets a separate process', (t) => {
  const { files, modules } = group(t, { changes: 'setDefaultCACertificates([]);', counts: 'count(1);' });
  assert.equal(modules[0], files[0]);
  assert.match(modules[1] as string, /0\+counts\.mjs$/);
});

test('in a group, hooks belong to one file, and a file that cannot be loaded fails under its own name', async (t) => {
  const { folder, files, modules } = group(t, {
    first: `${HOOKS}\nconst longest = 'so it comes first';`,
    second: `import { test } from 'node:test';\ntest('two', () => console.error('two'));`,
    broken: `import './nowhere.ts';`,
  });
  const path = join(folder, 'all.mjs');
  writeFileSync(path, modules.map((module) => `import '${module}';`).join('\n'));

  const { status, stdout, stderr } = await runChild('node', ['--test-reporter=tap', path], {
    env: withoutTestContext(),
  });

  assert.equal(status, 1);
  assert.equal(stderr, 'before\none\neach\nafter\ntwo\n');
  assert.deepEqual(stdout.match(/^(?:not )?ok .*/gm), [
    `ok 1 - ${files[0]}`,
    `ok 2 - ${files[1]}`,
    `not ok 3 - ${files[2]}`,
  ]);
});

const HOOKS = `
import { after, afterEach, before, test } from 'node:test';
before(() => console.error('before'));
after(() => console.error('after'));
afterEach(() => console.error('each'));
test('one', () => console.error('one'));`;
