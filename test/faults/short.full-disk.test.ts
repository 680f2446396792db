import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkFullDisk, fillDisk } from './full-disk.ts';
import { createSmallDisk, whyNoDisk } from './support/scratch-disk.ts';

const reason = await whyNoDisk(() => createSmallDisk(1));
const skip = reason !== null && `FULL DISKS WERE NOT TESTED: ${reason}`;

/** The short form of full-disk.fault.ts. */
test('a full disk stops writes, not reads, and writes succeed again when there is room', { skip }, async () => {
  assert.deepEqual(checkFullDisk(await fillDisk()), []);
});
