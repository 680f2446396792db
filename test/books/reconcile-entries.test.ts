import assert from 'node:assert/strict';
import { test } from 'node:test';
import { availableBalance } from '../../src/books/available-balance.ts';
import { reconcileEntries } from '../../src/books/reconcile-entries.ts';
import { boundsOfDay } from '../../src/lib/calendar-day.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { createLatePayment, createPaidTransaction, removeGuards } from '../support/test-books.ts';
import { acceptedRefund } from '../support/test-refunds.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

forEachEngine('holding a day against the books', (openTestDatabase) => {
  test('what happened fits, whatever it was', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const paid = await createPaidTransaction(app, environment);
    await createLatePayment(app, environment);
    await acceptedRefund(app, paid, 5001);
    await carryOutRefunds(app, 10);
    await acceptedRefund(app, paid, 990);
    await carryOutRefunds(app, 10);
    await acceptedRefund(app, paid, 2000);
    const scope = { environmentIds: [environment.id], ...boundsOfDay('2026-01-15'), transactionId: 0 };
    const { lines, problems } = await reconcileEntries(app, scope);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      lines.map(({ kind, amount, refunded }) => [kind, amount, refunded]),
      [
        ['payment', 12_990, 990],
        ['late_payment', 5001, 0],
        ['refund', 990, 990],
      ],
    );
    assert.equal(await availableBalance(app, scope, 'CLP'), 10_000);
    assert.equal(await availableBalance(app, scope, 'USD'), 0);
    const another = { ...scope, ...boundsOfDay('2026-01-16') };
    assert.deepEqual(await reconcileEntries(app, another), { lines: [], problems: [] });
    assert.deepEqual((await reconcileEntries(app, { ...scope, transactionId: paid.id })).lines.length, 2);
    assert.deepEqual((await reconcileEntries(app, { ...scope, environmentIds: [] })).lines, []);
  });

  test('what does not fit is named, in both directions', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const [one, two, three] = [
      await createPaidTransaction(app, environment),
      await createPaidTransaction(app, environment),
      await createPaidTransaction(app, environment),
    ];
    const refund = await acceptedRefund(app, three, 1000);
    await carryOutRefunds(app, 10);
    await removeGuards(app.db);
    await app.db.transaction(async (tx) => {
      await tx.query('delete from journal_entries where transaction_id = $1', [one.id]);
      await tx.query('update journal_entries set amount = 1 where transaction_id = $1', [two.id]);
      await tx.query('delete from journal_entries where refund_id = $1', [refund.id]);
      await tx.query(
        'insert into journal_entries select environment_id, 9, line, created_at, kind, debit_account, credit_account, amount, currency, transaction_id, payment_attempt_id, refund_id, hash from journal_entries where transaction_id = $1',
        [three.id],
      );
    });
    const scope = { environmentIds: [environment.id], ...boundsOfDay('2026-01-15'), transactionId: 0 };
    const { problems } = await reconcileEntries(app, scope);
    assert.deepEqual(
      problems.map((problem) => ({ ...problem })),
      [
        { problem: 'unexplained', entry: '2.0', transaction_id: two.id, refund_id: null },
        { problem: 'booked_twice', entry: '9.0', transaction_id: three.id, refund_id: null },
        { problem: 'unbooked', entry: null, transaction_id: one.id, refund_id: null },
        { problem: 'unbooked', entry: null, transaction_id: three.id, refund_id: refund.id },
      ],
    );
  });
});
