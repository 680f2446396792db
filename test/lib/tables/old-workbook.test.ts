import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { utils, write } from '@e965/xlsx';
import { withTable } from '../../../src/lib/tables/open-table.ts';
import { TableError } from '../../../src/lib/tables/table.ts';
import { readStatement } from '../../../src/statements/read-statement.ts';
import { wholeText } from '../../../src/statements/statement.ts';

/**
 * A workbook by xlwt 1.3 (Debian's python3-xlwt) with a hidden first sheet. The second sheet has a bank statement below
 * a heading, the newest line first. Days are numbers with the format DD/MM/YYYY, and one is text. Amounts are numbers,
 * and document numbers have leading zeros.
 */
const CARTOLA = join(import.meta.dirname, 'cartola-of-xlwt.xls');

const rowsOf = (source: string | Buffer) =>
  withTable(typeof source === 'string' ? source : Readable.from([source]), null, async ({ dialect, rows }) => {
    const all: string[] = [];
    for await (const { line, cells } of rows) all.push(`${line}: ${cells.join('|')}`);
    return { dialect, all };
  });

test('an .xls is read as it is shown: days, zeros, accents and visible sheets', async () => {
  const { dialect, all } = await rowsOf(CARTOLA);
  assert.deepEqual(dialect, { format: 'xls', sheet: 'Cartola & más' });
  assert.deepEqual(all, [
    '1: Banco de Chile',
    '2: Nombre Empresa|Ñandú & Cía. Ltda. <€>',
    '3: Cuenta N°|00-123-45678-09',
    '5: Fecha|Descripción|Canal o Sucursal|Nro. Documento|Cargos (CLP)|Abonos (CLP)|Saldo (CLP)',
    '6: 2026-01-16|DEVOLUCION 12.531.909-2|Internet|000000100||15000|1750000',
    '7: 2026-01-15|Pago Fácil Bch: 012531909-2|Internet|000000099|15000||1735000',
    '8: 2026-01-15|ARRIENDO|Oficina|000000098|250000||1750000',
    '9: 14/01/2026|PAGO RECIBIDO TF2 096689310-9 TRANSBANK||000000097||2000000|2000000',
  ]);
});

test('a row that an .xls hides is marked', async () => {
  const bytes = readFileSync(CARTOLA);
  // The record of the seventh row of the second sheet, and its flag "hidden".
  const row = bytes.lastIndexOf(Buffer.from([0x08, 0x02, 16, 0, 6, 0]));
  bytes.writeUInt8(bytes.readUInt8(row + 16) | 0x20, row + 16);
  const hidden: number[] = [];
  await withTable(Readable.from([bytes]), null, async ({ rows }) => {
    for await (const one of rows) if (one.hidden) hidden.push(one.line);
  });
  assert.deepEqual(hidden, [7]);
});

test('a bank statement as .xls is read', async () => {
  const { lines, proof } = await readStatement(CARTOLA);
  assert.equal(proof, 'balance');
  assert.deepEqual(
    lines.map((one) => `${one.line} ${one.day} ${one.amount} ${wholeText(one)}`),
    [
      '6 2026-01-16 15000 DEVOLUCION 12.531.909-2 000000100',
      '7 2026-01-15 -15000 Pago Fácil Bch: 012531909-2 000000099',
      '8 2026-01-15 -250000 ARRIENDO 000000098',
      '9 2026-01-14 2000000 PAGO RECIBIDO TF2 096689310-9 TRANSBANK 000000097',
    ],
  );
});

const hostile: Record<string, [bytes: () => Buffer, code: string]> = {
  'the beginning of an .xls': [() => Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'BROKEN_WORKBOOK'],
  'half of an .xls': [() => readFileSync(CARTOLA).subarray(0, 2800), 'BROKEN_WORKBOOK'],
  'an .xls with zeros in its middle': [() => readFileSync(CARTOLA).fill(0, 600, 3000), 'BROKEN_WORKBOOK'],
  'an .xls of 17 MiB': [() => Buffer.concat([readFileSync(CARTOLA), Buffer.alloc(17 * 2 ** 20)]), 'WORKBOOK_TOO_LARGE'],
  'an .xls of a million cells': [
    () => workbook(Array.from({ length: 4000 }, () => [...Array(255), 1])),
    'WORKBOOK_TOO_LARGE',
  ],
};
for (const [name, [bytes, code]] of Object.entries(hostile)) {
  test(`${name}: refused with ${code}, and no data is repeated`, async () => {
    await assert.rejects(rowsOf(bytes()), (error) => {
      assert.ok(error instanceof TableError);
      assert.equal(error.code, code);
      assert.ok(!error.message.includes('12531909'));
      return true;
    });
  });
}

test('an .xls with a password is refused as locked', async () => {
  const { CFB } = await import('@e965/xlsx');
  const locked = CFB.utils.cfb_new();
  for (const part of ['/EncryptionInfo', '/EncryptedPackage']) CFB.utils.cfb_add(locked, part, Buffer.alloc(600, 4));
  const bytes = CFB.write(locked, { type: 'buffer' }) as Buffer;
  await assert.rejects(rowsOf(bytes), { code: 'LOCKED_WORKBOOK' });
});

function workbook(rows: readonly (readonly (string | number)[])[]): Buffer {
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet(rows.map((row) => [...row])), 'Hoja');
  return write(book, { type: 'buffer', bookType: 'biff8' }) as Buffer;
}

test('an .xls whose cells have far more text than its bytes is refused', async () => {
  const workbook = (rows: number) => {
    const sheet = utils.aoa_to_sheet(Array.from({ length: rows }, () => Array(20).fill('x'.repeat(2_000))));
    return write({ SheetNames: ['A'], Sheets: { A: sheet } }, { type: 'buffer', bookType: 'biff8', bookSST: true });
  };
  assert.equal((await rowsOf(workbook(100))).all.length, 100);
  await assert.rejects(rowsOf(workbook(400)), { code: 'WORKBOOK_TOO_LARGE' });
});

test('.xls files are read one after the other, so that they do not take every core', async () => {
  let running = 0;
  let most = 0;
  const count = (thread: Worker) => {
    most = Math.max(most, ++running);
    thread.once('exit', () => running--);
  };
  process.on('worker', count);
  const read = await Promise.allSettled(
    [CARTOLA, Buffer.from('d0cf11e0a1b11ae1', 'hex'), CARTOLA, CARTOLA].map(rowsOf),
  );
  process.off('worker', count);
  assert.deepEqual(
    read.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  );
  assert.equal(most, 1);
});
