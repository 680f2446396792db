import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal, formatMoney, formatPlain, parseDecimal, parseTyped } from '../../src/lib/money.ts';

const AMOUNTS: [text: string, currency: string, minorUnits: number | null][] = [
  ['5000', 'CLP', 5000],
  ['5000.00', 'CLP', 5000],
  ['5000.0', 'CLP', 5000],
  ['5000.50', 'CLP', null],
  ['600.000', 'CLP', null],
  ['1.000', 'USD', null],
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
  test(`${minorUnits} minor units of ${currency} are written ${text}`, () => {
    assert.equal(formatDecimal(minorUnits, currency), text);
  });
}

const TYPED: [text: string, currency: string, minorUnits: number | null][] = [
  ['15000', 'CLP', 15_000],
  ['1.000', 'CLP', null],
  ['1.0', 'CLP', null],
  ['1.', 'CLP', null],
  ['15000.00', 'CLP', null],
  ['1,000', 'CLP', null],
  ['1 000', 'CLP', null],
  ['$1000', 'CLP', null],
  ['10.5', 'USD', 1050],
  ['10.50', 'USD', 1050],
  ['1.000', 'USD', null],
  ['1.000', 'KWD', 1000],
];
for (const [text, currency, minorUnits] of TYPED) {
  test(`${JSON.stringify(text)} that a person types in ${currency} means ${minorUnits ?? 'nothing and is refused'}`, () => {
    assert.equal(parseTyped(text, currency), minorUnits);
  });
}

const SAID: [minorUnits: number, currency: string, plain: string, sentence: string][] = [
  [1, 'CLP', '1', '$1 CLP'],
  [1000, 'CLP', '1000', '$1.000 CLP'],
  [-1_234_567, 'CLP', '-1234567', '-$1.234.567 CLP'],
  [12_990, 'PYG', '12990', '12.990 PYG'],
  [123_450, 'USD', '1234.50', '1234.50 USD'],
  [1234, 'KWD', '1.234', '1.234 KWD'],
];
for (const [minorUnits, currency, plain, sentence] of SAID) {
  test(`an amount of ${currency} is ${plain} in a table and ${sentence} in a sentence`, () => {
    assert.equal(formatPlain(minorUnits, currency), plain);
    assert.equal(formatMoney(minorUnits, currency), sentence);
    if (minorUnits > 0) assert.equal(parseTyped(plain, currency), minorUnits, 'a printed amount can be typed again');
  });
}
