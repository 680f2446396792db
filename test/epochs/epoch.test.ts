import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type EventSpan, firstBeyond, type Handed, transactionEventId } from '../../src/epochs/epoch.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 0, 15, 12);
const EMPTY: EventSpan = { events: 0, first: null, last: null };

suite('the first id of an epoch', () => {
  const cases: [string, Partial<Handed>, EventSpan, number][] = [
    ['is a hundred million above a mark of this moment', { transactions: 5000 }, EMPTY, 100_005_000],
    ['adds ten for each second since the mark', { transactions: 5000, at: NOW - HOUR }, EMPTY, 100_041_000],
    [
      'adds a hundred times the average rate of the store',
      { transactions: 1_000_000, at: NOW - HOUR },
      { events: 864_000, first: NOW - 11 * DAY, last: NOW - DAY },
      1_000_000 + 100_000_000 + 3600 * 100,
    ],
    [
      'treats a store of one minute as one of an hour',
      { transactions: 1000, at: NOW - 10_000 },
      { events: 3600, first: NOW - 70_000, last: NOW - 10_000 },
      1000 + 100_000_000 + 10 * 100,
    ],
    ['is not lower for a mark in the future', { transactions: 5000, at: NOW + HOUR }, EMPTY, 100_005_000],
  ];
  for (const [name, handed, span, first] of cases) {
    test(name, () => {
      const seen = { epoch: 0, transactions: 0, events: 0, callbacks: 0, at: NOW, ...handed };
      assert.equal(firstBeyond(seen, 'transactions', span, NOW), first);
    });
  }

  test('stays below 2^31 after a month of a payment each second', () => {
    const handed = { epoch: 0, transactions: 30_000_000, events: 0, callbacks: 0, at: NOW - DAY };
    const span = { events: 60_000_000, first: NOW - 366 * DAY, last: NOW - DAY };
    assert.ok(firstBeyond(handed, 'transactions', span, NOW) < 2 ** 31);
  });
});

test('an event id contains its epoch after a restore', () => {
  assert.equal(transactionEventId(1001, 2, 0), 'evt_1001_2');
  assert.equal(transactionEventId(1001, 2, 1_768_478_400), 'evt_1001_2_1768478400');
});
