import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addUp, readSum, stringifyExactly, subtract } from '../../src/lib/exact-sum.ts';
import { formatDecimal, formatMoney, toDecimalNumber } from '../../src/lib/money.ts';

const LARGE = 9_007_199_254_740_993n;

test('a sum is exact in any order, and is a number where a number can hold it', () => {
  fc.assert(
    fc.property(fc.array(fc.maxSafeInteger()), (amounts) => {
      const exact = amounts.reduce((sum, amount) => sum + BigInt(amount), 0n);
      const sum = addUp(amounts);
      assert.equal(BigInt(sum), exact);
      assert.equal(typeof sum, Number.isSafeInteger(Number(exact)) ? 'number' : 'bigint');
      assert.equal(readSum(exact.toString()), sum);
      assert.equal(subtract(sum, sum), 0);
    }),
  );
});

test('amounts beyond 2^53 are written with every digit, for people, in JSON and in responses', () => {
  assert.equal(formatDecimal(LARGE, 'CLF'), '900719925474.0993');
  assert.equal(formatDecimal(-LARGE, 'CLP'), '-9007199254740993.00');
  assert.equal(formatMoney(LARGE, 'CLP'), '$9.007.199.254.740.993 CLP');
  assert.equal(
    stringifyExactly({ debits: LARGE, credits: 1, of: [LARGE] }),
    `{"debits":${LARGE},"credits":1,"of":[${LARGE}]}`,
  );
  assert.equal(
    JSON.stringify([toDecimalNumber(LARGE, 'CLP'), toDecimalNumber(LARGE, 'USD')]),
    `[${LARGE},90071992547409.93]`,
  );
  assert.equal(JSON.stringify(toDecimalNumber(-LARGE, 'CLF')), '-900719925474.0993');
});

test('a number of more than fifteen digits is converted without changing a digit', () => {
  assert.equal(JSON.stringify(toDecimalNumber(9_007_199_254_740_991, 'USD')), '90071992547409.91');
  assert.equal(JSON.stringify(toDecimalNumber(1_000_000_000_000_000, 'CLP')), '1000000000000000');
  assert.equal(toDecimalNumber(1055, 'USD'), 10.55);
});
