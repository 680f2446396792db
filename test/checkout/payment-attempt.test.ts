import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AttemptState, answerTo, isOpen, pauseBeforeLookup } from '../../src/checkout/payment-attempt.ts';
import type { PaymentOutcome } from '../../src/payment-methods/payment-method.ts';

const table: [AttemptState, Record<PaymentOutcome['kind'], string>][] = [
  [
    'started',
    { approved: 'approved', declined: 'declined', pending: 'pending', unknown: 'unknown', redirect: 'pending' },
  ],
  [
    'pending',
    { approved: 'approved', declined: 'declined', pending: 'pending', unknown: 'unknown', redirect: 'pending' },
  ],
  [
    'unknown',
    { approved: 'approved', declined: 'declined', pending: 'pending', unknown: 'unknown', redirect: 'pending' },
  ],
  [
    'approved',
    { approved: 'already', declined: 'conflict', pending: 'ignored', unknown: 'ignored', redirect: 'ignored' },
  ],
  [
    'declined',
    { approved: 'conflict', declined: 'already', pending: 'ignored', unknown: 'ignored', redirect: 'ignored' },
  ],
];

for (const [state, answers] of table) {
  for (const [outcome, expected] of Object.entries(answers) as [PaymentOutcome['kind'], string][]) {
    test(`an attempt that is ${state} and answered ${outcome}: ${expected}`, () => {
      assert.equal(answerTo(state, outcome), expected);
    });
  }
}

test('an attempt is open until it is approved or declined', () => {
  const open = table.map(([state]) => state).filter((state) => isOpen({ state }));
  assert.deepEqual(open, ['started', 'pending', 'unknown']);
});

test('the pauses between look-ups grow to a quarter of an hour and stay there', () => {
  const seconds = [0, 1, 2, 3, 4, 5, 6, 7, 500].map((lookups) => pauseBeforeLookup(lookups) / 1000);
  assert.deepEqual(seconds, [2, 5, 10, 30, 60, 300, 900, 900, 900]);
});
