import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAmount, formatDeadline, formatTime } from '../../src/checkout/format-for-payer.ts';
import type { Language } from '../../src/lib/language.ts';

const amounts: [amount: number, currency: string, es: string, en: string][] = [
  [5000, 'CLP', '$5.000', 'CLP 5,000'],
  [500, 'CLP', '$500', 'CLP 500'],
  [1_234_567_890, 'CLP', '$1.234.567.890', 'CLP 1,234,567,890'],
  [1050, 'USD', 'US$10,50', 'USD 10.50'],
  [1, 'USD', 'US$0,01', 'USD 0.01'],
  [123_456, 'COP', 'COP 1.234,56', 'COP 1,234.56'],
  [1234, 'KWD', 'KWD 1,234', 'KWD 1.234'],
  [9_007_199_254_740_991, 'USD', 'US$90.071.992.547.409,91', 'USD 90,071,992,547,409.91'],
];
for (const [amount, currency, es, en] of amounts) {
  test(`${amount} minor units of ${currency} read ${es} and ${en}`, () => {
    // Formatters put no-break spaces between amount and code.
    const read = (language: Language) => formatAmount(language, amount, currency).replaceAll(/\s/g, ' ');
    assert.deepEqual([read('es'), read('en')], [es, en]);
  });
}

const deadlines: [left: number, es: string, en: string][] = [
  [3_600_000, '09:01', '09:01 GMT-3'],
  [12 * 3_600_000 - 1, '09:01', '09:01 GMT-3'],
  [12 * 3_600_000, '09:01 del 15 de enero', '09:01 GMT-3 on January 15'],
];
for (const [left, es, en] of deadlines) {
  test(`a time limit that ends in ${left} ms is shown as ${es} and ${en}`, () => {
    const end = Date.parse('2026-01-15T12:01:30.000Z');
    assert.deepEqual([formatDeadline('es', end, end - left), formatDeadline('en', end, end - left)], [es, en]);
  });
}

const times: [iso: string, es: string, en: string][] = [
  ['2026-01-15T12:01:30.000Z', '15 ene 2026, 09:01', 'Jan 15, 2026, 09:01 GMT-3'],
  ['2026-07-16T03:59:59.999Z', '15 jul 2026, 23:59', 'Jul 15, 2026, 23:59 GMT-4'],
];
for (const [iso, es, en] of times) {
  test(`${iso} is shown in the local time of Chile`, () => {
    const read = (language: Language) => formatTime(language, Date.parse(iso));
    assert.deepEqual([read('es'), read('en')], [es, en]);
  });
}
