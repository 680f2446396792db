import assert from 'node:assert/strict';
import test from 'node:test';
import { Webhook } from 'standardwebhooks';
import { computeSignature, signingKey } from '../../protocol/hmac.ts';
import { compareWithOrder, type VerifyCallbackOptions, verifyCallback } from '../../protocol/verify-callback.ts';
import { signWebhook, webhookKey } from '../../protocol/webhook-signature.ts';

const secret = 'example-secret';
const now = Date.UTC(2026, 0, 1, 0, 0, 10);
const callback: Record<string, string> = {
  x_account_id: 'ACC',
  x_amount: '5000.00',
  x_currency: 'CLP',
  x_gateway_reference: '9838',
  x_message: 'Pago listo ñ',
  x_reference: 'ORD-42',
  x_result: 'completed',
  x_test: 'false',
  x_timestamp: '2026-01-01T00:00:05.000Z',
};
const order = { account: 'ACC', reference: 'ORD-42', amount: 5000, currency: 'CLP', test: false };
const genuine = bodyOf(callback);

test('a genuine callback for the expected order gives its values', () => {
  const result = verify();
  assert.deepEqual(result, { ok: true, data: callback });
});

test('a body may be bytes, a buffer or a text, and a form or JSON', () => {
  const json = JSON.stringify(Object.fromEntries(new URLSearchParams(genuine)));
  for (const body of [genuine, Buffer.from(genuine), new Uint8Array(Buffer.from(genuine)), json]) {
    assert.equal(verify({ body }).ok, true);
  }
});

test('a callback verifies with either secret of a rotation', () => {
  assert.equal(verify({ secret: ['new-secret', secret] }).ok, true);
  assert.equal(verify({ secret: ['new-secret', 'newer-secret'] }).ok, false);
});

const refused: [why: string, options: Partial<VerifyCallbackOptions>, code: string][] = [
  ['no signature', { body: new URLSearchParams(callback).toString() }, 'SIGNATURE_MISSING'],
  ['another secret', { secret: 'other' }, 'SIGNATURE_INVALID'],
  ['a changed value', { body: genuine.replace('5000.00', '1.00') }, 'SIGNATURE_INVALID'],
  [
    'an upper-case signature',
    { body: genuine.replace(/[0-9a-f]{64}$/, (hex) => hex.toUpperCase()) },
    'SIGNATURE_INVALID',
  ],
  ['an extra field', { body: bodyOf({ ...callback, extra: '1' }) }, 'UNKNOWN_FIELD'],
  ['a field of a request', { body: bodyOf({ ...callback, x_customer_email: 'a@b.cl' }) }, 'UNKNOWN_FIELD'],
  ['a missing field', { body: bodyOf(without('x_message')) }, 'MISSING_FIELD'],
  ['a duplicate field', { body: `${genuine}&x_result=completed` }, 'DUPLICATE_KEY'],
  ['a duplicate field, once escaped', { body: `${genuine}&%78_result=completed` }, 'DUPLICATE_KEY'],
  ['a wrong escape', { body: genuine.replace('ORD-42', 'ORD%42%') }, 'INVALID_ENCODING'],
  ['bytes that are not UTF-8', { body: Buffer.from([0x78, 0x80]) }, 'INVALID_ENCODING'],
  ['a line feed in a value', { body: bodyOf({ ...callback, x_message: 'a\nb' }) }, 'CONTROL_CHARACTER'],
  ['an empty body', { body: '' }, 'MISSING_FIELD'],
  ['invalid JSON', { body: '{' }, 'INVALID_JSON'],
  ['JSON with a number', { body: JSON.stringify({ ...callback, x_amount: 5000 }) }, 'INVALID_TYPE'],
  ['an unknown result', { body: bodyOf({ ...callback, x_result: 'paid' }) }, 'INVALID_RESULT'],
  ['a time of another form', { body: bodyOf({ ...callback, x_timestamp: 'yesterday' }) }, 'INVALID_TIMESTAMP'],
  ['another account', { expected: { ...order, account: 'OTHER' } }, 'ACCOUNT_MISMATCH'],
  ['another reference', { expected: { ...order, reference: 'ORD-43' } }, 'REFERENCE_MISMATCH'],
  ['another amount', { expected: { ...order, amount: 5001 } }, 'AMOUNT_MISMATCH'],
  ['a tenth of the amount', { expected: { ...order, amount: 500 } }, 'AMOUNT_MISMATCH'],
  ['another currency', { expected: { ...order, currency: 'USD' } }, 'CURRENCY_MISMATCH'],
  ['the other environment', { expected: { ...order, test: true } }, 'TEST_MISMATCH'],
  ['no webhook headers where they are required', { requireWebhookHeaders: true }, 'WEBHOOK_HEADERS_MISSING'],
];
for (const [why, options, code] of refused) {
  test(`a callback with ${why} is refused`, () => {
    const result = verify(options);
    assert.equal(result.ok ? 'accepted' : result.code, code);
    assert.ok(result.ok || (result.message.length > 0 && result.fix.length > 0));
  });
}

test('a signed failure that is rearranged into a success is refused', () => {
  const time = '2026-01-01T00:00:00.000Z';
  const failed = { ...callback, x_reference: `42x_resultcompletedx_testfalsex_timestamp${time}`, x_result: 'failed' };
  const forged = {
    ...callback,
    x_reference: '42',
    x_timestamp: `${time}x_resultfailedx_testfalsex_timestamp${callback.x_timestamp}`,
  };
  assert.equal(messageOf(failed), messageOf(forged));
  for (const body of [failed, forged]) {
    const result = verify({ body: bodyOf(body), expected: {} });
    assert.equal(result.ok ? 'accepted' : result.code, 'AMBIGUOUS_FIELD');
  }
});

test('a request signed by the shop is refused as a callback', () => {
  const request = {
    ...without('x_result', 'x_timestamp', 'x_gateway_reference'),
    x_customer_email: 'a',
    x_result: 'completed',
    x_timestamp: '1',
  };
  assert.equal(verify({ body: bodyOf(request), expected: {} }).ok, false);
});

test('an amount is compared as a decimal', () => {
  const amounts: [string, string | number, boolean][] = [
    ['5000.00', 5000, true],
    ['5000.00', '5000', true],
    ['5000.00', '5000.0', true],
    ['5000', '5000.00', true],
    ['10.50', 10.5, true],
    ['10.50', '10.50', true],
    ['10.50', '10.05', false],
    ['5000.00', '50000', false],
    ['5000.00', '5e3', false],
    ['5000', 500, false],
  ];
  for (const [received, amount, same] of amounts) {
    const x_currency = received.endsWith('.50') ? 'USD' : 'CLP';
    const difference = compareWithOrder({ ...callback, x_amount: received, x_currency } as never, { amount });
    assert.equal(difference === null, same, `${received} and ${amount}`);
  }
});

test('an expected amount of 1.000 pesos is refused as ambiguous, with what to write', () => {
  const pesos = { ...callback, x_amount: '1.00', x_currency: 'CLP' } as never;
  for (const amount of ['1.000', '1.5', '12990.0000'])
    assert.throws(() => compareWithOrder(pesos, { amount }), {
      name: 'TypeError',
      message: `The amount of your order, ${amount} CLP, could be read in two ways: write digits alone, such as 1000`,
    });
  assert.throws(() => compareWithOrder(pesos, { amount: '1.000', currency: 'USD' }), /write no more than 2 decimals/);
  for (const amount of ['1', '1.0', '1.00', 1]) assert.equal(compareWithOrder(pesos, { amount }), null);
  const dinars = { ...callback, x_amount: '1.000', x_currency: 'KWD' } as never;
  assert.equal(compareWithOrder(dinars, { amount: '1.000' }), null);
  assert.throws(() => verify({ expected: { amount: '5.000' } }), /write digits alone/);
});

test('a value without an expectation is not compared, so that the order can be found first', () => {
  const result = verify({ expected: {} });
  assert.ok(result.ok);
  assert.equal(compareWithOrder(result.data, order), null);
  assert.equal(compareWithOrder(result.data, { reference: 'ORD-43' })?.code, 'REFERENCE_MISMATCH');
});

test('an expected value that is undefined is refused', () => {
  const row: { amount?: number } = {};
  assert.throws(() => compareWithOrder({ ...callback, x_amount: '1.00' } as never, { amount: row.amount } as never), {
    name: 'TypeError',
    message:
      'The amount of your order is undefined, so it would not be compared. Give its value, or leave out the member.',
  });
  for (const name of Object.keys(order))
    assert.throws(() => verify({ expected: { ...order, [name]: undefined } }), { name: 'TypeError' }, name);
});

const key = webhookKey(secret);
const seconds = now / 1000;
const headers = webhookHeaders(seconds);

test('webhook headers verify from a Headers object, from Node and in any letter case', () => {
  const capitals = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
  for (const received of [headers, new Headers(headers), capitals]) {
    assert.equal(verify({ headers: received, requireWebhookHeaders: true }).ok, true);
  }
});

test('headers signed by the reference library verify', () => {
  const signature = new Webhook(Buffer.from(key).toString('base64')).sign('evt_1', new Date(now), genuine);
  assert.equal(verify({ headers: { ...headers, 'webhook-signature': signature } }).ok, true);
});

test('during a rotation the second signature of the header verifies', () => {
  const both = `${signWebhook('evt_1', seconds, genuine, webhookKey('new'))} ${headers['webhook-signature']}`;
  assert.equal(verify({ headers: { ...headers, 'webhook-signature': both } }).ok, true);
});

const headerFaults: [why: string, headers: Record<string, string | string[]>, code: string][] = [
  ['a wrong signature', { ...headers, 'webhook-signature': 'v1,AAAA' }, 'WEBHOOK_SIGNATURE_INVALID'],
  ['another id', { ...headers, 'webhook-id': 'evt_2' }, 'WEBHOOK_SIGNATURE_INVALID'],
  ['only a part of them', { 'webhook-id': 'evt_1' }, 'WEBHOOK_SIGNATURE_INVALID'],
  ['one of them twice', { ...headers, 'webhook-id': ['evt_1', 'evt_1'] }, 'WEBHOOK_SIGNATURE_INVALID'],
  [
    'x_signature in place of their signature',
    { ...headers, 'webhook-signature': `v1,${genuine.slice(-64)}` },
    'WEBHOOK_SIGNATURE_INVALID',
  ],
  ['a time too long ago', webhookHeaders(seconds - 301), 'WEBHOOK_TIME_REFUSED'],
  ['a time in the future', webhookHeaders(seconds + 301), 'WEBHOOK_TIME_REFUSED'],
  ['an invalid time', webhookHeaders('soon'), 'WEBHOOK_TIME_REFUSED'],
];
for (const [why, received, code] of headerFaults) {
  test(`webhook headers with ${why} are refused even when they are not required`, () => {
    const result = verify({ headers: received });
    assert.equal(result.ok ? 'accepted' : result.code, code);
  });
}

test('the caller can choose the tolerance', () => {
  assert.equal(verify({ headers: webhookHeaders(seconds - 300) }).ok, true);
  assert.equal(verify({ headers: webhookHeaders(seconds - 20), toleranceSeconds: 10 }).ok, false);
});

test('an empty secret or an empty list of secrets throws a TypeError', () => {
  assert.throws(() => verify({ secret: '' }), { name: 'TypeError', message: /empty or not a text\. Give your Secret/ });
  // A process without its secrets may pass an empty list. An error is better than refusing every callback as forged.
  assert.throws(() => verify({ secret: [] }), { name: 'TypeError', message: /is empty\. Give it your Secret Token/ });
});

test('a body that a framework has parsed throws, and the error says so', () => {
  for (const body of [undefined, Object.fromEntries(new URLSearchParams(genuine))]) {
    assert.throws(() => verify({ body: body as unknown as string }), /a framework has parsed it\. Give the raw body/);
  }
});

function verify(options: Partial<VerifyCallbackOptions> = {}) {
  return verifyCallback({ body: genuine, secret, expected: order, now, ...options });
}

function messageOf(fields: Record<string, string>): string {
  return Object.entries(fields)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flat()
    .join('');
}

/** Returns the body with a signature over all fields, even invalid ones. */
function bodyOf(fields: Record<string, string>): string {
  const signature = computeSignature(messageOf(fields), signingKey(secret));
  return new URLSearchParams({ ...fields, x_signature: signature }).toString();
}

function without(...names: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(callback).filter(([name]) => !names.includes(name)));
}

function webhookHeaders(timestamp: number | string) {
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signWebhook('evt_1', timestamp, genuine, key),
  };
}
