import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPayment } from '../../src/checkout/start-payment.ts';
import { asMover } from '../../src/db/guard-triggers.ts';
import { beginEpoch } from '../../src/epochs/begin-epoch.ts';
import { releaseEpoch } from '../../src/epochs/release-epoch.ts';
import { listMoves } from '../../src/moves/list-moves.ts';
import { movePaymentService } from '../../src/moves/move-payment-service.ts';
import { setFences } from '../../src/moves/set-guards.ts';
import { shiftAll } from '../../src/moves/switch-over.ts';
import { undoMove } from '../../src/moves/undo-move.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { expireTransactions } from '../../src/transactions/expire-transactions.ts';
import { forEachEngine } from '../support/engines.ts';
import { deliverDue, twoWithShop, wishOf } from '../support/moving-shop.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createTestTransaction } from '../support/test-shop.ts';
import { untilVisible } from '../support/until-visible.ts';

forEachEngine('a source that is restored from a backup of before a move', (openTestDatabase) => {
  const open = async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    const order = await createTestTransaction(from, merchant, { reference: 'PENDING' });
    await movePaymentService(from, to, wishOf(merchant));
    return { from, to, merchant, order };
  };

  test('records the move again with the same command, and then neither pays, expires nor tells the shop', async () => {
    const { from, to, merchant, order } = await open();
    const restored = await goBack(from, merchant, 'forgotten');
    const { events, pauseMs } = await movePaymentService(restored, to, wishOf(merchant));
    assert.ok(events > 0 && pauseMs === null);
    assert.deepEqual(await movesOf(restored), ['out moved']);
    assert.equal(await releaseEpoch(restored, TESTER, null), true);
    await assert.rejects(startPayment(restored, order, 'simulated'), { code: 'PAYMENT_SERVICE_MOVING' });
    from.now.advance(48 * 3_600_000);
    assert.deepEqual([await deliverDue(restored, merchant), await expireTransactions(restored, 10)], [0, 0]);
    assert.deepEqual([await expireTransactions(to, 10), (await verifyStore(to)).ok], [1, true]);
    await assert.rejects(movePaymentService(restored, to, wishOf(merchant)), { code: 'MOVE_ARRIVED' });
  });

  test('does the same if the backup was made during the copy', async () => {
    const { from, to, merchant } = await open();
    const restored = await goBack(from, merchant, 'copying');
    await movePaymentService(restored, to, wishOf(merchant));
    assert.deepEqual(await movesOf(restored), ['out moved']);
    await assert.rejects(createTestTransaction(restored, merchant, { reference: 'HERE' }), {
      code: 'PAYMENT_SERVICE_MOVING',
    });
  });

  test('does not if it has taken an order since the restore, which the other database lacks', async () => {
    const { from, to, merchant } = await open();
    const restored = await goBack(from, merchant, 'forgotten');
    await createTestTransaction(restored, merchant, { reference: 'SINCE' });
    await assert.rejects(movePaymentService(restored, to, wishOf(merchant)), { code: 'MOVE_AFTER_RESTORE' });
    assert.deepEqual(await movesOf(restored), []);
  });
});

forEachEngine('a target that is restored from a backup of before a move', (openTestDatabase) => {
  test('gives the payment service back to its source, where its orders wait until a person has compared', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    const order = await createTestTransaction(from, merchant, { reference: 'PENDING' });
    await movePaymentService(from, to, wishOf(merchant));
    const undo = (other: TestApp) => undoMove(from, other, merchant.paymentServiceId, TESTER);
    await assert.rejects(undo(to), { code: 'MOVE_ARRIVED' });
    from.now.advance(1000);
    await to.db.transaction(async (tx) => {
      await tx.query('delete from moves');
      await setFences(tx, to.db.engine);
    });
    await assert.rejects(
      undo(to),
      { code: 'MOVE_UNKNOWN' },
      'an unrestored database that knows nothing is another one',
    );
    await beginEpoch(to, [], 0, TESTER);
    await assert.rejects(undo(to), { code: 'MOVE_AFTER_RESTORE' });
    await beginEpoch(from, [], 0, TESTER);
    await undo(to);
    assert.deepEqual(await movesOf(from), ['out undone']);
    const { config, now, paymentMethods, fetch } = from;
    const fresh = createTestApp(from.db, { config, now, paymentMethods, fetch });
    const held = { kind: 'refused', code: 'HELD_AFTER_RESTORE' };
    assert.deepEqual(await startPayment(fresh, order, 'simulated'), held);
    await createTestTransaction(fresh, merchant, { reference: 'AFTER' });
    await releaseEpoch(fresh, TESTER, null);
    assert.deepEqual(await startPayment(fresh, order, 'simulated'), { kind: 'asked' });
    await untilVisible(fresh);
    assert.equal((await verifyStore(fresh)).ok, true);
  });
});

forEachEngine('a source that was restored before it recorded a move, and then the target too', (openTestDatabase) => {
  test('takes the payment service back only after it is held anew: the earlier hold knows nothing of the move', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    await movePaymentService(from, to, wishOf(merchant));
    const restored = await goBack(from, merchant, 'forgotten');
    from.now.advance(1000);
    await movePaymentService(restored, to, wishOf(merchant));
    from.now.advance(1000);
    await to.db.transaction(async (tx) => {
      await tx.query('delete from moves');
      await setFences(tx, to.db.engine);
    });
    await beginEpoch(to, [], 0, TESTER);
    const undo = () => undoMove(restored, to, merchant.paymentServiceId, TESTER);
    await assert.rejects(undo(), { code: 'MOVE_AFTER_RESTORE' });
    await beginEpoch(restored, [], 0, TESTER);
    await undo();
    assert.deepEqual(await movesOf(restored), ['out undone']);
  });
});

/** Brings the source back to before the departure, as a backup does, and begins an epoch. */
async function goBack(from: TestApp, merchant: ServiceEnvironment, move: 'forgotten' | 'copying'): Promise<TestApp> {
  await from.db.transaction(async (tx) => {
    await asMover(tx, from.db.engine, () => shiftAll(tx, [merchant.id], 'back'));
    await tx.query(
      move === 'forgotten' ? 'delete from moves' : "update moves set state = 'copying', arrived_at = null",
    );
    await setFences(tx, from.db.engine);
  });
  await beginEpoch(from, [], 0, TESTER);
  const { config, now, paymentMethods, fetch } = from;
  return createTestApp(from.db, { config, now, paymentMethods, fetch });
}

async function movesOf(app: TestApp): Promise<string[]> {
  return (await listMoves(app)).map(({ direction, state }) => `${direction} ${state}`);
}
