import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { Field } from '../../protocol/field.ts';
import { CALLBACK_FIELDS, KNOWN_NAMES, REQUEST_FIELDS } from '../../protocol/field-names.ts';
import { signingMessage } from '../../protocol/signing-message.ts';
import { checkCallbackFields, checkRequestFields } from '../../protocol/signing-rules.ts';

const request: Record<string, unknown> = {
  x_account_id: 'svc-test-0001',
  x_amount: 1000,
  x_currency: 'CLP',
  x_customer_email: 'max_power@example.com',
  x_reference: 'ORD-1',
  x_session_id: 'sess-1',
  x_shop_country: 'CL',
  x_url_callback: 'https://shop.example.com/cb',
  x_url_cancel: 'https://shop.example.com/no',
  x_url_complete: 'https://shop.example.com/ok',
  x_signature: '00',
};
const callback: Record<string, unknown> = {
  x_account_id: 'svc-test-0001',
  x_amount: '1000.00',
  x_currency: 'CLP',
  x_gateway_reference: '9838',
  x_message: 'Approved',
  x_reference: 'ORD-1',
  x_result: 'completed',
  x_test: 'true',
  x_timestamp: '2026-01-01T00:00:00.000Z',
  x_signature: '00',
};

test('a complete request passes and gives its values, its signature and its objects', () => {
  const checked = checkRequestFields(fieldsOf({ ...request, x_products: [{ id: 1 }] }));
  assert.deepEqual(checked.problems, []);
  assert.deepEqual(Object.keys(checked.values), REQUEST_FIELDS);
  assert.equal(checked.values.x_amount, '1000');
  assert.equal(checked.signature, '00');
  assert.deepEqual(checked.objects, { x_products: '[{"id":1}]' });
});

test('a complete callback passes and gives its values', () => {
  const checked = checkCallbackFields(fieldsOf(callback));
  assert.deepEqual(checked.problems, []);
  assert.deepEqual(Object.keys(checked.values), CALLBACK_FIELDS);
});

test('a body without a signature passes, and its signature is null', () => {
  const { x_signature: _, ...unsigned } = request;
  assert.deepEqual(checkRequestFields(fieldsOf(unsigned)).problems, []);
  assert.equal(checkRequestFields(fieldsOf(unsigned)).signature, null);
});

const requestFaults: [why: string, change: Record<string, unknown>, problems: string[]][] = [
  ['a name that resembles a field', { x_reference_id: '1' }, ['UNKNOWN_FIELD x_reference_id']],
  ['a name of a callback', { x_test: 'true' }, ['UNKNOWN_FIELD x_test']],
  ['a name in capitals', { X_AMOUNT: '1' }, ['UNKNOWN_FIELD X_AMOUNT']],
  ['a name with a space', { 'x_amount ': '1' }, ['UNKNOWN_FIELD x_amount ']],
  ['a name without x_', { status: 'completed' }, ['UNKNOWN_FIELD status']],
  ['an empty name', { '': '1' }, ['UNKNOWN_FIELD ']],
  [
    'a name of Object.prototype',
    { hasOwnProperty: 1, valueOf: 1 },
    ['UNKNOWN_FIELD hasOwnProperty', 'UNKNOWN_FIELD valueOf'],
  ],
  ['a missing field', { x_session_id: undefined }, ['MISSING_FIELD x_session_id']],
  ['an empty field', { x_session_id: '' }, ['EMPTY_FIELD x_session_id']],
  ['null', { x_session_id: null }, ['INVALID_TYPE x_session_id']],
  ['a boolean', { x_currency: true }, ['INVALID_TYPE x_currency']],
  ['an array', { x_amount: ['1000'] }, ['INVALID_TYPE x_amount']],
  ['an object', { x_amount: { toString: 1 } }, ['INVALID_TYPE x_amount']],
  ['a number instead of a text', { x_session_id: 12345 }, ['INVALID_TYPE x_session_id']],
  ['a text instead of an object', { x_document: 'id' }, ['INVALID_TYPE x_document']],
  ['null instead of an object', { x_document: null }, ['INVALID_TYPE x_document']],
  ['a signature that is null', { x_signature: null }, ['INVALID_TYPE x_signature']],
  ['an empty signature', { x_signature: '' }, ['EMPTY_FIELD x_signature']],
  [
    'the next field inside a value',
    { x_session_id: 's1x_shop_countryCL', x_shop_country: undefined },
    ['AMBIGUOUS_FIELD x_session_id', 'MISSING_FIELD x_shop_country'],
  ],
  ['a callback inside a value', { x_reference: '42x_resultcompletedx_testfalse' }, ['AMBIGUOUS_FIELD x_reference']],
  ['a name as a whole value', { x_reference: 'x_amount' }, ['AMBIGUOUS_FIELD x_reference']],
  ['a name at the end of a value', { x_reference: 'ax_signature' }, ['AMBIGUOUS_FIELD x_reference']],
  ['a name behind a false start', { x_reference: 'x_x_x_test' }, ['AMBIGUOUS_FIELD x_reference']],
  ['a name in a URL', { x_url_callback: 'https://a.cl/?x_reference=1' }, ['AMBIGUOUS_FIELD x_url_callback']],
  [
    'several faults',
    { x_currency: '', x_foo: '1', x_amount: null },
    ['INVALID_TYPE x_amount', 'EMPTY_FIELD x_currency', 'UNKNOWN_FIELD x_foo'],
  ],
];
for (const [why, change, problems] of requestFaults) {
  test(`a request is refused for ${why}`, () => {
    assert.deepEqual(codesOf(checkRequestFields(fieldsOf({ ...request, ...change })).problems), problems);
  });
}

const callbackFaults: [why: string, change: Record<string, unknown>, problems: string[]][] = [
  ['a name of a request', { x_customer_email: 'a@b.cl' }, ['UNKNOWN_FIELD x_customer_email']],
  ['an unsigned object', { x_products: [] }, ['UNKNOWN_FIELD x_products']],
  ['a number', { x_amount: 1000 }, ['INVALID_TYPE x_amount']],
  ['a missing message', { x_message: undefined }, ['MISSING_FIELD x_message']],
  ['a name inside the message', { x_message: 'see x_result' }, ['AMBIGUOUS_FIELD x_message']],
];
for (const [why, change, problems] of callbackFaults) {
  test(`a callback is refused for ${why}`, () => {
    assert.deepEqual(codesOf(checkCallbackFields(fieldsOf({ ...callback, ...change })).problems), problems);
  });
}

for (const name of KNOWN_NAMES) {
  test(`no value may contain ${name}`, () => {
    const { problems } = checkRequestFields(fieldsOf({ ...request, x_reference: `a${name}b` }));
    assert.deepEqual(codesOf(problems), ['AMBIGUOUS_FIELD x_reference']);
    assert.ok(problems[0]?.message.includes(name) && problems[0].fix.includes('%5F'));
  });
}

test('a value may contain parts of names: x_, a name cut short, a name in capitals', () => {
  for (const value of ['max_power', 'x_', 'x_amoun', 'X_AMOUNT', 'x%5Famount', 'x_x_']) {
    assert.deepEqual(checkRequestFields(fieldsOf({ ...request, x_reference: value })).problems, []);
  }
});

// Values made of parts of names, like an attacker's. Whole names are rare, so that enough bodies pass.
const knownName = fc.constantFrom(...KNOWN_NAMES);
const piece = fc.oneof(
  { weight: 1, arbitrary: knownName },
  { weight: 30, arbitrary: fc.constantFrom('x', '_', 'x_', 'a', '1', 'x_amoun', 'mount', 'CLP', 'ñ', 'x_url', '_id') },
  { weight: 30, arbitrary: fc.tuple(knownName, fc.nat(9)).map(([name, cut]) => name.slice(0, -1 - cut) || 'x') },
  { weight: 30, arbitrary: fc.tuple(knownName, fc.nat(9)).map(([name, start]) => name.slice(1 + start) || '_') },
);
const hostileValue = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(''));
const hostileFields = fc
  .tuple(fc.constantFrom(REQUEST_FIELDS, CALLBACK_FIELDS), fc.array(hostileValue, { minLength: 10, maxLength: 10 }))
  .map(([names, values]) => names.map((name, index): Field => ({ name, kind: 'string', text: values[index] ?? '' })));

test('the message of any valid body can be read back into exactly its fields', () => {
  let passed = 0;
  fc.assert(
    fc.property(hostileFields, (fields) => {
      if (!passes(fields)) return;
      passed++;
      assert.ok(readsBack(fields));
    }),
    { numRuns: 20_000 },
  );
  assert.ok(passed > 2_000, `more than 2,000 hostile bodies pass, not ${passed}`);
});

test('without the rule on names inside values, a counterexample is found at once', () => {
  const search = fc.check(
    fc.property(hostileFields, (fields) => {
      assert.ok(readsBack(fields));
    }),
    { numRuns: 1000 },
  );
  assert.ok(search.failed && search.numRuns < 100);
});

test('no valid request has the same message as a valid callback', () => {
  const messages = new Map<string, string>();
  fc.assert(
    fc.property(hostileFields, (fields) => {
      if (!passes(fields)) return;
      const message = signingMessage(fields);
      const direction = fields.length === 10 ? 'request' : 'callback';
      assert.equal(messages.get(message) ?? direction, direction);
      messages.set(message, direction);
    }),
    { numRuns: 20_000 },
  );
});

test('the order in which fields are sent does not change the message', () => {
  const fields = fieldsOf(request);
  fc.assert(
    fc.property(fc.shuffledSubarray(fields, { minLength: fields.length }), (shuffled) => {
      assert.equal(signingMessage(shuffled), signingMessage(fields));
    }),
  );
});

function passes(fields: Field[]): boolean {
  const { problems } = fields.length === 10 ? checkRequestFields(fields) : checkCallbackFields(fields);
  return problems.length === 0;
}

/**
 * Whether the message can be read back into its fields. Compares texts, because `deepEqual` would take most of the
 * time.
 */
function readsBack(fields: Field[]): boolean {
  const original = fields.map(({ name, text }) => [name, text]);
  return decode(signingMessage(fields)).join('\n') === original.join('\n');
}

/** Reads a message from left to right: a known name starts a field, and everything up to the next name is its value. */
function decode(message: string): [string, string][] {
  const starts = [...message.matchAll(ANY_KNOWN_NAME)];
  return starts.map((start, index) => {
    return [start[0], message.slice(start.index + start[0].length, starts[index + 1]?.index ?? message.length)];
  });
}

function fieldsOf(object: Record<string, unknown>): Field[] {
  return Object.entries(object)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ({
      name,
      kind: kindOf(value),
      text: typeof value === 'string' ? value : JSON.stringify(value),
    }));
}

function kindOf(value: unknown): Field['kind'] {
  return value === null ? 'null' : (typeof value as Field['kind']);
}

function codesOf(problems: readonly { code: string; field: string | null }[]): string[] {
  return problems.map(({ code, field }) => `${code} ${field}`);
}

const ANY_KNOWN_NAME = new RegExp(KNOWN_NAMES.join('|'), 'g');
