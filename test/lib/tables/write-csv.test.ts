import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeCsv } from '../../../src/lib/tables/write-csv.ts';

const COMMAS = { separator: ',', lineEnd: '\n' } as const;

test('a cell that a spreadsheet would compute gets an apostrophe', () => {
  for (const cell of ['=1+1', '@SUM(A1)', '+1+1', '-1+1', '-', '+cmd|x', '\t=1', '＝1']) {
    assert.equal(writeCsv([[cell]], COMMAS), `'${cell}\n`);
  }
  for (const cell of ['\r=1', '\n=1']) assert.equal(writeCsv([[cell]], COMMAS), `"'${cell}"\n`);
});

test('an amount with a sign stays a number', () => {
  for (const cell of ['-2990', '+5', '-10.55', '12990', '0']) {
    assert.equal(writeCsv([[cell]], COMMAS), `${cell}\n`);
  }
  assert.equal(writeCsv([['-10,55', 'a;b']], { separator: ';', lineEnd: '\r\n' }), '-10,55;"a;b"\r\n');
});
