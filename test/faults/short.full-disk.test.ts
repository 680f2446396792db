import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand } from '../support/run-command.ts';
import { checkFullDisk, fillDisk } from './full-disk.ts';
import { createSmallDisk, whyNoDisk } from './support/scratch-disk.ts';

const reason = await whyNoDisk(() => createSmallDisk(1));
const skip = reason !== null && `FULL DISKS WERE NOT TESTED: ${reason}`;

/** The short form of full-disk.fault.ts. */
test('a full disk stops writes, not reads, and writes succeed again when there is room', { skip }, async () => {
  assert.deepEqual(checkFullDisk(await fillDisk()), []);
});

test('a backup on a full disk is refused with STORAGE_FULL, says what to do and leaves no file', {
  skip,
}, async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-backed-up-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const env = { PATH: process.env['PATH'], DATA_DIR: folder, PORT: '0' };
  await runCommand(['migrate'], { env });
  await using small = await createSmallDisk(1);
  const { status, stderr, stdout } = await runCommand(['backup', join(small.folder, 'backup.db'), '--json'], { env });
  assert.equal(status, 1);
  assert.match(stderr, /^STORAGE_FULL: .*: make room on the disk, or name a file on another one/);
  assert.equal((JSON.parse(stdout) as { error: { code: string } }).error.code, 'STORAGE_FULL');
  assert.deepEqual(readdirSync(small.folder), []);
});
