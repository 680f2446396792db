import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOrderState } from '../../src/chaos/order-state.ts';

test('the state of an order has no character that moves the cursor of a terminal', () => {
  const json = JSON.stringify({ state: 'open\r\u001b[2Kpassed', deliveries: 0 });
  assert.deepEqual(readOrderState(200, json), { text: 'open  [2Kpassed', counts: { deliveries: 0 } });
  assert.equal(readOrderState(200, 'open\rpaid')?.text, 'open paid');
});
