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

  test('is made with those above it, for this user alone', () => {
    makePrivateFolder(join(folder, 'a', 'b', 'c'));
    assert.deepEqual([modeOf(join(folder, 'a')), modeOf(join(folder, 'a', 'b', 'c'))], [0o700, 0o700]);
  });

  test('stays as it is when it is there', () => {
    const open = join(folder, 'open');
    mkdirSync(open);
    const before = modeOf(open);
    makePrivateFolder(open);
    assert.equal(modeOf(open), before);
  });

  test('is not made of a file, below one, or where the system makes none', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    assert.throws(() => makePrivateFolder(file), { code: 'EEXIST' });
    assert.throws(() => makePrivateFolder(join(file, 'a', 'b')), { code: 'ENOTDIR' });
    assert.throws(() => makePrivateFolder('/proc/rubrica/data'), { syscall: 'mkdir' });
  });
});
