import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DEFAULT_PAYER_ATTEMPTS,
  declineEvent,
  nextState,
  type TransactionEvent,
  type TransactionState,
} from '../../src/transactions/transaction-state.ts';

// The complete truth table, written independently of the product: state, event, result.
const TABLE: [TransactionState, TransactionEvent, string][] = [
  ['pending', 'approve', 'completed'],
  ['pending', 'decline', 'stays'],
  ['pending', 'fail', 'failed'],
  ['pending', 'cancel', 'cancelled'],
  ['pending', 'expire', 'expired'],
  ['completed', 'approve', 'already'],
  ['completed', 'decline', 'conflict'],
  ['completed', 'fail', 'conflict'],
  ['completed', 'cancel', 'ignored'],
  ['completed', 'expire', 'ignored'],
  ['failed', 'approve', 'conflict'],
  ['failed', 'decline', 'already'],
  ['failed', 'fail', 'already'],
  ['failed', 'cancel', 'ignored'],
  ['failed', 'expire', 'ignored'],
  ['cancelled', 'approve', 'conflict'],
  ['cancelled', 'decline', 'ignored'],
  ['cancelled', 'fail', 'ignored'],
  ['cancelled', 'cancel', 'already'],
  ['cancelled', 'expire', 'ignored'],
  ['expired', 'approve', 'conflict'],
  ['expired', 'decline', 'ignored'],
  ['expired', 'fail', 'ignored'],
  ['expired', 'cancel', 'ignored'],
  ['expired', 'expire', 'already'],
];

for (const [state, event, expected] of TABLE) {
  test(`${state} + ${event} = ${expected}`, () => {
    const next = nextState(state, event);
    assert.equal(next.kind === 'moved' ? next.state : next.kind, expected);
  });
}

// The number of declined attempts with this one, the allowed number, whether the time is over, and the result.
const DECLINES: [declined: number, payerAttempts: number | null, late: boolean, 'decline' | 'fail'][] = [
  [1, null, false, 'decline'],
  [DEFAULT_PAYER_ATTEMPTS - 1, null, false, 'decline'],
  [DEFAULT_PAYER_ATTEMPTS, null, false, 'fail'],
  [1, 1, false, 'fail'],
  [1, 2, false, 'decline'],
  [2, 2, false, 'fail'],
  // The allowed number was lowered in between.
  [3, 2, false, 'fail'],
  [1, 50, true, 'fail'],
];

for (const [declined, payerAttempts, late, expected] of DECLINES) {
  test(`decline ${declined} of ${payerAttempts ?? 'the default'}${late ? ' after expiry' : ''} = ${expected}`, () => {
    assert.equal(declineEvent({ declined, expiresAt: 1000, at: late ? 1000 : 999 }, payerAttempts), expected);
  });
}
