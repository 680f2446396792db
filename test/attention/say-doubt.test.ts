import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sayPaymentDoubt, sayRefundDoubt } from '../../src/attention/say-doubt.ts';
import { methodNames } from '../../src/checkout/texts.ts';

const NO_ANSWER = { payment_method: 'simulated-transfer', commit_sent_at: null, contradiction: null };
const REFUND = {
  payment_method: 'simulated-transfer',
  state: 'processing',
  asked_at: null,
  contradiction: null,
} as const;

test('a payment in doubt and a refund in doubt name the payment method as payers read it, in both languages', () => {
  const name = methodNames('simulated-transfer');
  assert.notEqual(name.en, 'simulated-transfer');
  for (const said of [
    sayPaymentDoubt(NO_ANSWER),
    sayPaymentDoubt({ ...NO_ANSWER, contradiction: '{"reason":"two_ends"}' }),
    sayRefundDoubt(REFUND),
    sayRefundDoubt({ ...REFUND, asked_at: 1 }),
    ...['{"event":"refund_declined"}', '{"event":"refund_missing","missing":"10","currency":"CLP"}', 'other'].map(
      (contradiction) => sayRefundDoubt({ ...REFUND, contradiction }),
    ),
    sayRefundDoubt({ ...REFUND, contradiction: '{"event":"refund_unasked","unasked":"10","currency":"CLP"}' }),
  ]) {
    assert.ok(said.en.includes(name.en), said.en);
    assert.ok(said.es.includes(name.es), said.es);
    assert.doesNotMatch(`${said.en} ${said.es}`, /simulated-transfer/);
  }
  const held = sayRefundDoubt({ ...REFUND, contradiction: '{"reason":"suspense"}' });
  assert.match(held.en, /was not asked for it, because .* is in suspense\..* books resolve, .* retry the refund/);
  assert.doesNotMatch(`${held.en} ${held.es}`, /[{}]|simulated-transfer/);
  const missing = sayRefundDoubt({
    ...REFUND,
    contradiction: '{"event":"refund_missing","missing":"10","currency":"CLP"}',
  });
  assert.doesNotMatch(`${missing.en} ${missing.es}`, /chargeback|contracargo/, 'the comparison leaves them out');
  assert.match(missing.en, /settle this refund as it ended \(completed or failed\);/);
  assert.match(sayPaymentDoubt({ ...NO_ANSWER, payment_method: 'own' }).en, /^own has not said/);
});
