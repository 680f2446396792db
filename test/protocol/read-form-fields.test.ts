import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { readFormFields } from '../../protocol/read-form-fields.ts';
import { SigningError } from '../../protocol/signing-error.ts';

const accepted: [why: string, body: string, pairs: [string, string][]][] = [
  ['a plus is a space', 'a=b+c', [['a', 'b c']]],
  ['an escaped plus is a plus', 'a=b%2Bc', [['a', 'b+c']]],
  ['escapes are decoded once', 'a=%2541', [['a', '%41']]],
  ['escapes are decoded as UTF-8', 'a=%C3%B1%F0%9F%98%80', [['a', 'ñ😀']]],
  ['raw UTF-8 is taken as it is', 'a=ñ', [['a', 'ñ']]],
  ['names are decoded too', '%78_amount=1', [['x_amount', '1']]],
  ['only the first equals sign separates name and value', 'a=b=c', [['a', 'b=c']]],
  [
    'a name alone has an empty value',
    'a&b=',
    [
      ['a', ''],
      ['b', ''],
    ],
  ],
  ['a value alone has an empty name', '=a', [['', 'a']]],
  [
    'an empty pair is ignored',
    '&a=1&&b=2&',
    [
      ['a', '1'],
      ['b', '2'],
    ],
  ],
  ['an empty body has no fields', '', []],
  ['only the ampersand separates pairs', 'a=1;b=2', [['a', '1;b=2']]],
  ['brackets have no meaning', 'a[]=1', [['a[]', '1']]],
  ['__proto__ is a name like others', '__proto__=1', [['__proto__', '1']]],
];
for (const [why, body, pairs] of accepted) {
  test(why, () => {
    const expected = pairs.map(([name, text]) => ({ name, kind: 'string', text }));
    assert.deepEqual(readFormFields(Buffer.from(body)), expected);
  });
}

const refused: [why: string, body: string | Buffer, code: string, field: string | null][] = [
  ['a percent sign alone', 'a=100%', 'INVALID_ENCODING', 'a'],
  ['a short escape', 'a=%4', 'INVALID_ENCODING', 'a'],
  ['an escape that is not hexadecimal', 'a=%zz', 'INVALID_ENCODING', 'a'],
  ['an escaped Latin-1 byte', 'a=%E9', 'INVALID_ENCODING', 'a'],
  ['an overlong escape', 'a=%C0%AF', 'INVALID_ENCODING', 'a'],
  ['an escaped surrogate', 'a=%ED%A0%80', 'INVALID_ENCODING', 'a'],
  ['a wrong escape in a name', '%zz=1', 'INVALID_ENCODING', null],
  ['a raw Latin-1 byte', Buffer.from('a=\xe9', 'latin1'), 'INVALID_ENCODING', null],
  ['a name twice', 'a=1&b=2&a=1', 'DUPLICATE_KEY', 'a'],
  ['a name twice, once escaped', 'a=1&%61=2', 'DUPLICATE_KEY', 'a'],
  ['an escaped line feed', 'a=b%0A', 'CONTROL_CHARACTER', 'a'],
  ['a raw NUL', 'a=\0', 'CONTROL_CHARACTER', 'a'],
  ['a line separator', 'a=%E2%80%A8', 'CONTROL_CHARACTER', 'a'],
  ['a value of 4,097 characters', `a=${'b'.repeat(4097)}`, 'FIELD_TOO_LONG', 'a'],
  ['65 pairs', Array.from({ length: 65 }, (_, index) => `m${index}=`).join('&'), 'TOO_MANY_FIELDS', null],
];
for (const [why, body, code, field] of refused) {
  test(`${why} is refused`, () => {
    assert.throws(
      () => readFormFields(Buffer.from(body as string)),
      (error) => error instanceof SigningError && error.code === code && error.field === field,
    );
  });
}

test('a body written by URLSearchParams is read back unchanged', () => {
  const printable = fc.string({ unit: 'grapheme' }).filter((text) => !/[\p{Cc}\u2028\u2029]/u.test(text));
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(printable, printable), { selector: ([name]) => name, maxLength: 20 }),
      (pairs) => {
        const fields = readFormFields(Buffer.from(new URLSearchParams(pairs).toString()));
        assert.deepEqual(
          fields.map(({ name, text }) => [name, text]),
          pairs,
        );
      },
    ),
  );
});
