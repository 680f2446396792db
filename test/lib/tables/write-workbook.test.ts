import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
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

test('a large workbook is written in another thread and has all its rows', async () => {
  const rows = Array.from({ length: 10_000 }, (_, at) => [`0${at}`, at, null, 'ñandú']);
  let threads = 0;
  const hook = createHook({ init: (_, type) => void (type === 'WORKER' && threads++) }).enable();
  const workbook = await writeWorkbook('payments', rows);
  hook.disable();
  // Ten thousand rows kept every payment waiting for most of a second.
  assert.equal(threads, 1);
  const read = await withTable(Readable.from([workbook]), null, async (table) => {
    const lines: string[] = [];
    for await (const { cells } of table.rows) lines.push(cells.join('|'));
    return lines;
  });
  assert.deepEqual([read.length, read.at(-1)], [10_000, '09999|9999||ñandú']);
});
