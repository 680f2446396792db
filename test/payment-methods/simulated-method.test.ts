import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { PaymentRequest } from '../../src/payment-methods/payment-method.ts';
import { simulatedMethod, simulatedTransfer } from '../../src/payment-methods/simulated-method.ts';
import { describePaymentMethod } from '../contracts/payment-method.contract.ts';

function requestOf(amount: number, changes: Partial<PaymentRequest> = {}): PaymentRequest {
  return {
    attemptId: `pa_${amount}`,
    externalId: null,
    transactionId: 1001,
    environment: 'development',
    environmentId: 1,
    account: null,
    amount,
    currency: 'CLP',
    returnUrl: 'https://pay.example.cl/pay/rt-secret/return',
    returned: null,
    commitUnanswered: false,
    lookups: 0,
    startedAt: 0,
    ...changes,
  };
}

const ends: [name: string, approved: number, declined: number][] = [
  ['The simulated method, answering at once,', 12_990, 5001],
  ['The simulated method, pending at first,', 5002, 5005],
  ['The simulated method, timing out at first,', 5003, 5004],
];
for (const [name, approved, declined] of ends) {
  describePaymentMethod(name, async () => ({
    method: simulatedMethod,
    request: (end) => requestOf(end === 'approved' ? approved : declined),
  }));
}

describePaymentMethod('The simulated transfer', async () => ({
  method: simulatedTransfer,
  request: (end) => requestOf(end === 'approved' ? 12_990 : 5010),
}));

const magic: [amount: number, start: string, firstLookup: string, secondLookup: string][] = [
  [5000, 'approved', 'approved', 'approved'],
  [5001, 'declined', 'declined', 'declined'],
  [5002, 'pending', 'approved', 'approved'],
  [5003, 'unknown', 'unknown', 'approved'],
  [5004, 'unknown', 'unknown', 'declined'],
  [5005, 'pending', 'declined', 'declined'],
  [5010, 'declined', 'declined', 'declined'],
  [5011, 'declined', 'declined', 'declined'],
  [5012, 'declined', 'declined', 'declined'],
  [5013, 'declined', 'declined', 'declined'],
  [5014, 'declined', 'declined', 'declined'],
  [5006, 'approved', 'approved', 'approved'],
];
for (const [amount, ...expected] of magic) {
  test(`${amount} is ${expected.join(', then ')}`, async () => {
    const outcomes = [
      await simulatedMethod.start(requestOf(amount)),
      await simulatedMethod.lookup(requestOf(amount, { lookups: 0 })),
      await simulatedMethod.lookup(requestOf(amount, { lookups: 1 })),
    ];
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      expected,
    );
  });
}

test('the simulated transfer approves what the simulated payment declines, except 5010', async () => {
  for (const [amount] of magic) {
    const { kind, ...rest } = await simulatedTransfer.start(requestOf(amount));
    assert.doesNotMatch(JSON.stringify(rest), /card/, 'a transfer has no card');
    assert.equal(kind, amount === 5010 ? 'declined' : amount === 5002 ? 'pending' : 'approved', String(amount));
  }
});

test('the simulated method accepts every currency, with development tokens only', () => {
  for (const currency of ['CLP', 'USD', 'KWD']) {
    const offer = { currency, amount: 1, configured: false };
    assert.equal(simulatedMethod.accepts({ environment: 'development', ...offer }), true);
    assert.equal(simulatedMethod.accepts({ environment: 'production', ...offer }), false);
  }
});

test('docs/sandbox.md lists every magic amount', () => {
  const text = readFileSync(new URL('../../docs/sandbox.md', import.meta.url), 'utf8');
  for (const [amount] of magic.slice(1, -1)) assert.ok(text.includes(`| ${amount} |`), `${amount} is missing`);
});
