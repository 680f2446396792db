import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Problem } from '../../src/error-catalogue.ts';
import { readStatement } from '../../src/statements/read-statement.ts';
import { rutsIn } from '../../src/statements/ruts-in-text.ts';
import { lineIdentities, wholeText } from '../../src/statements/statement.ts';
import { makeWorkbook } from '../support/make-workbook.ts';

const folder = mkdtempSync(join(tmpdir(), 'rubrica-statements-'));
let files = 0;

function read(rows: readonly string[]) {
  const path = join(folder, `${++files}.csv`);
  writeFileSync(path, rows.join('\n'));
  return readStatement(path);
}

const said = ({ lines, proof }: Awaited<ReturnType<typeof read>>) => [
  proof,
  ...lines.map((line) => `${line.day} ${line.amount} ${wholeText(line)}`),
];

const CHILE = [
  'Nombre Empresa;Tienda SpA;;;;;',
  'Rut;76.123.456-0;;;;;',
  '',
  'Fecha;Descripción;Canal o Sucursal;Nro Documento;Cargos (CLP);Abonos (CLP);Saldo (CLP)',
  '17/01/2026;Pago Fácil Bch: 012531909-2;Internet;12;15.000;;1.005.000',
  '16/01/2026;Abono TRANSBANK;Central;11;;20.000;1.020.000',
  '15/01/2026;Comisión;Central;10;1.000;;1.000.000',
];

test('reads statements of banks in Chile, with the newest or the oldest line first', async () => {
  const lines = [
    '2026-01-17 -15000 Pago Fácil Bch: 012531909-2 12',
    '2026-01-16 20000 Abono TRANSBANK 11',
    '2026-01-15 -1000 Comisión 10',
  ];
  assert.deepEqual(said(await read(CHILE)), ['balance', ...lines]);
  const oldestFirst = [...CHILE.slice(0, 4), ...CHILE.slice(4).toReversed()];
  assert.deepEqual(said(await read(oldestFirst)), ['balance', ...lines.toReversed()]);
  const bice = [
    'Fecha (yyyymmdd);Documento;Codigo;Descripcion;Cargos;Abonos',
    '20260117;12;7;Transferencia a Ana;15000;0',
  ];
  assert.deepEqual(said(await read(bice)), ['nothing', '2026-01-17 -15000 Transferencia a Ana 12']);
  const bci = [
    'Fecha,Sucursal,Descripción,N° Documento,Cheques y otros cargos,Depósitos y Abono,Saldo diario',
    '16-01-2026,1,PAGO RECIBIDO TF2 096689310-9 TRANSBANK,,,20000,',
    '16-01-2026,1,CARGO,,5000,,115000',
    '17-01-2026,1,CARGO,,15000,,100000',
  ];
  assert.equal((await read(bci)).proof, 'balance');
  const santander = [
    'MONTO;DESCRIPCIÓN;FECHA;N DOC;CARGO/ABONO',
    '-15000;TEF;17/01/2026;3;C',
    '20000;Abono;17/01/2026;4;A',
  ];
  assert.deepEqual(said(await read(santander)).slice(1), ['2026-01-17 -15000 TEF 3', '2026-01-17 20000 Abono 4']);
});

test('reads the same lines from a workbook as from a CSV', async () => {
  const path = join(folder, 'cartola.xlsx');
  writeFileSync(path, await makeWorkbook([{ name: 'Cartola', rows: CHILE.slice(3).map((row) => row.split(';')) }]));
  assert.deepEqual(said(await readStatement(path)), said(await read(CHILE)));
});

test('a workbook with lines in several visible sheets is refused', async () => {
  const path = join(folder, 'accounts.xlsx');
  const rows = CHILE.slice(3).map((row) => row.split(';'));
  const refused = { code: 'INVALID_STATEMENT', message: /^More than one sheet has such a table: Enero, Febrero\. / };
  for (const hidden of [false, true]) {
    writeFileSync(
      path,
      await makeWorkbook([
        { name: 'Enero', rows },
        { name: 'Febrero', rows, hidden },
      ]),
    );
    if (hidden) assert.deepEqual(said(await readStatement(path)), said(await read(CHILE)));
    else await assert.rejects(readStatement(path), refused);
  }
});

test('balances or totals reveal a missing or changed line, and the refusal names the line', async () => {
  const refused = (rows: readonly string[], message: RegExp) =>
    assert.rejects(
      read(rows),
      (error) => error instanceof Problem && error.code === 'INVALID_STATEMENT' && message.test(error.message),
    );
  await refused([...CHILE.slice(0, 5), ...CHILE.slice(6)], /balance of line \d/);
  await refused(
    CHILE.map((row) => row.replace('15.000', '14.000')),
    /balance of line/,
  );
  const totals = [
    'Fecha;Descripcion;Cargos;Abonos',
    '17/01/2026;TEF;15000;',
    '17/01/2026;TEF;10000;',
    'TOTAL;;25000;0',
  ];
  assert.equal((await read(totals)).proof, 'totals');
  await refused(
    totals.filter((row) => !row.includes('10000')),
    /Line 3 says that the charges are \$25\.000/,
  );
});

test('a statement may have balances and totals of more than eleven digits', async () => {
  const lines = ['15/01/2026;A;1000;;123.456.789.012', '16/01/2026;B;;500;123.456.789.512'];
  assert.equal((await read(['Fecha;Descripción;Cargos;Abonos;Saldo', ...lines])).proof, 'balance');
  const large = ['15/01/2026;A;;60.000.000.000', '16/01/2026;B;;50.000.000.000', 'Totales;;0;110.000.000.000'];
  assert.equal((await read(['Fecha;Descripción;Cargos;Abonos', ...large])).proof, 'totals');
  const unsafe = ['15/01/2026;A;1000;;9.007.199.254.740.993'];
  await assert.rejects(read(['Fecha;Descripción;Cargos;Abonos;Saldo', ...unsafe]), /“Saldo” cannot be read/);
});

test('a refusal names the line, the column as the file calls it, and how to write it', async () => {
  const refused = (rows: readonly string[], message: string) =>
    assert.rejects(read(rows), (error) => {
      assert.ok(error instanceof Problem && error.code === 'INVALID_STATEMENT');
      assert.equal(error.message, message);
      const { en = '', es = '' } = error.extras.detail ?? {};
      assert.equal(es.split(/[«“]/)[1]?.split('»')[0], en.split(/[«“]/)[1]?.split(/[»”]/)[0], es);
      return true;
    });
  const above = ['Banco de Chile', 'Cuenta N°;00-123', 'Fecha;Descripción;Cargos (CLP);Abonos;Saldo'];
  const whole = 'cannot be read. Write whole pesos, such as 15000 or 15.000.';
  await refused([...above, '17/01/2026;TEF;15.00O;;1'], `Line 4: an amount in column “Cargos (CLP)” ${whole}`);
  await refused([...above, '17/01/2026;TEF;15.000;;N/D'], `Line 4: an amount in column “Saldo” ${whole}`);
  await refused([...above, '17/01/2026;TEF;;US$ 15.000;1'], `Line 4: an amount in column “Abonos” ${whole}`);
  const day = 'Line 4: the day in column “Fecha” cannot be read. Write it as 15/01/2026 or 2026-01-15.';
  for (const text of ['31/02/2026', '17/01/26', '2026']) await refused([...above, `${text};TEF;1.000;;`], day);
  await refused(above, 'There is no line with an amount below line 3. Export days with movements.');
  const names = (rest: string) => `Line 3 names the columns Fecha | ${rest}. Write each name over its column.`;
  await refused([...above.slice(0, 2), 'Fecha;Cargos;Abonos'], names('Cargos | Abonos: it lacks descripción'));
  await refused([...above.slice(0, 2), 'Fecha;Glosa;Cargos'], names('Glosa | Cargos: it lacks abonos'));
  await refused([...above.slice(0, 2), 'Fecha;Glosa'], names('Glosa: it lacks cargos and abonos (or monto)'));
  await refused(
    ['Fecha;Fecha contable;Glosa;Monto'],
    'Line 1 names a column twice: «Fecha», «Fecha contable». Leave one of them.',
  );
  await refused(
    ['Nada;de;esto'],
    'No row names the columns. Write fecha, descripción, and cargos and abonos (or monto), above the first line.',
  );
});

test('amounts in one column are refused where no sign, side or balance says which left', async () => {
  const file = (...rows: string[]) => ['Fecha;Nombre;Descripción;Monto;Saldo', ...rows];
  const sent = ['17/01/2026;Ana;TEF 12.531.909-2;15.000;', '18/01/2026;Ana;TEF 12.531.909-2;9.000;'];
  await assert.rejects(read(file(...sent)), /amounts in column “Monto” left or came\. Write charges with a minus/);
  assert.deepEqual(said(await read(file(...sent, '18/01/2026;B;X;-1;'))).length, 4);
  const proven = ['17/01/2026;Ana;TEF;15.000;15.000', '18/01/2026;Ana;TEF;9.000;24.000'];
  assert.equal((await read(file(...proven))).proof, 'balance');
  assert.equal((await read(file(proven[0] ?? ''))).proof, 'nothing', 'a file of one line can have a balance too');
  await assert.rejects(sided('Cargo/Abono', '', ''), /left or came/);
});

test('a line with a charge and a credit, or a minus that may be a reversal, is refused unless its balances follow', async () => {
  const head = 'Fecha;Descripción;Cargos;Abonos;Saldo';
  const rows: [lines: string[], message: RegExp][] = [
    [
      ['15/01/2026;A;1.000;;', '16/01/2026;B;12;990;'],
      /^Line 3 has an amount in column “Cargos” and in column “Abonos”/,
    ],
    [['15/01/2026;A;;1.000;', '16/01/2026;Reversa;;-500;'], /^Line 3: nothing says .* minus in column “Abonos” /],
    [
      ['15/01/2026;A;1.000;;', '16/01/2026;Reversa;-500;;'],
      /^Line 3: nothing says .* minus in column “Cargos” .*\. Write it without the minus in the column where it belongs\./,
    ],
    [
      ['15/01/2026;A;1.000;;9.000', '16/01/2026;Reversa;-500;;9.500'],
      /^Line 3: nothing says .* minus in column “Cargos” /,
    ],
    [['15/01/2026;A;1.000;;', '16-01-26;Totalpack;;500;'], /^Line 3: the day in column “Fecha” cannot be read/],
  ];
  for (const [lines, message] of rows)
    await assert.rejects(read([head, ...lines]), { code: 'INVALID_STATEMENT', message });
  // No balance proves the oldest line, and one after the last balance.
  const proven = ['16/01/2026;C;;2.000;11.000', '17/01/2026;D;1.000;;10.000'];
  for (const odd of ['15/01/2026;A;;-500;9.000', '15/01/2026;A;-500;;9.000', '15/01/2026;A;12;990;9.000'])
    for (const lines of [[odd, ...proven], [odd, ...proven].toReversed(), [...proven, odd.replace('9.000', '')]])
      await assert.rejects(read([head, ...lines]), { code: 'INVALID_STATEMENT', message: /^Line \d.* column “/ }, odd);
  const ofDays = ['15/01/2026;A;;-500;9.000', '16/01/2026;C;;2.000;9.000', '16/01/2026;D;2.000;;9.000'];
  await assert.rejects(read([head, ...ofDays]), { code: 'INVALID_STATEMENT', message: /^Line 2: nothing says / });
  const negative = ['15/01/2026;A;-1.000;;', '16/01/2026;B;-500;;'];
  assert.deepEqual(said(await read([head, ...negative])), ['nothing', '2026-01-15 -1000 A', '2026-01-16 -500 B']);
  const proved = ['15/01/2026;A;1.000;;9.000', '16/01/2026;B;12;990;9.978'];
  assert.deepEqual(said(await read([head, ...proved])), ['balance', '2026-01-15 -1000 A', '2026-01-16 978 B']);
});

test('names that are repeated, remarks and sums without a result are no lines', async () => {
  const head = 'Fecha;Descripción;Cargos;Abonos';
  const [first, second] = ['15/01/2026;A;1000;', '16/01/2026;B;;500'];
  const lines = ['2026-01-15 -1000 A', '2026-01-16 500 B'];
  for (const between of [head, ';;Sujeto a revisión;', ';Totales;#N/A;#N/A', 'Totales;;#REF!;'])
    assert.deepEqual(said(await read([head, first, between, second])), ['nothing', ...lines], between);
  assert.deepEqual(said(await read([head, first, second, ';Totales;#N/A;500'])), ['totals', ...lines]);
  const uncomputed = ['Fecha;Descripción;Cargos;Abonos;Saldo', '15/01/2026;A;1000;;#N/A'];
  await assert.rejects(read(uncomputed), {
    message: /^Line 2: .* “Saldo” cannot be read\. Its formula has no result: /,
  });
  for (const line of [';C;#N/A;', '17-01-26;C;mil;', ';C;1000;', '17/01/2026;C;#N/A;'])
    await assert.rejects(read([head, first, line]), { code: 'INVALID_STATEMENT', message: /^Line 3: / }, line);
  const santander = ['MONTO;DESCRIPCIÓN;FECHA;CARGO/ABONO', '-15000;TEF;17/01/2026;C', 'Saldos sujetos a revisión;;;'];
  assert.equal((await read(santander)).lines.length, 1);
});

test('reads the columns of charges and credits under every name of a bank', async () => {
  for (const names of [
    'CHEQUES / CARGOS;DEPÓSITOS / ABONOS',
    'Egresos;Ingresos',
    'Cargos ($);Abonos ($)',
    'Debe;Haber',
  ])
    assert.deepEqual(said(await read([`Fecha;Detalle;${names}`, '17/01/2026;TEF;15.000;'])).slice(1), [
      '2026-01-17 -15000 TEF',
    ]);
});

test('accepts a statement whose lines carry the balance at the end of the day', async () => {
  const daily = [
    'Fecha;Descripción;Cargos;Abonos;Saldo diario',
    '15/01/2026;A;5000;;100000',
    '16/01/2026;B;10000;;85000',
    '16/01/2026;C;5000;;85000',
    '17/01/2026;D;;20000;105000',
  ];
  assert.equal((await read(daily)).proof, 'balance');
  assert.equal((await read([...daily.slice(0, 1), ...daily.slice(1).toReversed()])).proof, 'balance');
  for (const gone of [2, 3]) {
    await assert.rejects(read(daily.filter((_, at) => at !== gone)), /balance of line/, `without line ${gone + 1}`);
  }
  assert.equal((await read([daily[0] as string, ...daily.slice(2, 4)])).proof, 'nothing');
  const balances = async (lines: string[]) => (await read(lines)).lines.map(({ balance }) => balance);
  assert.deepEqual(await balances(daily), [null, null, null, null], 'not right after each line');
  const running = [...daily.slice(0, 2), '16/01/2026;B;10000;;90000', '16/01/2026;C;5000;;'];
  assert.deepEqual(await balances(running), [100_000, 90_000, null]);
});

test('finds Santander’s heading below thirteen rows, and reads the side of its amounts', async () => {
  const above = Array.from({ length: 13 }, (_, at) => `Dato ${at};valor`);
  const rows = [
    'MONTO;DESCRIPCIÓN MOVIMIENTO;;FECHA;N° DOCUMENTO;SUCURSAL;;CARGO/ABONO',
    '-15000;TEF;;17/01/2026;3;X;;C',
  ];
  assert.deepEqual(said(await read([...above, ...rows])), ['nothing', '2026-01-17 -15000 TEF 3']);
});

/** Returns the signs of amounts with these sides, under this heading. */
const sided = async (heading: string, ...sides: string[]) => {
  const rows = sides.map((side, at) => `${10 + at}/01/2026;TEF;15;${side}`);
  return (await read([`Fecha;Descripción;Monto;${heading}`, ...rows])).lines.map(({ amount }) => Math.sign(amount));
};

test('reads charge or credit from the usual words and letters of a side column', async () => {
  for (const side of ['C', 'cargo', 'CARGOS', 'Débito', 'debito', 'DÉBITOS', 'D', 'Debit'])
    assert.deepEqual(await sided('CARGO/ABONO', side), [-1], side);
  for (const side of ['A', 'abono', 'ABONOS', 'Crédito', 'credito', 'Credit'])
    assert.deepEqual(await sided('TIPO', side), [1], side);
  assert.deepEqual(await sided('TIPO MOVIMIENTO', 'C', 'A', ''), [-1, 1, 1]);
  assert.deepEqual(await sided('TIPO', 'C', 'D'), [1, -1]);
  assert.deepEqual(await sided('CARGO/ABONO', 'D', 'C', 'C'), [-1, 1, 1]);
  assert.deepEqual(await sided('TIPO', 'C', 'Débito', 'Crédito'), [1, -1, 1]);
  assert.deepEqual(await sided('C/A', 'C', 'Cargo'), [-1, -1]);
  const signed = ['Fecha;Descripción;Monto;Tipo', '17/01/2026;TEF;-15;C', '17/01/2026;TEF;20;'];
  assert.deepEqual(said(await read(signed)).slice(1), ['2026-01-17 -15 TEF', '2026-01-17 20 TEF']);
  const apart = ['Fecha;Descripción;Cargos;Abonos;Tipo', '17/01/2026;TEF;15;;Transferencia'];
  assert.deepEqual(said(await read(apart)).slice(1), ['2026-01-17 -15 TEF']);
});

test('a type column beside signed amounts is not taken for the side', async () => {
  const file = (...amounts: string[]) => [
    'Fecha;Descripción;Monto;Tipo',
    ...amounts.map((one) => `17/01/2026;TEF;${one};TEF`),
  ];
  const { lines } = await read(file('-15', '20'));
  assert.deepEqual(
    lines.map(({ amount }) => amount),
    [-15, 20],
  );
  await assert.rejects(read(file('15', '20')), { code: 'INVALID_STATEMENT' });
  const mixed = ['Fecha;Descripción;Monto;Tipo', '17/01/2026;TEF;-15;Transferencia', '17/01/2026;TEF;20;Abono'];
  assert.deepEqual(
    (await read(mixed)).lines.map(({ amount }) => amount),
    [-15, 20],
  );
  await assert.rejects(read([...mixed, '17/01/2026;TEF;30;Cargo']), { code: 'INVALID_STATEMENT' });
});

test('a row without an amount does not decide how sides are read', async () => {
  const head = 'Fecha;Descripción;Monto;Tipo';
  for (const side of ['-', 'C']) {
    const { lines } = await read([
      head,
      `16/01/2026;Saldo inicial;0;${side}`,
      '17/01/2026;TEF;15;D',
      '17/01/2026;TEF;20;Abono',
    ]);
    assert.deepEqual(
      lines.map(({ amount }) => amount),
      [-15, 20],
    );
  }
});

test('an ambiguous side refuses the file and names the line', async () => {
  const refused = (line: number, reason: RegExp, [heading = '', ...sides]: string[]) =>
    assert.rejects(sided(heading, ...sides), (error) => {
      assert.ok(error instanceof Problem && error.code === 'INVALID_STATEMENT');
      const { en = '', es = '' } = error.extras.detail ?? {};
      assert.match(en, new RegExp(`^Line ${line}: ${reason.source}.* Write cargo or abono`));
      assert.match(es, new RegExp(`^Línea ${line}: .* Escribe cargo o abono`));
      return true;
    });
  for (const side of ['CAR', 'X', '-', 'Transferencia', 'Cargo/Abono'])
    await refused(3, /nothing says/, ['CARGO/ABONO', 'A', side]);
  for (const file of [
    ['TIPO', 'C'],
    ['TIPO', 'C', ''],
    ['TIPO', 'C', 'Cargo'],
    ['TIPO MOVIMIENTO', 'C', 'Crédito'],
    ['CARGO/ABONO', 'C', 'Crédito'],
    ['CARGO/ABONO', 'C', 'A', 'D'],
  ])
    await refused(2, /C may mean/, file);
  const reversed = ['Fecha;Descripción;Monto;Tipo', '17/01/2026;Depósito;20;C', '17/01/2026;Reverso;-15;C'];
  await assert.rejects(read(reversed), /Line 2: C may mean/);
});

test('an HTML statement whose day spans several rows is refused and names the line', async () => {
  const path = join(folder, 'cartola.xls');
  const [head, first, second] = [
    '<tr><th>Fecha<th>Descripción<th>Cargos<th>Abonos',
    '<tr><td rowspan=2>15/01/2026<td>Pago A<td>1.000<td>',
    '<tr><td>Pago B<td>2.000<td>',
  ];
  writeFileSync(path, `<html><table>${head}${first}${second}</table>`);
  await assert.rejects(readStatement(path), /Line 3: the day in column “Fecha” cannot be read/);
});

test('finds a RUT in every form that banks write', () => {
  for (const text of ['TEF A 12.531.909-2 ANA', 'Pago Fácil Bch: 012531909-2', 'Pago 0125319092', 'rut 12531909-2']) {
    assert.deepEqual(rutsIn(text), ['12531909-2'], text);
  }
  for (const text of ['TEF A 12.000.008-K LUZ', 'Pago Fácil Bch: 012000008K', 'tef 12000008k luz', '12.000.008K']) {
    assert.deepEqual(rutsIn(text), ['12000008-K'], text);
  }
  assert.deepEqual(rutsIn('TEF 12531909 KIOSCO'), rutsIn('TEF 12531909KIOSCO'), 'a word is no check character');
  assert.deepEqual(rutsIn('PAGO RECIBIDO TF2 096689310-9 TRANSBANK'), ['96689310-9']);
  assert.deepEqual(rutsIn('Comisión 12'), []);
});

test('a line keeps its identity across spacing and order, and equal lines are counted', () => {
  const line = (text: string, amount = -1000) => ({ line: 1, day: '2026-01-15', amount, text });
  const [one, two, other] = lineIdentities('1', [line('TEF  a Ana'), line('tef a ána'), line('TEF a Ana', -2000)]);
  const again = lineIdentities('1', [line('TEF A ANA', -2000), line('TEF A ANA'), line('TEF A ANA')]);
  assert.deepEqual(new Set(again), new Set([one, two, other]));
  assert.equal(lineIdentities('2', [line('TEF a Ana')]).includes(one as string), false);
  assert.deepEqual(lineIdentities('001', [line('TEF a Ana')]), [one]);
  assert.deepEqual(lineIdentities('1', [{ ...line('TEF a Ana'), document: '77' }]), [one]);
});

// Three megabytes kept every payment waiting for half a minute.
test('a statement with as many totals as lines is read as quickly as one with lines alone', async () => {
  const costOf = async (rows: readonly string[]) => {
    const begun = process.cpuUsage();
    await read(['fecha,descripcion,cargos,abonos', ...rows]);
    const { user, system } = process.cpuUsage(begun);
    return user + system;
  };
  const lines = Array<string>(45_000).fill('2026-01-15,a,1,');
  const [plain, totalled] = [
    await costOf([...lines, ...Array<string>(90_000).fill(',total,,')]),
    await costOf([...lines, ...Array<string>(90_000).fill(`,total,${lines.length},`)]),
  ];
  assert.ok(totalled < plain * 4, `${totalled} against ${plain} microseconds`);
});
