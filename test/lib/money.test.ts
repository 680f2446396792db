import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal, parseDecimal } from '../../src/lib/money.ts';

const AMOUNTS: [text: string, currency: string, minorUnits: number | null][] = [
  ['5000', 'CLP', 5000],
  ['5000.00', 'CLP', 5000],
  ['5000.50', 'CLP', null],
  ['0', 'CLP', 0],
  ['10.55', 'USD', 1055],
  ['10.5', 'USD', 1050],
  ['0.01', 'USD', 1],
  ['10.555', 'USD', null],
  ['1.234', 'KWD', 1234],
  ['99999999999', 'CLP', 99_999_999_999],
  ['100000000000', 'CLP', null],
  ['-1', 'CLP', null],
  ['1e3', 'CLP', null],
  ['1.', 'CLP', null],
  ['.5', 'USD', null],
  ['', 'CLP', null],
  ['5000', 'XXX', null],
];
for (const [text, currency, minorUnits] of AMOUNTS) {
  test(`${JSON.stringify(text)} in ${currency} is ${minorUnits}`, () => {
    assert.equal(parseDecimal(text, currency), minorUnits);
  });
}

const WRITTEN: [minorUnits: number, currency: string, text: string][] = [
  [5000, 'CLP', '5000.00'],
  [-5000, 'CLP', '-5000.00'],
  [1055, 'USD', '10.55'],
  [-5, 'USD', '-0.05'],
  [1234, 'KWD', '1.234'],
  [1230, 'KWD', '1.23'],
  [1000, 'KWD', '1.00'],
  [20_105, 'CLF', '2.0105'],
];
for (const [minorUnits, currency, text] of WRITTEN) {
  test(`${minorUnits} of ${currency} is written ${text}`, () => {
    assert.equal(formatDecimal(minorUnits, currency), text);
  });
}
