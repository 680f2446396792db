import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type RutFormat } from '../../../src/bank-validation/rut.ts';
import { formatOfName } from '../../../src/bank-validation/tables/account-columns.ts';
import { judgeColumn } from '../../../src/bank-validation/tables/column-format.ts';
import { checkCharacter } from '../../../src/lib/modulo-eleven.ts';

const BODIES = Array.from({ length: 200 }, (_, index) => 5_000_003 + index * 104_729).map(String);
const SHORT = BODIES.filter((body) => body.length === 7 && checkCharacter(body) !== 'K');
const withCheck = (body: string) => body + checkCharacter(body);
/** A number whose last digit happens to be the right check character. */
const LUCKY = '22883518';

suite('a column of RUTs without hyphens', () => {
  const columns: [name: string, cells: readonly string[], format: RutFormat | null][] = [
    ['all with their check character', BODIES.map(withCheck), 'with-dv'],
    ['all without', BODIES, 'without-dv'],
    ['all without, one of which fits by chance', [...BODIES, LUCKY], 'without-dv'],
    ['all with, but for one that does not fit', [...BODIES.map(withCheck), '22883519'], null],
    ['all without, but for one that has nine digits', [...BODIES, '125319092'], null],
    ['all without, but for one with a hyphen', [...BODIES, '12531909-2'], null],
    [
      'all with a hyphen, but for one without',
      [...BODIES.map((body) => `${body}-${checkCharacter(body)}`), LUCKY],
      null,
    ],
    ['nine digits tell nothing about eight', [...Array(100).fill('125319092'), LUCKY], null],
    ['nine fitting numbers are too few', SHORT.slice(0, 9).map(withCheck), null],
    ['ten fitting numbers are enough', SHORT.slice(0, 10).map(withCheck), 'with-dv'],
    ['half and half', [...SHORT.slice(0, 20), ...SHORT.slice(0, 20).map(withCheck)], null],
    ['nothing', [], null],
  ];
  for (const [name, cells, format] of columns) {
    test(`${name}: ${format ?? 'undecided'}`, () => {
      const judge = judgeColumn();
      for (const cell of cells) judge.look(` ${cell} `);
      assert.equal(judge.format(), format);
    });
  }

  const names: [name: string, format: RutFormat | null][] = [
    ['RUT sin DV', 'without-dv'],
    ['rut_con_dv', 'with-dv'],
    ['RUN (sin dígito verificador)', 'without-dv'],
    ['RUT', null],
  ];
  for (const [name, format] of names) {
    test(`a column named ${name}: ${format ?? 'undecided'}`, () => assert.equal(formatOfName(name), format));
  }
});
