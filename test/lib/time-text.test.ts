import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ageText } from '../../src/console/console-format.ts';
import { formatAge } from '../../src/lib/time-text.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test('an age below a minute is less than 1 min, and the console says the same ages as the command line', () => {
  for (const [age, english, spanish] of [
    [-1, 'less than 1 min', 'menos de 1 min'],
    [0, 'less than 1 min', 'menos de 1 min'],
    [MINUTE - 1, 'less than 1 min', 'menos de 1 min'],
    [MINUTE, '1 min', '1 min'],
    [2 * HOUR - 1, '119 min', '119 min'],
    [2 * HOUR, '2 h', '2 h'],
    [48 * HOUR - 1, '47 h', '47 h'],
    [48 * HOUR, '2 d', '2 d'],
  ] as const) {
    assert.deepEqual([formatAge(age), formatAge(age, 'es')], [english, spanish]);
    assert.deepEqual([ageText('en', age), ageText('es', age)], [`${english} ago`, `hace ${spanish}`]);
  }
});
