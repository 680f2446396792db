import assert from 'node:assert/strict';
import { test } from 'node:test';
import { movePaymentService } from '../../src/moves/move-payment-service.ts';
import { undoMove } from '../../src/moves/undo-move.ts';
import { cutFeed } from '../../src/outbox/feed/cut-feed.ts';
import { readFeed } from '../../src/outbox/feed/read-feed.ts';
import { sealFeed } from '../../src/outbox/feed/seal-feed.ts';
import { indexPayments } from '../../src/search/index-payments.ts';
import { selectSearchProgress } from '../../src/search/search-queries.ts';
import { forEachEngine } from '../support/engines.ts';
import { diesOnLeaving, twoWithShop, wishOf } from '../support/moving-shop.ts';
import { TESTER } from '../support/test-actor.ts';
import type { TestApp } from '../support/test-app.ts';
import { createPaidTransaction, removeTriggers } from '../support/test-books.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { untilVisible } from '../support/until-visible.ts';

const DAY = 86_400_000;

forEachEngine('a payment service whose old events were deleted by RETENTION_EVENTS', (openTestDatabase) => {
  /** Ends a move after it has copied old and new events, and then deletes the old events here. */
  const copyThenCut = async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    await settle(from);
    from.now.advance(91 * DAY);
    await createPaidTransaction(from, merchant, { reference: 'NEW' });
    await settle(from);
    await assert.rejects(movePaymentService(diesOnLeaving(from), to, wishOf(merchant)), /killed/);
    assert.equal(await cut(from), 2);
    return { from, to, merchant };
  };

  test('moves, even to a database that has a copy of the deleted events', async () => {
    const { from, to, merchant } = await copyThenCut();
    await undoMove(from, to, merchant.paymentServiceId, TESTER);
    await createPaidTransaction(from, merchant, { reference: 'NEWER' });
    await movePaymentService(from, to, wishOf(merchant));
    assert.deepEqual(await referencesOf(to, merchant.id), ['PAID', 'PAID', 'NEW', 'NEW', 'NEWER', 'NEWER']);
  });

  test('moves there and back after all or the first part of the copied events was deleted', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    await settle(from);
    await assert.rejects(movePaymentService(diesOnLeaving(from), to, wishOf(merchant)), /killed/);
    from.now.advance(91 * DAY);
    await createPaidTransaction(from, merchant, { reference: 'NEW' });
    await settle(from);
    assert.equal(await cut(from), 2);
    await movePaymentService(from, to, wishOf(merchant));
    assert.deepEqual(await referencesOf(to, merchant.id), ['PAID', 'PAID', 'NEW', 'NEW']);
    await createPaidTransaction(to, merchant, { reference: 'THERE' });
    from.now.advance(60 * DAY);
    await createPaidTransaction(from, await createTestEnvironment(from), { reference: 'OTHER' });
    await settle(from);
    await movePaymentService(to, from, wishOf(merchant));
    assert.deepEqual(await referencesOf(from, merchant.id), ['NEW', 'NEW', 'THERE', 'THERE']);
  });

  test('does not move if events are missing that were too new to be deleted', async () => {
    const { from, to, merchant } = await copyThenCut();
    await removeTriggers(from.db);
    const remove = "delete from events where environment_id = $1 and type = 'transaction.created'";
    await from.db.transaction((tx) => tx.query(remove, [merchant.id]));
    await assert.rejects(movePaymentService(from, to, wishOf(merchant)), { code: 'MOVE_DIFFERS' });
  });
});

async function settle(app: TestApp): Promise<void> {
  await untilVisible(app);
  await sealFeed(app);
  while ((await indexPayments(app)) > 0);
}

/** Deletes events like a worker with RETENTION_EVENTS=90. Returns how many. */
async function cut(app: TestApp): Promise<number> {
  const retentionDays = { ...app.config.retentionDays, events: 90 };
  const worker = { ...app, config: { ...app.config, retentionDays } };
  let deleted = 0;
  for (let found = -1; found !== 0; deleted += found)
    found = await cutFeed(worker, () => selectSearchProgress(app.db), 100);
  return deleted;
}

async function referencesOf(app: TestApp, environmentId: number) {
  await untilVisible(app);
  const { events } = await readFeed(app, { id: 'us_x', environmentIds: new Set([environmentId]) }, null, 1000);
  return events.map(({ transaction }) => transaction?.reference);
}
