import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Refunds } from '../../src/payment-methods/payment-method.ts';
import { simulatedMethod } from '../../src/payment-methods/simulated-method.ts';
import { describeRefunds } from '../contracts/refunds.contract.ts';

const ends: [name: string, approved: number, declined: number][] = [
  ['The simulated method, answering at once,', 1000, 5001],
  ['The simulated method, pending at first,', 5002, 5005],
  ['The simulated method, timing out at first,', 5003, 5004],
];
for (const [name, approved, declined] of ends) {
  describeRefunds(name, async () => ({
    refunds: simulatedMethod.refunds as Refunds,
    refund: (end) => ({
      refundId: 'rf_1',
      transactionId: 1001,
      environment: 'development',
      environmentId: 1,
      amount: end === 'approved' ? approved : declined,
      currency: 'CLP',
      paid: 12_990,
      refundedBefore: 0,
      payment: { attemptId: 'pa_1', externalId: null, account: null, detail: { authorization_code: '001001' } },
      lookups: 0,
      askedAt: null,
    }),
  }));
}

test('docs/sandbox.md lists every magic amount of a refund', () => {
  const text = readFileSync(new URL('../../docs/sandbox.md', import.meta.url), 'utf8');
  const [, section = ''] = text.split('## Amounts that decide how a refund ends');
  for (const [, ...amounts] of ends) {
    for (const amount of amounts.filter((one) => one > 5000)) assert.ok(section.includes(`| ${amount} |`), `${amount}`);
  }
});
