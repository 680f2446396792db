import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, suite, test } from 'node:test';
import type { HeaderRule } from '../../../src/lib/tables/find-header.ts';
import { withTable } from '../../../src/lib/tables/open-table.ts';
import { TableError, type TextEncoding } from '../../../src/lib/tables/table.ts';
import { encodeText } from '../../../src/lib/tables/text-encoding.ts';
import { rankSeparators } from '../../../src/lib/tables/text-readings.ts';
import { outputOf } from '../../support/child-process.ts';
import { makeWorkbook, type WorkbookSheet } from '../../support/make-workbook.ts';

const RULE: HeaderRule<'code' | 'name'> = {
  names: { code: [/^codigo$/, /^code$/], name: [/^nombre$/] },
  isHeader: ({ code, name }) => code !== null && name !== null,
};

/** Returns the line number and cells of every row after the header, if there is one. */
async function read(source: string | Buffer, rule: HeaderRule<'code' | 'name'> | null = null) {
  return withTable(typeof source === 'string' ? source : Readable.from([source]), rule, async (table) => {
    const rows: string[] = [];
    for await (const { line, cells } of table.rows) rows.push(`${line}: ${cells.join(' | ')}`);
    assert.equal(table.done(), 1, 'the whole table is read');
    return { ...table, rows };
  });
}

suite('the separator of a text', () => {
  const samples: [sample: string, separator: string][] = [
    ['rut,bank,account', ','],
    ['rut;banco;cuenta', ';'],
    ['rut\tbanco\tcuenta', '\t'],
    ['rut|banco|cuenta', '|'],
    ['rut', ','],
    ['a;b;c\n1;1,5;x\n2;2,5;y', ';'],
    ['Ventas de enero, de todos los locales, en pesos\na;b\n1;2\n3;4', ';'],
    ['sep=;\na,b;c,d\n', ';'],
  ];
  for (const [sample, separator] of samples) {
    test(`${JSON.stringify(sample)} is separated by ${JSON.stringify(separator)}`, () => {
      assert.equal(rankSeparators(sample)[0], separator);
    });
  }
});

suite('a table of text', () => {
  const encodings: [encoding: TextEncoding, mark: string][] = [
    ['utf-8', ''],
    ['utf-8', '\ufeff'],
    ['utf-16le', '\ufeff'],
    ['utf-16le', ''],
    ['utf-16be', '\ufeff'],
    ['utf-16be', ''],
    ['windows-1252', ''],
  ];
  for (const [encoding, mark] of encodings) {
    for (const separator of [',', ';', '\t', '|']) {
      for (const lineEnd of ['\n', '\r\n', '\r'] as const) {
        test(`${encoding}${mark && ' with a mark'}, ${JSON.stringify(separator + lineEnd)}`, async () => {
          const lines = [
            ['Código', 'Nombre'],
            ['001', 'Ñandú “€”'],
            ['', ''],
            ['002', 'Peñón'],
          ];
          const text = lines.map((cells) => cells.join(separator) + lineEnd).join('');
          const table = await read(encodeText(mark + text, encoding), RULE);
          assert.deepEqual(table.dialect, { format: 'text', encoding, byteOrderMark: mark !== '', separator, lineEnd });
          assert.deepEqual(table.header?.places, { code: 0, name: 1 });
          assert.deepEqual(table.rows, ['2: 001 | Ñandú “€”', '4: 002 | Peñón']);
        });
      }
    }
  }

  test('titles above the header are separate, and rows have their line numbers, also after a cell of two lines', async () => {
    const text = 'Informe, de enero\n\n;;\nNombre;"el\ncodigo";Codigo\nAna;"x\ny";1\n;;\nEva;;2\n';
    const table = await read(Buffer.from(text), RULE);
    assert.equal(table.header?.row.line, 4);
    assert.deepEqual(
      table.above.map(({ line }) => line),
      [1],
    );
    assert.deepEqual(table.rows, ['6: Ana | x\ny | 1', '9: Eva |  | 2']);
  });

  test('the separator under which the column names are found is used, even if more lines contain another one', async () => {
    const table = await read(Buffer.from('Codigo;Nombre\n1;a,b,c\n2;a,b,c\n3 a,b,c\n4 a,b,c\n'), RULE);
    assert.equal(table.dialect.format === 'text' && table.dialect.separator, ';');
    assert.equal(table.rows.length, 4);
  });

  test('without a header the first rows are data', async () => {
    const text = Array.from({ length: 120 }, (_, at) => `${at},x\n`).join('');
    const table = await read(Buffer.from(text), RULE);
    assert.equal(table.header, null);
    assert.equal(table.rows.length, 120);
    assert.equal(table.above.length, 50);
    assert.deepEqual((await read(Buffer.from(text))).rows, table.rows, 'reading without a rule gives the same rows');
  });

  test('an accent at the end of a large file decides its encoding', async () => {
    const text = `Codigo,Nombre\n${'1,a\n'.repeat(200_000)}2,ñ`;
    const table = await read(Buffer.from(text, 'latin1'), RULE);
    assert.equal(table.rows.at(-1), '200002: 2 | ñ');
  });

  const folder = mkdtempSync(join(tmpdir(), 'rubrica-tables-'));
  after(() => rmSync(folder, { recursive: true }));

  test('a stream that the disk has no room for fails instead of being read in part', async () => {
    const script = `process.on('SIGXFSZ', () => {});
      const rows = Readable.from([Buffer.from('Codigo,Nombre\\n' + '1,Ana\\n'.repeat(50_000))]);
      await withTable(rows, null, () => console.log('read')).catch(({ code }) => console.log(code));`;
    const imports = `import { Readable } from 'node:stream';
      import { withTable } from '${join(import.meta.dirname, '../../../src/lib/tables/open-table.ts')}';`;
    const limited = 'ulimit -f 64; exec "$0" --input-type=module -e "$1"';
    assert.equal(await outputOf('bash', ['-c', limited, process.execPath, imports + script]), 'EFBIG\n');
  });

  test('a file and a pipe are read in the same way', async () => {
    const path = join(folder, 'a.csv');
    writeFileSync(path, 'Codigo,Nombre\n1,a\n');
    const pipe = join(folder, 'pipe');
    await outputOf('mkfifo', [pipe]);
    const [fromFile, fromPipe] = await Promise.all([
      read(path, RULE),
      read(pipe, RULE),
      Promise.resolve().then(() => writeFileSync(pipe, 'Codigo,Nombre\n1,a\n')),
    ]);
    assert.deepEqual(fromPipe.rows, fromFile.rows);
  });

  const refused: [name: string, bytes: Buffer, code: string][] = [
    ['an empty file', Buffer.alloc(0), 'EMPTY'],
    ['a file with zero bytes', Buffer.from('abc\0\0\0def'), 'NOT_TEXT'],
    ['a PDF', Buffer.from('%PDF-1.4\nRut;Banco\n12531909'), 'PDF_FILE'],
    ['the beginning of an .xls', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'BROKEN_WORKBOOK'],
    ['a truncated ZIP', Buffer.from('PK\x03\x04\x14\x00\x06\x0012531909'), 'BROKEN_WORKBOOK'],
    ['an unclosed quote', Buffer.from('a,b\n"12531909,1\n'), 'NOT_CSV'],
    ['an endless row', Buffer.from(`a,b\n${'12531909'.repeat(20_000)}`), 'ROW_TOO_LONG'],
  ];
  for (const [name, bytes, code] of refused) {
    test(`${name} is refused with ${code}, and no data is repeated`, async () => {
      await assert.rejects(read(bytes, RULE), (error) => {
        assert.ok(error instanceof TableError);
        assert.equal(error.code, code);
        assert.ok(!error.message.includes('12531909'));
        return true;
      });
    });
  }
});

suite('a table of a workbook', () => {
  const SHEET: WorkbookSheet = {
    name: 'Ventas & más',
    rows: [
      ['Informe de enero'],
      null,
      [null, 'Código', 'Nombre', 'Fecha'],
      [null, '001', 'Ñandú <€>', { value: 46_037, format: 1 }],
      [null, { value: 12_531_909, format: 2 }, 'x', { value: 46_037.5, format: 3 }],
      [null, null, null],
      [null, 1_234_567_890_123_456, 0.1 + 0.2, -12_990],
    ],
  };
  const HIDDEN: WorkbookSheet = {
    name: 'Oculta',
    hidden: true,
    rows: [
      ['Código', 'Nombre'],
      ['9', '9'],
    ],
  };
  const COVER: WorkbookSheet = { name: 'Portada', rows: [['Léame'], ['Ver la otra hoja']] };

  test('texts, numbers and days are read as they are shown, and rows have their numbers', async () => {
    const table = await read(await makeWorkbook([HIDDEN, COVER, SHEET]), RULE);
    assert.deepEqual(table.dialect, { format: 'xlsx', sheet: 'Ventas & más' });
    assert.deepEqual(table.header?.places, { code: 1, name: 2 });
    assert.deepEqual(table.rows, [
      '4:  | 001 | Ñandú <€> | 2026-01-15',
      '5:  | 0012531909 | x | 2026-01-15 12:00:00',
      '7:  | 1.23456789012346E+15 | 0.3 | -12990',
    ]);
  });

  test('a sheet of other programs is read, with prefixes, inline texts and formulas and without references', async () => {
    const sheet =
      '<x:worksheet xmlns:x="u"><x:sheetData><x:row><x:c t="inlineStr"><x:is><x:t>Codigo</x:t></x:is></x:c><x:c t="str"><x:f>"a"</x:f><x:v>Nombre</x:v></x:c></x:row>' +
      '<x:row><x:c t="inlineStr"><x:is><x:r><x:t>0</x:t></x:r><x:rPh><x:t>no</x:t></x:rPh><x:r><x:t>1</x:t></x:r></x:is></x:c><x:c t="b"><x:v>1</x:v></x:c><x:c t="d"><x:v>2026-01-15T00:00:00</x:v></x:c></x:row></x:sheetData></x:worksheet>';
    const bytes = await makeWorkbook([{ name: 'a', rows: [] }], { 'xl/worksheets/sheet1.xml': sheet });
    assert.deepEqual((await read(bytes, RULE)).rows, ['2: 01 | TRUE | 2026-01-15']);
  });

  test('texts and numbers in CDATA sections are read, and truth values in both spellings', async () => {
    const sheet =
      '<worksheet><sheetData><row><c t="s"><v>0</v></c><c t="str"><v>Nombre</v></c></row><row><c><v><![CDATA[12990]]></v></c><c t="inlineStr"><is><t>Ana <![CDATA[& <Co>]]></t></is></c><c t="b"><v>true</v></c><c t="b"><v>0</v></c></row></sheetData></worksheet>';
    const parts = { 'xl/sharedStrings.xml': '<sst><si><t><![CDATA[Codigo]]></t></si></sst>' };
    const bytes = await makeWorkbook([{ name: 'a', rows: [] }], { ...parts, 'xl/worksheets/sheet1.xml': sheet });
    assert.deepEqual((await read(bytes, RULE)).rows, ['2: 12990 | Ana & <Co> | TRUE | FALSE']);
  });

  test('a formula without its result is no empty cell, and a number with three decimals has no point of thousands', async () => {
    const formula = '<c><f>B1</f></c><c><f>B1</f><v></v></c><c t="str"><f>""</f><v></v></c>';
    const sheet = `<worksheet><sheetData><row><c t="str"><v>Codigo</v></c><c t="str"><v>Nombre</v></c></row><row><c><v>123.456</v></c><c><v>-1.5</v></c>${formula}</row></sheetData></worksheet>`;
    const bytes = await makeWorkbook([{ name: 'a', rows: [] }], { 'xl/worksheets/sheet1.xml': sheet });
    assert.deepEqual((await read(bytes, RULE)).rows, ['2: 123.4560 | -1.5 | #N/A | #N/A']);
  });

  test('all texts are found when they need more than one buffer', async () => {
    const rows = Array.from({ length: 30_000 }, (_, at) => [`${at}`, `nombre ${at} ${'ñ'.repeat(40)}`]);
    const table = await read(await makeWorkbook([{ name: 'a', rows: [['Codigo', 'Nombre'], ...rows] }]), RULE);
    assert.equal(table.rows.length, 30_000);
    assert.ok(table.rows.every((row, at) => row.startsWith(`${at + 2}: ${at} | nombre ${at} ñ`)));
  });

  const numbered = (part: (number: number) => string) => Array.from({ length: 70_000 }, (_, at) => part(at)).join('');
  const refused: [name: string, parts: Record<string, string>, code: string][] = [
    ['a part that is not XML', { 'xl/worksheets/sheet1.xml': '<worksheet><row>12531909</oops>' }, 'BROKEN_WORKBOOK'],
    [
      'entities of its own',
      { 'xl/worksheets/sheet1.xml': '<!DOCTYPE a [<!ENTITY b "x">]><a><row><c><v>&b;</v></c></row></a>' },
      'BROKEN_WORKBOOK',
    ],
    ['no sheet', { 'xl/workbook.xml': '<workbook/>' }, 'BROKEN_WORKBOOK'],
    [
      'an endless row',
      { 'xl/worksheets/sheet1.xml': `<a><row><c><v>${'12531909'.repeat(20_000)}</v></c></row></a>` },
      'ROW_TOO_LONG',
    ],
    [
      'a cell beyond the last possible column',
      { 'xl/worksheets/sheet1.xml': '<a><row><c r="ZZZ1"><v>1</v></c></row></a>' },
      'ROW_TOO_LONG',
    ],
    // A reader with quadratic time needs 40 seconds for 250 KB of such rows, and payments wait.
    [
      'a cell in the last column of a spreadsheet',
      { 'xl/worksheets/sheet1.xml': '<a><row><c r="XFD1"><v>1</v></c></row></a>' },
      'ROW_TOO_LONG',
    ],
    // A reader without a limit uses all memory for these 1.5 KB.
    [
      'many cells of one long text',
      {
        'xl/sharedStrings.xml': `<sst><si><t>${'12531909'.repeat(4_000)}</t></si></sst>`,
        'xl/worksheets/sheet1.xml': `<a><row>${'<c t="s"><v>0</v></c>'.repeat(3)}</row></a>`,
      },
      'ROW_TOO_LONG',
    ],
    [
      'a text longer than any row',
      { 'xl/sharedStrings.xml': `<sst><si><t>${'12531909'.repeat(9_000)}</t></si></sst>` },
      'WORKBOOK_TOO_LARGE',
    ],
    [
      'rows without a number',
      { 'xl/worksheets/sheet1.xml': '<a><row r="1.5"><c><v>12531909</v></c></row></a>' },
      'BROKEN_WORKBOOK',
    ],
    ['damaged texts', { 'xl/sharedStrings.xml': '<sst><si>12531909</oops>' }, 'BROKEN_WORKBOOK'],
    ['megabytes without an element', { 'xl/styles.xml': `<a>${'12531909'.repeat(200_000)}</a>` }, 'BROKEN_WORKBOOK'],
    // A reader without a limit keeps a core busy for hours with 50 KB.
    [
      'thousands of sheets in one part',
      {
        'xl/workbook.xml': `<a><sheets>${'<sheet name="a" r:id="rId1"/>'.repeat(20)}</sheets></a>`,
        'xl/worksheets/sheet1.xml': `<a>${`<!--${'x'.repeat(900_000)}--><b/>`.repeat(4)}</a>`,
      },
      'BROKEN_WORKBOOK',
    ],
    // A reader without a limit uses a gigabyte and half a minute of a core for three megabytes, and payments wait.
    [
      'more formats than a spreadsheet has',
      { 'xl/styles.xml': `<a><cellXfs>${'<xf/>'.repeat(70_000)}</cellXfs></a>` },
      'BROKEN_WORKBOOK',
    ],
    [
      'more codes of formats than a spreadsheet has',
      { 'xl/styles.xml': `<a>${numbered((number) => `<numFmt numFmtId="${number}"/>`)}</a>` },
      'BROKEN_WORKBOOK',
    ],
    [
      'relations to more parts than it may have',
      {
        'xl/_rels/workbook.xml.rels': `<a><Relationship Id="rId1" Target="worksheets/sheet1.xml"/>${numbered((number) => `<Relationship Id="${number}"/>`)}</a>`,
      },
      'BROKEN_WORKBOOK',
    ],
    [
      'a part that unpacks to hundreds of times its size',
      { 'xl/worksheets/sheet1.xml': `<a>${'<row/>'.repeat(4_000_000)}</a>` },
      'BROKEN_WORKBOOK',
    ],
  ];
  for (const [name, parts, code] of refused) {
    test(`a workbook with ${name} is refused with ${code}, and no data is repeated`, async () => {
      const bytes = await makeWorkbook([{ name: 'a', rows: [['1']] }], parts);
      await assert.rejects(read(bytes, RULE), (error) => {
        assert.ok(error instanceof TableError, String(error));
        assert.equal(error.code, code);
        assert.ok(!error.message.includes('12531909'));
        return true;
      });
    });
  }
});

suite('the tables of a page', () => {
  const head = '<tr><th>C&oacute;digo<th>Nombre</tr>';
  const pages: [what: string, page: string, rows: string[]][] = [
    [
      'a > in a quoted attribute ends no tag, and a quote that opens no value is no quote',
      `<table>${head}<tr><td title="saldo > 0" data-of = 'a>b'>1</td><td class=x" title="12" >Ana</td></tr></table>`,
      ['2: 1 | Ana'],
    ],
    ['cells without end tags are read', `<table>${head}<tr><td>1<td>Ana</table>`, ['2: 1 | Ana']],
    [
      'named and numeric character references are decoded',
      `<table>${head}<tr><td>1</td><td>&Ntilde;u&#241;oa &amp; &#x4c;t&foo;</td></tr></table>`,
      ['2: 1 | Ñuñoa & Lt&foo;'],
    ],
    [
      'a table within a cell is left out',
      `<table>${head}<tr><td>1</td><td>Ana<table><tr><td>x</td></tr></table> B</td></tr></table>`,
      ['2: 1 | Ana B'],
    ],
    [
      'comments and scripts are left out',
      `<!-- <table> --><table>${head}<script>"<td>9</td>"</script><tr><td>1</td><td>A<!-- <b --></td></tr></table>`,
      ['2: 1 | A'],
    ],
    [
      'scripts and styles in capitals are left out',
      `<TABLE>${head}<TR><TD>1</TD><TD>Ana</TD></TR><SCRIPT>"<td>9</td>"</SCRIPT><STYLE>td { }</STYLE><TR><TD>2</TD><TD>Eva</TD></TR></TABLE>`,
      ['2: 1 | Ana', '3: 2 | Eva'],
    ],
    [
      'a cell over several columns keeps later cells in their own columns',
      `<table>${head}<tr><td class="a" colspan="2">1</td><td colspan=1>x</td></tr><tr><td COLSPAN = '3'>2<td>y</tr></table>`,
      ['2: 1 |  | x', '3: 2 |  |  | y'],
    ],
    [
      'a cell over several rows keeps the cells of those rows in their own columns',
      `<table>${head}<tr><td rowspan="2">1</td><td>x<td rowspan='3'>y</td></tr><tr><td>2</tr><tr><td>3<td>z</tr><tr><td>4<td>5<td>6</tr></table>`,
      ['2: 1 | x | y', '3:  | 2', '4: 3 | z', '5: 4 | 5 | 6'],
    ],
    [
      'a header cell that spans more rows than the header does not move the first rows',
      `<table><thead>${head.replaceAll('<th', '<th rowspan=2')}</thead><tbody><tr><td>1<td>Ana</tr><tr><td>2<td>Eva</tbody></table>`,
      ['2: 1 | Ana', '3: 2 | Eva'],
    ],
    [
      'a truncated page gives its complete cells',
      `<table>${head}<tr><td>1</td><td>Ana</td></tr><tr><td`,
      ['2: 1 | Ana'],
    ],
  ];
  for (const [what, page, rows] of pages) {
    test(what, async () => {
      const table = await read(Buffer.from(`<html><body><table><tr><td>Menu</td></tr></table>${page}`), RULE);
      assert.deepEqual(table.rows, rows);
      assert.equal(table.dialect.format, 'html');
    });
  }

  test('a page of some megabytes does not block the process while it is read', async () => {
    const row = '<tr><td>1</td><td>Ana</td><td>15/01/2026</td><td>1.000</td></tr>';
    let turns = 0;
    const hook = createHook({ init: (_, type) => void (type === 'Immediate' && turns++) }).enable();
    const { rows } = await read(Buffer.from(`<table>${head}${row.repeat(20_000)}</table>`), RULE);
    hook.disable();
    assert.equal(rows.length, 20_000);
    // One turn for each 500 tags, of which every row has ten, and for each 500 rows.
    assert.ok(turns >= (20_000 * 10) / 500 + 20_000 / 500, `${turns} times others had their turn`);
  });

  test('a page whose cells span a thousand columns each is refused before it fills the memory', async () => {
    const over = '<tr><td colspan=1000 rowspan=60000>1';
    for (const rows of [
      '<tr><td colspan=1000>1'.repeat(2_000),
      over + '<tr><td>1'.repeat(2_000),
      over + '<tr>'.repeat(2_000),
    ])
      await assert.rejects(read(Buffer.from(`<table>${head}${rows}</table>`)), { code: 'WORKBOOK_TOO_LARGE' });
  });

  test('a page without a table is refused as empty', async () => {
    await assert.rejects(read(Buffer.from('<!DOCTYPE html><p>Error 500')), { code: 'EMPTY' });
  });
});
