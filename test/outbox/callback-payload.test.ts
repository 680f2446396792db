import assert from 'node:assert/strict';
import { test } from 'node:test';
import { currencyExponent } from '../../protocol/currency-exponents.ts';
import { parseAmount } from '../../protocol/field-grammar.ts';
import { signingKey } from '../../protocol/hmac.ts';
import { verifyCallback } from '../../protocol/verify-callback.ts';
import { webhookKey, webhookMatches } from '../../protocol/webhook-signature.ts';
import { callbackHeaders } from '../../src/outbox/callback-headers.ts';
import { callbackBody, callbackFields } from '../../src/outbox/callback-payload.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';

const SECRET = 'secret-of-the-shop';
const ENVIRONMENT: ServiceEnvironment = {
  id: 1,
  paymentServiceId: 'ps_0123456789abcdefghjk',
  paymentServiceName: 'Shop',
  perMinute: null,
  payerAttempts: null,
  environment: 'development',
  serviceToken: 'token-of-the-shop',
  eventsUrl: null,
  receipts: null,
  configuredMethods: [],
  secrets: [{ id: 'st_1', text: SECRET, key: signingKey(SECRET), createdAt: 0, closesAt: null }],
  elsewhere: null,
};

test('during a rotation the headers of an attempt are signed with both Secret Tokens', () => {
  const secrets = ['old', 'new'].map((text) => ({
    id: text,
    text,
    key: signingKey(text),
    createdAt: 0,
    closesAt: null,
  }));
  const callback = { webhook_id: 'evt_1_2', sequence: 2, content_type: 'text/plain', body: 'a=1' };
  const headers = callbackHeaders({ ...ENVIRONMENT, secrets }, callback, 1_768_478_400_000);
  const sent = {
    id: headers['webhook-id'] ?? null,
    timestamp: headers['webhook-timestamp'] ?? null,
    signature: headers['webhook-signature'] ?? null,
  };
  const accepts = (text: string) => webhookMatches(sent, Buffer.from('a=1'), [webhookKey(text)]);
  assert.deepEqual(['old', 'new', 'other'].map(accepts), [true, true, false]);
});

const TOLD: [amount: string, currency: string, xAmount: string][] = [
  ['5000', 'CLP', '5000.00'],
  ['5000.0', 'CLP', '5000.00'],
  ['10.55', 'USD', '10.55'],
  ['10', 'KWD', '10.00'],
  ['10.55', 'KWD', '10.55'],
  ['2.05', 'CLF', '2.05'],
];
for (const [amount, currency, xAmount] of TOLD) {
  test(`an order of ${amount} ${currency} has x_amount ${xAmount}, which the SDK accepts for that order`, () => {
    const body = callbackBody(
      callbackFields(ENVIRONMENT, {
        transactionId: 1001,
        reference: 'ORD-1',
        amount: parseAmount(amount, currencyExponent(currency) as number) as number,
        currency,
        result: 'completed',
        message: 'Approved',
        timestamp: Date.UTC(2026, 0, 15),
      }),
    );
    const verified = verifyCallback({ body, secret: SECRET, expected: { amount, currency } });
    assert.deepEqual(verified.ok ? verified.data.x_amount : verified, xAmount);
  });
}

test('a body is encoded as URLSearchParams encodes it, for any text', () => {
  const fields = Object.fromEntries(
    ['R-1_a.*', 'ñandú & co=1', "it's (new)! ~", '2026-01-15T00:00:00.000Z', '', '\ud800', '100%\n+ /'].map(
      (text, at) => [`x_${at}`, text],
    ),
  );
  assert.equal(callbackBody(fields), new URLSearchParams(fields).toString());
});
