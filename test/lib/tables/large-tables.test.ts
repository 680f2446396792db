import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { Readable } from 'node:stream';
import { suite, test } from 'node:test';
import type { HeaderRule } from '../../../src/lib/tables/find-header.ts';
import { withTable } from '../../../src/lib/tables/open-table.ts';
import { makeWorkbook } from '../../support/make-workbook.ts';

const RULE: HeaderRule<'code' | 'name'> = {
  names: { code: [/^codigo$/], name: [/^nombre$/] },
  isHeader: ({ code, name }) => code !== null && name !== null,
};

const hasHeader = (text: string) =>
  withTable(Readable.from([Buffer.from(text)]), RULE, async ({ header }) => header !== null);

/** Returns how many rows a workbook has whose rows are all this one. `parts` replaces its other parts. */
const countRows = async (rows: number, row: string, parts: Record<string, string> = {}) => {
  const workbook = await makeWorkbook([{ name: 'A', rows: [['a']] }], {
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${row.repeat(rows)}</sheetData></worksheet>`,
    ...parts,
  });
  return withTable(Readable.from([workbook]), null, (table) => Array.fromAsync(table.rows).then((all) => all.length));
};

// A few megabytes of these kept every payment waiting for seconds.
suite('a file that is made to take long', () => {
  test('has its header looked for among its first thousand columns', async () => {
    for (const [first, last] of [
      ['', '\n'],
      ['<table><tr><td>', '</table>'],
    ]) {
      const cell = last === '\n' ? ',' : '<td>';
      assert.equal(await hasHeader(`${first}codigo${cell.repeat(999)}nombre${last}`), true);
      assert.equal(await hasHeader(`${first}codigo${cell.repeat(1_000)}nombre${last}`), false);
    }
  });

  test('is refused if it is a page of more than a thousand tables', async () => {
    for (const tables of ['<table>', '<table></table>', '<table><td>a'])
      await assert.rejects(hasHeader(tables.repeat(1_001)), { code: 'WORKBOOK_TOO_LARGE' });
    assert.equal(await hasHeader(`${'<table></table>'.repeat(999)}<table><tr><td>codigo<td>nombre</table>`), true);
  });

  test('is refused if it is a workbook whose cells have far more text than its bytes', async () => {
    const shared = '<row><c t="s"><v>0</v></c></row>';
    const texts = { 'xl/sharedStrings.xml': `<sst><si><t>${'x'.repeat(60_000)}</t></si></sst>` };
    assert.equal(await countRows(100, shared, texts), 100);
    await assert.rejects(countRows(300, shared, texts), { code: 'WORKBOOK_TOO_LARGE' });
    const wide = '<row><c r="ALK1"><v>1</v></c></row>';
    assert.equal(await countRows(500, wide), 500);
    await assert.rejects(countRows(2_000, wide), { code: 'WORKBOOK_TOO_LARGE' });
  });

  test('is refused if it is a workbook whose numbers have more zeros in front than a row has room for', async () => {
    const formatOf = (zeros: number) => ({
      'xl/styles.xml': `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="${'0'.repeat(zeros)}"/></numFmts><cellXfs><xf numFmtId="164"/></cellXfs></styleSheet>`,
    });
    const row = `<row>${'<c s="0"><v>1</v></c>'.repeat(100)}</row>`;
    assert.equal(await countRows(1, row, formatOf(100)), 1);
    await assert.rejects(countRows(1, row, formatOf(10_000)), { code: 'ROW_TOO_LONG' });
  });

  test('is refused if it is a workbook of nested elements, which the parser keeps until they end', async () => {
    const inside = (depth: number) => `${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}`;
    assert.equal(await countRows(1, `<row><c><v>1</v></c></row>${inside(50)}`), 1);
    await assert.rejects(countRows(1, `<row><c><v>1</v></c></row>${inside(200)}`), { code: 'BROKEN_WORKBOOK' });
  });

  test('is refused if it is a workbook with an element of thousands of attributes', async () => {
    const rowWith = (attributes: number) =>
      `<row ${Array.from({ length: attributes }, (_, at) => `a${at}=""`).join(' ')}><c><v>1</v></c></row>`;
    assert.equal(await countRows(3, rowWith(60)), 3);
    await assert.rejects(countRows(1, rowWith(5_000)), { code: 'BROKEN_WORKBOOK' });
  });

  test('is read without an error for each row that is longer or shorter than the first one', async (context) => {
    const made = context.mock.method(Error, 'captureStackTrace');
    const rows = Readable.from([Buffer.from(`a;b;c\n${'d\n'.repeat(500)}${'e;f;g;h\n'.repeat(500)}`)]);
    const read = await withTable(rows, null, (table) => Array.fromAsync(table.rows));
    assert.equal(read.length, 1001);
    assert.deepEqual(read[1000], { line: 1001, cells: ['e', 'f', 'g', 'h'] });
    assert.equal(made.mock.callCount(), 0);
  });

  test('lets others run after each row that is searched for a header', async () => {
    let turns = 0;
    const hook = createHook({ init: (_, type) => void (type === 'Immediate' && turns++) }).enable();
    await hasHeader(`<table>${'<tr><td>a'.repeat(40)}</table>`);
    hook.disable();
    assert.ok(turns >= 40, `${turns} times others had their turn`);
  });
});
