import assert from 'node:assert/strict';
import test from 'node:test';
// @ts-expect-error The published signer comes without types.
import published from '@pagofacil/sdk-apis-javascript-signature';
import { signatureMatches, signingKey } from '../../protocol/hmac.ts';
import { readFormFields } from '../../protocol/read-form-fields.ts';
import { readJsonFields } from '../../protocol/read-json-fields.ts';
import { messageOf, type RequestInput, sign } from '../../protocol/sign-fields.ts';
import { SigningError } from '../../protocol/signing-error.ts';
import { signingMessage } from '../../protocol/signing-message.ts';
import { checkRequestFields } from '../../protocol/signing-rules.ts';

const secret = 'made-up-secret-0001';
const input: RequestInput = {
  x_account_id: 'a'.repeat(64),
  x_amount: 1000,
  x_currency: 'CLP',
  x_customer_email: 'buyer@example.cl',
  x_reference: 'ORD-0001',
  x_session_id: 'sess-000001',
  x_shop_country: 'CL',
  x_url_callback: 'https://shop.test/callback',
  x_url_cancel: 'https://shop.test/cancel',
  x_url_complete: 'https://shop.test/complete',
};

test('signing returns the body to send, with the expected signature', () => {
  const body = sign(input, secret);
  assert.equal(body.x_signature, '33459866aed2a64d269ab1b99dc24cad9efe3f13363b2504666eca6724ca6842');
  assert.deepEqual(body, { ...input, x_amount: '1000', x_signature: body.x_signature });
});

test('the published signer makes the same signature', () => {
  assert.equal(sign(input, secret).x_signature, published.signPayload(input, secret));
});

test('the posted JSON verifies as it was signed, with its objects', () => {
  const body = sign({ ...input, x_reference: 1700000000, x_products: [{ name: 'Té', price: 500 }] }, secret);
  const fields = readJsonFields(Buffer.from(JSON.stringify(body)));
  const { problems, signature, objects } = checkRequestFields(fields);
  assert.deepEqual(problems, []);
  assert.ok(signatureMatches(signingMessage(fields), signature ?? '', signingKey(secret)));
  assert.equal(objects.x_products, '[{"name":"Té","price":500}]');
});

test('a secret signs the same as a text or as a key, also after another secret was used', () => {
  const { x_signature } = sign(input, secret);
  assert.equal(sign(input, signingKey(secret)).x_signature, x_signature);
  assert.notEqual(sign(input, 'another').x_signature, x_signature);
  assert.equal(sign(input, secret).x_signature, x_signature);
});

test('an existing signature is replaced, and an undefined object is ignored', () => {
  const signed = sign(input, secret);
  assert.deepEqual(sign({ ...signed, x_document: undefined } as unknown as RequestInput, secret), {
    ...signed,
    x_document: undefined,
  });
});

const refused: [why: string, change: object, code: string][] = [
  ['a missing field', { x_reference: undefined }, 'MISSING_FIELD'],
  ['null', { x_reference: null }, 'INVALID_TYPE'],
  ['a float', { x_amount: 10.5 }, 'INVALID_TYPE'],
  ['a number too large to be exact', { x_amount: 2 ** 53 }, 'INVALID_TYPE'],
  ['NaN', { x_amount: Number.NaN }, 'INVALID_TYPE'],
  ['an array', { x_amount: [1000] }, 'INVALID_TYPE'],
  ['an object that prints like an amount', { x_amount: { toString: () => '1000' } }, 'INVALID_TYPE'],
  ['a boolean', { x_reference: true }, 'INVALID_TYPE'],
  ['a function', { x_reference: () => 'a' }, 'INVALID_TYPE'],
  ['an unsigned object that is text', { x_products: '[]' }, 'INVALID_TYPE'],
  ['another field', { x_test: 'true' }, 'UNKNOWN_FIELD'],
  ['an empty value', { x_session_id: '' }, 'EMPTY_FIELD'],
  ['a field name inside a value', { x_reference: 'ORD-42x_session_idother' }, 'AMBIGUOUS_FIELD'],
  [
    'a forged callback inside the e-mail',
    { x_customer_email: 'ax_reference42x_resultcompletedx_timestamp1@b.cl' },
    'AMBIGUOUS_FIELD',
  ],
  ['a line feed', { x_reference: 'ORD\n1' }, 'INVALID_REFERENCE'],
  ['a lone surrogate', { x_reference: 'ORD\ud800' }, 'INVALID_REFERENCE'],
  ['an amount with decimals where there are none', { x_amount: '1000.50' }, 'INVALID_AMOUNT'],
  ['http', { x_url_callback: 'http://shop.test/' }, 'INVALID_URL'],
];
for (const [why, change, code] of refused) {
  test(`signing is refused for ${why}`, () => {
    assert.throws(
      () => sign({ ...input, ...change }, secret),
      (error) => error instanceof SigningError && error.code === code,
    );
  });
}

test('http is signed when the caller allows it', () => {
  const local = { ...input, x_url_callback: 'http://localhost:3000/cb' };
  assert.equal(sign(local, secret, { allowHttp: true }).x_url_callback, 'http://localhost:3000/cb');
});

test('the message of a refusal names every problem with its fix', () => {
  const bad = { ...input, x_amount: '1,5', x_foo: 'private' } as unknown as RequestInput;
  assert.throws(() => sign(bad, secret), {
    name: 'SigningError',
    message: /^UNKNOWN_FIELD: x_foo is not a field of this message\. Leave it out\. .* closed\.$/,
  });
  const two = { ...bad, x_reference: 'x_amount' } as unknown as RequestInput;
  assert.throws(
    () => sign(two, secret),
    (error: SigningError) => {
      for (const { code, message, fix } of error.problems)
        assert.ok(error.message.includes(`${code}: ${message} ${fix}`));
      return error.problems.length > 1;
    },
  );
});

test('all problems are reported together, without any value', () => {
  const bad = { ...input, x_amount: null, x_reference: 'x_amount', x_foo: 'private' } as unknown as RequestInput;
  assert.throws(
    () => sign(bad, secret),
    (error: SigningError) => {
      assert.deepEqual(
        error.problems.map(({ code }) => code),
        ['INVALID_TYPE', 'AMBIGUOUS_FIELD', 'UNKNOWN_FIELD'],
      );
      return !JSON.stringify(error.problems).includes('private');
    },
  );
});

test('a message is built from the fields of a request or of a callback, whatever their values', () => {
  const { x_signature: _, ...signed } = sign(input, secret);
  const request = { ...signed, x_amount: '1e3', x_products: [], x_signature: '' };
  assert.ok(messageOf(readJsonFields(Buffer.from(JSON.stringify(request)))).includes('x_amount1e3x_currency'));
  const callback =
    'x_account_id=a&x_amount=1.00&x_currency=CLP&x_gateway_reference=1&x_message=m&x_reference=r&x_result=done&x_test=true&x_timestamp=t';
  assert.equal(messageOf(readFormFields(Buffer.from(callback))), callback.replaceAll(/[=&]/g, ''));
});

test('a mixture of request and callback fields is refused as a callback', () => {
  const mixture = { ...sign(input, secret), x_result: 'completed' };
  assert.throws(
    () => messageOf(readJsonFields(Buffer.from(JSON.stringify(mixture)))),
    (error: SigningError) =>
      error.problems.some(({ code, field }) => code === 'UNKNOWN_FIELD' && field === 'x_customer_email'),
  );
});
