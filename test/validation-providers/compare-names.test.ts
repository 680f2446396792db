import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { compareNames, type NameMatch } from '../../src/validation-providers/compare-names.ts';

const HELD = 'María José González Pérez';
const COMPANY = 'Comercial Andina del Sur SpA';

const CASES: [asked: string, held: string, match: NameMatch, why: string][] = [
  ['María José González Pérez', HELD, 'exact', 'the same'],
  ['GONZALEZ PEREZ MARIA JOSE', HELD, 'exact', 'surnames first, capitals, no accents'],
  ['González Pérez, María José', HELD, 'exact', 'a comma'],
  ['maria jose  gonzalez-perez', HELD, 'exact', 'a hyphen between the surnames'],
  ['Juan de la Cruz Muñoz', 'JUAN CRUZ MUNOZ', 'exact', 'particles'],
  ["Bernardo O'Higgins Riquelme", 'BERNARDO OHIGGINS RIQUELME', 'exact', 'an apostrophe'],
  ['María González', HELD, 'close', 'second names left out'],
  ['María José González', HELD, 'close', 'the second surname left out'],
  ['María J. González P.', HELD, 'close', 'initials'],
  ['María José Gonzales Pérez', HELD, 'close', 'one letter differs'],
  ['Maria Jose Gonzlaez Perez', HELD, 'close', 'two letters exchanged'],
  ['González', HELD, 'partial', 'a surname alone'],
  ['J.P. González', 'Juan Pablo González Díaz', 'partial', 'a surname with initials'],
  ['María José González Soto', HELD, 'partial', 'another second surname'],
  ['Pedro González Pérez', HELD, 'partial', 'a relative'],
  ['María Soto Rojas', HELD, 'none', 'a given name in common'],
  ['Pedro Soto', HELD, 'none', 'no name in common'],
  ['M. J.', HELD, 'none', 'initials alone'],
  ['', HELD, 'none', 'nothing'],
  ['Luis', 'Luz', 'none', 'a short word with another letter is another name'],
  ['Comercial Andina del Sur', COMPANY, 'exact', 'no suffix'],
  ['COMERCIAL ANDINA DEL SUR S.P.A.', COMPANY, 'exact', 'a suffix with points'],
  ['Comercial Andina del Sur Ltda.', COMPANY, 'close', 'another suffix'],
  ['Comercial Andina Ltda', 'Comercial Andina Limitada', 'exact', 'a suffix in two spellings'],
  ['Comercial Andina', COMPANY, 'close', 'a part of the name'],
  ['Comercial Pacífico SpA', COMPANY, 'none', 'only the business in common'],
  ['Transportes Pérez E.I.R.L.', 'TRANSPORTES PEREZ EIRL', 'exact', 'points between letters'],
  ['Dulces Constructor', 'Dulces', 'partial', 'a property of every JavaScript object is not a suffix'],
  ['SA Dulces', 'Dulces SA', 'partial', 'a word in front is not a suffix'],
];

suite('two names', () => {
  for (const [asked, held, match, why] of CASES) {
    test(`${asked} and ${held}: ${match} (${why})`, () => {
      assert.equal(compareNames(asked, held), match);
      assert.equal(compareNames(held, asked), match, 'the order of the two names does not matter');
    });
  }

  // Words of five letters or more are neither particles nor suffixes.
  const word = fc.stringMatching(/^[B-ZÁÉÍÓÚÑbcdfghjklmnñ]{5,12}$/);
  test('match exactly whatever their order, case and accents', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
        const turned = [...words].sort().join(' ').normalize('NFD').replace(/\p{M}/gu, '').toUpperCase();
        assert.equal(compareNames(words.join(' '), turned), 'exact');
      }),
    );
  });
});
