import assert from 'node:assert/strict';
import test from 'node:test';
import { data } from 'currency-codes';
import { currencyExponent } from '../../protocol/currency-exponents.ts';

// Metals, bond units, drawing rights and test codes have no minor unit in list one.
const WITHOUT_MINOR_UNIT = ['XAG', 'XAU', 'XBA', 'XBB', 'XBC', 'XBD', 'XDR', 'XPD', 'XPT', 'XSU', 'XTS', 'XUA', 'XXX'];
// Withdrawn codes, or codes newer than the list of the package.
const WITHDRAWN = ['ANG', 'BGN', 'CUC'];

test('every active currency has the exponent of ISO 4217', () => {
  for (const { code, digits } of data) {
    const expected = [...WITHOUT_MINOR_UNIT, ...WITHDRAWN].includes(code) ? undefined : digits;
    assert.equal(currencyExponent(code), expected, code);
  }
  assert.equal(currencyExponent('XCG'), 2);
});

for (const [code, exponent] of [
  ['CLP', 0],
  ['COP', 2],
  ['HUF', 2],
  ['IDR', 2],
  ['UYI', 0],
  ['KWD', 3],
  ['CLF', 4],
] as const) {
  test(`${code} has ${exponent} decimals`, () => assert.equal(currencyExponent(code), exponent));
}

test('a text that is not a currency code has no exponent', () => {
  for (const code of ['', 'clp', 'CL', 'CLPX', 'ZZZ', 'constructor', '__proto__']) {
    assert.equal(currencyExponent(code), undefined);
  }
});
