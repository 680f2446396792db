import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { listAttention } from '../../src/attention/list-attention.ts';
import { verifyBooks } from '../../src/books/verify-books.ts';
import { describeEvidence } from '../../src/lib/evidence-file.ts';
import { selectUnresolvedRefunds } from '../../src/movements/movement-queries.ts';
import { resolveSuspense } from '../../src/movements/resolve-suspense.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import { decideRefund, rehearseRefundDecision } from '../../src/refunds/decide-refund.ts';
import type { RefundDecisionOutcome } from '../../src/refunds/refund-decision.ts';
import { selectRefundDecisions } from '../../src/refunds/refund-decision-queries.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { acceptedRefund, refund, refundsOf } from '../support/test-refunds.ts';
import { openPaidWebpayShop, type PaidShop, type WebpayShop, workTenHours } from '../support/webpay-shop.ts';

const HOUR = 3_600_000;

forEachEngine('a person decides a refund', (openTestDatabase) => {
  const openPaid = (context: TestContext) => openPaidWebpayShop(context, openTestDatabase);

  test('as completed when it was the one in the portal: its amount leaves suspense, and nothing waits', async (context) => {
    const shop = await openPaid(context);
    const { app, paid } = shop;
    shop.standIn.refundInPortal(shop.token, 3000);
    const { id } = await acceptedRefund(app, paid, 3000);
    await workTenHours(shop);
    assert.deepEqual(await kindsIn(shop), ['refund', 'suspense']);
    assert.equal(await decide(shop, id, 'completed'), 'decided');
    assert.deepEqual(await refundsOf(app, paid), [['completed', 3000]]);
    assert.deepEqual(await kindsIn(shop), []);
    assert.deepEqual(await balancesIn(shop), { suspense: 0, receivable: paid.amount - 3000 });
    assert.equal(await decide(shop, id, 'completed'), 'already');
    assert.equal(await decide(shop, id, 'failed'), 'completed_stays');
    await workTenHours(shop);
    assert.deepEqual(await kindsIn(shop), []);
    await assertRight(shop);
  });

  test('not by a preview from before the money in suspense was assigned; a new preview decides', async (context) => {
    const shop = await openPaid(context);
    const { app, paid } = shop;
    shop.standIn.refundInPortal(shop.token, 3000);
    const { id } = await acceptedRefund(app, paid, 3000);
    await workTenHours(shop);
    const wish = { outcome: 'completed', reason: 'seen in the portal', evidence: EVIDENCE, by: TESTER } as const;
    const seen = await rehearseRefundDecision(app, id, wish);
    await resolveSuspense(app, paid.id, { decision: 'kept', reason: 'the shop did it', by: TESTER });
    assert.equal(await decideRefund(app, id, { ...wish, effect: seen?.effect ?? '' }), 'already');
    assert.deepEqual(
      [await refundsOf(app, paid), await selectRefundDecisions(app.db, 10)],
      [[['processing', 3000]], []],
    );
    const now = await rehearseRefundDecision(app, id, wish);
    assert.equal(await decideRefund(app, id, { ...wish, effect: now?.effect ?? '' }), 'decided');
    assert.deepEqual(await refundsOf(app, paid), [['completed', 3000]]);
  });

  test('as completed when there was another one in the portal: only its own amount leaves suspense', async (context) => {
    const shop = await openPaid(context);
    const { app, paid } = shop;
    const { id } = await acceptedRefund(app, paid, 3000);
    shop.standIn.fail('refund', 'drop_answer');
    await carryOutRefunds(app, 10);
    shop.standIn.refundInPortal(shop.token, 2000);
    await workTenHours(shop);
    assert.equal(await decide(shop, id, 'completed'), 'decided');
    assert.deepEqual(await balancesIn(shop), { suspense: 2000, receivable: paid.amount - 5000 });
    const [open] = await app.db.transaction((tx) => selectUnresolvedRefunds(tx, paid));
    const decision = { decision: 'kept' as const, reason: 'the shop did it', by: TESTER };
    assert.equal((await resolveSuspense(app, paid.id, { ...decision, entry: '99.0' })).kind, 'nothing');
    assert.equal((await resolveSuspense(app, paid.id, { ...decision, entry: open?.entry as string })).kind, 'resolved');
    assert.deepEqual(await balancesIn(shop), { suspense: 0, receivable: paid.amount - 5000 });
    await workTenHours(shop);
    assert.deepEqual(await kindsIn(shop), []);
    await assertRight(shop);
  });

  test('as completed by evidence when the method does not answer: it is booked once, also after a late balance', async (context) => {
    const shop = await openPaid(context);
    const { app, paid } = shop;
    const { id } = await acceptedRefund(app, paid, 3000);
    shop.standIn.holdBalances('now');
    shop.standIn.fail('refund', 'drop_answer');
    await workTenHours(shop);
    assert.equal(await decide(shop, id, 'completed'), 'decided');
    assert.deepEqual(await balancesIn(shop), { suspense: 0, receivable: paid.amount - 3000 });
    shop.standIn.holdBalances(null);
    await workTenHours(shop);
    assert.deepEqual(await kindsIn(shop), []);
    const [decision] = await selectRefundDecisions(app.db, 10);
    assert.deepEqual(
      [decision?.refund_id, decision?.outcome, decision?.evidence_name, decision?.reason, decision?.decided_by],
      [id, 'completed', 'portal.txt', 'seen in the portal', TESTER.name],
    );
    await assertRight(shop);
  });

  test('as failed: its amount is available again, and a balance that shows it later completes it with a conflict', async (context) => {
    const shop = await openPaid(context);
    const { app, paid } = shop;
    const { id } = await acceptedRefund(app, paid, 3000);
    shop.standIn.holdBalances('now');
    shop.standIn.fail('refund', 'drop_answer');
    await workTenHours(shop);
    assert.equal(await decide(shop, id, 'failed'), 'decided');
    assert.deepEqual(await refundsOf(app, paid), [['failed', 3000]]);
    shop.standIn.holdBalances(null);
    await workTenHours(shop);
    assert.deepEqual(await refundsOf(app, paid), [['completed', 3000]]);
    assert.equal((await app.metrics.conflicts.get()).values[0]?.value, 1);
    await assertRight(shop);
  });

  test('to be retried a day later: it is requested once more', async (context) => {
    const shop = await openPaid(context);
    const { app, standIn, paid } = shop;
    const { id } = await acceptedRefund(app, paid, 3000);
    assert.equal(await decide(shop, id, 'retry', null), 'already');
    standIn.fail('refund', 'drop_request');
    await carryOutRefunds(app, 10);
    app.now.advance(23 * HOUR);
    assert.equal(await decide(shop, id, 'retry', null), 'too_early');
    app.now.advance(HOUR);
    await carryOutRefunds(app, 10);
    assert.equal(standIn.calls.filter((call) => call.startsWith('refund')).length, 1);
    assert.equal(await decide(shop, id, 'retry', null), 'decided');
    assert.equal(await decide(shop, id, 'retry', null), 'already');
    await carryOutRefunds(app, 10);
    assert.deepEqual(await refundsOf(app, paid), [['completed', 3000]]);
    assert.deepEqual(standIn.refundedAmounts(), [3000]);
    await assertRight(shop);
  });

  test('to be retried although it was made: a refusal does not end it, and the balance completes it', async (context) => {
    const shop = await openPaid(context);
    const { app, standIn, paid } = shop;
    const { id } = await acceptedRefund(app, paid, paid.amount);
    standIn.holdBalances('now');
    standIn.fail('refund', 'drop_answer');
    await carryOutRefunds(app, 10);
    assert.equal(await decide(shop, id, 'retry'), 'decided');
    app.now.advance(60_000);
    await carryOutRefunds(app, 10);
    assert.deepEqual(
      standIn.calls.filter((call) => call.startsWith('refund')),
      ['refund dropped', 'refund 422'],
    );
    assert.deepEqual(await refundsOf(app, paid), [['processing', paid.amount]]);
    standIn.holdBalances(null);
    await workTenHours(shop);
    assert.deepEqual(await refundsOf(app, paid), [['completed', paid.amount]]);
    assert.deepEqual(standIn.refundedAmounts(), [paid.amount]);
    await assertRight(shop);
  });

  test('to be retried next to one in the portal: both are booked, and a changed balance needs a new decision', async (context) => {
    const shop = await openPaid(context);
    const { app, standIn, paid } = shop;
    standIn.refundInPortal(shop.token, 3000);
    const { id } = await acceptedRefund(app, paid, 3000);
    await workTenHours(shop);
    const doubts = async () =>
      (await listAttention(app, null, 10)).filter((row) => row.id === id).map(({ reason }) => reason);
    assert.match((await doubts()).join(), /; the refund is under way/);
    app.now.advance(40 * HOUR);
    assert.equal(await decide(shop, id, 'retry', null), 'decided');
    assert.match((await doubts()).join(), /was not asked for it yet/, 'a contradiction that has ended is not told');
    standIn.refundInPortal(shop.token, 500);
    await carryOutRefunds(app, 10);
    assert.deepEqual(standIn.refundedAmounts(), [3000, 500], 'no refund is requested after the balance has changed');
    assert.equal(await decide(shop, id, 'retry', null), 'decided');
    await carryOutRefunds(app, 10);
    assert.deepEqual(await refundsOf(app, paid), [['completed', 3000]]);
    assert.deepEqual(await balancesIn(shop), { suspense: 3500, receivable: paid.amount - 6500 });
    await resolveSuspense(app, paid.id, { decision: 'returned', reason: 'corrected', by: TESTER });
    assert.deepEqual(await balancesIn(shop), { suspense: 0, receivable: paid.amount - 3000 });
    const { problems, records, balances } = await verifyBooks(app);
    assert.deepEqual([problems, records, balances], [[], [], []]);
  });

  test('that is unknown or has not started: nothing is decided', async (context) => {
    const shop = await openPaid(context);
    const { id } = await acceptedRefund(shop.app, shop.paid, 3000);
    assert.equal(await decide(shop, 'rf_none', 'failed'), 'unknown');
    assert.equal(await decide(shop, id, 'retry'), 'already');
    assert.deepEqual(await selectRefundDecisions(shop.app.db, 10), []);
    assert.equal((await refund(shop.app, shop.paid, shop.paid.amount)).kind, 'refused');
  });
});

const EVIDENCE = describeEvidence('/tmp/portal.txt', Buffer.from('Anulado 3.000'));

function decide(
  { app }: WebpayShop,
  id: string,
  outcome: RefundDecisionOutcome,
  evidence: typeof EVIDENCE | null = EVIDENCE,
) {
  return decideRefund(app, id, { outcome, reason: 'seen in the portal', evidence, by: TESTER });
}

async function kindsIn({ app }: WebpayShop): Promise<string[]> {
  return (await listAttention(app, null, 10)).map(({ kind }) => kind).sort();
}

/** Returns the balances of both accounts: debits minus credits. */
async function balancesIn({ app }: WebpayShop): Promise<{ suspense: number; receivable: number }> {
  const rows = await app.db.query<{ account: string; balance: number }>(
    'select account, debits - credits as balance from account_balances',
  );
  const of = (name: string) => rows.find(({ account }) => account === name)?.balance ?? 0;
  return { suspense: of('suspense'), receivable: of('method:webpay:receivable') };
}

/** Asserts that the charges of Transbank minus its refunds equal its debt in the books. */
async function assertRight(shop: PaidShop): Promise<void> {
  assert.equal((await balancesIn(shop)).receivable, shop.standIn.charged());
  const { problems, records, balances } = await verifyBooks(shop.app);
  assert.deepEqual([problems, records, balances], [[], [], []]);
}
