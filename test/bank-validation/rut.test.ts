import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { possibleRuts, readRut } from '../../src/bank-validation/rut.ts';
import { checkCharacter } from '../../src/lib/modulo-eleven.ts';
import { quickestOf } from '../support/quickest-of.ts';
import vectors from '../vectors/rut-vectors.json' with { type: 'json' };

suite('readRut', () => {
  for (const { input, inputType, expect } of vectors.vectors) {
    test(`reads the vector ${JSON.stringify(input)} as expected`, () => {
      assert.deepEqual(readRut(vectorValue(input, inputType)), expect);
    });
  }

  const more: [name: string, value: unknown, reason: string | null, canonical?: string, warnings?: string[]][] = [
    ['undefined is a missing RUT', undefined, 'RUT_MISSING'],
    ['an empty text is a missing RUT', '', 'RUT_MISSING'],
    ['spaces alone are not a RUT', '   ', 'RUT_BAD_FORMAT'],
    ['an array is not a text', ['12345678-5'], 'RUT_NOT_STRING'],
    ['an object with toString is not a text', { toString: () => '12345678-5' }, 'RUT_NOT_STRING'],
    ['a single character has no body', '5', 'RUT_BAD_FORMAT'],
    ['a hyphen alone', '-', 'RUT_BAD_FORMAT'],
    ['a check character without a body', '-5', 'RUT_BAD_FORMAT'],
    ['full-width digits', '１２３４５６７８-5', 'RUT_BAD_FORMAT'],
    ['Arabic-Indic digits', '١٢٣٤٥٦٧٨-5', 'RUT_BAD_FORMAT'],
    ['the Kelvin sign is not a K', '9068826-\u212a', 'RUT_BAD_FORMAT'],
    ['a zero-width space at the end', '12345678-5\u200b', 'RUT_BAD_FORMAT'],
    ['a no-break space at the end', '12345678-5\u00a0', 'RUT_BAD_FORMAT'],
    ['a tab at the end', '12345678-5\t', 'RUT_BAD_FORMAT'],
    ['a byte order mark', '\ufeff12345678-5', 'RUT_BAD_FORMAT'],
    ['an inner space', '12345678 -5', 'RUT_BAD_FORMAT'],
    ['a minus sign', '12345678\u22125', 'RUT_BAD_FORMAT'],
    ['a NUL', '12345678-5\0', 'RUT_BAD_FORMAT'],
    ['two dots in a row', '12..345.678-5', 'RUT_BAD_FORMAT'],
    ['a dot in front', '.12345678-5', 'RUT_BAD_FORMAT'],
    ['a dot before the check character', '12.345.678.-5', 'RUT_BAD_FORMAT'],
    ['only some of the dots', '12.345678-5', 'RUT_BAD_FORMAT'],
    ['only the other dot', '12345.678-5', 'RUT_BAD_FORMAT'],
    ['a first group of four digits', '1234.567-4', 'RUT_BAD_FORMAT'],
    ['padding before a first group of four digits', '01234.567-4', 'RUT_BAD_FORMAT'],
    ['a check character that is a letter', '12345678-X', 'RUT_BAD_FORMAT'],
    ['two check characters', '12345678-55', 'RUT_BAD_FORMAT'],
    ['no check character and dots', '12.345.678', 'RUT_BAD_FORMAT'],
    ['a forgotten check character', '12345678', 'RUT_CHECK_DIGIT_MAYBE_MISSING'],
    ['a forgotten check character where the last digit fits too', '22883518', 'RUT_CHECK_DIGIT_MAYBE_MISSING'],
    ['the same behind padding', '0022883518', 'RUT_CHECK_DIGIT_MAYBE_MISSING'],
    ['seven digits', '2288351', 'RUT_CHECK_DIGIT_MAYBE_MISSING'],
    ['a negative number', '-12345678-5', 'RUT_BAD_FORMAT'],
    ['an exponent', '1e7-5', 'RUT_BAD_FORMAT'],
    ['zero with a wrong check character', '0-5', 'RUT_OUT_OF_RANGE'],
    ['nothing but zeros', '00', 'RUT_OUT_OF_RANGE'],
    ['nine digits with a wrong check character', '123456789-0', 'RUT_TOO_LONG'],
    ['twenty-one characters, most of them spaces', `${' '.repeat(11)}12345678-5`, 'RUT_TOO_LONG'],
    ['twenty characters', `${' '.repeat(10)}12345678-5`, null, '12345678-5', ['RUT_WHITESPACE_TRIMMED']],
    ['padding to a group of its own', '000.012.345.678-5', null, '12345678-5', ['RUT_LEADING_ZEROS_STRIPPED']],
    ['padding without dots', '012345678-5', null, '12345678-5', ['RUT_LEADING_ZEROS_STRIPPED']],
    ['seven equal digits', '1111111-4', null, '1111111-4', ['RUT_REPEATED_DIGITS']],
    ['six equal digits are only low', '111111-6', null, '111111-6', ['RUT_IMPLAUSIBLY_LOW']],
    [
      'every warning, in order',
      ' 055555555-5 ',
      null,
      '55555555-5',
      ['RUT_WHITESPACE_TRIMMED', 'RUT_LEADING_ZEROS_STRIPPED', 'RUT_REPEATED_DIGITS', 'RUT_GENERIC_PLACEHOLDER'],
    ],
  ];
  for (const [name, value, reason, canonical = null, warnings = []] of more) {
    test(`${name}: ${reason ?? canonical}`, () => {
      const reading = readRut(value);
      assert.deepEqual([reading.reason, reading.canonical, reading.warnings], [reason, canonical, warnings]);
    });
  }

  test('a huge text is refused immediately', () => {
    for (const value of ['0'.repeat(5_000_000), '1.'.repeat(2_000_000), ' '.repeat(5_000_000)]) {
      const read = () => assert.equal(readRut(value).reason, 'RUT_TOO_LONG');
      assert.ok(quickestOf(20, read) < 1);
    }
  });

  test('dots, hyphen, case, spaces and padding never change the canonical form', () => {
    fc.assert(
      fc.property(
        anyBody,
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        fc.integer({ min: 0, max: 4 }),
        (body, dots, hyphen, lower, zeros) => {
          const check = checkCharacter(body);
          const grouped = dots ? body.replace(/\B(?=(\d{3})+$)/g, '.') : body;
          const written = `${'0'.repeat(zeros)}${grouped}${hyphen ? '-' : ''}${lower ? check.toLowerCase() : check}`;
          const expected = `${body}-${check}`;
          // A group padded beyond three digits is fine; a padded text of more than 20 characters cannot arise here.
          assert.equal(readRut(written, 'with-dv').canonical, expected);
          assert.equal(readRut(` ${written} `, 'with-dv').canonical, expected);
          if (/^\d{1,8}$/.test(written.replace(/^0+/, ''))) {
            assert.equal(readRut(written).reason, 'RUT_CHECK_DIGIT_MAYBE_MISSING');
          } else assert.equal(readRut(written).canonical, expected);
        },
      ),
    );
  });

  test('a number without its check character is never read as another person’s RUT', () => {
    fc.assert(
      fc.property(anyBody, (body) => {
        assert.equal(readRut(body).canonical, null);
        assert.equal(readRut(body, 'without-dv').canonical, `${body}-${checkCharacter(body)}`);
        assert.ok(readRut(body, 'without-dv').warnings.some((warning) => warning === 'RUT_CHECK_DIGIT_ADDED'));
      }),
    );
    assert.deepEqual(possibleRuts('22883518'), [
      { format: 'with-dv', rut: '2288351-8' },
      { format: 'without-dv', rut: `22883518-${checkCharacter('22883518')}` },
    ]);
    assert.deepEqual(possibleRuts('22883519')[0], { format: 'with-dv', rut: null });
  });

  test('a RUT with a visible check character is read with it, whatever the column’s format', () => {
    for (const text of ['12345678-5', '9068826K', '12.345.6785']) {
      assert.equal(readRut(text, 'without-dv').canonical, readRut(text).canonical);
      assert.ok(readRut(text).valid);
    }
    assert.equal(readRut('12.345.678', 'without-dv').canonical, '12345678-5');
    assert.equal(readRut('189726317', 'without-dv').reason, 'RUT_TOO_LONG');
  });

  test('any single wrong digit is detected', () => {
    fc.assert(
      fc.property(anyBody, fc.nat(7), fc.integer({ min: 1, max: 9 }), (body, position, shift) => {
        const index = position % body.length;
        const digit = (Number(body[index]) + shift) % 10;
        const changed = body.slice(0, index) + digit + body.slice(index + 1);
        const { reason } = readRut(`${changed}-${checkCharacter(body)}`);
        assert.equal(reason, Number(changed) === 0 ? 'RUT_OUT_OF_RANGE' : 'RUT_CHECK_DIGIT_MISMATCH');
      }),
    );
  });

  test('exactly one check character fits a body', () => {
    fc.assert(
      fc.property(anyBody, (body) => {
        const fitting = '0123456789K'.split('').filter((character) => readRut(`${body}-${character}`).valid);
        assert.deepEqual(fitting, [checkCharacter(body)]);
      }),
    );
  });

  test('any value gives a reading', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const { valid, reason } = readRut(value);
        assert.equal(valid, reason === null);
      }),
    );
  });
});

const anyBody = fc.integer({ min: 1, max: 99_999_999 }).map(String);

function vectorValue(input: unknown, inputType: string): unknown {
  if (inputType !== 'generated') return input;
  const { repeat, times, suffix } = input as { repeat: string; times: number; suffix: string };
  return repeat.repeat(times) + suffix;
}
