import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextState, type TransactionEvent, type TransactionState } from '../../src/transactions/transaction-state.ts';

// The whole truth table, written out a second time: state, event, what follows.
const TABLE: [TransactionState, TransactionEvent, string][] = [
  ['pending', 'approve', 'completed'],
  ['pending', 'decline', 'failed'],
  ['pending', 'cancel', 'cancelled'],
  ['pending', 'expire', 'expired'],
  ['completed', 'approve', 'already'],
  ['completed', 'decline', 'conflict'],
  ['completed', 'cancel', 'ignored'],
  ['completed', 'expire', 'ignored'],
  ['failed', 'approve', 'conflict'],
  ['failed', 'decline', 'already'],
  ['failed', 'cancel', 'ignored'],
  ['failed', 'expire', 'ignored'],
  ['cancelled', 'approve', 'conflict'],
  ['cancelled', 'decline', 'ignored'],
  ['cancelled', 'cancel', 'already'],
  ['cancelled', 'expire', 'ignored'],
  ['expired', 'approve', 'conflict'],
  ['expired', 'decline', 'ignored'],
  ['expired', 'cancel', 'ignored'],
  ['expired', 'expire', 'already'],
];

for (const [state, event, expected] of TABLE) {
  test(`${state} + ${event} = ${expected}`, () => {
    const next = nextState(state, event);
    assert.equal(next.kind === 'moved' ? next.state : next.kind, expected);
  });
}
