import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readIsoTime } from '../../src/lib/iso-time.ts';

test('a day that the calendar does not have is refused', () => {
  assert.equal(readIsoTime('2026-02-30T00:00:00Z'), null);
  assert.equal(readIsoTime('2025-02-29T00:00Z'), null);
  assert.equal(readIsoTime('2028-02-29T23:30-03:00'), Date.UTC(2028, 2, 1, 2, 30));
});

test('a time is accepted only with its offset', () => {
  assert.equal(readIsoTime('2026-01-15T10:30:00.5Z'), Date.UTC(2026, 0, 15, 10, 30, 0, 500));
  for (const text of ['', '2026-01-15', '2026-01-15T10:30', '2026-01-15T25:00Z', '2026-13-01T00:00Z']) {
    assert.equal(readIsoTime(text), null, text);
  }
});
