import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { availableBalance } from '../../src/books/available-balance.ts';
import { selectMovement } from '../../src/movements/movement-queries.ts';
import type { Recording } from '../../src/movements/record-movement.ts';
import { returnPayout } from '../../src/movements/return-movement.ts';
import { lockFunds } from '../../src/payment-services/lock-funds.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { readLines } from '../../src/statements/find-statement.ts';
import { importStatement } from '../../src/statements/import-statement.ts';
import { resolveLine } from '../../src/statements/resolve-line.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { deposit, payOut } from '../support/test-movements.ts';
import { openPayoutDesk } from '../support/test-payouts.ts';
import { untilQueued } from '../support/until-queued.ts';

forEachEngine('a credit that returns a payout to a merchant', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const { environment, maker, approver } = await openPayoutDesk(app, { money: 10_000 });
    const payout = idOf(await payOut(app, environment, 9000, { reference: 'TEF-8812' }));
    const evidence = { name: 'cartola.csv', sha256: hash('sha256', 'x'), bytes: 1, excerpt: '' };
    const account = { environment: 'development' as const, paymentServiceId: null, account: '123456789' };
    const lines = [-9000, 9000, 9000].map((amount, at) => ({
      line: at + 1,
      day: '2026-01-15',
      amount,
      text: amount < 0 ? 'TRANSFERENCIA TEF-8812' : `DEVOLUCION ${at}`,
    }));
    const { id } = await importStatement(app, { ...account, evidence, by: maker }, { lines, proof: 'balance' });
    const say = (fileLine: number, payoutId = payout, by = maker) => {
      app.now.advance(1000);
      const is = { use: 'return' as const, payoutId };
      return resolveLine(app, { statementId: id ?? '', fileLine, is, reason: 'the account is closed', by });
    };
    const sayWrong = (fileLine: number) =>
      resolveLine(app, {
        statementId: id ?? '',
        fileLine,
        is: { use: 'suspense' },
        reason: 'another payout',
        by: maker,
      });
    const { paymentServiceId } = environment;
    const takeBack = () => {
      const wanted = { reference: 'TEF-8812', reason: 'the account is closed', by: maker };
      return returnPayout(app, { paymentServiceId, environment: 'development' }, wanted);
    };
    const available = () => availableBalance(app, { environmentIds: [environment.id], transactionId: 0 }, 'CLP');
    const uses = async () => (await readLines(app, id ?? '', null)).map(({ used_as }) => used_as);
    const findings = async () => (await verifyStore(app)).findings.map(({ says }) => says);
    return { app, environment, approver, payout, say, sayWrong, takeBack, available, uses, findings };
  };
  const idOf = (recording: Recording) => ('movement' in recording ? recording.movement.id : '');

  test('books the return with the line, once, and the charge stays the payout that left', async () => {
    const { app, environment, payout, say, takeBack, available, uses, findings } = await open();
    assert.equal(await available(), 1000);
    await say(2);
    assert.deepEqual([await available(), await uses()], [10_000, ['payout', 'return', 'suspense']]);
    assert.equal((await takeBack()).kind, 'already');
    await assert.rejects(say(3), { code: 'PAYOUT_STATE', message: `Another line is of ${payout}.` });
    await say(2);
    const back = { environment_id: environment.id, kind: 'resolution' as const, reference: 'payout TEF-8812' };
    assert.equal((await selectMovement(app.db, back))?.reason, 'the account is closed');
    assert.deepEqual([await available(), await findings()], [10_000, []]);
  });

  test('is not the return of a payout in another currency', async () => {
    const { app, environment, say } = await open();
    await createPaidTransaction(app, environment, { amount: 9000, currency: 'USD' });
    const dollars = idOf(await payOut(app, environment, 9000, { currency: 'USD' }));
    await assert.rejects(say(2, dollars), { code: 'PAYOUT_STATE', message: /amount/ });
  });

  test('is booked only by a person who may record movements of the merchant', async () => {
    const { app, approver, payout, say, available } = await open();
    const { maker: stranger } = await openPayoutDesk(app);
    for (const by of [approver, stranger]) await assert.rejects(say(2, payout, by), { code: 'PERMISSION_MISSING' });
    assert.equal(await available(), 1000);
  });

  test('is not the return of a deposit of its amount', async () => {
    const { app, environment, say } = await open();
    const paidIn = idOf(await deposit(app, environment, 9000, { paymentMethod: null }));
    await assert.rejects(say(2, paidIn), { code: 'NOT_FOUND' });
  });

  test('is not the return of a payout in the other environment', async () => {
    const { app, say } = await open();
    const { environment, maker } = await openPayoutDesk(app, { mode: 'production', money: 0 });
    await deposit(app, environment, 9000, { paymentMethod: null });
    const theirs = idOf(await payOut(app, environment, 9000));
    const message = 'It belongs to production, and the statement to development.';
    await assert.rejects(say(2, theirs, maker), { code: 'PAYOUT_STATE', message });
  });

  test('is the return that a person had recorded before, and books nothing then', async () => {
    const { say, takeBack, available, uses, findings } = await open();
    await takeBack();
    await say(2);
    assert.deepEqual([await available(), await uses()], [10_000, ['payout', 'return', 'suspense']]);
    assert.deepEqual(await findings(), []);
  });

  test('stays booked when its line is put into suspense, and the payout is recorded again if it did not come back', async () => {
    const { app, environment, say, sayWrong, available, uses, findings } = await open();
    await say(2);
    await sayWrong(2);
    assert.deepEqual([await available(), await uses()], [10_000, ['payout', 'suspense', 'suspense']]);
    await payOut(app, environment, 9000, { reference: 'TEF-8812-2' });
    assert.deepEqual([await available(), await findings()], [1000, []]);
  });

  test('is booked once beside a return that is recorded at the same time', async () => {
    const { app, environment, say, takeBack, available, findings } = await open();
    let asked: Promise<unknown>[] = [];
    await app.db.transaction(async (tx) => {
      await lockFunds(tx, environment.id, 'CLP');
      asked = [say(2), takeBack()];
      await untilQueued(app.db, 2);
    });
    await Promise.all(asked);
    assert.deepEqual([await available(), await findings()], [10_000, []]);
  });
});
