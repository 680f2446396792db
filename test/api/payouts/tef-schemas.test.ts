import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTef, readTransfer, TEF_REQUEST_EXAMPLE } from '../../../src/api/payouts/tef-schemas.ts';
import type { Problem } from '../../../src/error-catalogue.ts';
import type { ErrorItem } from '../../../src/error-item.ts';

const { tef } = TEF_REQUEST_EXAMPLE;

function errorsOf(value: unknown, pointer: string): ErrorItem[] {
  const errors: ErrorItem[] = [];
  readTransfer(value, pointer, errors);
  return errors;
}

test('an item of a batch that is not an object is named by its place, not as tef', () => {
  const [error, ...others] = errorsOf(null, '/payouts/3');
  assert.equal(error?.pointer, '/payouts/3');
  assert.match(error.message, /^payouts\/3 has the wrong JSON type/);
  assert.deepEqual(others, []);
  assert.match(errorsOf(7, '/tef')[0]?.message ?? '', /^tef has the wrong JSON type/);
});

test('a missing object is one error, without its members', () => {
  const { recipientData: _recipientData, ...rest } = tef;
  const errors = errorsOf({ ...rest, bankData: 'x', amount: 1.5 }, '/tef');
  const codes = errors.map(({ pointer, code }) => `${pointer} ${code}`);
  assert.deepEqual(codes, [
    '/tef/recipientData MISSING_FIELD',
    '/tef/bankData INVALID_TYPE',
    '/tef/amount INVALID_AMOUNT',
  ]);
});

test('every error of a transfer is reported under the place of that transfer', () => {
  const { recipientData, ...rest } = tef;
  const bad = { ...rest, amount: 1.5, strange: 1, recipientData: { ...recipientData, rut: ' ' } };
  for (const place of ['/tef', '/payouts/12']) {
    assert.deepEqual(
      errorsOf(bad, place).map(({ pointer }) => pointer),
      [`${place}/strange`, `${place}/amount`, `${place}/recipientData/rut`],
    );
  }
  assert.deepEqual(errorsOf(tef, '/tef'), []);
});

test('the callback address is at the root or in the transfer, and two different ones are refused', () => {
  const within = { tef: { ...tef, url: 'https://shop.example/within' } };
  assert.throws(
    () => readTef({ ...within, callbackUrl: 'https://shop.example/root' }),
    (error: Problem) => error.code === 'INVALID_BODY' && error.extras.errors?.[0]?.pointer === '/callbackUrl',
  );
  const same = { ...within, callbackUrl: 'https://shop.example/within' };
  assert.equal(readTef(same).callbackUrl, 'https://shop.example/within');
  assert.equal(readTef({ tef, callbackUrl: 'https://shop.example/root' }).callbackUrl, 'https://shop.example/root');
  assert.equal(readTef(within).callbackUrl, 'https://shop.example/within');
  assert.equal(readTef({ tef }).callbackUrl, null);
});
