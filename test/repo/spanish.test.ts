import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { readSourceFiles } from '../support/source-tree.ts';

/** Words of the address with usted. All texts for payers, shops and finance say tú. */
const USTED =
  /(?<![\p{L}-])(?<!(?:se|que|lo|la|cuando|para) )(?:usted(?:es)?|escríbalo|escriba|indique|confírmelo|confirme|consulte|intente|envíe|quiso|ingrese|ingréselo|revise|elija|seleccione|espere|vuelva|haga|utilice|asegúrese|verifique|firme (?:el|la|los|las)|pague|guárdelo|descargue|compare (?:el|la|los|las)|lea (?:el|la|los|las))(?!\p{L})/giu;

/**
 * Other names of things that already have one: medio de pago, dinero, orden, solicitud, devolución, Secret Token,
 * dinero sin dueño, traslado, callback. A completed refund is completada.
 */
const SECOND_NAMES =
  /(?<![\p{L}-])(?:[Mm]étodos? de pago|plata|[Pp]edidos?|petici[oó]n(?:es)?|reembols\w+|Tokens? (?:Secret|Service)|en suspenso|mudanza|se mudó|avisos? de pago|expir(?:a|an|ar|ó|aron|ad[oa]s?)|(?:[Dd]evoluci[oó]n(?:es)?(?: está| quedará)?|como|por|['|]) ?hechas?)(?!\p{L})/gu;

suite('Spanish', () => {
  const spanish = readSourceFiles(
    '{src,docs}/**/*{spanish,texts,messages,meanings}*.ts',
    'docs/es/*.md',
    'src/reference/*.ts',
  );

  test('says tú, never usted', () => {
    assert.ok(spanish.length > 10);
    const places = spanish.flatMap(({ path, text }) =>
      [...text.matchAll(USTED)].map(
        ({ 0: found, index }) => `${path}: …${text.slice(Math.max(0, index - 30), index + found.length + 20)}`,
      ),
    );
    assert.deepEqual(places, []);
  });

  test('has one name for each thing, such as orden and not pedido', () => {
    const places = spanish.flatMap(({ path, text }) =>
      [...text.matchAll(SECOND_NAMES)].map(([found]) => `${path}: ${found}`),
    );
    assert.deepEqual(places, []);
  });

  test('the Spanish page of the console has the questions of the English page, with their clicks', () => {
    const clicksIn = (path: string) =>
      readSourceFiles(path).flatMap(({ text }) =>
        [...text.matchAll(/^\| ¿?[^|]+\? \|.*\| ([\d; ]+) \|$/gm)].map(([, n]) => n),
      );
    assert.ok(clicksIn('docs/console.md').length > 10);
    assert.deepEqual(clicksIn('docs/es/console.md'), clicksIn('docs/console.md'));
  });

  test('each page has the sections of its English page, with their rows and codes', () => {
    const pages = spanish.filter(({ path }) => path.endsWith('.md'));
    assert.ok(pages.length > 8);
    for (const { path, text } of pages) {
      const [english] = readSourceFiles(path.replace('/es/', '/'));
      assert.deepEqual(formOf(text), formOf(english?.text ?? ''), path);
    }
  });
});

/**
 * Returns the form of a page, line by line. Each section has its level with the numbers of its table rows, list points
 * and links, then its texts in backticks, then the lines of its shell blocks.
 */
function formOf(page: string): string[] {
  const shell: string[] = [];
  const text = page.replace(/^```(\w*)\n([^]*?)^```$/gm, (_, language: string, block: string) => {
    shell.push(language === 'sh' ? block : '');
    return 'BLOCK';
  });
  const countIn = (part: string, form: RegExp) => part.match(form)?.length ?? 0;
  return text
    .split(/^(?=#)/m)
    .slice(1)
    .flatMap((part, at) => {
      const codes = [...part.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replace(/\S+@example\.cl/, 'PERSON'));
      const blocks = shell.splice(0, countIn(part, /^BLOCK$/gm));
      return [
        `${/^#+/.exec(part)?.[0]}, ${countIn(part, /^\|/gm)} rows, ${countIn(part, /^(?:- |\d+\. )/gm)} points, ${countIn(part, /\]\(/g)} links`,
        ...[...new Set(codes)].sort(),
        ...blocks.flatMap(commandsOf),
      ].map((line) => `section ${at}: ${line}`);
    });
}

/** Returns the first words of each line and its options: the other arguments may be translated, and comments too. */
function commandsOf(block: string): string[] {
  return block
    .replace(/(?:^| +)#.*$/gm, '')
    .split('\n')
    .map((line) => `${/^(?:\S+ ){0,2}\S+/.exec(line)?.[0]}${(line.match(/ --[a-z-]+/g) ?? []).join('')}`);
}
