import assert from 'node:assert/strict';
import { test } from 'node:test';
import { movePaymentService } from '../../src/moves/move-payment-service.ts';
import { raiseIds } from '../../src/moves/raise-ids.ts';
import { cutFeed } from '../../src/outbox/feed/cut-feed.ts';
import { sealFeed } from '../../src/outbox/feed/seal-feed.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { findPayments } from '../../src/search/find-payments.ts';
import { indexPayments } from '../../src/search/index-payments.ts';
import { NO_FILTER, type PaymentFilter } from '../../src/search/payment-filter.ts';
import { selectSearchProgress } from '../../src/search/search-queries.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { configOf, twoWithShop, wishOf } from '../support/moving-shop.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction, removeTriggers } from '../support/test-books.ts';
import { acceptedRefund } from '../support/test-refunds.ts';
import { untilVisible } from '../support/until-visible.ts';

const DAY = 86_400_000;

forEachEngine('a payment service whose events were deleted for their age before it moved', (openTestDatabase) => {
  test('is proved in the other database and in the next one, and a forged age is detected', async () => {
    const { from, to, merchant } = await cutThenMove(openTestDatabase);
    assert.deepEqual((await verifyStore(from)).findings, []);
    assert.deepEqual((await verifyStore(to)).findings, []);
    const third = createTestApp(await openTestDatabase(), { config: configOf('pay-3'), now: from.now });
    await raiseIds(third, 2_000_000_000, TESTER);
    await movePaymentService(to, third, wishOf(merchant));
    await settle(third);
    assert.deepEqual((await verifyStore(third)).findings, []);
    await removeTriggers(third.db);
    const forge = `update moves set progress = replace(progress, '"until":', '"until":9')`;
    await third.db.transaction((tx) => tx.query(forge));
    const { findings } = await verifyStore(third);
    assert.deepEqual(
      findings.map(({ finding }) => finding),
      ['event_missing', 'callback_changed'],
    );
  });

  test('is found in the other database by everything, also in amounts and days', async () => {
    const { from, to, merchant } = await cutThenMove(openTestDatabase);
    const [paid] = await find(from, { reference: 'PAID' });
    const { created_at: since, authorization_code: authorizationCode = null, amount = 0, currency = '' } = paid ?? {};
    const filters: Partial<PaymentFilter>[] = [
      { reference: 'PAID' },
      { authorizationCode },
      { amount: { amount, currency } },
      { since: since ?? null, until: since === undefined ? null : since + 1 },
    ];
    assert.ok(authorizationCode);
    for (const filter of filters) {
      const asked = { paymentService: merchant.paymentServiceId, ...filter };
      assert.deepEqual(await find(to, asked), await find(from, asked), JSON.stringify(filter));
    }
  });

  test('moves from the next database to one that still has these events', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    await movePaymentService(from, to, wishOf(merchant));
    await settle(to);
    from.now.advance(61 * DAY);
    await createPaidTransaction(to, merchant, { reference: 'NEW' });
    await settle(to);
    assert.ok((await cut(to)) >= 2);
    const third = createTestApp(await openTestDatabase(), { config: configOf('pay-3'), now: from.now });
    await raiseIds(third, 2_000_000_000, TESTER);
    await movePaymentService(to, third, wishOf(merchant));
    await movePaymentService(third, from, wishOf(merchant));
    await settle(from);
    assert.deepEqual((await verifyStore(from)).findings, []);
  });

  test('lacks only the events that expired elsewhere, once it is back', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    const paid = await createPaidTransaction(from, merchant, { reference: 'REFUNDED' });
    await settle(from);
    await movePaymentService(from, to, wishOf(merchant));
    await acceptedRefund(to, paid, 1000);
    await settle(to);
    from.now.advance(61 * DAY);
    await acceptedRefund(to, paid, 1000);
    await settle(to);
    assert.ok((await cut(to)) > 0);
    await movePaymentService(to, from, wishOf(merchant));
    await settle(from);
    const sql = 'select sequence from events where transaction_id = $1 order by sequence';
    const left = (await from.db.query<{ sequence: number }>(sql, [paid.id])).map(({ sequence }) => sequence);
    assert.deepEqual(left, [1, 2, 4]);
    assert.deepEqual((await verifyStore(from)).findings, []);
  });
});

async function find(app: TestApp, filter: Partial<PaymentFilter>) {
  const search = { filter: { ...NO_FILTER, ...filter }, environmentIds: null, after: null, limit: 10 };
  return (await findPayments(app, search)).payments;
}

/** Deletes the events of a payment in the first of two databases, and moves its payment service to the second. */
async function cutThenMove(openTestDatabase: OpenTestDatabase) {
  const { from, to, merchant } = await twoWithShop(openTestDatabase);
  await settle(from);
  from.now.advance(61 * DAY);
  await createPaidTransaction(from, merchant, { reference: 'NEW' });
  await settle(from);
  assert.equal(await cut(from), 2);
  await movePaymentService(from, to, wishOf(merchant));
  await settle(to);
  return { from, to, merchant };
}

async function settle(app: TestApp): Promise<void> {
  await untilVisible(app);
  await sealFeed(app);
  while ((await indexPayments(app)) > 0);
}

/** Deletes events like a worker with RETENTION_EVENTS=60. Returns how many. */
async function cut(app: TestApp): Promise<number> {
  const retentionDays = { ...app.config.retentionDays, events: 60 };
  const worker = { ...app, config: { ...app.config, retentionDays } };
  let deleted = 0;
  for (let found = -1; found !== 0; deleted += found)
    found = await cutFeed(worker, () => selectSearchProgress(app.db), 100);
  return deleted;
}
