import assert from 'node:assert/strict';
import { createCipheriv, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { deriveKey, open, seal, sealedKeyId, sealingKey } from '../../src/lib/seal.ts';

const key = sealingKey(Buffer.alloc(32, 7));
const otherKey = sealingKey(Buffer.alloc(32, 8));
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

test('a sealed text opens with the same key in the same place', () => {
  for (const plaintext of ['', 'a', 'ñandú €', 'x'.repeat(5_000)]) {
    const sealed = seal(key, plaintext, 'tokens/ps_1/1');
    assert.match(sealed, /^v1\.[\w-]{8}\.[\w-]{16}\.[\w-]*\.[\w-]{22}$/);
    assert.equal(open(key, sealed, 'tokens/ps_1/1'), plaintext);
    assert.equal(sealedKeyId(sealed), key.id);
  }
});

test('the same text sealed twice gives two different texts', () => {
  assert.notEqual(seal(key, 'secret', 'a'), seal(key, 'secret', 'a'));
});

test('every flipped bit of a hundred sealed texts is detected', () => {
  for (let i = 0; i < 100; i++) {
    const sealed = seal(key, `secret ${i}`, 'row');
    for (let at = 0; at < sealed.length; at++) {
      for (const flipped of neighbours(sealed[at] as string)) {
        const changed = sealed.slice(0, at) + flipped + sealed.slice(at + 1);
        assert.throws(() => open(key, changed, 'row'), `character ${at} of ${sealed}`);
      }
    }
  }
});

test('a sealed text that was moved to another row is refused', () => {
  const one = seal(key, 'one', 'tokens/1');
  const two = seal(key, 'two', 'tokens/2');
  assert.throws(() => open(key, one, 'tokens/2'));
  assert.throws(() => open(key, two, 'tokens/1'));
  assert.throws(() => open(key, one, ''));
});

test('another key is refused by its id, and by the tag when the id is forged', () => {
  const sealed = seal(key, 'secret', 'row');
  assert.throws(() => open(otherKey, sealed, 'row'), /sealed with the key/);
  assert.throws(() => open(otherKey, sealed.replace(key.id, otherKey.id), 'row'));
});

for (const length of [4, 8, 12, 13, 14, 15]) {
  test(`a genuine tag of ${length} bytes is refused`, () => {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key.secret, iv, { authTagLength: length });
    cipher.setAAD(Buffer.from(`v1.${key.id}.row`));
    const body = Buffer.concat([cipher.update('secret'), cipher.final()]);
    const parts = [iv, body, cipher.getAuthTag()].map((part) => part.toString('base64url'));
    assert.throws(() => open(key, `v1.${key.id}.${parts.join('.')}`, 'row'));
  });
}

for (const text of [
  '',
  'v1',
  'v1....',
  'v2.aaaaaaaa.aaaaaaaaaaaaaaaa..aaaaaaaaaaaaaaaaaaaaaa',
  'secret',
  'v1.a b.c.d.e',
]) {
  test(`${JSON.stringify(text)} is not a sealed text, and the error does not quote it`, () => {
    assert.throws(() => open(key, text, 'row'), { message: 'this is not a sealed text' });
    assert.equal(sealedKeyId(text), null);
  });
}

test('a trailing line feed is refused', () => {
  assert.throws(() => open(key, `${seal(key, 'secret', 'row')}\n`, 'row'));
});

test('keys for different labels are unrelated, and HKDF follows RFC 5869', () => {
  // RFC 5869, test case 3: zero-length salt and info.
  const okm = '8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d';
  assert.equal(deriveKey(Buffer.alloc(22, 0x0b), '').toString('hex'), okm);
  assert.notDeepEqual(deriveKey('master', 'one'), deriveKey('master', 'two'));
});

test('a key of another length is refused', () => {
  assert.throws(() => sealingKey(Buffer.alloc(16)), RangeError);
});

/** Returns the characters that differ in a single bit: of the base64url value, or of the byte for other characters. */
function neighbours(character: string): string[] {
  const value = alphabet.indexOf(character);
  if (value < 0) return [0, 1, 2, 3, 4, 5, 6].map((bit) => String.fromCharCode(character.charCodeAt(0) ^ (1 << bit)));
  return [0, 1, 2, 3, 4, 5].map((bit) => alphabet[value ^ (1 << bit)] as string);
}
