import assert from 'node:assert/strict';
import { Readable, Writable } from 'node:stream';
import { suite, test } from 'node:test';
import { identityHashes } from '../../../src/bank-validation/identity-hash.ts';
import { ACCOUNT_TABLE, readColumns } from '../../../src/bank-validation/tables/account-columns.ts';
import { CsvError, type CsvOptions, validateCsv } from '../../../src/bank-validation/tables/validate-csv.ts';
import { StorageError } from '../../../src/db/database.ts';
import type { Language } from '../../../src/lib/language.ts';
import { checkCharacter } from '../../../src/lib/modulo-eleven.ts';
import { placeColumns } from '../../../src/lib/tables/find-header.ts';
import { createSimulatedProvider } from '../../../src/validation-providers/simulated-provider.ts';
import { forEachEngine } from '../../support/engines.ts';
import { makeWorkbook } from '../../support/make-workbook.ts';
import { createTestApp } from '../../support/test-app.ts';

suite('the columns of a CSV', () => {
  const headers: [row: string[], found: [rut: number, bank: number, account: number] | null][] = [
    [
      ['rut', 'bank', 'account'],
      [0, 1, 2],
    ],
    [
      ['bankAccount', 'bankSBIFNumber', 'rut'],
      [2, 1, 0],
    ],
    [
      ['rut', 'bankData.bankSBIFNumber', 'bankData.bankAccount'],
      [0, 1, 2],
    ],
    [
      ['Nombre', 'RUT Beneficiario', 'Código Banco', 'N° Cuenta', 'Monto'],
      [1, 2, 3],
    ],
    [
      ['RUN', 'COD_BANCO', 'NRO_CUENTA'],
      [0, 1, 2],
    ],
    [
      ['Rut del titular', 'Banco', 'Número de cuenta'],
      [0, 1, 2],
    ],
    [
      ['rut_destinatario', 'banco', 'codigo_banco', 'tipo_cuenta', 'numero_cuenta'],
      [0, 2, 4],
    ],
    [
      ['Rut empresa', 'Rut beneficiario', 'SBIF', 'Cta. Cte.'],
      [1, 2, 3],
    ],
    [
      ['rut', 'bank_code', 'account_number'],
      [0, 1, 2],
    ],
    [
      ['rut sin dv', 'banco', 'cuenta'],
      [0, 1, 2],
    ],
    [['12.345.678-5', '012', '12345678'], null],
    [['rut', 'rut', 'banco', 'cuenta'], null],
    [['nombre', 'monto'], null],
    [['12345678-6', '012', '1'], null],
    [['', '', ''], null],
  ];
  for (const [row, found] of headers) {
    test(`${row.join(' | ')}: ${found?.join(', ') ?? 'not recognised'}`, () => {
      const places = placeColumns(row, ACCOUNT_TABLE.names);
      const columns = ACCOUNT_TABLE.isHeader(places) ? places : null;
      assert.deepEqual(columns === null ? null : [columns.rut, columns.bank, columns.account], found);
    });
  }

  const told: [text: string, found: (number | null)[] | null][] = [
    ['rut,bank,account', [0, 1, 2, null]],
    ['account, - ,BANK,rut,dv', [3, 2, 0, 4]],
    ['name,rut,,bank,account', [1, 3, 4, null]],
    ['rut,bank', null],
    ['rut,rut,bank,account', null],
    ['', null],
  ];
  for (const [text, found] of told) {
    test(`--columns ${text}: ${found?.join(', ') ?? 'refused'}`, () => {
      const columns = readColumns(text);
      assert.deepEqual(columns && [columns.rut, columns.bank, columns.account, columns.checkCharacter], found);
    });
  }
});

const ADDED =
  'verdict;is_valid;codes;message;suggestions;validation_id;rut_read;bank_code;bank_name;account_read;why;proposal';

forEachEngine('validating a CSV', (openTestDatabase) => {
  test('adds a verdict to every row and keeps zeros, quotes and order', async () => {
    const { text, summary } = await run(
      'Nombre;RUT;Código Banco;N° Cuenta;Monto\r\nAna;12.531.909-2;012;0012531909;0100\r\n"Beto; hijo";18972631-7;1x;12-34;"5""0"\r\n',
    );
    const lines = text.split('\r\n').map((line) => line.replace(/bav_\w+/, 'ID'));
    assert.deepEqual(lines, [
      `Nombre;RUT;Código Banco;N° Cuenta;Monto;${ADDED}`,
      'Ana;12.531.909-2;012;0012531909;0100;plausible;true;ACCOUNT_IS_CUENTARUT_OF_HOLDER;;;ID;12531909-2;012;Banco del Estado de Chile;0012531909;;',
      '"Beto; hijo";18972631-7;1x;12-34;"5""0";invalid;false;BANK_BAD_FORMAT ACCOUNT_BAD_FORMAT;A bank code is three digits with its zeros, such as 001. An account number has digits only: no hyphens, dots, spaces or letters. A CuentaRUT is the RUT without its check character.;;ID;18972631-7;;;;A bank code is three digits with its zeros, such as 001.;rut=18972631-7 bank=? account=1234',
      '',
    ]);
    assert.deepEqual(summary, {
      rows: 2,
      refused: 0,
      invalid: 1,
      plausible: 1,
      confirmed: 0,
      mismatch: 0,
      undetermined: 0,
      causes: [
        { code: 'BANK_BAD_FORMAT', rows: 1, message: 'A bank code is three digits with its zeros, such as 001.' },
      ],
      repaired: { rows: 0, rules: [] },
    });
  });

  test('reads a bank by its name or its code without zeros, and leaves the cell as it is', async () => {
    const banks = ['Banco Estado', 'BANCOESTADO', 'bco. estado', 'Cuenta RUT', '12', "'012", '012 - BancoEstado'];
    const { text, summary } = await run(
      `rut,bank,account\n${banks.map((bank) => `12531909-2,${bank},12531909\n`).join('')}12531909-2,Estado Santander,12531909\n`,
    );
    assert.deepEqual([summary.plausible, summary.invalid], [banks.length, 1]);
    assert.match(
      text,
      /\n12531909-2,Banco Estado,12531909,plausible,true,ACCOUNT_IS_CUENTARUT_OF_HOLDER,,,bav_\w+,12531909-2,012,Banco del Estado de Chile,12531909,,\n/,
    );
    assert.match(text, /\n12531909-2,Estado Santander,12531909,invalid,false,BANK_BAD_FORMAT,/);
  });

  test('reads a check character from its own column', async () => {
    const { summary } = await run(
      'rut,dv,banco,cuenta\n12531909,2,012,1\n9068826,k,012,1\n12531909,3,012,1\n12531909-2,2,012,1\n',
    );
    assert.deepEqual([summary.plausible, summary.invalid], [3, 1]);
  });

  test('accepts a file without column names if --columns names them, with short and blank lines', async () => {
    const content = '\ufeff12531909-2,012,12531909\n\n18972631-7,001\n';
    await assert.rejects(run(content), /Which columns .* --columns rut,bank,account/);
    const { text, summary } = await run(content, 1_000_000, 'en', { columns: readColumns('rut,bank,account') });
    assert.equal(text.split('\n')[0], `\ufeffrut,bank,account,${ADDED.replaceAll(';', ',')}`);
    assert.match(text, /18972631-7,001,,invalid,false,ACCOUNT_MISSING,/);
    assert.equal(summary.rows, 2);
  });

  test('leaves out lines of totals, and keeps a row of a holder or a bank with such a name', async () => {
    const rows =
      '12531909-2;012;12531909;Total Austral\n;012;;Total\nTOTAL;;2;\n;;;Suma total\n;;;Totalcheck SpA\n;;;Totales:\n';
    const { text, summary } = await run(`rut;bank;account;nombre\n${rows}`);
    assert.equal(summary.rows, 3);
    assert.deepEqual(
      text
        .trimEnd()
        .split('\n')
        .map((row) => row.split(';').slice(0, 5).join(';')),
      [
        'rut;bank;account;nombre;verdict',
        '12531909-2;012;12531909;Total Austral;plausible',
        ';012;;Total;invalid',
        ';;;Totalcheck SpA;invalid',
      ],
    );
  });

  test('keeps verdicts under their column names in rows that are too long or too short', async () => {
    const { text } = await run(
      'rut;bank;account\n12531909-2;012;12531909;\n12531909-2;012;12531909;; \n12531909-2;012;12531909;more\n12531909-2\n',
    );
    const rows = text.trimEnd().split('\n');
    assert.deepEqual(
      rows.map((row) => row.split(';').length),
      rows.map(() => 15),
    );
    assert.deepEqual(
      rows.map((row) => row.split(';')[3]),
      ['verdict', 'plausible', 'plausible', 'plausible', 'invalid'],
    );
    assert.deepEqual(
      rows.map((row) => row.includes('ROW_WIDTH')),
      [false, false, false, true, false],
    );
  });

  test('keeps the line ends of the input, and a line break inside a cell', async () => {
    const { text } = await run('"N°\ncuenta";rut;banco\r\n12531909;12531909-2;012\r\n"1\n2";12531909-2;012\r\n');
    const lines = text.split('\r\n');
    assert.equal(lines.length, 4);
    assert.match(lines[0] ?? '', /^"N°\ncuenta";rut;banco;verdict;/);
    assert.match(lines[2] ?? '', /^"1\n2";12531909-2;012;invalid;/);
  });

  test('tells in the chosen language why the provider or the store refused a row', async () => {
    const refusals = [
      ['es', null, /Se acabaron las consultas/],
      ['en', null, /budget of questions/],
      ['es', new StorageError('STORAGE_FULL', null), /El disco está lleno/],
    ] as const;
    for (const [language, failure, said] of refusals) {
      const app = createTestApp(await openTestDatabase(), { validationProvider: createSimulatedProvider(Date.now) });
      const failing = (why: StorageError) => ({ ...app.db, transaction: () => Promise.reject(why) });
      await identityHashes(app);
      const output = collector();
      const rows = Readable.from([Buffer.from('rut,bank,account\n11111111-1,001,900000000009\n')]);
      const asked = failure === null ? app : { ...app, db: failing(failure) };
      const { causes } = await validateCsv(asked, rows, output.stream, { language });
      assert.match(causes[0]?.message ?? '', said);
      assert.equal(output.text().match(new RegExp(said, 'g'))?.length, 2, 'in message and in why');
    }
  });

  test('reports an unreadable file in the chosen language', async () => {
    const refused: [content: string, says: RegExp][] = [
      ['12531909-2,012,12531909\n', /^¿Qué columnas son RUT, banco y cuenta\?.* Encontrado: … \| … \| …$/],
      ['rut,rut,banco,cuenta\n', /^La primera fila nombra dos veces la columna rut: rut \| rut\./],
      ['', /^El archivo está vacío/],
      ['rut,banco,cuenta\n"12531909-2,012,1\n', /^La línea \d+ no se puede leer como CSV/],
    ];
    for (const [content, message] of refused) await assert.rejects(run(content, 1_000_000, 'es'), { message });
  });

  test('shows progress while it scans a long column, before the first row is validated', async () => {
    const seen: string[] = [];
    const content = `rut;bank;account\n${'12531909-2;012;12531909\n'.repeat(5_000)}`;
    await run(content, 1_000_000, 'en', {
      onLook: (rows, done) => seen.push(`looked at ${rows}, ${done > 0}`),
      onRows: (rows) => seen.push(`validated ${rows}`),
    });
    assert.deepEqual(seen.slice(0, 2), ['looked at 5000, true', 'validated 500']);
  });

  test('ignores spaces around a cell, and keeps them in the output', async () => {
    const { text } = await run('rut,bank,account\n 12531909-2 ,012 , 12531909\u00a0\n');
    assert.match(text, /\n 12531909-2 ,012 , 12531909\u00a0,plausible,true,ACCOUNT_IS_CUENTARUT_OF_HOLDER,/);
  });

  for (const account of ['1,23457E+11', '1.23E+11', '1E+11']) {
    test(`reports ${account} as destroyed by a spreadsheet, in both languages`, async () => {
      const content = `rut;bank;account\n12531909-2;012;${account}\n`;
      assert.match((await run(content)).text, /;ACCOUNT_BAD_FORMAT;A spreadsheet has destroyed/);
      assert.match((await run(content, 1_000_000, 'es')).text, /;ACCOUNT_BAD_FORMAT;Una planilla de cálculo destruyó/);
    });
  }

  const latin1 = 'rut;código banco;cuenta;nombre\r\n12531909-2;012;12531909;Ñandú\r\n';
  const mark = Buffer.from('\ufeff');
  const latin1Files: [name: string, bytes: Buffer][] = [
    ['without a byte order mark', Buffer.from(latin1, 'latin1')],
    ['under a byte order mark that is not its own', Buffer.concat([mark, Buffer.from(latin1, 'latin1')])],
  ];
  for (const [name, bytes] of latin1Files) {
    test(`keeps the accents and line ends of a Latin-1 file ${name}`, async () => {
      const { written } = await run(bytes, 1_000_000, 'es');
      const [head, row, ...rest] = written.toString('latin1').split('\r\n');
      assert.match(head ?? '', /^rut;código banco;cuenta;nombre;verdict;/);
      assert.match(row ?? '', /^12531909-2;012;12531909;Ñandú;plausible;/);
      assert.deepEqual(rest, ['']);
    });
  }

  test('keeps the byte order mark of a UTF-8 file and adds none', async () => {
    for (const start of ['', '\ufeff']) {
      const { written } = await run(`${start}rut;código banco;cuenta;nombre\n12531909-2;012;12531909;Ñandú\n`);
      assert.ok(written.toString().startsWith(`${start}rut;código banco;`));
      assert.match(written.toString(), /;Ñandú;plausible;/);
    }
  });

  test('keeps the order of more rows than one batch, wherever the input is cut', async () => {
    const lines = Array.from({ length: 1203 }, (_, index) => `${index},12531909-2,012,${1000000 + index}`);
    const { text, summary } = await run(`n,rut,bank,account\n${lines.join('\n')}\n`, 997);
    assert.equal(summary.rows, 1203);
    const numbers = text
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => Number(line.split(',')[0]));
    assert.deepEqual(
      numbers,
      lines.map((_, index) => index),
    );
  });

  test('returns a UTF-16 file in UTF-16, with its byte order mark and tabs', async () => {
    const text = '\ufeffrut\tcódigo banco\tcuenta\r\n12531909-2\t012\t12531909\r\n';
    const { written } = await run(Buffer.from(text, 'utf16le'));
    assert.match(
      written.toString('utf16le'),
      /^\ufeffrut\tcódigo banco\tcuenta\tverdict\t.*\r\n12531909-2\t012\t12531909\tplausible\t/,
    );
  });

  test('returns a workbook as CSV without titles and blank rows, and keeps the zeros that it shows', async () => {
    const { text, summary } = await run(
      await makeWorkbook([
        {
          name: 'Nómina',
          rows: [
            ['Enero'],
            null,
            ['RUT', 'Banco', 'Cuenta'],
            ['12531909-2', '012', { value: 12_531_909, format: 2 }],
            [null],
            ['12531909-2', '999', 1],
          ],
        },
      ]),
    );
    const lines = text.split('\r\n').map((line) => line.replace(/bav_\w+/, 'ID'));
    assert.equal(lines[0], `\ufeffRUT;Banco;Cuenta;${ADDED}`);
    assert.match(lines[1] ?? '', /^12531909-2;012;0012531909;plausible;true;ACCOUNT_IS_CUENTARUT_OF_HOLDER;;;ID;/);
    assert.equal(lines.length, 4);
    assert.equal(summary.rows, 2);
  });

  test('an account in a cell that is formatted as a day is not read as the digits of that day', async () => {
    const rows = [
      ['RUT', 'Banco', 'Cuenta'],
      ['12531909-2', '037', { value: 1_234_567, format: 1 }],
    ];
    const workbook = await makeWorkbook([{ name: 'Nómina', rows }]);
    const { text, summary } = await run(workbook, 1_000_000, 'es', { repaired: collector().stream });
    assert.match(text, /\n12531909-2;037;5280-02-15;invalid;false;ACCOUNT_BAD_FORMAT;Una planilla [^;]* destruyó /);
    assert.deepEqual(
      summary.causes.map(({ code }) => code),
      ['NUMBER_DESTROYED'],
    );
  });

  test('a workbook with several such sheets or a hidden row, or a page with several tables, is refused at once', async () => {
    const rows = ['rut,bank,account', '12531909-2,012,12531909'].map((row) => row.split(','));
    const html = `<table>${rows.map((row) => `<tr><td>${row.join('<td>')}`).join('')}</table>`;
    const sheets = [
      { name: 'Enero', rows },
      { name: 'Notas', rows: rows.slice(0, 1) },
      { name: 'Febrero', rows },
    ];
    const files: [file: Buffer, message: RegExp][] = [
      [await makeWorkbook(sheets), /^More than one sheet has such a table: Enero, Febrero\. /],
      [await makeWorkbook([{ name: 'Enero', rows, hiddenRows: [2] }]), /^The spreadsheet hides these rows, .*: 2\. /],
      [Buffer.from(html + html), /^The page has more than one such table: 1, 2\. /],
    ];
    for (const [file, message] of files) {
      const [db, output] = [await openTestDatabase(), collector()];
      const options = { rutFormat: 'with-dv' } as const;
      const refused = validateCsv(createTestApp(db), Readable.from([file]), output.stream, options);
      await assert.rejects(refused, (error) => error instanceof CsvError && message.test(error.message));
      assert.deepEqual(
        [output.text(), (await db.query('select 1 from bank_account_validations')).length],
        ['', 0],
        'nothing is written or stored',
      );
    }
  });

  test('stores every row with the command line as its actor', async () => {
    const { db } = await run('rut,bank,account\n12531909-2,012,12531909\n');
    const rows = await db.query('select actor, account_masked from bank_account_validations');
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [{ actor: 'command-line', account_masked: '•••••1909' }],
    );
  });

  const unusable: [name: string, content: string | Buffer, message: RegExp][] = [
    ['an .xlsx that is cut off', 'PK\x03\x04\x14\x00\x06\x0012531909', /\.xlsx cannot be read/],
    ['the beginning of an .xls', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /This \.xls cannot be read\. .* save it anew/],
    ['a picture', Buffer.from('\x89PNG\0\0\0\r12531909'), /Save it as CSV in UTF-8, or as \.xlsx/],
    ['two columns of RUTs', 'RUT,run,bank,account\n12531909-2,1,012,1\n', /names the column rut twice: RUT \| run\./],
    ['an empty file', '', /empty/],
    ['columns without known names', 'nombre,12531909-2\nAna,1\n', /Which columns .* --columns .* nombre \| …$/],
    ['an unclosed quote', 'rut,bank,account\n"12531909-2,012,1\n', /Line \d+ cannot be read as CSV/],
    ['JSON', '{"rut":"12531909-2"}\n', /Line \d+ cannot be read as CSV/],
    ['an endless row', `rut,bank,account\n${'1'.repeat(100_000)}`, /Line 2 is longer than 65536 characters/],
  ];
  for (const [name, content, message] of unusable) {
    test(`refuses ${name} with a message that repeats no data`, async () => {
      await assert.rejects(run(content), (error) => {
        assert.ok(error instanceof CsvError);
        assert.match(error.message, message);
        assert.ok(!error.message.includes('12531909'));
        return true;
      });
    });
  }

  test('writes a repaired table and its changes, and leaves ambiguous cells as they are', async () => {
    const changes = collector();
    const repaired = collector();
    const { text, summary } = await run(
      'n;RUT;Banco;Cuenta\n1;12531909–2;Falabella;="0012345678"\n2;22883518;12;12 345 678;more\n3;12531909-2;049;1.23E+11\n4;12531909-2;001;1234509876\n',
      1_000_000,
      'es',
      { repaired: repaired.stream, changes: changes.stream },
    );
    assert.equal(
      repaired.text(),
      'n;RUT;Banco;Cuenta\n1;12531909-2;051;0012345678\n2;22883518;012;12345678;more\n3;12531909-2;049;1.23E+11\n4;12531909-2;001;1234509876\n',
    );
    assert.deepEqual(
      changes
        .text()
        .trimEnd()
        .split('\n')
        .map((line) => line.replaceAll('"', '').split(';').slice(0, 6)),
      [
        ['line', 'kind', 'column', 'rule', 'before', 'after'],
        ['2', 'repair', 'rut', 'DASHES', '12531909–2', '12531909-2'],
        ['2', 'repair', 'bank', 'BANK_NAME', 'Falabella', '051'],
        ['2', 'repair', 'account', 'FORMULA_TEXT', `'=0012345678`, '0012345678'],
        ['3', 'repair', 'bank', 'BANK_ZEROS', '12', '012'],
        ['3', 'repair', 'account', 'ACCOUNT_SEPARATORS', '12 345 678', '12345678'],
        ['4', 'suggestion', 'bank', 'BANK_MERGED', '049', '028'],
      ],
    );
    assert.match(changes.text(), /;Usa 028, Banco BICE\.;rut=12531909-2 bank=028 account=\?\n/);
    assert.match(text, /\n2;22883518;012;12345678;undetermined;.*Se puede leer como 2288351-8, 22883518-8\./);
    assert.deepEqual(
      summary.causes.map(({ code, rows }) => [code, rows]),
      [
        ['RUT_CHECK_DIGIT_MAYBE_MISSING', 1],
        ['NUMBER_DESTROYED', 1],
      ],
    );
    assert.ok(!JSON.stringify(summary.causes).includes('2288351'), 'the summary has no personal data');
    assert.equal(summary.repaired.rows, 2);
    assert.deepEqual(summary.repaired.rules[0], { rule: 'DASHES', changes: 1 });
  });

  test('writes ? in a proposal for a RUT, a bank or an account that nobody can use', async () => {
    const content = `rut;bank;account
12531909-3;012;12 345 678
22883518;012;12 345 678
12531909-2;Banco Nada;12 345 678
12531909-2;049;x
`;
    const expected = ['? 012 12345678', '? 012 12345678', '12531909-2 ? 12345678', '12531909-2 028 ?'].map((cells) => {
      const [rut, bank, account] = cells.split(' ');
      return `rut=${rut} bank=${bank} account=${account}`;
    });
    const lastCells = (text: string) =>
      text
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.split(';').at(-1));
    assert.deepEqual(lastCells((await run(content)).text), expected);
    const [changes, repaired] = [collector(), collector()];
    await run(content, 1_000_000, 'en', { repaired: repaired.stream, changes: changes.stream });
    assert.deepEqual(lastCells(changes.text()), expected);
  });

  test('names a bank that the list does not have, and cells in the wrong columns, with what to write instead', async () => {
    const content = `rut;bank;account
12531909-2;Banco Falabela;12345678
12531909-2;Banco Paris;12345678
Banco Estado;12.531.909-2;12531909
12531909-2;12531909;012
12531909-2;012;12.531.909-2
`;
    const { text, summary } = await run(content, 1_000_000, 'es');
    const why = text
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(';').at(-2));
    const unknown =
      'Ningún banco vigente de la lista se llama así, o se llaman así varios. Escribe su nombre como en la lista de bancos, o su código de tres dígitos, como 012.';
    const swapped =
      'Las celdas de esta fila parecen estar en otra columna. Revisa cuál celda es el RUT, cuál el banco y cuál la cuenta.';
    assert.deepEqual(why.slice(0, 4), [unknown, unknown, swapped, swapped]);
    assert.match(text, /;rut=12531909-2 bank=012 account=12531909\n$/, 'the last row has a proposal');
    assert.match(why[4] ?? '', /solo dígitos: .* Una CuentaRUT es el RUT sin su dígito verificador\.$/);
    assert.deepEqual(
      summary.causes.map(({ code, rows }) => [code, rows]),
      [
        ['BANK_NAME_UNKNOWN', 2],
        ['CELLS_SWAPPED', 2],
        ['ACCOUNT_BAD_FORMAT', 1],
      ],
    );
  });

  test('reads RUTs without a hyphen in the format of their column, or as the caller says', async () => {
    const bodies = Array.from({ length: 40 }, (_, index) => String(5_000_003 + index * 1_047_291));
    const content = (column: readonly string[], name = 'rut') =>
      `${name};bank;account\n${column.map((rut) => `${rut};001;1234509876`).join('\n')}\n`;
    const read = async (column: readonly string[], options: CsvOptions = {}, name = 'rut') => {
      const { text, summary } = await run(content(column, name), 1_000_000, 'en', options);
      const cells = text.trimEnd().split('\n').slice(1);
      return { last: cells.at(-1)?.split(';')[9], undetermined: summary.undetermined };
    };
    const last = bodies.at(-1) as string;
    const whole = `${last}-${checkCharacter(last)}`;
    assert.deepEqual(await read(bodies), { last: whole, undetermined: 0 });
    assert.deepEqual(await read([...bodies, '22883518']), { last: '22883518-8', undetermined: 0 });
    assert.deepEqual(await read([...bodies, '12531909-2', '22883518']), { last: '', undetermined: 2 });
    assert.deepEqual(await read(['22883518'], { rutFormat: 'with-dv' }), { last: '2288351-8', undetermined: 0 });
    assert.deepEqual(await read(['22883518'], {}, 'RUT sin DV'), { last: '22883518-8', undetermined: 0 });
  });

  test('writes no formula that a spreadsheet would compute', async () => {
    const repaired = collector();
    const { text } = await run('rut,bank,account,note\n12531909-2,012,12531909,=1+1\n', 1_000_000, 'en', {
      repaired: repaired.stream,
    });
    assert.match(text, /,'=1\+1,plausible/);
    assert.match(repaired.text(), /,'=1\+1\n/);
  });

  test('reads the quotes of a formula as part of a cell, in every encoding', async () => {
    const content = 'rut;bank;account\n12531909-2;="012";="0012531909"\n';
    for (const bytes of [Buffer.from(content), Buffer.from(`\ufeff${content}`, 'utf16le')]) {
      const repaired = collector();
      await run(bytes, 1_000_000, 'en', { repaired: repaired.stream });
      const text = bytes[0] === 0xff ? repaired.bytes().toString('utf16le') : repaired.text();
      assert.match(text, /12531909-2;012;0012531909/);
    }
  });

  function collector() {
    const parts: Buffer[] = [];
    const stream = new Writable({
      write: (part, _encoding, done) => {
        parts.push(part as Buffer);
        done();
      },
    });
    const bytes = () => Buffer.concat(parts);
    return { stream, bytes, text: () => bytes().toString() };
  }

  async function run(content: string | Buffer, chunk = 1_000_000, language: Language = 'en', options: CsvOptions = {}) {
    const db = await openTestDatabase();
    const bytes = Buffer.from(content as string);
    const chunks = Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, at) =>
      bytes.subarray(at * chunk, (at + 1) * chunk),
    );
    let written = Buffer.alloc(0);
    const output = new Writable({
      highWaterMark: 64,
      write: (part, _encoding, done) => {
        written = Buffer.concat([written, part as Buffer]);
        setImmediate(done);
      },
    });
    const summary = await validateCsv(createTestApp(db), Readable.from(chunks), output, { language, ...options });
    assert.equal(output.listenerCount('error'), 0, 'a wait leaves no listener on the stream');
    output.end();
    await new Promise((resolve) => output.on('finish', resolve));
    return { db, written, text: written.toString(), summary };
  }
});
