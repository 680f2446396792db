import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runChild, withoutTestContext } from '../support/child-process.ts';
import { groupFiles } from '../support/group-files.ts';

/** Test files in a folder, as modules of groups. `folder` is where they are. */
function group(t: { after: (remove: () => void) => void }, texts: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const files = Object.keys(texts).map((name) => join(folder, `${name}.test.ts`));
  Object.values(texts).forEach((text, at) => {
    writeFileSync(files[at] as string, text);
  });
  return { folder, files, modules: groupFiles(files, { folder, atOnce: 1, minutes: 1 }) };
}

test('every file is in one module: the longest come first, eight at a time, and the last groups are small', (t) => {
  const texts = Array.from({ length: 30 }, (_, at) => [`of-${100 + at}`, '/'.repeat(100 + at)]);
  const { modules } = group(t, Object.fromEntries(texts));
  const sizes = modules.map((path) => readFileSync(path, 'utf8').match(/^describe/gm)?.length);
  assert.deepEqual(sizes, [8, 8, 7, 4, 2, 1]);
  assert.match(modules[0] as string, /0\+of-129\+of-128\+of-127\+of-126\+of-125\+of-124\+of-123\+of-122\.mjs$/);
  assert.match(modules[5] as string, /5\+of-100\.mjs$/);
});

test('a file that changes its process for all who share it has a process of its own', (t) => {
  const { files, modules } = group(t, { changes: 'setDefaultCACertificates([]);', counts: 'count(1);' });
  assert.equal(modules[0], files[0]);
  assert.match(modules[1] as string, /0\+counts\.mjs$/);
});

test('in a group a hook is of its file alone, and a file that cannot be loaded fails by its name beside the others', async (t) => {
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
