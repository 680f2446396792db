import assert from 'node:assert/strict';
import { test } from 'node:test';
import { payoutSenders } from '../../src/payout-senders/open-payout-sender.ts';
import { describePayoutSender } from '../contracts/payout-sender.contract.ts';
import { createTestClock } from '../support/test-app.ts';

const nobody = () => Promise.reject(new Error('the simulated sender sends no request'));

describePayoutSender('the simulated sender', async () => {
  const now = createTestClock();
  const sender = payoutSenders(nobody, now)({ kind: 'simulated', environment: 'development', url: null, key: null });
  const amounts = {
    confirmed: 15_000,
    failed: 6001,
    slow: 6002,
    lost_confirmed: 6003,
    lost_failed: 6004,
    returned: 6005,
    never_arrives: 6006,
    other_amount: 6007,
  };
  return { sender, amounts, now, pass: (milliseconds) => now.advance(milliseconds) };
});

test('the simulated sender refuses production', () => {
  const open = payoutSenders(nobody, createTestClock());
  assert.throws(() => open({ kind: 'simulated', environment: 'production', url: null, key: null }), /no simulated/);
});

test('a slow transfer that was sent before the clock went back a week is confirmed', async () => {
  const now = createTestClock();
  const sender = payoutSenders(nobody, now)({ kind: 'simulated', environment: 'development', url: null, key: null });
  const transfer = { id: 'po_1', environment: 'development', amount: 6002, currency: 'CLP' } as const;
  assert.equal((await sender.lookUp({ ...transfer, sentAt: now() })).kind, 'pending');
  assert.equal((await sender.lookUp({ ...transfer, sentAt: now() + 7 * 86_400_000 })).kind, 'confirmed');
});
