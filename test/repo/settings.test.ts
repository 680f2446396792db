import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError, describeSettings, readConfig, SETTINGS } from '../../src/config.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/settings.md'), 'utf8');

test('every setting is on the page of settings, with its default and its meaning', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  const expected = SETTINGS.map(
    ({ name, fallback, meaning }) => `| \`${name}\` | ${fallback === '' ? '—' : `\`${fallback}\``} | ${meaning} |`,
  );
  assert.deepEqual(rows, expected);
});

test('a secret setting is shown as set or not, never with its value', () => {
  const shown = describeSettings({
    MASTER_KEY: 'ab'.repeat(32),
    DATABASE_URL: 'postgres://user:password@db/x',
    PORT: '81',
  });
  const values = Object.fromEntries(shown.map(({ name, value }) => [name, value]));
  assert.equal(values.MASTER_KEY, 'yes');
  assert.equal(values.DATABASE_URL, 'yes');
  assert.equal(values.VALIDATION_PROVIDER_KEY, 'no');
  assert.equal(values.PORT, '81');
});

const KEY = { MASTER_KEY: '00'.repeat(32) };
const REFUSED: [string, Record<string, string>, RegExp][] = [
  ['production without a master key', { RUBRICA_ENV: 'production' }, /MASTER_KEY is missing/],
  ['a short master key', { MASTER_KEY: 'abc' }, /32 bytes/],
  ['a master key of other characters', { MASTER_KEY: `${'0'.repeat(42)}!` }, /32 bytes/],
  ['a port that is none', { ...KEY, PORT: '80a' }, /PORT must be/],
  ['a port out of range', { ...KEY, PORT: '65536' }, /PORT must be/],
  ['an unknown mode', { ...KEY, RUBRICA_ENV: 'staging' }, /development, production/],
  ['a flag that is neither on nor off', { ...KEY, RATE_LIMITS: 'maybe' }, /RATE_LIMITS/],
  ['a public URL that is no origin', { ...KEY, PUBLIC_URL: 'pay.example.cl' }, /PUBLIC_URL/],
  ['a base path with odd characters', { ...KEY, BASE_PATH: '/a b' }, /BASE_PATH/],
];
for (const [name, environment, message] of REFUSED) {
  test(`refused with what to write instead: ${name}`, () => {
    assert.throws(
      () => readConfig(environment),
      (error) => error instanceof ConfigError && message.test(error.message),
    );
  });
}

test('production turns the limits on and never lets callbacks reach private hosts', () => {
  const config = readConfig({ ...KEY, RUBRICA_ENV: 'production', ALLOW_PRIVATE_CALLBACKS: 'true' });
  assert.equal(config.rateLimits, true);
  assert.equal(config.allowPrivateCallbacks, false);
});

test('a master key may be hexadecimal or base64, and both are the same 32 bytes', () => {
  const bytes = Buffer.alloc(32, 7);
  for (const text of [bytes.toString('hex'), bytes.toString('base64'), bytes.toString('base64url')]) {
    assert.deepEqual(readConfig({ MASTER_KEY: text }).masterKey, bytes);
  }
});
