import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identityHashes } from '../../src/bank-validation/identity-hash.ts';
import type { Database } from '../../src/db/database.ts';
import { insertMail } from '../../src/mail/mail-queries.ts';
import { beginMove } from '../../src/moves/begin-move.ts';
import { movePaymentService } from '../../src/moves/move-payment-service.ts';
import { undoMove } from '../../src/moves/undo-move.ts';
import { insertStatement } from '../../src/statements/bank-statement-queries.ts';
import { expireTransactions } from '../../src/transactions/expire-transactions.ts';
import { forEachEngine } from '../support/engines.ts';
import { deliverDue, diesOnLeaving, talkingShop, twoDatabases, twoWithShop, wishOf } from '../support/moving-shop.ts';
import { TESTER } from '../support/test-actor.ts';
import type { TestApp } from '../support/test-app.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';
import { untilQueued } from '../support/until-queued.ts';

forEachEngine('a payment service whose move meets another command or an earlier copy', (openTestDatabase) => {
  test('begins alone: two that began at once deleted the changes that were written down for each other', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    const others = [merchant, await createTestEnvironment(from)];
    const outcomes = await Promise.allSettled(
      others.map(({ paymentServiceId }) => beginMove(from, to, paymentServiceId, TESTER)),
    );
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') assert.equal(outcome.reason.code, 'MOVE_UNDER_WAY', String(outcome.reason));
  });

  test('is not taken back while it arrives, which once let it be written in both databases', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    const shop = talkingShop(from, to, merchant);
    let undone: Promise<unknown> = Promise.resolve();
    const arriving = onArrival(to, async () => {
      undone = undoMove(from, to, merchant.paymentServiceId, TESTER).catch((error: unknown) => error);
      await untilQueued(to.db);
    });
    await movePaymentService(from, arriving, wishOf(merchant));
    assert.equal(((await undone) as { code?: string }).code, 'MOVE_ARRIVED');
    assert.equal(await shop.order(), 'to');
  });

  test('is due again where it stays, though it was taken back at the moment at which it left', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    await createTestTransaction(from, merchant, { reference: 'WAITS' });
    const killed = onArrival(to, () => Promise.reject(new Error('killed')));
    await assert.rejects(movePaymentService(diesOnLeaving(from), to, wishOf(merchant)), /killed/);
    const leaveFirst: Database['transaction'] = async (work, kind) => {
      await assert.rejects(movePaymentService(from, killed, wishOf(merchant)), /killed/);
      return to.db.transaction(work, kind);
    };
    const late = { ...to, db: { ...to.db, transaction: leaveFirst } };
    await undoMove(from, late, merchant.paymentServiceId, TESTER).catch(() =>
      undoMove(from, to, merchant.paymentServiceId, TESTER),
    );
    from.now.advance(48 * 3_600_000);
    assert.equal(await expireTransactions(from, 10), 1);
  });

  test('comes back after what was open there has ended and was forgotten, and does not send it again', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    const [sale] = await from.db.query<{ id: number }>('select id from transactions where environment_id = $1', [
      merchant.id,
    ]);
    const about = { environment_id: merchant.id, transaction_id: sale?.id ?? 0, refund_id: null };
    const words = { address: 'buyer@example.cl', language: 'es', asked_by_payer: 0, state: 'queued', attempts: 0 };
    const mail = { id: 'ml_waits', ...about, ...words, created_at: from.now(), next_attempt_at: from.now() };
    await from.db.transaction((tx) => insertMail(tx, mail));
    await movePaymentService(from, to, wishOf(merchant));
    assert.ok((await deliverDue(to, merchant)) > 0);
    await to.db.transaction(async (tx) => {
      for (const table of ['delivery_attempts', 'callbacks', 'mails'])
        await tx.query(`delete from ${table} where environment_id = $1`, [merchant.id]);
    });
    await movePaymentService(to, from, wishOf(merchant));
    assert.equal(await deliverDue(from, merchant), 0);
    assert.deepEqual(await from.db.query('select id from mails where environment_id = $1', [merchant.id]), []);
  });

  test('stays where lines of its bank would be taken for new ones', async () => {
    const { from, to } = await twoDatabases(openTestDatabase, await openTestDatabase(), '6b'.repeat(32));
    const { paymentServiceId } = await createTestEnvironment(from);
    const statement = {
      id: 'st_x',
      environment: 'development',
      payment_service_id: paymentServiceId,
      account: '123456789',
      file_name: 'cartola.csv',
      file_sha256: 'ab'.repeat(32),
      imported_at: from.now(),
      imported_by: TESTER.name,
      first_day: '2026-01-15',
      last_day: '2026-01-15',
      lines: 1,
      proof: 'nothing',
    } as const;
    await identityHashes(from);
    await identityHashes(to);
    await from.db.transaction((tx) => insertStatement(tx, statement));
    await assert.rejects(beginMove(from, to, paymentServiceId, TESTER), { code: 'MOVE_KEYS_DIFFER' });
  });
});

/** Does something in the commit with which a payment service arrives, once that says so and nobody else sees it. */
function onArrival(app: TestApp, act: () => Promise<void>): TestApp {
  const transaction: Database['transaction'] = (work, kind) =>
    app.db.transaction((tx) => {
      const query: typeof tx.query = async (sql, parameters) => {
        const rows = await tx.query(sql, parameters);
        if (sql.includes('update moves set state') && parameters?.[1] === 'moved') await act();
        return rows as never;
      };
      return work({ ...tx, query });
    }, kind);
  return { ...app, db: { ...app.db, transaction } };
}
