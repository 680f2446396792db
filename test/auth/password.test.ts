import assert from 'node:assert/strict';
import { argon2Sync } from 'node:crypto';
import { test } from 'node:test';
import { hashPassword, makePassword, verifyPassword } from '../../src/auth/sign-in/password.ts';

test('a password is stored as Argon2id with 19 MiB, two passes, one lane and a salt of its own', async () => {
  const [one, other] = [await hashPassword('secret'), await hashPassword('secret')];
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  assert.notEqual(one, other);
  const [salt = '', hash] = one.split('$').slice(4);
  const nonce = Buffer.from(salt, 'base64');
  const parameters = { message: 'secret', nonce, memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };
  assert.equal(argon2Sync('argon2id', parameters).toString('base64').replace(/=+$/, ''), hash);
});

test('only the password itself is accepted', async () => {
  const stored = await hashPassword('secret');
  assert.equal(await verifyPassword('secret', stored), true);
  for (const wrong of ['Secret', 'secret ', '', 'secretsecret']) {
    assert.equal(await verifyPassword(wrong, stored), false);
  }
});

test('a hash made with other parameters is verified with those', async () => {
  const nonce = Buffer.alloc(16, 1);
  const hash = argon2Sync('argon2id', { message: 'p', nonce, memory: 64, passes: 1, parallelism: 1, tagLength: 16 });
  const stored = `$argon2id$v=19$m=64,t=1,p=1$${nonce.toString('base64').slice(0, 22)}$${hash.toString('base64').slice(0, 22)}`;
  assert.equal(await verifyPassword('p', stored), true);
  assert.equal(await verifyPassword('q', stored), false);
});

test('without a stored password every password is refused, and a malformed stored hash is an error', async () => {
  assert.equal(await verifyPassword('', null), false);
  await assert.rejects(verifyPassword('secret', 'secret'), /not in its form/);
});

test('generated passwords have 128 random bits', async () => {
  const [one, other] = [await makePassword(), await makePassword()];
  assert.match(one.password, /^[0-9a-f]{32}$/);
  assert.notEqual(one.password, other.password);
  assert.ok(await verifyPassword(one.password, one.hash));
});
