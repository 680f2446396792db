import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hangMerchant } from './hung-merchant.ts';
import { checkSlowDisk, createOnSlowDisk } from './slow-disk.ts';
import { whyNoInjection } from './support/system-calls.ts';

const reason = await whyNoInjection();

/** The short form of slow-disk.fault.ts and hung-merchant.fault.ts. */
test('a slow disk delays creates and fails none', {
  skip: reason !== null && `SLOW DISKS WERE NOT TESTED: ${reason}`,
}, async () => {
  assert.deepEqual(checkSlowDisk(await createOnSlowDisk(1_000)), []);
});

test('a hanging merchant delays nobody else', async () => {
  // With this many, one common queue would delay the others for minutes.
  assert.deepEqual((await hangMerchant(60, 3)).problems, []);
});
