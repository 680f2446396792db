import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../src/db/database.ts';
import type { BankFileFormat } from '../../src/payout-senders/bank-file-format.ts';
import { BANK_FILES } from '../../src/payout-senders/bank-files.ts';
import { makePayoutFiles } from '../../src/payouts/files/make-payout-files.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { approved, openPayoutDesk, wish } from '../support/test-payouts.ts';

forEachEngine('a file for a bank', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const [payout] = await approved(app, desk, [wish({ amount: 15_000 })]);
    const payer = { account: '123456789', rut: '', name: '', agreement: '' };
    const { environment: owner, maker: by } = desk;
    const make = (from: TestApp) => makePayoutFiles(from, { owner, by, format: 'bice', payer, batchId: null });
    await make(app);
    return { app, desk, first: payout?.id, make };
  };

  test('is written outside the transaction, which a payment on SQLite waits for', async (t) => {
    const { app, desk, make } = await open();
    const [payout] = await approved(app, desk, [wish({ amount: 9000 })]);
    let isInside = false;
    const where: boolean[] = [];
    const format = BANK_FILES.find(({ code }) => code === 'bice') as BankFileFormat;
    const write = format.write.bind(format);
    t.mock.method(format, 'write', (...of: Parameters<typeof write>) => {
      where.push(isInside);
      return write(...of);
    });
    const transaction: Database['transaction'] = (work, kind) =>
      app.db.transaction((tx) => {
        isInside = true;
        return work(tx).finally(() => {
          isInside = false;
        });
      }, kind);
    const [made] = await make({ ...app, db: { ...app.db, transaction } });
    assert.deepEqual(
      made?.payouts.map(({ id, state }) => [id, state]),
      [[payout?.id, 'sent']],
    );
    assert.deepEqual(where, [false]);
  });

  test('has the payouts that are approved when it is stored, also one that came while it was written', async () => {
    const { app, desk, make } = await open();
    const [payout] = await approved(app, desk, [wish({ amount: 9000 })]);
    const others: (string | undefined)[] = [];
    let transactions = 0;
    const from = beforeTransactions(app, async () => {
      if (++transactions === 2) others.push((await approved(app, desk, [wish({ amount: 7000 })]))[0]?.id);
    });
    const [made] = await make(from);
    const ids = new Set(made?.payouts.map(({ id }) => id));
    assert.deepEqual(ids, new Set([payout?.id, ...others]));
    assert.equal(made?.file.total, 16_000);
    for (const amount of ['9000', '7000']) assert.ok(made?.content.includes(amount), amount);
    assert.equal(others.length, 1);
    assert.equal((await verifyStore(app)).ok, true);
  });
});

function beforeTransactions(app: TestApp, change: () => Promise<void>): TestApp {
  const transaction: Database['transaction'] = async (work, kind) => {
    await change();
    return app.db.transaction(work, kind);
  };
  return { ...app, db: { ...app.db, transaction } };
}
