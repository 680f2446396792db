import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AttemptState, answerTo, isOpen, pauseBeforeLookup } from '../../src/checkout/payment-attempt.ts';
import type { PaymentOutcome } from '../../src/payment-methods/payment-method.ts';

type Kind = PaymentOutcome['kind'];

const open: Record<Kind, string> = {
  approved: 'approved',
  declined: 'declined',
  pending: 'pending',
  unknown: 'unknown',
  redirect: 'pending',
  aborted: 'aborted',
  contradiction: 'unknown',
};
const noNews = { pending: 'ignored', unknown: 'ignored', redirect: 'ignored', contradiction: 'ignored' };

const table: [AttemptState, Record<Kind, string>][] = [
  ['started', open],
  ['pending', open],
  ['unknown', open],
  ['approved', { approved: 'already', declined: 'conflict', aborted: 'conflict', ...noNews }],
  ['declined', { approved: 'conflict', declined: 'already', aborted: 'ignored', ...noNews }],
  ['aborted', { approved: 'conflict', declined: 'ignored', aborted: 'already', ...noNews }],
];

for (const [state, answers] of table) {
  for (const [outcome, expected] of Object.entries(answers) as [Kind, string][]) {
    test(`an attempt that is ${state} and answered ${outcome}: ${expected}`, () => {
      assert.equal(answerTo(state, outcome), expected);
    });
  }
}

test('an attempt is open until it is approved, declined or aborted', () => {
  const states = table.map(([state]) => state).filter((state) => isOpen({ state }));
  assert.deepEqual(states, ['started', 'pending', 'unknown']);
});

test('the pauses between look-ups grow to a quarter of an hour and stay there', () => {
  const seconds = [0, 1, 2, 3, 4, 5, 6, 7, 500].map((lookups) => pauseBeforeLookup(lookups) / 1000);
  assert.deepEqual(seconds, [2, 5, 10, 30, 60, 300, 900, 900, 900]);
});
