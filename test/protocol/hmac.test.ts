import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import test from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { computeSignature, signatureMatches, signingKey } from '../../protocol/hmac.ts';
import { signatureMatchesAsync } from '../../protocol/web-crypto.ts';
import { anyCharacter } from '../support/any-character.ts';

const key = signingKey('example-secret');
const message = 'x_amount1000x_currencyUSD';
const signature = 'f73707f25dac656304862bade3352df26692c0ea61c4146f16ad006d7fa0c066';

test('the worked example of the protocol gives its published signature', async () => {
  assert.equal(computeSignature(message, key), signature);
  assert.equal(signatureMatches(message, signature, key), true);
  assert.equal(await signatureMatchesAsync(message, signature, ['other', 'example-secret']), true);
});

test('any message and any secret give the same signature as createHmac', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: anyCharacter, maxLength: 9000 }),
      fc.string({ unit: anyCharacter, minLength: 1, maxLength: 200 }),
      (text, secret) => {
        assert.equal(
          computeSignature(text, signingKey(secret)),
          createHmac('sha256', secret).update(text).digest('hex'),
        );
      },
    ),
  );
});

test('a message longer than the shared buffer is signed correctly', () => {
  for (const length of [2709, 2710, 8127, 8128, 8129, 70_000]) {
    const long = 'ñ€'.repeat(length).slice(0, length);
    assert.equal(computeSignature(long, key), createHmac('sha256', 'example-secret').update(long).digest('hex'));
  }
});

const wrong: [why: string, received: string][] = [
  ['empty', ''],
  ['one digit short', signature.slice(1)],
  ['one digit long', `${signature}0`],
  ['upper case', signature.toUpperCase()],
  ['surrounded by spaces', ` ${signature} `],
  ['followed by a line feed', `${signature}\n`],
  ['twice', signature + signature],
  ['with a prefix', `sha256=${signature}`],
  ['base64', Buffer.from(signature, 'hex').toString('base64')],
  ['not hexadecimal at the end', `${signature.slice(0, 63)}g`],
  ['one bit different', signature.replace(/^f/, 'e')],
];
for (const [why, received] of wrong) {
  test(`a signature is refused when it is ${why}, by Web Crypto too`, async () => {
    assert.equal(signatureMatches(message, received, key), false);
    assert.equal(await signatureMatchesAsync(message, received, ['example-secret']), false);
  });
}

test('a refused signature leaves no state that a later one could match', () => {
  assert.equal(signatureMatches(message, signature, key), true);
  assert.equal(signatureMatches(`${message}.`, signature, key), false);
  assert.equal(signatureMatches(message, 'zz', key), false);
  assert.equal(signatureMatches(message, signature, key), true);
});

test('a secret must be a non-empty text', () => {
  assert.throws(() => signingKey(''), TypeError);
  assert.throws(() => signingKey(undefined as unknown as string), TypeError);
});

test('a key does not reveal its secret when it is printed', () => {
  const shown = `${JSON.stringify(key)} ${inspect(key, { showHidden: true, depth: 9 })}`;
  assert.ok(!/example|[0-9]{2}|<Buffer/.test(shown), shown);
});
