import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAmount } from '../../src/cli/options.ts';

const REFUSED: [text: string, currency: string, fix: RegExp][] = [
  ['1.000', 'CLP', /: write 1000\.$/],
  ['1.000.000', 'CLP', /: write 1000000\.$/],
  ['1,000', 'CLP', /: write 1000\.$/],
  ['1 000', 'CLP', /: write 1000\.$/],
  ['$1000', 'CLP', /: write 1000\.$/],
  ['$ 12.990', 'CLP', /: write 12990\.$/],
  ['1000.00', 'CLP', /: write 1000\.$/],
  ['1.000,00', 'CLP', /: write 1000\.$/],
  ['1.0', 'CLP', /: write 1\.$/],
  ['1.', 'CLP', /: write it as 12990, in digits alone\.$/],
  ['10.55', 'CLP', /: write it as 12990, in digits alone\.$/],
  ['1,5', 'CLP', /: write it as 12990, in digits alone\.$/],
  ['mil', 'CLP', /: write it as 12990, in digits alone\.$/],
  ['-1000', 'CLP', /: write it as 12990, in digits alone\.$/],
  ['1.000', 'USD', /: write 1000\.$/],
  ['1.234,50', 'USD', /: write it as 12990\.55, with a point before the decimals alone\.$/],
  ['10,55', 'USD', /: write it as 12990\.55, with a point before the decimals alone\.$/],
];
for (const [text, currency, fix] of REFUSED) {
  test(`the amount ${text} ${currency} is refused with a fix`, () => {
    assert.throws(() => readAmount(text, currency), { code: 'INVALID_AMOUNT', message: fix });
  });
}

test('an amount in digits is read in minor units', () => {
  assert.equal(readAmount('15000', 'CLP'), 15_000);
  assert.equal(readAmount('10.5', 'USD'), 1050);
  assert.throws(() => readAmount('1', 'PESO'), { code: 'INVALID_OPTION' });
});
