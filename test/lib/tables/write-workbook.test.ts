import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { withTable } from '../../../src/lib/tables/open-table.ts';
import { writeWorkbook } from '../../../src/lib/tables/write-workbook.ts';

test('a workbook has the rows that were written, and none of its texts is a formula', async () => {
  const workbook = await writeWorkbook('a list: of/payments', [
    ['Order', 'Amount', 'Note'],
    ['=1+1', 12_990, null],
    ['ñandú', 7.5, '007'],
  ]);
  const rows = await withTable(Readable.from([workbook]), null, async (table) => {
    const read: (readonly string[])[] = [];
    for await (const { cells } of table.rows) read.push(cells);
    return read;
  });
  assert.deepEqual(
    rows.map((row) => row.slice(0, 3).map((cell) => cell ?? '')),
    [
      ['Order', 'Amount', 'Note'],
      ['=1+1', '12990', ...(rows[1]?.length === 3 ? [''] : [])],
      ['ñandú', '7.5', '007'],
    ],
  );
  assert.doesNotMatch(workbook.toString('latin1'), /<f>/);
});
