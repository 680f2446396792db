import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundsOfDay, clockOf, dayOf, isDay, workingHours } from '../../src/lib/calendar-day.ts';

// Chile is three hours behind UTC in summer and four in winter; its clocks change at the midnight after a Saturday.
const DAYS: [day: string, from: string, to: string, hours: number][] = [
  ['2026-01-15', '2026-01-15T03:00:00.000Z', '2026-01-16T03:00:00.000Z', 24],
  ['2026-07-15', '2026-07-15T04:00:00.000Z', '2026-07-16T04:00:00.000Z', 24],
  ['2026-04-04', '2026-04-04T03:00:00.000Z', '2026-04-05T04:00:00.000Z', 25],
  ['2026-09-06', '2026-09-06T04:00:00.000Z', '2026-09-07T03:00:00.000Z', 23],
];
for (const [day, from, to, hours] of DAYS) {
  test(`${day} in Chile has ${hours} hours and begins at ${from}`, () => {
    const bounds = boundsOfDay(day);
    assert.deepEqual(
      [bounds.from, bounds.to].map((time) => new Date(time).toISOString()),
      [from, to],
    );
    assert.equal(bounds.to - bounds.from, hours * 3_600_000);
    assert.deepEqual([dayOf(bounds.from), dayOf(bounds.to - 1)], [day, day]);
  });
}

test('the last representable day has bounds too', () => {
  assert.equal(boundsOfDay('9999-12-31').to, Date.parse('+010000-01-01T03:00:00.000Z'));
});

const CLOCKS: [utc: string, chile: string][] = [
  ['2026-01-16T01:30:05.999Z', '2026-01-15 22:30:05 -03:00'],
  ['2026-01-15T03:00:00.000Z', '2026-01-15 00:00:00 -03:00'],
  // In the hour that occurs twice.
  ['2026-04-05T02:30:00.000Z', '2026-04-04 23:30:00 -03:00'],
  ['2026-04-05T03:30:00.000Z', '2026-04-04 23:30:00 -04:00'],
];
for (const [utc, chile] of CLOCKS) {
  test(`a clock in Chile shows ${chile} at ${utc}`, () => {
    assert.equal(clockOf(Date.parse(utc)), chile);
  });
}

test('only calendar days are accepted as days', () => {
  for (const text of ['2026-01-15', '2024-02-29']) assert.ok(isDay(text), text);
  for (const text of ['2026-02-29', '2026-1-15', '15-01-2026', '2026-01-15T00:00', '', '+02026-01-15']) {
    assert.ok(!isDay(text), text);
  }
});

const SPANS: [from: string, to: string, hours: number][] = [
  ['2026-01-15T12:00:00.000Z', '2026-01-15T13:30:00.000Z', 1.5],
  ['2026-01-15T12:00:00.000Z', '2026-01-16T12:00:00.000Z', 24],
  ['2026-01-16T12:00:00.000Z', '2026-01-19T12:00:00.000Z', 24],
  ['2026-01-17T12:00:00.000Z', '2026-01-18T12:00:00.000Z', 0],
  ['2026-01-15T12:00:00.000Z', '2026-01-15T11:00:00.000Z', 0],
];
for (const [from, to, hours] of SPANS) {
  test(`${hours} working hours lie between ${from} and ${to}`, () => {
    assert.equal(workingHours(Date.parse(from), Date.parse(to)), hours);
  });
}
