import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { recordAckOrder } from './ack-order.ts';
import { whyNoInjection } from './support/system-calls.ts';

const reason = await whyNoInjection();

/** The short form of ack-order.fault.ts. */
describe('flush before answer, short form', {
  skip: reason !== null && `THEIR ORDER WAS NOT TESTED: ${reason}`,
}, () => {
  test('holds for each of 200 creates', async () => {
    const { acknowledged, early } = await recordAckOrder(200);
    assert.equal(acknowledged, 200);
    assert.deepEqual(early, []);
  });

  test('catches the planted bug: reply before commit', async () => {
    assert.notDeepEqual((await recordAckOrder(64, 'reply before commit')).early, []);
  });
});
