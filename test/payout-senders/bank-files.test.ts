import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { withTable } from '../../src/lib/tables/open-table.ts';
import { BANK_FILES } from '../../src/payout-senders/bank-files.ts';
import type { PayoutLine } from '../../src/payout-senders/payout-sender.ts';
import { runChild } from '../support/child-process.ts';

const PAYER = { rut: '76123456-0', name: 'Tienda SpA', account: '123456789', agreement: '3', day: '2026-01-15' };
const ANA: PayoutLine = {
  reference: 'F-1',
  rut: '12531909-2',
  name: 'Ana Núñez Ñandú',
  email: 'ana@example.cl',
  bankCode: '012',
  account: '12531909',
  amount: 15_000,
  message: 'Factura Nº 1; café',
  accountType: 'sight',
};
const LUZ: PayoutLine = {
  ...ANA,
  reference: 'F-2',
  rut: '7654321-K',
  name: 'Luz',
  email: null,
  bankCode: '001',
  account: '0012345678',
  amount: 7_000_000,
  accountType: 'checking',
};

const folder = mkdtempSync(join(tmpdir(), 'rubrica-bank-files-'));
after(() => rmSync(folder, { recursive: true }));

async function written(code: string, lines = [ANA, LUZ], payer = PAYER): Promise<Buffer> {
  const format = BANK_FILES.find((one) => one.code === code);
  assert.ok(format !== undefined);
  return format.write(payer, lines);
}

/** The expected files as lines. ␍ is a carriage return and → a tab. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  'bancochile-masivas': [
    `TOB07612345600001234567890125319092${'Ana Nunez Nandu'.padEnd(30)}${'12531909'.padEnd(18)}097030000700000015000 ${'Factura N 1 cafe'.padEnd(30)}1${'Factura N 1 cafe'.padEnd(30)}${'ana@example.cl'.padEnd(50)}JUV`,
    `TEC0761234560000123456789007654321K${'Luz'.padEnd(30)}${'0012345678'.padEnd(18)}097004000500007000000 ${'Factura N 1 cafe'.padEnd(30)}0${'Factura N 1 cafe'.padEnd(30)}${''.padEnd(50)}   `,
  ],
  'bancoestado-proveedores': [
    '1→125319092→ANA NUNEZ NANDU→ana@example.cl→012→01→12531909→→15000␍',
    '2→15012026→15000→1→33→→→→␍',
    '1→7654321K→LUZ→→001→01→0012345678→→7000000␍',
    '2→15012026→7000000→2→33→→→→␍',
  ],
  'bancoestado-abonos': [
    '125319092→ANA NUNEZ NANDU→ana@example.cl→012→30→12531909→15000␍',
    '7654321K→LUZ→→001→01→0012345678→7000000␍',
  ],
  'itau-nel': [
    '761234560,2,7015000,005003,CAT_CSH_CONTRACT_ACCOUNT,123456789,Pagos,Pagos,Pagos␍',
    '125319092,Ana Nunez Nandu,ana@example.cl,CAT_CSH_TRANSFER,012,CAT_CSH_CVIS,12531909,15/01/2026,,,15000,CAT_CSH_CCTE,123456789,,F-1,Factura N 1 cafe,Factura N 1 cafe,Factura N 1 cafe␍',
    '7654321K,Luz,,CAT_CSH_TRANSFER,001,CAT_CSH_CCTE,0012345678,15/01/2026,,,7000000,CAT_CSH_CCTE,123456789,,F-2,Factura N 1 cafe,Factura N 1 cafe,Factura N 1 cafe␍',
  ],
  bice: [
    'Ana Nunez Nandu;125319092;12531909;15000;012;3;0;1;1;Factura N 1 cafe␍',
    'Luz;7654321K;0012345678;7000000;001;3;0;1;1;Factura N 1 cafe␍',
  ],
};

for (const [code, lines] of Object.entries(TEXTS)) {
  test(`${code} is written exactly`, async () => {
    const text = (await written(code)).toString('latin1').replaceAll('\t', '→').replaceAll('\r', '␍');
    assert.deepEqual(text, lines.map((line) => `${line}\n`).join(''));
  });
}

/** The rows that another program must read from a workbook: leading zeros in texts, amounts as numbers. */
const ROWS: Readonly<Record<string, readonly string[]>> = {
  santander: [
    '123456789|CLP|12531909|CLP|012|125319092|Ana Nunez Nandu|15000|Factura N 1 cafe|ana@example.cl|Factura N 1 cafe|F-1',
    '123456789|CLP|0012345678|CLP|001|7654321K|Luz|7000000|Factura N 1 cafe||Factura N 1 cafe|F-2',
  ],
  'bancochile-v4': [
    '12531909-2|Ana Nunez Nandu|12531909|012|15000|JUV|F-1|Factura N 1 cafe|ana@example.cl',
    '7654321-K|Luz|0012345678|001|7000000|CTD|F-2|Factura N 1 cafe',
  ],
  bci: [
    '123456789|12531909|012|12531909|2|Ana Nunez Nandu|15000|||OTR|Factura N 1 cafe|ana@example.cl',
    '123456789|0012345678|001|7654321|K|Luz|7000000|||OTR|Factura N 1 cafe',
  ],
  scotiabank: [
    '12531909-2|Ana Nunez Nandu|BANCO ESTADO|12531909|FACTURA|1|15000|CUENTA OTRO BANCO||ana@example.cl',
    '7654321-K|Luz|BANCO DE CHILE|0012345678|FACTURA|2|7000000|CUENTA OTRO BANCO',
  ],
};

for (const [code, lines] of Object.entries(ROWS)) {
  test(`${code} is a workbook that other programs read`, async () => {
    const path = join(folder, `${code}.xlsx`);
    writeFileSync(path, await written(code));
    const rows = await withTable(path, null, async (table) => {
      const all: string[] = [];
      for await (const { cells } of table.rows) all.push(cells.join('|').replace(/\|+$/, ''));
      return all;
    });
    assert.deepEqual(rows.slice(-2), lines);
    await assertInPython(path, lines);
  });
}

test('every bank format has its expected text here, and its row in docs/payouts.md in both languages', () => {
  const codes = BANK_FILES.map(({ code }) => code);
  const golden = [...Object.keys(TEXTS), ...Object.keys(ROWS)];
  assert.deepEqual(golden.toSorted(), codes.toSorted(), 'each code has its lines in TEXTS, or in ROWS for a workbook');
  for (const page of ['docs/payouts.md', 'docs/es/payouts.md']) {
    const rows = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    assert.deepEqual(
      codes.filter((code) => !rows.some((row) => row.includes(`\`${code}\``))),
      [],
      `every format is in a row of ${page}`,
    );
  }
});

/** Reads the workbook with openpyxl, if Debian's python3-openpyxl is installed. */
async function assertInPython(path: string, lines: readonly string[]): Promise<void> {
  const script = `import sys
try:
    import openpyxl
except ImportError:
    sys.exit(77)
for row in openpyxl.load_workbook(sys.argv[1]).worksheets[0].iter_rows(values_only=True):
    print('|'.join('' if cell is None else str(cell) for cell in row).rstrip('|'))`;
  const { status, stdout } = await runChild('python3', ['-c', script, path], { env: process.env });
  if (status !== 77) assert.deepEqual(stdout.trim().split('\n').slice(-2), lines);
}

test('a transfer within Itaú names a branch, which the file format requires', async () => {
  const text = (await written('itau-nel', [{ ...LUZ, bankCode: '039' }])).toString('latin1');
  assert.match(text, /,7000000,CAT_CSH_CCTE,123456789,001,F-2,/);
});

test('a CuentaRUT with leading zeros is paid by its number', async () => {
  const text = (await written('bancoestado-abonos', [{ ...ANA, account: '00012531909' }])).toString('latin1');
  assert.match(text, /\t012\t30\t12531909\t15000\r\n/);
});

test('a bank that asks for the account type of some accounts asks it for no others', async () => {
  const asks = (code: string, line: PayoutLine) => BANK_FILES.find((one) => one.code === code)?.asksTypeOf?.(line);
  assert.deepEqual([asks('bancochile-masivas', LUZ), asks('bancochile-masivas', ANA)], [false, true]);
  for (const code of ['bancoestado-abonos', 'bancoestado-proveedores']) {
    assert.deepEqual([asks(code, LUZ), asks(code, ANA)], [false, true], code);
  }
});

test('a number that does not fit its field stops the file instead of being cut', async () => {
  await assert.rejects(async () => written('bancochile-masivas', [{ ...ANA, account: '1'.repeat(19) }]), RangeError);
  const long = { ...PAYER, account: '12345678901' };
  await assert.rejects(async () => written('itau-nel', [ANA], long), RangeError);
  await assert.rejects(async () => written('scotiabank', [{ ...ANA, bankCode: '999' }]), RangeError);
});

test('no cell contains a separator or a character that a bank refuses', async () => {
  for (const { code } of BANK_FILES.filter(({ extension }) => extension !== 'xlsx')) {
    const hostile = { ...ANA, name: 'A\t;,\r\n"=1+1', message: 'x;\ty\n,', email: 'a;b,c\td@example.cl\r\n2' };
    const text = (await written(code, [hostile])).toString('latin1');
    const plain = (await written(code, [ANA])).toString('latin1');
    assert.equal(text.split('\n').length, plain.split('\n').length, code);
    for (const separator of ['\t', ';', '"', '=']) {
      const count = (all: string) => all.split(separator).length;
      if (count(plain) > 1 || separator === '"' || separator === '=') assert.equal(count(text), count(plain), code);
    }
  }
});
