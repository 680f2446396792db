import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../src/db/database.ts';
import { dayOf } from '../../src/lib/calendar-day.ts';
import { makePayoutFiles } from '../../src/payouts/files/make-payout-files.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { readLines } from '../../src/statements/find-statement.ts';
import { importStatement } from '../../src/statements/import-statement.ts';
import type { StatementLine } from '../../src/statements/statement.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { approved, openPayoutDesk, wish } from '../support/test-payouts.ts';

forEachEngine('a large statement', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const line = (at: number, amount: number, text: string): StatementLine => ({
      line: at,
      day: dayOf(app.now() - (at % 20) * 86_400_000),
      amount,
      text,
    });
    const take = (lines: readonly StatementLine[], from: TestApp = app, account = '123456789') =>
      importStatement(
        from,
        {
          environment: 'development',
          paymentServiceId: null,
          account,
          evidence: { name: 'cartola.csv', sha256: 'ab'.repeat(32), bytes: 1, excerpt: '' },
          by: desk.maker,
        },
        { lines, proof: 'balance' },
      );
    const send = async (amount: number) => {
      const [payout] = await approved(app, desk, [wish({ amount })]);
      const payer = { account: '123456789', rut: '', name: '', agreement: '' };
      await makePayoutFiles(app, {
        owner: desk.environment,
        by: desk.maker,
        format: 'santander',
        payer,
        batchId: null,
      });
      return payout?.id ?? '';
    };
    return { app, line, take, send };
  };

  test('is read and matched before its transaction, which a payment on SQLite waits for', async () => {
    const { app, line, take } = await open();
    const lines = Array.from({ length: 2500 }, (_, at) => line(at + 2, 1000 + at, `TEF ${at}`));
    await take(lines.slice(0, 100));
    let [isInside, turns] = [false, 0];
    const count = () => {
      if (isInside) turns++;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    const asked: string[] = [];
    const from = inTransactions(app, (work) => async (tx) => {
      isInside = true;
      const query: typeof tx.query = (sql, parameters) => {
        asked.push(sql);
        return tx.query(sql, parameters);
      };
      return work({ ...tx, query }).finally(() => {
        isInside = false;
      });
    });
    const { known, uses } = await take(lines, from);
    clearImmediate(next);
    assert.deepEqual([known, uses.suspense], [100, 2400]);
    assert.deepEqual(
      asked.filter((sql) => /select (l\.)?line_key/.test(sql)),
      [],
    );
    // The work for 50,000 lines yields to others again and again. On PostgreSQL each statement does.
    if (app.db.engine === 'sqlite') assert.equal(turns, 0);
    assert.equal((await verifyStore(app)).ok, true);
  });

  test('that every line is known of opens no transaction', async () => {
    const { app, line, take } = await open();
    const lines = [line(2, -1500, 'COMISION'), line(3, 9000, 'ABONO')];
    const first = await take(lines);
    const from = inTransactions(app, () => () => Promise.reject(new Error('a transaction')));
    const again = await take(lines, from);
    assert.deepEqual([again.id, again.known, again.lines], [first.id, 2, 2]);
  });

  test('confirms a payout that leaves after its lines were matched', async () => {
    const { app, line, take, send } = await open();
    const lines = [line(20, -15_000, 'TEF 12.531.909-2'), line(21, -700, 'COMISION')];
    await take([line(2, -1, 'ITS FIRST FILE MAKES THE KEY')]);
    let payout = '';
    const from = before(app, async () => {
      payout = await send(15_000);
    });
    const { settled, uses } = await take(lines, from);
    assert.deepEqual([settled, uses.payout, uses.suspense], [[payout], 1, 1]);
    assert.equal((await verifyStore(app)).ok, true);
  });

  test('does not bring lines again that another file has brought after they were read', async () => {
    const { app, line, take } = await open();
    const lines = [line(2, -1500, 'COMISION'), line(3, 9000, 'ABONO'), line(4, 9000, 'ABONO')];
    await take([line(2, -1, 'ITS FIRST FILE MAKES THE KEY')]);
    const from = before(app, async () => {
      await take(lines.slice(0, 2));
    });
    const { id, known, uses } = await take(lines, from);
    assert.deepEqual([known, uses.suspense], [2, 1]);
    const kept = await readLines(app, id ?? '', null);
    assert.deepEqual(
      kept.map(({ number, file_line }) => [number, file_line]),
      [[1, 4]],
    );
    assert.equal((await verifyStore(app)).ok, true);
  });
});

type Work = Parameters<Database['transaction']>[0];

function inTransactions(app: TestApp, wrap: (work: Work) => Work): TestApp {
  const transaction: Database['transaction'] = (work, kind) =>
    app.db.transaction(wrap(work as Work) as typeof work, kind);
  return { ...app, db: { ...app.db, transaction } };
}

/** Returns the app with a change right before its first transaction. */
function before(app: TestApp, change: () => Promise<void>): TestApp {
  let changed: Promise<void> | undefined;
  const transaction: Database['transaction'] = async (work, kind) => {
    await (changed ??= change());
    return app.db.transaction(work, kind);
  };
  return { ...app, db: { ...app.db, transaction } };
}
