import assert from 'node:assert/strict';
import { test } from 'node:test';
import { table, time } from '../../src/cli/print.ts';
import { clockOf } from '../../src/lib/calendar-day.ts';

test('a table of 200,000 rows is printed', () => {
  const lines = table([['ENTRY', 'KIND'], ...Array.from({ length: 200_000 }, (_, at) => [`1/${at}.0`, 'payment'])]);
  assert.equal(lines.length, 200_001);
  assert.equal(lines[0], 'ENTRY       KIND');
  assert.equal(lines.at(-1), '1/199999.0  payment');
});

test('a text of others moves no cursor, breaks no line and reverses no word', () => {
  const texts = ['Ana\u001b[2K\rEva', 'Ana\nEva', 'Ana \u202eavE', 'Ana\u2028Eva', 'Ñandú & Cía.'];
  const shown = ['Ana\uFFFD[2K\uFFFDEva', 'Ana\uFFFDEva', 'Ana \uFFFDavE', 'Ana\uFFFDEva', 'Ñandú & Cía.'];
  assert.deepEqual(
    texts.flatMap((text) => table([[text, 'x']])),
    shown.map((text) => `${text}  x`),
  );
});

test('a time outside the calendar is printed as a number', () => {
  for (const number of [8_640_000_000_000_001, -9e15, Number.NaN]) {
    assert.equal(time(number), String(number));
    assert.equal(clockOf(number), String(number));
  }
  assert.equal(time(Date.UTC(2026, 0, 15)), '2026-01-14 21:00:00 -03:00');
});
