import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { listAttention } from '../../src/attention/list-attention.ts';
import { verifyBooks } from '../../src/books/verify-books.ts';
import { selectUnresolvedRefunds } from '../../src/movements/movement-queries.ts';
import { readFeed } from '../../src/outbox/feed/read-feed.ts';
import type { PaymentMethod } from '../../src/payment-methods/payment-method.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import type { Refund } from '../../src/refunds/refund.ts';
import { settleRefund } from '../../src/refunds/settle-refund.ts';
import { forEachEngine } from '../support/engines.ts';
import { acceptedRefund, refundsOf } from '../support/test-refunds.ts';
import { untilVisible } from '../support/until-visible.ts';
import { openPaidWebpayShop, type PaidShop, type WebpayShop, workTenHours } from '../support/webpay-shop.ts';

forEachEngine('refunds at Transbank and in the books agree', (openTestDatabase) => {
  const openPaid = (context: TestContext) => openPaidWebpayShop(context, openTestDatabase);

  test('when a part was refunded in the portal and a refund has the same amount', async (context) => {
    const shop = await openPaid(context);
    shop.standIn.refundInPortal(shop.token, 3000);
    await acceptedRefund(shop.app, shop.paid, 3000);
    await workTenHours(shop);
    await assertBooked(shop);
  });

  test('when a restored store has forgotten a refund that Transbank made', async (context) => {
    const shop = await openPaid(context);
    // The lost store requested it. This store is a copy from before the request.
    shop.standIn.refundInPortal(shop.token, 4000);
    await acceptedRefund(shop.app, shop.paid, 4000);
    await workTenHours(shop);
    assert.deepEqual(shop.standIn.refundedAmounts(), [4000]);
    await assertBooked(shop);
  });

  for (const held of [false, true]) {
    test(`when an earlier version requested a refund and died${held ? ', with a late balance' : ''}`, async (context) => {
      const shop = await openPaid(context);
      const { id } = await acceptedRefund(shop.app, shop.paid, 3000);
      // A process that claims the refund, requests it and dies writes only this.
      await shop.app.db.transaction((tx) => tx.query('update refunds set lookups = 1 where id = $1', [id]));
      if (held) shop.standIn.holdBalances('now');
      shop.standIn.refundInPortal(shop.token, 3000);
      await workTenHours(shop);
      shop.standIn.holdBalances(null);
      await workTenHours(shop);
      assert.deepEqual(shop.standIn.refundedAmounts(), [3000]);
      await assertBooked(shop);
    });
  }

  test('when somebody refunds in the portal during a refund: that amount is in suspense and in the feed', async (context) => {
    const shop = await openPaid(context);
    const { app, standIn, paid } = shop;
    await acceptedRefund(app, paid, 3000);
    const { refunds } = shop.method as Required<PaymentMethod>;
    const request: typeof refunds.request = (refund) => {
      standIn.refundInPortal(shop.token, 3000);
      return refunds.request(refund);
    };
    const method = { ...shop.method, refunds: { ...refunds, request } };
    await workTenHours({ ...shop, app: { ...app, paymentMethods: [method] } });
    assert.deepEqual(await refundsOf(app, paid), [['completed', 3000]]);
    assert.deepEqual(await suspended(shop), [3000]);
    await assertBooked(shop);
    await untilVisible(app);
    const { events } = await readFeed(app, { id: 'operator', environmentIds: null }, null, 100);
    const told = events.filter(({ type }) => type === 'transaction.conflict').map(({ data }) => data);
    const [{ id }] = (await app.db.query<{ id: string }>('select id from refunds')) as [{ id: string }];
    const event = { event: 'refund_unasked', unasked: '3000.00', currency: 'CLP' };
    assert.deepEqual(told, [{ state: 'completed', ...event, refund: id }]);
    assert.equal((await app.metrics.conflicts.get()).values[0]?.value, 1);
  });

  test('when a refund without an answer and one in the portal overlap: it waits for a person, all is booked', async (context) => {
    const shop = await openPaid(context);
    const { app, standIn, paid } = shop;
    await acceptedRefund(app, paid, 3000);
    standIn.fail('refund', 'drop_answer');
    await carryOutRefunds(app, 10);
    standIn.refundInPortal(shop.token, 2000);
    await workTenHours(shop);
    assert.deepEqual(standIn.refundedAmounts(), [3000, 2000]);
    assert.deepEqual(await refundsOf(app, paid), [['processing', 3000]]);
    assert.deepEqual(await suspended(shop), [3000, 2000]);
    await assertBooked(shop);
  });

  test('when something is in suspense: the next refund of the payment waits for the decision', async (context) => {
    const shop = await openPaid(context);
    const { app, standIn, paid } = shop;
    for (const amount of [3000, 2000]) await acceptedRefund(app, paid, amount);
    // The lost store requested both.
    standIn.refundInPortal(shop.token, 3000);
    standIn.refundInPortal(shop.token, 2000);
    await workTenHours(shop);
    const [first] = (await app.db.query<Refund>('select * from refunds order by sequence')) as [Refund];
    await settleRefund(app, first, { kind: 'declined', detail: {} });
    await workTenHours(shop);
    assert.deepEqual(standIn.refundedAmounts(), [3000, 2000]);
    assert.deepEqual(await refundsOf(app, paid), [
      ['failed', 3000],
      ['processing', 2000],
    ]);
    await assertBooked(shop);
  });

  test('when somebody refunds in the portal within a day after a refund: it is found and booked in suspense', async (context) => {
    const shop = await openPaid(context);
    await acceptedRefund(shop.app, shop.paid, 3000);
    await carryOutRefunds(shop.app, 10);
    shop.app.now.advance(5 * 3_600_000);
    shop.standIn.refundInPortal(shop.token, 1000);
    for (let day = 0; day < 3; day++) await workTenHours(shop);
    assert.deepEqual(await suspended(shop), [1000]);
    await assertBooked(shop);
    assert.equal(await carryOutRefunds(shop.app, 10), 0);
  });

  test('when Transbank declined a refund and made it after all: it is completed by the balance', async (context) => {
    const shop = await openPaid(context);
    await acceptedRefund(shop.app, shop.paid, 3000);
    shop.standIn.answerNext('refund', { type: 'NULLIFIED', response_code: -1 });
    await carryOutRefunds(shop.app, 10);
    assert.deepEqual(await refundsOf(shop.app, shop.paid), [['failed', 3000]]);
    shop.standIn.refundInPortal(shop.token, 3000);
    await workTenHours(shop);
    assert.deepEqual(await refundsOf(shop.app, shop.paid), [['completed', 3000]]);
    await assertBooked(shop);
  });

  test('when the balance is late: the next refund is made later, without a conflict', async (context) => {
    const shop = await openPaid(context);
    for (const amount of [3000, 2000]) await acceptedRefund(shop.app, shop.paid, amount);
    shop.standIn.holdBalances('now');
    await workTenHours(shop);
    assert.deepEqual(shop.standIn.refundedAmounts(), [3000]);
    shop.standIn.holdBalances(null);
    await workTenHours(shop);
    assert.deepEqual(shop.standIn.refundedAmounts(), [3000, 2000]);
    assert.deepEqual(await suspended(shop), []);
    assert.equal((await shop.app.metrics.conflicts.get()).values[0]?.value, 0);
    await assertBooked(shop);
  });

  test('when a refund is missing from the balance for a day: it is one conflict', async (context) => {
    const shop = await openPaid(context);
    shop.standIn.holdBalances('now');
    await acceptedRefund(shop.app, shop.paid, 3000);
    for (let day = 0; day < 5; day++) await workTenHours(shop);
    assert.equal((await shop.app.metrics.conflicts.get()).values[0]?.value, 1);
    assert.deepEqual(
      (await listAttention(shop.app, 'refund', 10)).map(({ amount }) => amount),
      [3000],
    );
    await assertBooked(shop);
  });

  test('when no status can be read: the refund is not requested until one can', async (context) => {
    const shop = await openPaid(context);
    await acceptedRefund(shop.app, shop.paid, 3000);
    for (let look = 0; look < 40; look++) shop.standIn.fail('status', 'error_500');
    await workTenHours(shop);
    assert.deepEqual(shop.standIn.refundedAmounts(), []);
    await workTenHours(shop);
    await assertBooked(shop);
  });

  for (const part of ['a part', 'all of it'] as const) {
    test(`when the answer about ${part} was lost and the balance is hours late: it is requested once`, async (context) => {
      const shop = await openPaid(context);
      const amount = part === 'a part' ? 3000 : shop.paid.amount;
      await acceptedRefund(shop.app, shop.paid, amount);
      shop.standIn.holdBalances('now');
      shop.standIn.fail('refund', 'drop_answer');
      await workTenHours(shop);
      assert.deepEqual(await refundsOf(shop.app, shop.paid), [['processing', amount]]);
      shop.standIn.holdBalances(null);
      await workTenHours(shop);
      assert.deepEqual(await refundsOf(shop.app, shop.paid), [['completed', amount]]);
      assert.equal(shop.standIn.calls.filter((call) => call.startsWith('refund')).length, 1);
      await assertBooked(shop);
    });
  }
});

/** Returns the amounts that were refunded without a request and wait for a decision. */
async function suspended({ app, paid }: PaidShop): Promise<number[]> {
  return app.db.transaction(async (tx) => (await selectUnresolvedRefunds(tx, paid)).map(({ amount }) => amount));
}

/** Asserts that the refunds and the suspense in the books equal the refunds by Transbank. */
async function assertBooked({ app, standIn }: WebpayShop): Promise<void> {
  const given = standIn.refundedAmounts().reduce((sum, amount) => sum + amount, 0);
  const [booked] = await app.db.query<{ total: number }>(
    `select cast(coalesce(sum(case when credit_account like 'method:%' then amount else -amount end), 0) as bigint) as total
     from journal_entries where kind not in ('payment', 'fee')
       and (credit_account like 'method:%' or debit_account like 'method:%')`,
  );
  assert.equal(booked?.total, given);
  const { problems, records, balances } = await verifyBooks(app);
  assert.deepEqual([problems, records, balances], [[], [], []]);
}
