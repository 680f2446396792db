import assert from 'node:assert/strict';
import { test } from 'node:test';
import { feeOf } from '../../src/payment-services/fee.ts';

const table: [amount: number, rate_ppm: number, fixed: number, fee: number, why: string][] = [
  [12_990, 0, 0, 0, 'nothing is set'],
  [10_000, 29_500, 0, 295, '2.95 %'],
  [12_990, 29_500, 0, 383, '383.205 is rounded down'],
  [12_999, 29_500, 0, 383, '383.4705 is rounded down'],
  [100, 25_000, 0, 3, '2.5 is rounded up'],
  [100, 24_999, 0, 2, '2.4999 is rounded down'],
  [20, 25_000, 0, 1, '0.5 is rounded up'],
  [19, 25_000, 0, 0, '0.475 is rounded down'],
  [10_000, 35_105, 50, 401, '351.05, and 50 for each payment'],
  [12_990, 0, 50, 50, 'only the fixed part'],
  [30, 0, 50, 30, 'never more than the payment'],
  [1000, 1_000_000, 0, 1000, 'the whole payment'],
  [1000, 1_000_000, 1, 1000, 'never more than the whole payment'],
  [9_999_999_999_999, 29_500, 0, 295_000_000_000, 'the largest amount'],
  [8_300_000_000_001, 500_000, 0, 4_150_000_000_001, 'half of an odd amount that a product of doubles would lose'],
];

for (const [amount, rate_ppm, fixed, fee, why] of table) {
  test(`a payment of ${amount} at ${rate_ppm} ppm and ${fixed} fixed has a fee of ${fee}: ${why}`, () => {
    assert.equal(feeOf(amount, { rate_ppm, fixed }), fee);
  });
}
