import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RefundAnswer } from '../../src/payment-methods/payment-method.ts';
import { compareAnswer } from '../../src/refunds/compare-answer.ts';
import type { RefundState } from '../../src/refunds/refund.ts';

/** For a refund of 3000 of a payment with an earlier refund of 1000 in the books, so 4000 with this one. */
const RULES: [
  what: string,
  state: RefundState,
  answer: RefundAnswer['kind'],
  refunded: number | undefined,
  outcome: string,
  unasked: number,
  missing: number,
][] = [
  ['a method that reads no balance is believed', 'processing', 'approved', undefined, 'approved', 0, 0],
  ['done, and the balance shows it', 'processing', 'approved', 4000, 'approved', 0, 0],
  ['done, and somebody else refunded 500', 'processing', 'approved', 4500, 'approved', 500, 0],
  ['done, and the balance does not show it', 'processing', 'approved', 1000, 'unknown', 0, 0],
  ['done, and the balance shows another amount', 'processing', 'approved', 1700, 'unknown', 700, 0],
  ['done, and the balance shows less than before', 'processing', 'approved', 400, 'unknown', 0, 600],
  ['no news', 'processing', 'unknown', 1000, 'unknown', 0, 0],
  ['not known, and money was refunded', 'processing', 'unknown', 8000, 'unknown', 7000, 0],
  ['never requested, and money was refunded', 'processing', 'absent', 4000, 'unknown', 3000, 0],
  ['never requested, and less was refunded than is booked', 'processing', 'absent', 0, 'unknown', 0, 1000],
  ['declined, and nothing was refunded', 'processing', 'declined', 1000, 'declined', 0, 0],
  ['failed, and done after all', 'failed', 'approved', 4000, 'approved', 0, 0],
  ['failed, and other money was refunded', 'failed', 'unknown', 1200, 'unknown', 200, 0],
  ['completed, and nothing more was refunded', 'completed', 'unknown', 4000, 'unknown', 0, 0],
  ['completed, and the same amount was refunded again', 'completed', 'approved', 7000, 'approved', 3000, 0],
  ['completed, and not in the balance', 'completed', 'unknown', 1000, 'unknown', 0, 3000],
];

for (const [what, state, kind, refunded, outcome, unasked, missing] of RULES) {
  test(`${what}: ${outcome}, ${unasked} unasked, ${missing} missing`, () => {
    const said = kind === 'approved' || kind === 'declined' ? { kind, detail: {} } : { kind };
    const answer = { ...said, ...(refunded !== undefined && { refunded }) } as RefundAnswer;
    const compared = compareAnswer({ amount: 3000, state }, answer, state === 'completed' ? 4000 : 1000);
    assert.deepEqual([compared.outcome.kind, compared.unasked, compared.missing], [outcome, unasked, missing]);
    assert.ok(!('refunded' in compared.outcome), 'the stored outcome has only the detail of the method');
  });
}
