import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prefixedId, randomHex, randomToken } from '../../src/lib/ids.ts';

test('a token has the requested number of bytes, as base64url', () => {
  assert.match(randomToken(16), /^[A-Za-z0-9_-]{22}$/);
  assert.equal(Buffer.from(randomToken(32), 'base64url').length, 32);
  assert.match(randomHex(16), /^[0-9a-f]{32}$/);
});

test('an id is its prefix and twenty characters that cannot be confused', () => {
  assert.match(prefixedId('ps'), /^ps_[0-9a-hjkmnp-tv-z]{20}$/);
});

test('no bytes are given out twice, not even where one pool ends and the next begins', () => {
  const seen = new Set<string>();
  const lengths = [16, 7, 32, 1000, 20];
  let given = 0;
  for (let i = 0; i < 20_000; i++) {
    const length = lengths[i % lengths.length] as number;
    seen.add(randomHex(length).slice(0, 14));
    given++;
  }
  assert.equal(seen.size, given);
});

test('every character of the alphabet is about equally frequent', () => {
  const counts = new Map<string, number>();
  for (let i = 0; i < 5_000; i++) {
    for (const character of prefixedId('x').slice(2)) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  assert.equal(counts.size, 32);
  // 3,125 are expected; 500 is nine standard deviations.
  for (const count of counts.values()) assert.ok(Math.abs(count - 3_125) < 500, `${count}`);
});

for (const bytes of [0, -1, 1.5, 16_385, Number.NaN]) {
  test(`a request for ${bytes} bytes is refused`, () => {
    assert.throws(() => randomToken(bytes), RangeError);
  });
}
