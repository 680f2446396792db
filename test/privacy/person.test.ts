import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Person, personOfEmail, personOfRut } from '../../src/privacy/person.ts';

const RUT = personOfRut('12.345.670-k') as Person;
const EMAIL = personOfEmail('Ana.Perez+web@Example.cl') as Person;

const WITH_RUT = [
  '12345670-K',
  '12.345.670-k',
  'RUT.12.345.670-k',
  '012345670K',
  '12,345,670-k',
  '12 345 670 - k',
  '12.345.670\u2011k',
  String.raw`{"rut":"12.345.670\u2011k"}`,
  String.raw`{"said":"her RUT\n12345670-k"}`,
  'cartola_12345670-k_2026.csv',
  '?rut=12.345.670%2Dk',
  'a%2012345670-k',
  '{"rut": 12345670, "dv": "K"}',
  '{"rut":"12.345.670","dv":"K"}',
  '{"rut":"012345670","dígito":"k"}',
  '{"dv":"K","rut":"12345670"}',
  String.raw`{"buyer":"{\"digitoVerificador\":\"K\",\"rut\":\"12.345.670\"}"}`,
];

const WITHOUT_RUT = [
  '112345670-k',
  '1.12.345.670-k',
  '12345670-kilo',
  '12345670-1',
  '12345670',
  '{"dv":"1","rut":"12.345.670"}',
  '{"dv":"K"},{"rut":"12345670"}',
];

const WITH_EMAIL = [
  'ana.perez+web@example.cl',
  '<ANA.PEREZ+WEB@EXAMPLE.CL>',
  "'ana.perez+web@example.cl'",
  'https://shop.cl/cb/ana.perez+web@example.cl',
  'https://shop.cl/cb?next=https%3A%2F%2Fshop.cl%3Fe%3Dana.perez%2Bweb%40example.cl',
  'next=%252F%253Fe%253Dana.perez%252Bweb%2540example.cl',
  String.raw`{"email":"ana.perez\u002Bweb\u0040example.cl"}`,
  String.raw`"{\u0022ana.perez\u002Bweb@example.cl\u0022}"`,
  String.raw`"said\nana.perez+web@example.cl"`,
  '<a>ana.perez&#43;web&#64;example.cl</a>',
  'ana.perez+web@example.cl.csv',
  'ana.perez+web@example.cl_2026',
  // A session id or a reference that a shop makes of the address and a number.
  'ana.perez+web@example.cl-1700000000',
  'ana.perez+web@example.cl-2.pdf',
  'Write to ana.perez+web@example.cl.',
];

const WITHOUT_EMAIL = [
  'juana.perez+web@example.cl',
  'x%2Dana.perez%2Bweb%40example.cl',
  'x-ana.perez+web@example.cl',
  'ana.perez+web@example.cl.ar',
  'ana.perez+web@example.clx',
  'ana.perez+web@example.cl-shop.com',
  'ana.perez+web@example.cl-2.com.ar',
  'ana.perez+web@example-cl',
  'ana_perez+web@example.cl',
];

const likeOf = ({ like }: Person, text: string) =>
  new RegExp(
    like
      .split('%')
      .map((part) => RegExp.escape(part))
      .join('[^]*'),
    'i',
  ).test(text);

for (const [what, person, held, others] of [
  ['a RUT', RUT, WITH_RUT, WITHOUT_RUT],
  ['an e-mail address', EMAIL, WITH_EMAIL, WITHOUT_EMAIL],
] as const) {
  test(`${what} is found and redacted in texts that escape, quote or extend it`, () => {
    for (const text of held) {
      assert.ok(person.holds(text) && likeOf(person, text), text);
      assert.ok(!person.holds(person.redact(text)), text);
    }
  });

  test(`${what} is not found inside a longer one`, () => {
    for (const text of others) {
      assert.ok(!person.holds(text), text);
      assert.equal(person.redact(text), text);
    }
  });
}

test('redaction keeps the text around a person', () => {
  assert.equal(RUT.redact('cartola_12.345.670-K_2026.csv'), 'cartola_erased_2026.csv');
  assert.equal(EMAIL.redact('?e=ana.perez%2Bweb%40example.cl&n=1'), '?e=erased&n=1');
});
