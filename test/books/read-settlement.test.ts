import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { suite, test } from 'node:test';
import { compareSettlement } from '../../src/books/compare-settlement.ts';
import { explainDifference } from '../../src/books/explain-difference.ts';
import { readSettlement } from '../../src/books/read-settlement.ts';
import { SETTLEMENT_NAMES, SettlementError } from '../../src/books/settlement-row.ts';
import type { TextEncoding } from '../../src/lib/tables/table.ts';
import { encodeText } from '../../src/lib/tables/text-encoding.ts';
import { booked } from '../support/booked-line.ts';
import { makeWorkbook, type WorkbookCell } from '../support/make-workbook.ts';

// Four sales and a refund in the books. Every file below settles exactly these.
const BOOKS = [
  sale(1, 'rb-1', '012345', 12_990),
  sale(2, 'rb-2', '777', 1000),
  sale(3, 'rb-3', '888', 250_000),
  sale(4, 'rb-4', '999', 30_000),
  {
    ...sale(5, 'rb-1', '012345', 2000),
    kind: 'refund' as const,
    refund_id: 'rf_1',
    refund_detail: '{"authorization_code":"55"}',
  },
];

function sale(link: number, order: string, code: string, amount: number) {
  return booked({ link, amount, payment_detail: `{"authorization_code":"${code}","buy_order":"${order}"}` });
}

type Row = readonly [date: string, order: string, code: string, amount: string, ...more: string[]];

const DATE = '15/01/2026';
/** Returns the rows of a file. `write` formats amounts, and `negative` the amounts of refunds. */
function rowsWith(write: (amount: number) => string, negative = (amount: number) => `-${write(amount)}`): Row[] {
  return [
    [DATE, 'rb-1', '012345', write(12_990)],
    [DATE, 'rb-2', '777', write(1000)],
    [DATE, 'rb-3', '888', write(250_000)],
    [DATE, 'rb-4', '999', write(30_000)],
    [DATE, 'rb-1', '55', negative(2000)],
  ];
}

const PLAIN = rowsWith(String);
const grouped = (mark: string) => (amount: number) => String(amount).replace(/\B(?=(\d{3})+$)/g, mark);
const NAMES = ['Fecha Venta', 'Orden de Compra', 'Código Autorización', 'Monto Venta'];

function csv(rows: readonly (readonly string[])[], { names = NAMES, separator = ';', lineEnd = '\r\n' } = {}): string {
  return [names, ...rows].map((cells) => cells.join(separator) + lineEnd).join('');
}

const ENCODINGS: [name: string, encoding: TextEncoding, mark: string][] = [
  ['UTF-8', 'utf-8', ''],
  ['UTF-8 with a byte order mark', 'utf-8', '\ufeff'],
  ['UTF-16 LE', 'utf-16le', '\ufeff'],
  ['UTF-16 BE', 'utf-16be', '\ufeff'],
  ['UTF-16 LE without a mark', 'utf-16le', ''],
  ['Windows-1252', 'windows-1252', ''],
];

const VARIANTS: [name: string, file: () => Buffer | Promise<Buffer>][] = [
  ...ENCODINGS.flatMap(([name, encoding, mark]) =>
    [';', ',', '\t'].map((separator): [string, () => Buffer] => [
      `${name}, separated by ${JSON.stringify(separator)}`,
      () => encodeText(mark + csv(PLAIN, { separator }), encoding),
    ]),
  ),
  ['titles above the header', text(`Comercio: Tienda de Ana; S.A.\r\n\r\nLiquidación del;${DATE}\r\n${csv(PLAIN)}`)],
  ['a line of totals below', text(`${csv(PLAIN)}Total;;;291990\r\n`)],
  ['a line of totals below, with points', text(`${csv(rowsWith(grouped('.')))};;TOTAL GENERAL;291.990\r\n`)],
  ['a total without a label, and a remark', text(`${csv(PLAIN)};;;291990\r\n\r\nArchivo generado por el portal\r\n`)],
  ['blank rows, and rows of only separators', text(csv(PLAIN).replaceAll('\r\n', '\r\n\r\n;;;\r\n'))],
  ['points between thousands', text(csv(rowsWith(grouped('.'))))],
  ['commas between thousands', text(csv(rowsWith(grouped(','))))],
  [
    'commas between thousands and between cells',
    text(
      csv(
        rowsWith(
          (amount) => `"${grouped(',')(amount)}"`,
          (amount) => `"-${grouped(',')(amount)}"`,
        ),
        { separator: ',' },
      ),
    ),
  ],
  ['zero decimals', text(csv(rowsWith((amount) => `${amount}.00`)))],
  ['zero decimals in Chilean format', text(csv(rowsWith((amount) => `${grouped('.')(amount)},00`)))],
  [
    'a $ before the amount',
    text(
      csv(
        rowsWith(
          (amount) => `$ ${grouped('.')(amount)}`,
          (amount) => `-$ ${grouped('.')(amount)}`,
        ),
      ),
    ),
  ],
  ['refunds in parentheses', text(csv(rowsWith(grouped('.'), (amount) => `(${grouped('.')(amount)})`)))],
  ['refunds with a trailing minus', text(csv(rowsWith(String, (amount) => `${amount}-`)))],
  ['refunds with a long minus', text(csv(rowsWith(String, (amount) => `−${amount}`)))],
  [
    'positive refunds marked by their type',
    text(
      csv(
        rowsWith(String, String).map((row, at) => [...row, at === 4 ? 'Anulación' : 'Venta']),
        { names: [...NAMES, 'Tipo de Transacción'] },
      ),
    ),
  ],
  [
    'gross, commission and net',
    text(
      csv(
        PLAIN.map((row) => [...row, '-100', `${Number(row[3]) - 100}`]),
        { names: ['Fecha', 'Orden de Compra', 'Cód. Autorización', 'Monto Bruto', 'Comisión', 'Monto Neto'] },
      ),
    ),
  ],
  [
    'net before gross',
    text(
      csv(
        PLAIN.map(([date, order, code, amount]) => [date, order, code, '1', amount]),
        { names: ['Fecha', 'Orden Compra', 'Código de Autorización', 'Monto Abono', 'Monto'] },
      ),
    ),
  ],
  [
    'a number of instalments beside the sale',
    text(
      csv(
        PLAIN.map((row) => [...row, '3']),
        { names: [...NAMES, 'Número de Cuotas'] },
      ),
    ),
  ],
  ['each instalment on a line', text(csv(inInstalments('10000'), { names: [...NAMES, 'Cuota'] }))],
  [
    'each instalment on a line with the amount of the sale',
    text(csv(inInstalments('30000'), { names: [...NAMES, 'N° Cuota'] })),
  ],
  ['instalments without a column for them', text(csv(inInstalments('10000').map((row) => row.slice(0, 4))))],
  [
    'instalments on separate days',
    text(
      csv(
        inInstalments('10000').map((row, at) => [at === 4 ? '15/02/2026' : DATE, ...row.slice(1)]),
        { names: [...NAMES, 'Cuota'] },
      ),
    ),
  ],
  [
    'columns in another order, and other columns between them',
    text(
      csv(
        PLAIN.map(([date, order, code, amount]) => ['x', amount, 'Crédito', code, order, date]),
        {
          names: [
            'Local',
            'MONTO TRANSACCION',
            'Tipo Tarjeta',
            'codigo_autorizacion',
            'orden_compra',
            'FECHA TRANSACCIÓN',
          ],
        },
      ),
    ),
  ],
  [
    'English names and ISO days',
    text(
      csv(
        PLAIN.map(([, ...row]) => ['2026-01-15', ...row]),
        { names: ['date', 'buy_order', 'authorization_code', 'amount'], separator: ',' },
      ),
    ),
  ],
  ['days with times', text(csv(PLAIN.map(([date, ...row]) => [`${date} 23:59:59`, ...row])))],
  ['days with times in UTC', text(csv(PLAIN.map(([, ...row]) => ['2026-01-16T02:59:59.000Z', ...row])))],
  ['days without separators', text(csv(PLAIN.map(([, ...row]) => ['20260115', ...row])))],
  ['codes without leading zeros', text(csv(PLAIN).replaceAll('012345', '12345'))],
  [
    'a currency in words',
    text(
      csv(
        PLAIN.map((row) => [...row, 'Pesos']),
        { names: [...NAMES, 'Moneda'] },
      ),
    ),
  ],
  ['an .xlsx with days, numbers and titles', () => workbook((value) => value)],
  ['an .xlsx with texts', () => workbook(String)],
];

function text(content: string): () => Buffer {
  return () => Buffer.from(content);
}

function inInstalments(amount: string): string[][] {
  return PLAIN.flatMap((row) =>
    row[1] === 'rb-4' ? ['1/3', '2/3', '3/3'].map((one) => [...row.slice(0, 3), amount, one]) : [[...row, '']],
  );
}

function workbook(write: (value: number) => number | string): Promise<Buffer> {
  const rows = PLAIN.map(([, order, code, amount]): WorkbookCell[] => [
    { value: 46_037, format: 1 },
    order,
    write(Number(code)),
    write(Number(amount)),
  ]);
  return makeWorkbook([
    { name: 'Resumen', rows: [['Total del día'], [291_990]] },
    { name: 'Detalle', rows: [['Liquidación'], null, NAMES, ...rows, ['Total', null, null, 291_990]] },
  ]);
}

suite('reads a settlement file with', () => {
  for (const [name, file] of VARIANTS) {
    test(name, async () => {
      const settlement = await readSettlement(Readable.from([await file()]));
      const compared = await compareSettlement(settlement, BOOKS);
      assert.deepEqual(
        compared.filter(({ kind }) => kind !== 'matched'),
        [],
      );
      assert.deepEqual(new Set(compared.map(({ line }) => line?.link)), new Set([1, 2, 3, 4, 5]));
      assert.deepEqual(explainDifference(compared), [
        { currency: 'CLP', settled: 291_990, booked: 291_990, difference: 0, causes: [] },
      ]);
    });
  }
});

test('a line of totals is left out, also with a day, and a sale at a shop named Totalpack is not', async () => {
  const names = [...NAMES, 'Comercio'];
  const sale_ = [DATE, 'x', '1', '1.000', 'Totalpack'];
  for (const total of [
    [DATE, '', 'Total', '1.000', ''],
    ['Total al 31/01/2026', '1', '', '1.000', ''],
    ['', '', '', '1.000', 'Total'],
    ['', '1', '', '1.000', 'Total'],
    ['', 'Total: 1 venta', '', '970', ''],
  ]) {
    const { rows } = await readSettlement(Readable.from([Buffer.from(csv([sale_, total], { names }))]));
    assert.deepEqual(
      rows.map(({ amount }) => amount),
      [1000],
      total.join(),
    );
  }
  const other = Readable.from([Buffer.from(csv([sale_, ['', 'y', '2', '500', 'Totalpack']], { names }))]);
  await assert.rejects(readSettlement(other), { message: /^Line 3, column "Fecha Venta": found nothing\. / });
});

test('a workbook with sales in several visible sheets is refused', async () => {
  const rows = [NAMES, [...(PLAIN[0] as Row)]];
  const file = await makeWorkbook([
    { name: 'Débito', rows },
    { name: 'Notas', rows: [NAMES] },
    { name: 'Crédito', rows },
  ]);
  await assert.rejects(
    readSettlement(Readable.from([file])),
    (error) => error instanceof SettlementError && /^Más de una hoja.*: Débito, Crédito\. /.test(error.said.es),
  );
});

const AMOUNTS: [cells: string[], currency: string, amounts: number[]][] = [
  [['10,55', '1.234,5', '1.234'], 'USD', [1055, 123_450, 123_400]],
  [['10.55', '1,234.5', '1,234'], 'USD', [1055, 123_450, 123_400]],
  [['1.234.567', '1.234'], 'USD', [123_456_700, 123_400]],
  [['1234', '5'], 'USD', [123_400, 500]],
  [['1.234,500', '1.234'], 'KWD', [1_234_500, 1_234_000]],
  [['250,000', '1,000', '1.000'], 'CLP', [250_000, 1000, 1000]],
];
for (const [cells, currency, amounts] of AMOUNTS) {
  test(`the decimal mark of a column is known from ${cells.join(' and ')} ${currency}`, async () => {
    const rows = cells.map((cell, at) => [DATE, `rb-${at}`, '1', cell, currency]);
    const file = csv(rows, { names: [...NAMES, 'Moneda'] });
    const { rows: read } = await readSettlement(Readable.from([Buffer.from(file)]));
    assert.deepEqual(
      read.map(({ amount }) => amount),
      amounts,
    );
  });
}

const REFUSED: [name: string, rows: string[][], message: string][] = [
  [
    'an unreadable date of a sale whose code begins as a total does',
    [
      [DATE, 'x', '1', '5', ''],
      ['16-01-26', 'Total2', '1', '5', ''],
    ],
    'Line 3, column "Fecha Venta": found "16-01-26". Write the date as 2026-01-15 or 15/01/2026.',
  ],
  [
    'a year that nobody means',
    [['15/01/0026', 'x', '1', '5', '']],
    'Line 2, column "Fecha Venta": found "15/01/0026". Write the date as 2026-01-15 or 15/01/2026.',
  ],
  [
    'an ambiguous amount',
    [[DATE, 'x', '1', '1.234', 'USD']],
    'Line 2, column "Monto Venta": found "1.234". It can be read in two ways. Write amounts of USD with their decimals, such as 12990.55.',
  ],
  [
    'a fraction of a peso',
    [[DATE, 'x', '1', '12,5', '']],
    'Line 2, column "Monto Venta": found "12,5". Write an amount of CLP, such as 12990.',
  ],
  [
    'an amount in dollars of a sale in pesos',
    [[DATE, 'x', '1', 'US$ 25,00', '']],
    'Line 2, column "Monto Venta": found "US$ 25,00". Write an amount of CLP, such as 12990.',
  ],
  [
    'an amount in pesos of a sale in dollars',
    [[DATE, 'x', '1', 'CLP 12.990', 'USD']],
    'Line 2, column "Monto Venta": found "CLP 12.990". Write an amount of USD, such as 12990.55.',
  ],
  [
    'misplaced thousands separators',
    [[DATE, 'x', '1', '1.00.000', '']],
    'Line 2, column "Monto Venta": found "1.00.000". Write an amount of CLP, such as 12990.',
  ],
  [
    'two kinds of thousands separators',
    [[DATE, 'x', '1', '1.000,000', '']],
    'Line 2, column "Monto Venta": found "1.000,000". Write an amount of CLP, such as 12990.',
  ],
  [
    'no amount',
    [[DATE, 'x', '1', '', '']],
    'Line 2, column "Monto Venta": found nothing. Write an amount of CLP, such as 12990.',
  ],
  [
    'an amount of zero',
    [[DATE, 'x', '1', '0', '']],
    'Line 2, column "Monto Venta": found "0". Write an amount of CLP, such as 12990.',
  ],
  [
    'an unclosed parenthesis',
    [[DATE, 'x', '1', '(5', '']],
    'Line 2, column "Monto Venta": found "(5". Write an amount of CLP, such as 12990.',
  ],
  [
    'an impossible date',
    [
      [DATE, 'x', '1', '5', ''],
      ['30/02/2026', 'x', '1', '5', ''],
    ],
    'Line 3, column "Fecha Venta": found "30/02/2026". Write the date as 2026-01-15 or 15/01/2026.',
  ],
  [
    'a date with the month first',
    [['01/15/2026', 'x', '1', '5', '']],
    'Line 2, column "Fecha Venta": found "01/15/2026". Write the date as 2026-01-15 or 15/01/2026.',
  ],
  [
    'neither a buy order nor a code',
    [[DATE, '', '-', '5', '']],
    'Line 2, column "Orden de Compra": found nothing. Give the line its buy order or its authorisation code, or remove it.',
  ],
  [
    'an unknown currency',
    [[DATE, 'x', '1', '5', 'PESO MEXICANO']],
    'Line 2, column "Moneda": found "PESO MEXICANO". Write an ISO 4217 code, such as CLP.',
  ],
];
for (const [name, rows, message] of REFUSED) {
  test(`a settlement file with ${name} is refused with line, column, value and fix`, async () => {
    const file = Readable.from([Buffer.from(csv(rows, { names: [...NAMES, 'Moneda'] }))]);
    await assert.rejects(readSettlement(file), (error) => {
      assert.ok(error instanceof SettlementError);
      assert.equal(error.message, message);
      assert.match(error.said.es, /^Línea \d+, columna "/);
      return true;
    });
  });
}

test('a file with unknown columns is refused with the found and accepted names, and without its data', async () => {
  const refusal = (content: string) => readSettlement(Readable.from([Buffer.from(content)]));
  await assert.rejects(refusal('Fecha Abono;Autorización;Total 12990\n'), {
    message:
      /^A row must name date, amount, and buy order or authorisation code\. Found: Fecha Abono \| Autorización \| …\. Names that are read, .*: date \(fecha, /,
  });
  await assert.rejects(
    refusal('fecha;orden de compra;orden de compra;monto\n15/01/2026;1;2;3\n'),
    /names the column buyOrder twice/,
  );
  await assert.rejects(refusal(''), /The file is empty/);
});

test('docs/finance.md lists every accepted column name', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/finance.md'), 'utf8');
  const missing = Object.values(SETTLEMENT_NAMES)
    .flat()
    .filter((name) => !page.includes(`\`${name}\``));
  assert.deepEqual(missing, []);
});

// Four megabytes kept every payment waiting for minutes.
test('a file with as many sums as sales is read as quickly as one with sales alone', async () => {
  const costOf = async (rows: readonly string[]) => {
    const file = Readable.from([Buffer.from(['fecha,monto,orden de compra', ...rows, ''].join('\n'))]);
    const begun = process.cpuUsage();
    await readSettlement(file);
    const { user, system } = process.cpuUsage(begun);
    return user + system;
  };
  const sales = Array<string>(20_000).fill('2026-01-15,1,rb-1');
  const [plain, summed] = [
    await costOf([...sales, ...sales]),
    await costOf([...sales, ...sales.map(() => `,${sales.length},`)]),
  ];
  assert.ok(summed < plain * 4, `${summed} against ${plain} microseconds`);
});
