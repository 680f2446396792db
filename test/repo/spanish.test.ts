import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { readSourceFiles } from '../support/source-tree.ts';

/** What is said to somebody who is called usted. Everything that payers, shops and finance read says tú. */
const USTED =
  /(?<![\p{L}-])(?<!(?:se|que|lo|la|cuando|para) )(?:usted(?:es)?|escríbalo|escriba|indique|confírmelo|confirme|consulte|intente|envíe|quiso|ingrese|ingréselo|revise|elija|seleccione|espere|vuelva|haga|utilice|asegúrese|verifique|firme (?:el|la|los|las)|pague|guárdelo|descargue|compare (?:el|la|los|las)|lea (?:el|la|los|las))(?!\p{L})/giu;

suite('Spanish', () => {
  test('says tú, never usted', () => {
    const spanish = readSourceFiles(
      '{src,docs}/**/*{spanish,texts,messages,room-texts}*.ts',
      'docs/es/*.md',
      'src/reference/*.ts',
    );
    assert.ok(spanish.length > 10);
    const places = spanish.flatMap(({ path, text }) =>
      [...text.matchAll(USTED)].map(
        ({ 0: found, index }) => `${path}: …${text.slice(Math.max(0, index - 30), index + found.length + 20)}`,
      ),
    );
    assert.deepEqual(places, []);
  });

  test('the page of the console in Spanish had no questions with their clicks: it has those of the English page', () => {
    const clicksIn = (path: string) =>
      readSourceFiles(path).flatMap(({ text }) =>
        [...text.matchAll(/^\| ¿?[^|]+\? \|.*\| ([\d; ]+) \|$/gm)].map(([, n]) => n),
      );
    assert.ok(clicksIn('docs/console.md').length > 10);
    assert.deepEqual(clicksIn('docs/es/console.md'), clicksIn('docs/console.md'));
  });
});
