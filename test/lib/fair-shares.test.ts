import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFairShares } from '../../src/lib/fair-shares.ts';

/** Takes shares until one is refused. Returns how many were taken. */
function takeAll(shares: ReturnType<typeof createFairShares>, owners: string[]): number {
  let taken = 0;
  while (shares.take(owners, 1)) taken++;
  return taken;
}

test('a single owner gets nearly a quarter, and shares shrink as the whole fills', () => {
  const shares = createFairShares(2_000);
  const taken = ['a', 'b', 'c', 'd'].map((owner) => takeAll(shares, [owner]));
  assert.deepEqual(taken, [450, 337, 253, 190]);
});

test('a new owner still gets something after many others took all they could', () => {
  const shares = createFairShares(2_000);
  for (let owner = 0; owner < 100; owner++) takeAll(shares, [String(owner)]);
  assert.ok(shares.take(['somebody else'], 1));
});

test('networks inside a larger network share what the larger one may take', () => {
  const shares = createFairShares(2_000);
  let taken = 0;
  for (let inner = 0; inner < 1_000; inner++) taken += takeAll(shares, [`64 bits: ${inner}`, `48 bits`]);
  assert.ok(taken < 1_000, String(taken));
  assert.ok(shares.take(['elsewhere'], 1));
});

test('released shares can be taken again, and an owner without shares is forgotten', () => {
  const shares = createFairShares(10);
  assert.equal(takeAll(shares, ['a']), 2);
  shares.release(['a'], 2);
  assert.equal(takeAll(shares, ['a']), 2);
  assert.equal(shares.take(['b'], 9), false);
  assert.ok(shares.take(['b'], 8));
});
