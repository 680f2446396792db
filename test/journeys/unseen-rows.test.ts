import assert from 'node:assert/strict';
import { Readable, Writable } from 'node:stream';
import { test } from 'node:test';
import type { App } from '../../src/app.ts';
import { readRegulatorList } from '../../src/bank-validation/directory/regulator-list.ts';
import { readColumns } from '../../src/bank-validation/tables/account-columns.ts';
import { validateCsv } from '../../src/bank-validation/tables/validate-csv.ts';
import { readSettlement } from '../../src/books/read-settlement.ts';
import { readPayouts } from '../../src/payouts/files/read-payouts.ts';
import { readResults } from '../../src/payouts/files/read-results.ts';
import { readStatement } from '../../src/statements/read-statement.ts';
import { forEachEngine } from '../support/engines.ts';
import { makeWorkbook } from '../support/make-workbook.ts';
import { createTestApp } from '../support/test-app.ts';

type Reader = {
  readonly what: string;
  readonly rows: readonly (readonly string[])[];
  readonly read: (app: App, file: Readable) => Promise<unknown>;
};

const TRASH = () => new Writable({ write: (_chunk, _encoding, done) => done() });

const READERS: readonly Reader[] = [
  {
    what: 'a settlement file',
    rows: cells('Fecha Venta,Orden de Compra,Monto Venta', '15/01/2026,rb-1,1000', '16/01/2026,rb-2,2000'),
    read: (_app, file) => readSettlement(file),
  },
  {
    what: 'a bank statement',
    rows: cells('Fecha,Descripción,Cargos,Abonos', '15/01/2026,Abono,0,1000', '16/01/2026,Abono,0,2000'),
    read: (_app, file) => readStatement(file),
  },
  {
    what: 'a file of results of a bank',
    rows: cells('id,estado', 'po_1,pagado', 'po_2,rechazado'),
    read: (app, file) => readResults(app, file, []),
  },
  {
    what: 'a file of payouts',
    rows: cells('rut,banco,cuenta,monto', '12531909-2,012,12531909,1000', '12531909-2,012,12531909,2000'),
    read: (app, file) => readPayouts(app, file, 'lote'),
  },
  {
    what: 'a file of accounts',
    rows: cells('rut,banco,cuenta', '12531909-2,012,12531909', '12531909-2,012,12531909'),
    read: (app, file) => validateCsv(app, file, TRASH()),
  },
  {
    what: 'a list of banks',
    rows: cells('Código,Institución', '001,Banco de Chile', '012,Banco del Estado de Chile'),
    read: (_app, file) => readRegulatorList(file),
  },
];

function cells(...lines: readonly string[]): string[][] {
  return lines.map((line) => line.split(','));
}

const MORE_THAN_ONE = { message: /^More than one sheet has such a table: Enero, Febrero\. / };

const stream = (file: Buffer) => Readable.from([file]);

/** Writes a page whose row `hides` has the attribute that hides it. */
function page(rows: Reader['rows'], hides: number, attribute: string): Buffer {
  const written = rows.map((row, at) => `<tr${at === hides ? ` ${attribute}` : ''}><td>${row.join('<td>')}</tr>`);
  return Buffer.from(`<html><table>${written.join('')}</table></html>`);
}

forEachEngine('what a person has not seen', (openTestDatabase) => {
  for (const { what, rows, read } of READERS) {
    test(`${what} with a hidden row is refused, and the refusal names the row`, async () => {
      const app = createTestApp(await openTestDatabase());
      const hidden = [
        await makeWorkbook([{ name: 'Hoja', rows, hiddenRows: [3] }]),
        await makeWorkbook([{ name: 'Hoja', rows, hiddenRows: [3], hiding: 'ht="0" customHeight="1"' }]),
        page(rows, 2, 'height=0 style="display: none"'),
        page(rows, 2, 'hidden'),
        Buffer.from(page(rows, 2, '').toString().replace('<tr ><td>', '<tbody style="display:none"><tr><td>')),
      ];
      for (const file of hidden)
        await assert.rejects(read(app, stream(file)), {
          message: /^The spreadsheet hides these rows, perhaps by a filter: 3\. /,
        });
      const tall = { hiddenRows: [3], hiding: 'ht="30.5" customHeight="1"' };
      for (const more of [{}, tall]) await read(app, stream(await makeWorkbook([{ name: 'Hoja', rows, ...more }])));
      const bodies = page(rows, 2, '').toString().replace('<tr ><td>', '<tbody hidden></tbody><tbody><tr><td>');
      await read(app, stream(Buffer.from(bodies)));
      for (const shown of ['class="hidden-xs"', 'style="overflow: hidden !important"', "title='no hidden fee'"])
        await read(app, stream(page(rows, 2, shown)));
    });

    test(`${what} is read from the sheet with rows when the first one has only the names`, async () => {
      const app = createTestApp(await openTestDatabase());
      const names = { name: 'Plantilla', rows: rows.slice(0, 1) };
      const file = (sheets: Parameters<typeof makeWorkbook>[0]) => makeWorkbook(sheets).then(stream);
      const alone = await read(app, await file([{ name: 'Hoja', rows }]));
      assert.deepEqual(await read(app, await file([names, { name: 'Hoja', rows }])), alone);
      const several = [names, { name: 'Enero', rows }, { name: 'Febrero', rows }];
      await assert.rejects(read(app, await file(several)), MORE_THAN_ONE);
    });
  }

  for (const { what, rows, read } of READERS) {
    test(`${what} in which a quote joins two lines is refused, and one with a text of several lines is read`, async () => {
      const app = createTestApp(await openTestDatabase());
      const text = (...lines: readonly string[]) => Readable.from([Buffer.from(lines.join('\n'))]);
      const [names = [], first = [], second = []] = rows.map((row) => [...row, 'nota', 'x']);
      const lines = [names, first, second].map((row) => row.join(';'));
      const opening = String(lines[1]).replace(/;([^;]*);x$/, ';"$1;x');
      const closing = String(lines[2]).replace(/;nota;x$/, ';nota";x');
      await assert.rejects(read(app, text(String(lines[0]), opening, closing)), { message: /: see line 2\. / });
      await read(app, text(String(lines[0]), String(lines[1]).replace('nota', '"uno;\ndos"'), String(lines[2])));
    });
  }

  for (const { what, rows, read } of READERS.filter(({ what: one }) => one !== 'a file of accounts')) {
    test(`${what} with a line that has a cell more than the names is refused`, async () => {
      const app = createTestApp(await openTestDatabase());
      const lines = rows.map((row) => row.join(','));
      const cut = [lines[0], lines[1], `${lines[2]},990`].join('\n');
      await assert.rejects(read(app, Readable.from([Buffer.from(cut)])), { message: /^Line 3 has more cells than / });
      await read(app, Readable.from([Buffer.from([lines[0], lines[1], `${lines[2]},,`].join('\n'))]));
      const semicolons = Buffer.from(cut.replaceAll(',', ';'));
      await assert.rejects(read(app, Readable.from([semicolons])), {
        message: / the separator \(;\) without quotes\. /,
      });
    });
  }

  for (const { what, rows, read } of READERS.filter(({ what: one }) => one !== 'a file of accounts')) {
    test(`${what} whose comma has cut an amount before an empty last cell is refused`, async () => {
      const app = createTestApp(await openTestDatabase());
      const [names = '', first = '', second = ''] = rows.map((row) => row.join(','));
      const file = (...cells: readonly [string, string, string]) =>
        Readable.from([Buffer.from([names, first, second].map((line, at) => line + cells[at]).join('\n'))]);
      await assert.rejects(read(app, file(',total,nota', ',1,', ',12,990,')), {
        message: /^Line 3 has more cells than /,
      });
      await read(app, file(',total,nota', ',1,', ',12990,,'));
    });
  }

  test('an amount of payouts that a comma may have cut in two is refused', async () => {
    const app = createTestApp(await openTestDatabase());
    const file = (line: string, names = 'rut,banco,cuenta,monto,glosa') =>
      Readable.from([Buffer.from(`${names}\n${line}\n`)]);
    for (const last of ['glosa', 'factura', 'nombre', 'sucursal'])
      await assert.rejects(
        readPayouts(app, file('12531909-2,012,12531909,12,990', `rut,banco,cuenta,monto,${last}`), 'lote'),
        {
          message: `Line 2: the amount 12 and 990 in the next column, “${last}”, may be one amount, 12,990. Write 12990, or a letter before 990.`,
        },
      );
    for (const line of ['12531909-2,012,12531909,12990,990', '12531909-2,012,12531909,12,n990'])
      assert.equal((await readPayouts(app, file(line), 'lote')).wishes.length, 1);
    const bankLast = file('12531909-2,12531909,500,012', 'rut,cuenta,monto,banco');
    assert.equal((await readPayouts(app, bankLast, 'lote')).wishes[0]?.amount, 500);
  });

  test('a payout without RUT and account is not taken for a line of totals', async () => {
    const app = createTestApp(await openTestDatabase());
    const lines = ['rut;banco;cuenta;nombre;monto', '12531909-2;012;12531909;Ana;1000', ';012;;Totalpack;5000'];
    const file = (more: string) => Readable.from([Buffer.from([...lines, more].join('\n'))]);
    for (const total of [';;;Total;6000', ';Total;;;6000'])
      assert.deepEqual((await readPayouts(app, file(total), 'lote')).lines, [2, 3], total);
  });

  test('a workbook of accounts without names is refused if another visible sheet has rows', async () => {
    const app = createTestApp(await openTestDatabase());
    const rows = cells('12531909-2,012,12531909');
    const options = { columns: readColumns('rut,bank,account') };
    const sheets = [
      { name: 'Portada', rows: [] },
      { name: 'Enero', rows },
      { name: 'Febrero', rows },
    ];
    const validate = async (some: typeof sheets) =>
      validateCsv(app, stream(await makeWorkbook(some)), TRASH(), options);
    await assert.rejects(validate(sheets), MORE_THAN_ONE);
    assert.equal((await validate(sheets.slice(0, 2))).rows, 1);
  });
});
