import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { identityHashes } from '../../src/bank-validation/identity-hash.ts';
import { readResults } from '../../src/payouts/files/read-results.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import { forEachEngine } from '../support/engines.ts';
import { makeWorkbook } from '../support/make-workbook.ts';
import { createTestApp } from '../support/test-app.ts';

forEachEngine('a large file of results', (openTestDatabase) => {
  // A thousand lines and a thousand payouts of one person and amount kept every payment waiting for 11 seconds.
  test('has each of its lines hashed once, however many payouts it may mean', async () => {
    const app = createTestApp(await openTestDatabase());
    const hashes = await identityHashes(app);
    const [rut_hash, account_hash] = [hashes.ofRut('12531909-2'), hashes.ofAccount('012', '12531909')];
    const paid = { amount: 100, rut_hash, account_hash, bank_code: '012' };
    const payouts = Array.from(
      { length: 100 },
      (_, at) => ({ ...paid, id: `po_${at}`, reference: `r${at}` }) as Payout,
    );
    let made = 0;
    const own = { ...hashes };
    hashes.ofRut = (rut) => {
      made++;
      return own.ofRut(rut);
    };
    hashes.ofAccount = (bank, account) => {
      made++;
      return own.ofAccount(bank, account);
    };
    const lines = [...Array<string>(100).fill('12531909-2,7,100,pagado'), '12531909-2,12531909,100,pagado'];
    const file = Readable.from([Buffer.from(['rut,cuenta,monto,estado', ...lines].join('\n'))]);
    const { unmatched, unclear } = await readResults(app, file, payouts);
    assert.deepEqual([unmatched.length, unclear], [100, [102]]);
    assert.ok(made <= 10 * lines.length, `${made} hashes for ${lines.length} lines`);
  });

  test('counts the line of a payee named Totalpack, and not a line of totals', async () => {
    const app = createTestApp(await openTestDatabase());
    const hashes = await identityHashes(app);
    const [rut_hash, account_hash] = [hashes.ofRut('12531909-2'), hashes.ofAccount('012', '12531909')];
    const payout = { id: 'po_1', reference: 'r1', amount: 100, rut_hash, account_hash, bank_code: '012' } as Payout;
    const lines = ['12531909-2,12531909,100,rechazado,Totalpack Ltda.', ',,100,,Total'];
    const file = Readable.from([Buffer.from(['rut,cuenta,monto,estado,nombre', ...lines].join('\n'))]);
    const { outcomes, unmatched } = await readResults(app, file, [payout]);
    assert.deepEqual([outcomes.map(({ id, outcome }) => `${id} ${outcome}`), unmatched], [['po_1 failed'], []]);
  });

  test('decides nothing about a payout whose first line is not understood, whatever its second line says', async () => {
    const app = createTestApp(await openTestDatabase());
    const payout = { id: 'po_1', reference: 'r1', amount: 100 } as Payout;
    const read = (...states: string[]) =>
      readResults(app, Readable.from([Buffer.from(['id,estado', ...states.map((one) => `po_1,${one}`)].join('\n'))]), [
        payout,
      ]);
    const nothing = { outcomes: [], unmatched: [3], unclear: [2] };
    assert.deepEqual(await read('en revisión', 'pagado'), nothing);
    assert.deepEqual(await read('pagado', 'rechazado'), { outcomes: [], unmatched: [], unclear: [2, 3] });
  });

  test('is refused if it has more than fifty thousand lines', async () => {
    const app = createTestApp(await openTestDatabase());
    const file = Readable.from([Buffer.from(`id,estado\n${'a,b\n'.repeat(50_001)}`)]);
    await assert.rejects(readResults(app, file, []), { code: 'INVALID_PAYOUT' });
  });

  test('is refused if several visible sheets of a workbook or tables of a page have results', async () => {
    const app = createTestApp(await openTestDatabase());
    const rows = [
      ['id', 'estado'],
      ['po_1', 'pagado'],
    ];
    const file = await makeWorkbook(['Pagados', 'Rechazados'].map((name) => ({ name, rows })));
    await assert.rejects(readResults(app, Readable.from([file]), []), {
      code: 'INVALID_PAYOUT',
      message: /: Pagados, Rechazados\. /,
    });
    const table = `<table>${rows.map((row) => `<tr><td>${row.join('<td>')}`).join('')}</table>`;
    await assert.rejects(readResults(app, Readable.from([Buffer.from(table + table)]), []), {
      code: 'INVALID_PAYOUT',
      message: /more than one such table: 1, 2\. /,
    });
  });
});
