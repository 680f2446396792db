import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SignJWT } from 'jose';
import { generateApiToken } from '../../src/auth/tokens/api-token.ts';
import { describeToken } from '../../src/auth/tokens/token-shape.ts';
import { randomHex } from '../../src/lib/ids.ts';
import { sayIn } from '../../src/lib/language.ts';

const NOW = Date.UTC(2026, 5, 1);

function jwt(endsAt: number, alg = 'HS256'): Promise<string> {
  const key = Buffer.alloc(64, 1);
  return new SignJWT({ sub: 'usr_1', exp: Math.floor(endsAt / 1000) }).setProtectedHeader({ alg }).sign(key);
}

test('a refused token is explained by its form and never quoted', async () => {
  const [living, ended, foreign] = await Promise.all([jwt(NOW + 60_000), jwt(NOW), jwt(NOW + 60_000, 'HS512')]);
  const secret = randomHex(32);
  const cases: [string, RegExp][] = [
    ['', /^The header is empty/],
    [' ', /^The header is empty/],
    ['Bearer', /^Nothing follows the word Bearer/],
    ['Bearer ', /^Nothing follows the word Bearer/],
    ['Basic dXNlcjpwYXNz', /^This is Basic authentication/],
    [`Bearer ${generateApiToken()}`, /API token: exchange it at POST \/loginToken/],
    [generateApiToken(), /API token: exchange it at POST \/loginToken/],
    [`Bearer ${secret}`, /the form of a Secret Token/],
    [secret.toUpperCase(), /the form of a Secret Token/],
    ['Bearer 3f0c7f0a-9f3e-4b67-8a53-0d5f0f8f7f11', /private token of the beta/],
    [`Bearer ${ended}`, /has expired/],
    [`Bearer ${ended.slice(0, -1)}`, /is truncated/],
    [`Bearer ${living.slice(0, 40)}`, /is truncated/],
    [`Bearer ${living.slice(0, living.lastIndexOf('.'))}`, /is truncated/],
    [`Bearer ${living}.x`, /more than the three parts/],
    [`Bearer ${foreign}`, /^Another service issued this token/],
    [`Bearer ${living}`, /was changed on the way, was revoked, or comes from another installation/],
    [`Token ${living}`, /more than one word/],
    [`Bearer ${living},Bearer ${living}`, /more than one word/],
    [`Bearer ${'a'.repeat(8000)}`, /longer than any access token/],
    ['Bearer tok_live_0123456789abcdef', /not have the form of an access token/],
    ['Bearer eyJ.eyJ.eyJ', /^Another service issued this token/],
  ];
  for (const [given, says] of cases) {
    const said = describeToken(given, NOW);
    assert.match(sayIn(said, 'en'), says, given.slice(0, 60));
    const sent = given.replace(/^\w+ /, '');
    for (const language of ['en', 'es'] as const)
      assert.ok(
        sent.trim().length < 8 || !sayIn(said, language).includes(sent),
        'the explanation does not quote the token',
      );
  }
});
