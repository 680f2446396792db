import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { recordAckOrder } from './ack-order.ts';
import { report } from './support/report.ts';
import { whyNoInjection } from './support/system-calls.ts';

const CREATES = Number(process.env.FAULT_OPERATIONS ?? 5_000);
const reason = await whyNoInjection();

describe('flush before answer', { skip: reason !== null && `IT WAS NOT TESTED: ${reason}` }, () => {
  test(`none of ${CREATES} creates is answered before its flush, and at least eight share one`, async () => {
    const { acknowledged, flushes, early } = await recordAckOrder(CREATES);
    report('flush, then answer', { acknowledged, flushes, early: early.length });
    assert.equal(acknowledged, CREATES);
    assert.deepEqual(early.slice(0, 5), []);
    assert.ok(acknowledged >= 8 * flushes, 'creates share their flush');
  });

  test('catches the planted bug: reply before commit', async () => {
    const { acknowledged, flushes, early } = await recordAckOrder(500, 'reply before commit');
    report('reply before commit', { acknowledged, flushes, early: early.length });
    assert.notDeepEqual(early, []);
  });
});
