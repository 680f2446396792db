import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { makePrivateFolder } from '../../src/lib/make-private-folder.ts';

suite('a private folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-folder-'));
  const modeOf = (path: string) => statSync(path).mode & 0o777;
  after(() => rmSync(folder, { recursive: true }));

  test('is created with its parents, for this user only', () => {
    makePrivateFolder(join(folder, 'a', 'b', 'c'));
    assert.deepEqual([modeOf(join(folder, 'a')), modeOf(join(folder, 'a', 'b', 'c'))], [0o700, 0o700]);
  });

  test('keeps its mode when it exists already', () => {
    const open = join(folder, 'open');
    mkdirSync(open);
    const before = modeOf(open);
    makePrivateFolder(open);
    assert.equal(modeOf(open), before);
  });

  test('is refused in the place of a file, below a file, and where the system refuses it', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    assert.throws(() => makePrivateFolder(file), { code: 'EEXIST' });
    assert.throws(() => makePrivateFolder(join(file, 'a', 'b')), { code: 'ENOTDIR' });
    assert.throws(() => makePrivateFolder('/proc/rubrica/data'), { syscall: 'mkdir' });
  });
});
