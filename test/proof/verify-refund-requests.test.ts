import assert from 'node:assert/strict';
import { test } from 'node:test';
import { movePaymentService } from '../../src/moves/move-payment-service.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { approveRefundRequest, rejectRefundRequest } from '../../src/refunds/decide-refund-request.ts';
import { forEachEngine } from '../support/engines.ts';
import { twoWithShop, wishOf } from '../support/moving-shop.ts';
import type { Tampering } from '../support/tampering.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { readingThrough, removeTriggers, undone } from '../support/test-books.ts';
import { askForRefund, openRefundDesk, type RefundDesk } from '../support/test-refund-requests.ts';

type World = RefundDesk & { approved: string; rejected: string; waiting: string };

const TAMPERINGS: readonly Tampering<World>[] = [
  {
    name: 'another person approved it',
    statement: ({ approved }) => [
      `update refund_requests set decided_by = 'x@example.cl', decided_by_id = 'usr_x' where id = $1`,
      approved,
    ],
    found: /^refund request rr_\w+: decided_by was "\S+", is "x@example.cl"; decided_by_id was "usr_\w+", is "usr_x"$/,
  },
  {
    name: 'another person asked for it',
    statement: ({ approved }) => [`update refund_requests set requested_by = 'x@example.cl' where id = $1`, approved],
    found: /^refund request rr_\w+: requested_by was "\S+", is "x@example.cl"$/,
  },
  {
    name: 'another person asked for it before 1970',
    statement: ({ approved }) => [
      `update refund_requests set requested_by = 'x@example.cl', requested_at = -1 where id = $1`,
      approved,
    ],
    found: /^refund request rr_\w+: requested_at was \d+, is -1; requested_by was "\S+", is "x@example.cl"$/,
  },
  {
    name: 'its reason is changed',
    statement: ({ approved }) => [`update refund_requests set reason = 'regalo' where id = $1`, approved],
    found: /^refund request rr_\w+: reason was "llegó roto", is "regalo"$/,
  },
  {
    name: 'the amount of one that waits is changed',
    statement: ({ waiting }) => ['update refund_requests set amount = amount + 1 where id = $1', waiting],
    found: /^refund request rr_\w+: amount was 101000, is 101001$/,
  },
  {
    name: 'a rejected one waits again',
    statement: ({ rejected }) => [
      `update refund_requests set state = 'waiting', decided_by = null, decided_by_id = null, decided_at = null,
         decision_reason = null where id = $1`,
      rejected,
    ],
    found: /^refund request rr_\w+: state was "rejected", is "waiting"; decided_at was \d+, is null; /,
  },
  {
    name: 'the reason of a rejection is changed',
    statement: ({ rejected }) => [`update refund_requests set decision_reason = 'x' where id = $1`, rejected],
    found: /^refund request rr_\w+: decision_reason was "ya se cambió", is "x"$/,
  },
  {
    name: 'it is deleted',
    statement: ({ rejected }) => ['delete from refund_requests where id = $1', rejected],
    found: /^refund request rr_\w+ was deleted$/,
  },
];

forEachEngine('a refund request that somebody changed in the database', (openTestDatabase) => {
  test('is found by the verification of the books, and nothing is found in a store that was left alone', async () => {
    const app = createTestApp(await openTestDatabase());
    const world = await fill(app);
    assert.equal(await found(app), '');
    await removeTriggers(app.db);
    for (const { name, statement, found: expected } of TAMPERINGS) {
      const [sql, ...values] = statement(world);
      const says = await undone(app, async (tx) => {
        await tx.query(sql, values);
        return found(readingThrough(app, tx));
      });
      assert.match(says, expected, name);
    }
  });

  test('is not missed in a database to which its payment service moved, nor in the one that it left', async () => {
    const { from, to } = await twoWithShop(openTestDatabase);
    const { environment } = await fill(from);
    await movePaymentService(from, to, wishOf(environment));
    assert.deepEqual([await found(from), await found(to)], ['', '']);
    to.now.advance(1000);
    await movePaymentService(to, from, wishOf(environment));
    assert.deepEqual([await found(from), await found(to)], ['', '']);
  });
});

async function found(app: Parameters<typeof verifyStore>[0]): Promise<string> {
  return (await verifyStore(app)).findings.map(({ says }) => says).join('; ');
}

/** Requests refunds of a payment: one is approved, one rejected, one waits. */
async function fill(app: TestApp): Promise<World> {
  const desk = await openRefundDesk(app);
  const first = await askForRefund(app, desk, { amount: 110_000 });
  const second = await askForRefund(app, desk, { amount: 105_000 });
  const third = await askForRefund(app, desk, { amount: 101_000 });
  app.now.advance(1000);
  await approveRefundRequest(app, first, { by: desk.approver, reason: null });
  await rejectRefundRequest(app, second, { by: desk.approver, reason: 'ya se cambió' });
  return { ...desk, approved: first.id, rejected: second.id, waiting: third.id };
}
