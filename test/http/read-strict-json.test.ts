import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { SigningError } from '../../protocol/signing-error.ts';
import { readStrictJson } from '../../src/http/read-strict-json.ts';

const LIMITS = { depth: 4, members: 64 };

suite('readStrictJson', () => {
  const refused: [name: string, body: string | Buffer, code: string, field?: string][] = [
    ['nothing', '', 'INVALID_JSON'],
    ['half an object', '{"a":1', 'INVALID_JSON'],
    ['two objects', '{} {}', 'INVALID_JSON'],
    ['a trailing comma', '{"a":1,}', 'INVALID_JSON'],
    ['single quotes', "{'a':1}", 'INVALID_JSON'],
    ['a line break in a text', '{"a":"\n"}', 'INVALID_JSON'],
    ['a text that does not end', '{"a":"\\"}', 'INVALID_JSON'],
    ['NaN', '{"a":NaN}', 'INVALID_JSON'],
    ['a wrong escape in a name', '{"\\x":1}', 'INVALID_JSON'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'INVALID_ENCODING'],
    ['a byte order mark', '\ufeff{}', 'INVALID_ENCODING'],
    ['half a character, escaped', '{"a":["x\\ud800"]}', 'INVALID_ENCODING'],
    ['half a character in a name', '{"a\\udc00":1}', 'INVALID_ENCODING'],
    ['a NUL, which PostgreSQL cannot keep', '{"a":{"b":"\\u0000"}}', 'INVALID_ENCODING'],
    ['an array', '[{}]', 'NOT_AN_OBJECT'],
    ['a text', '"{}"', 'NOT_AN_OBJECT'],
    ['null', 'null', 'NOT_AN_OBJECT'],
    ['a name twice', '{"a":1,"b":2,"a":3}', 'DUPLICATE_KEY'],
    ['a name twice in an inner object', '{"x":[{"a":1,"a":1}]}', 'DUPLICATE_KEY'],
    ['a name twice, once escaped', '{"a":1,"\\u0061":2}', 'DUPLICATE_KEY'],
    ['a name twice, with spaces before the colon', '{"a" \t\r\n:1,"a":2}', 'DUPLICATE_KEY'],
    ['__proto__', '{"__proto__":{}}', 'FORBIDDEN_KEY'],
    ['__proto__, escaped', '{"__pr\\u006fto__":{}}', 'FORBIDDEN_KEY'],
    ['constructor, inside', '{"a":{"constructor":1}}', 'FORBIDDEN_KEY'],
    ['five levels', '{"z":{"y":1},"\\u0061":[[{"c":[[]]}]]}', 'JSON_TOO_DEEP', 'a'],
    ['a million levels', '['.repeat(1_000_000), 'JSON_TOO_DEEP'],
    ['65 members', `{${Array.from({ length: 65 }, (_, at) => `"${at}":0`).join()}}`, 'TOO_MANY_FIELDS'],
  ];
  for (const [name, body, code, field] of refused) {
    test(`${name}: ${code}`, () => {
      assert.throws(
        () => readStrictJson(Buffer.from(body as string), LIMITS),
        (error) =>
          error instanceof SigningError && error.code === code && (field === undefined || error.field === field),
      );
    });
  }

  for (const body of ['', ' \n']) {
    test(`a body without anything is said to be empty: ${JSON.stringify(body)}`, () => {
      assert.throws(() => readStrictJson(Buffer.from(body), LIMITS), /is not valid JSON: it is empty\. Build/);
    });
  }

  const taken: [name: string, body: string][] = [
    ['an empty object', ' {} '],
    ['the same name in two objects', '{"a":{"b":1},"c":{"b":1}}'],
    ['a value that looks like a name', '{"a":"b","b":"a","c":["a","a"]}'],
    ['brackets and colons in texts', '{"a":"{[:\\"","b":"]}"}'],
    ['a backslash at the end of a text', '{"a":"\\\\","b":1}'],
    ['control characters, escaped', '{"a":"\\n\\u0001","b":"\\\\u0000"}'],
    ['a character in two halves, escaped', '{"a":"\\ud83d\\ude00"}'],
    ['64 members at four levels', `{"x":[[{${Array.from({ length: 63 }, (_, at) => `"${at}":0`).join()}}]]}`],
  ];
  for (const [name, body] of taken) {
    test(`${name} is read as JSON.parse reads it`, () => {
      assert.deepEqual(readStrictJson(Buffer.from(body), LIMITS), JSON.parse(body));
    });
  }

  test('a refusal says how many levels and members the operation takes', () => {
    const limits = { depth: 2, members: 3 };
    const refusal = (body: string, message: string) =>
      assert.throws(
        () => readStrictJson(Buffer.from(body), limits),
        (error) => error instanceof SigningError && error.problems[0].message === message,
      );
    refusal('{"a":[[1]]}', 'a is nested too deeply: at most 2 levels are taken.');
    refusal('{"a":1,"b":1,"c":1,"d":1}', 'The body has too many fields: at most 3 are taken.');
  });

  test('any object without duplicate names is read as it was written', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 8 });
    fc.assert(
      fc.property(object, fc.boolean(), (value, spaced) => {
        const text = JSON.stringify(value, null, spaced ? 1 : 0);
        if (/"(__proto__|constructor|prototype)"/.test(text)) return;
        assert.deepEqual(readStrictJson(Buffer.from(text), { depth: 10, members: 1000 }), JSON.parse(text));
      }),
    );
  });
});
