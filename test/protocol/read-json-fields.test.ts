import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { Field } from '../../protocol/field.ts';
import { readJsonFields } from '../../protocol/read-json-fields.ts';
import { SigningError } from '../../protocol/signing-error.ts';
import { anyCharacter } from '../support/any-character.ts';

test('a field keeps its kind and the text it was written with', () => {
  const body = String.raw` { "a" : "x\/\u00f1\ud83d\ude00" , "b":1000.0,"c":-1e-07,"d":true,"e":null,"f":[1, {"g":"h"}],"i":{} } `;
  assert.deepEqual(read(body), [
    { name: 'a', kind: 'string', text: 'x/ñ😀' },
    { name: 'b', kind: 'number', text: '1000.0' },
    { name: 'c', kind: 'number', text: '-1e-07' },
    { name: 'd', kind: 'boolean', text: 'true' },
    { name: 'e', kind: 'null', text: 'null' },
    { name: 'f', kind: 'object', text: '[1, {"g":"h"}]' },
    { name: 'i', kind: 'object', text: '{}' },
  ]);
});

const invalid: [why: string, body: string][] = [
  ['nothing', ''],
  ['only white space', ' \n'],
  ['an unfinished object', '{"a":1'],
  ['an unfinished name', '{"a'],
  ['an unfinished escape', '{"a\\'],
  ['a name alone', '{"a"}'],
  ['a name without a value', '{"a":}'],
  ['a comma at the end', '{"a":1,}'],
  ['a comma at the start', '{,"a":1}'],
  ['two commas', '{"a":1,,"b":2}'],
  ['no comma', '{"a":1 "b":2}'],
  ['no colon', '{"a" 1}'],
  ['two colons', '{"a"::1}'],
  ['a name without quotes', '{a:1}'],
  ['a number as a name', '{1:1}'],
  ['single quotes', "{'a':'b'}"],
  ['a comment', '{/**/"a":1}'],
  ['a comment to the end of the line', '{"a":1}//'],
  ['something after the object', '{"a":1}x'],
  ['two objects', '{}{}'],
  ['a NUL after the object', '{"a":1}\0'],
  ['a closing brace too many', '{"a":1}}'],
  ['brackets crossed', '{"a":[1}]'],
  ['a comma at the end of an array', '{"a":[1,]}'],
  ['an empty array element', '{"a":[,1]}'],
  ['an unfinished array', '{"a":[1'],
  ['a colon in an array', '{"a":["b":1]}'],
  ['NaN', '{"a":NaN}'],
  ['Infinity', '{"a":Infinity}'],
  ['undefined', '{"a":undefined}'],
  ['a word that goes on', '{"a":trues}'],
  ['a word cut short', '{"a":tru}'],
  ['a word in capitals', '{"a":True}'],
  ['a plus sign', '{"a":+1}'],
  ['a minus alone', '{"a":-}'],
  ['two minus signs', '{"a":--1}'],
  ['a leading zero', '{"a":01}'],
  ['a negative leading zero', '{"a":-01}'],
  ['a leading point', '{"a":.5}'],
  ['a trailing point', '{"a":1.}'],
  ['an exponent without digits', '{"a":1e}'],
  ['a signed exponent without digits', '{"a":1e+}'],
  ['a point before the exponent', '{"a":1.e5}'],
  ['a fractional exponent', '{"a":1e5.5}'],
  ['a hexadecimal number', '{"a":0x10}'],
  ['a number with a comma', '{"a":1,000}'],
  ['a number with a space', '{"a":1 000}'],
  ['full-width digits', '{"a":１}'],
  ['an unknown escape', '{"a":"\\x41"}'],
  ['an octal escape', '{"a":"\\012"}'],
  ['a short unicode escape', '{"a":"\\u12"}'],
  ['a unicode escape that is not hexadecimal', '{"a":"\\u00zz"}'],
  ['a capital unicode escape', '{"a":"\\U0041"}'],
  ['a raw line feed in a string', '{"a":"b\nc"}'],
  ['a raw tab in a string', '{"a":"b\tc"}'],
  ['a raw NUL in a string', '{"a":"b\0c"}'],
  ['a form feed as white space', '{\f"a":1}'],
  ['a no-break space as white space', '{\u00a0"a":1}'],
  ['a wrong escape in a name', '{"\\a":1}'],
  ['an unfinished array at the top', '[1'],
  ['a bare word at the top', 'hello'],
];
for (const [why, body] of invalid) {
  test(`${why} is not JSON`, () => refuses(body, 'INVALID_JSON'));
}

for (const root of ['[]', '["a"]', '"a"', '1', 'true', 'null', ' 1.5 ']) {
  test(`${root} at the top is JSON but not an object`, () => refuses(root, 'NOT_AN_OBJECT'));
}

const refused: [why: string, body: string, code: string, field: string | null][] = [
  ['a name twice', '{"a":1,"a":1}', 'DUPLICATE_KEY', 'a'],
  ['a name twice, once with an escape', '{"x_amount":1,"\\u0078_amount":2}', 'DUPLICATE_KEY', 'x_amount'],
  ['a name twice inside an object', '{"x_document":{"id":1,"id":2}}', 'DUPLICATE_KEY', 'x_document'],
  ['__proto__', '{"__proto__":{"a":1}}', 'FORBIDDEN_KEY', '__proto__'],
  ['__proto__ with an escape', '{"_\\u005fproto__":1}', 'FORBIDDEN_KEY', '__proto__'],
  ['constructor', '{"constructor":{}}', 'FORBIDDEN_KEY', 'constructor'],
  ['prototype inside an object', '{"a":{"prototype":1}}', 'FORBIDDEN_KEY', 'prototype'],
  ['a fifth level', '{"a":{"b":{"c":{"d":{}}}}}', 'JSON_TOO_DEEP', 'a'],
  ['a fifth level of arrays', '{"a":[[[[]]]]}', 'JSON_TOO_DEEP', 'a'],
  ['a depth that would end a recursive reader', '['.repeat(100_000), 'JSON_TOO_DEEP', null],
  ['a lone high surrogate', '{"a":"\\ud800"}', 'INVALID_ENCODING', 'a'],
  ['surrogates the wrong way round', '{"a":"\\udd1e\\ud834"}', 'INVALID_ENCODING', 'a'],
  ['a lone surrogate in a name', '{"a\\ud800":1}', 'INVALID_ENCODING', null],
  ['a lone surrogate in an inner value', '{"a":["\\udfff"]}', 'INVALID_ENCODING', 'a'],
  ['an escaped NUL', '{"a":"\\u0000"}', 'CONTROL_CHARACTER', 'a'],
  ['an escaped line feed', '{"a":"\\n"}', 'CONTROL_CHARACTER', 'a'],
  ['an escaped ESC', '{"a":"\\u001b"}', 'CONTROL_CHARACTER', 'a'],
  ['DEL', '{"a":"\x7f"}', 'CONTROL_CHARACTER', 'a'],
  ['a C1 control', '{"a":"\u0085"}', 'CONTROL_CHARACTER', 'a'],
  ['a line separator', '{"a":"b\u2028"}', 'CONTROL_CHARACTER', 'a'],
  ['a control character in an inner value', '{"a":{"b":"\\r"}}', 'CONTROL_CHARACTER', 'a'],
  ['a string of 4,097 characters', `{"a":"${'b'.repeat(4097)}"}`, 'FIELD_TOO_LONG', 'a'],
  ['a number of 4,097 digits', `{"a":${'1'.repeat(4097)}}`, 'FIELD_TOO_LONG', 'a'],
  ['65 members', members(65), 'TOO_MANY_FIELDS', null],
  ['65 members counting the inner ones', `{"a":${members(64)}}`, 'TOO_MANY_FIELDS', null],
  ['a byte order mark', '\ufeff{}', 'INVALID_ENCODING', null],
];
for (const [why, body, code, field] of refused) {
  test(`${why} is refused`, () => refuses(body, code, field));
}

for (const [why, hex] of [
  ['a stray continuation byte', '80'],
  ['an overlong slash', 'c0af'],
  ['an encoded surrogate', 'eda080'],
  ['a code point past the last', 'f4908080'],
  ['Latin-1', 'e9'],
  ['a sequence cut short', 'e282'],
] as const) {
  test(`${why} is not UTF-8`, () => {
    const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(hex, 'hex'), Buffer.from('"}')]);
    assert.equal(
      codeOf(() => readJsonFields(body)),
      'INVALID_ENCODING',
    );
  });
}

test('UTF-16 is refused', () => {
  assert.equal(
    codeOf(() => readJsonFields(Buffer.from('\ufeff{}', 'utf16le'))),
    'INVALID_ENCODING',
  );
  assert.equal(
    codeOf(() => readJsonFields(Buffer.from('{}', 'utf16le'))),
    'INVALID_JSON',
  );
});

test('values at the limits are accepted', () => {
  assert.equal(read(members(64)).length, 64);
  assert.equal(read(`{"a":"${'b'.repeat(4096)}"}`)[0]?.text.length, 4096);
  assert.equal(read('{"a":[[[1]]]}')[0]?.text, '[[[1]]]');
});

test('a body inside a larger buffer is read the same', () => {
  const whole = Uint8Array.from(Buffer.from('xx{"a":"b"}yy'));
  assert.deepEqual(readJsonFields(whole.subarray(2, -2)), [{ name: 'a', kind: 'string', text: 'b' }]);
});

test('an error never repeats a value, and only the beginning of a name', () => {
  const error = errorOf(() => read(`{"${'n'.repeat(300)}":"secret\\u0000"}`));
  assert.equal(error.field, 'n'.repeat(64));
  assert.ok(!error.message.includes('secret') && error.message.length < 200);
});

test('a body that the reader accepts has the same values as with JSON.parse', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 8 }),
      (object) => {
        agreesWithJsonParse(Buffer.from(JSON.stringify(object)));
      },
    ),
    { numRuns: 2000 },
  );
});

test('a changed byte never makes the reader and JSON.parse disagree on syntax', () => {
  const seeds = [
    String.raw`{"x_amount":1000.0,"x_reference":"a\/\u00f1b","x_products":[{"id":-1e+5},true,null,""]}`,
    '{ "a" : [ 1 , "ñ" ] ,\n"b":{"c":false},"d":0}',
  ];
  const mutation = fc.record({
    seed: fc.constantFrom(...seeds.map((seed) => Buffer.from(seed))),
    at: fc.nat(100),
    bytes: fc.oneof(
      fc.uint8Array({ maxLength: 2 }),
      fc.constantFrom(
        ...['"', '\\', ',', ':', '{', '}', '[', ']', '0', '-', '.', 'e', 'u'].map((text) => Buffer.from(text)),
      ),
    ),
    removed: fc.nat(2),
  });
  fc.assert(
    fc.property(mutation, ({ seed, at, bytes, removed }) => {
      agreesWithJsonParse(Buffer.concat([seed.subarray(0, at), bytes, seed.subarray(at + removed)]));
    }),
    { numRuns: 20_000 },
  );
});

/**
 * Asserts that accepted bodies have the names and values of `JSON.parse`, and that `JSON.parse` refuses syntax errors
 * too.
 */
function agreesWithJsonParse(body: Buffer): void {
  let fields: Field[];
  try {
    fields = readJsonFields(body);
  } catch (error) {
    assert.ok(error instanceof SigningError);
    if (error.code === 'INVALID_JSON') assert.throws(() => JSON.parse(body.toString()), SyntaxError);
    return;
  }
  const parsed = JSON.parse(body.toString()) as Record<string, unknown>;
  assert.equal(fields.length, Object.keys(parsed).length);
  for (const { name, kind, text } of fields) {
    assert.deepEqual(kind === 'string' ? text : JSON.parse(text), parsed[name]);
  }
}

function members(count: number): string {
  return JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, 0])));
}

function read(body: string): Field[] {
  return readJsonFields(Buffer.from(body));
}

function refuses(body: string, code: string, field?: string | null): void {
  const error = errorOf(() => read(body));
  assert.equal(error.code, code);
  if (field !== undefined) assert.equal(error.field, field);
}

function codeOf(action: () => unknown): string {
  return errorOf(action).code;
}

function errorOf(action: () => unknown): SigningError {
  try {
    action();
  } catch (error) {
    assert.ok(error instanceof SigningError, String(error));
    return error;
  }
  assert.fail('the body must be refused');
}
