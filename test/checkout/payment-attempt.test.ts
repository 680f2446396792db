import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AttemptState,
  answerTo,
  askAgainAt,
  isOpen,
  pauseBeforeLookup,
} from '../../src/checkout/payment-attempt.ts';
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
const noNews = { pending: 'ignored', unknown: 'ignored', redirect: 'ignored' };

const table: [AttemptState, Record<Kind, string>][] = [
  ['started', open],
  ['pending', open],
  ['unknown', open],
  [
    'approved',
    { approved: 'already', declined: 'conflict', aborted: 'conflict', contradiction: 'conflict', ...noNews },
  ],
  ['declined', { approved: 'conflict', declined: 'already', aborted: 'ignored', contradiction: 'conflict', ...noNews }],
  ['aborted', { approved: 'conflict', declined: 'ignored', aborted: 'already', contradiction: 'conflict', ...noNews }],
];

for (const [state, answers] of table) {
  for (const [outcome, expected] of Object.entries(answers) as [Kind, string][]) {
    test(`an attempt that is ${state} and gets ${outcome}: ${expected}`, () => {
      assert.equal(answerTo(state, outcome), expected);
    });
  }
}

test('an attempt is open until it is approved, declined or aborted', () => {
  const states = table.map(([state]) => state).filter((state) => isOpen({ state }));
  assert.deepEqual(states, ['started', 'pending', 'unknown']);
});

test('the intervals between look-ups grow to a quarter of an hour and no further', () => {
  const seconds = [0, 1, 2, 3, 4, 5, 6, 7, 500].map((lookups) => pauseBeforeLookup(lookups) / 1000);
  assert.deepEqual(seconds, [2, 5, 10, 30, 60, 300, 900, 900, 900]);
});

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const again: [what: string, age: number, answered: boolean, next: number | null][] = [
  ['after a minute', 0, true, MINUTE],
  ['after ten minutes', MINUTE, true, 10 * MINUTE],
  ['after an hour', 10 * MINUTE + 1, true, HOUR],
  ['after a day', HOUR, true, 24 * HOUR],
  ['never again', 24 * HOUR, true, null],
  ['after another quarter of an hour without an answer', 24 * HOUR, false, 24 * HOUR + 15 * MINUTE],
  ['never again after a week without an answer', 7 * 24 * HOUR, false, null],
];
for (const [what, age, answered, next] of again) {
  test(`an attempt that ended without money is looked up ${what}`, () => {
    assert.equal(askAgainAt(1000, 1000 + age, answered), next === null ? null : 1000 + next);
  });
}
