import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { Readable } from 'node:stream';
import { suite, test } from 'node:test';
import type { HeaderRule } from '../../../src/lib/tables/find-header.ts';
import { withTable } from '../../../src/lib/tables/open-table.ts';

const RULE: HeaderRule<'code' | 'name'> = {
  names: { code: [/^codigo$/], name: [/^nombre$/] },
  isHeader: ({ code, name }) => code !== null && name !== null,
};

const hasHeader = (text: string) =>
  withTable(Readable.from([Buffer.from(text)]), RULE, async ({ header }) => header !== null);

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

  test('lets others run after each row that is searched for a header', async () => {
    let turns = 0;
    const hook = createHook({ init: (_, type) => void (type === 'Immediate' && turns++) }).enable();
    await hasHeader(`<table>${'<tr><td>a'.repeat(40)}</table>`);
    hook.disable();
    assert.ok(turns >= 40, `${turns} times others had their turn`);
  });
});
