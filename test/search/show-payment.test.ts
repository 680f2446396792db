import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeAttention } from '../../src/attention/take-attention.ts';
import { recordAudit } from '../../src/audit/record-audit.ts';
import { decidePayment } from '../../src/checkout/decide-payment.ts';
import { selectLatestAttempt } from '../../src/checkout/payment-attempt-queries.ts';
import { settlePayment } from '../../src/checkout/settle-payment.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import { timelineOf } from '../../src/console/payments/payment-lines.ts';
import { describeEvidence } from '../../src/lib/evidence-file.ts';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { resendCallback } from '../../src/outbox/resend-callback.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import { createRefund } from '../../src/refunds/create-refund.ts';
import { approveRefundRequest, rejectRefundRequest } from '../../src/refunds/decide-refund-request.ts';
import { sayFact, showPayment } from '../../src/search/show-payment.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { actorOf, askForRefund, openRefundDesk } from '../support/test-refund-requests.ts';
import { acceptedRefund } from '../support/test-refunds.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

const limited = async (app: TestApp) => {
  const wish = { email: 'limited@example.cl', role: 'owner', may: [], refundLimits: { CLP: 1 } } as const;
  return actorOf(await createTestUser(app, wish), 'owner');
};

forEachEngine('the timeline of a payment', (openTestDatabase) => {
  test('lists attempts, states, callbacks with the shop’s answers, refunds and entries in order of time', async () => {
    const app = createTestApp(await openTestDatabase(), {
      fetch: async () => ({ kind: 'answered', status: 500, retryAfter: null, excerpt: 'Fatal error', durationMs: 7 }),
    });
    const shop = await createTestEnvironment(app);
    const paid = await createPaidTransaction(app, shop, { amount: 5000 });
    app.now.advance(1000);
    const delivery = createCallbackDelivery(app);
    await delivery.poll();
    await delivery.drain();
    app.now.advance(1000);
    const refund = await acceptedRefund(app, paid, 2000);
    await carryOutRefunds(app, 10);
    const shown = await showPayment(app, String(paid.id), null);
    assert.ok(shown !== null);
    assert.deepEqual([shown.payment.state, shown.payment.refunded], ['completed', 2000]);
    assert.deepEqual(
      shown.timeline.map(({ kind, what, amount, at }) => [kind, what, amount, at - paid.created_at]),
      [
        ['event', 'transaction.created', null, 0],
        ['attempt', 'started', null, 0],
        ['event', 'transaction.completed', null, 0],
        ['attempt', 'approved', null, 0],
        ['callback', 'queued', null, 0],
        ['entry', 'payment', 5000, 0],
        ['delivery', 'answered 500', null, 1000],
        ['event', 'refund.processing', 2000, 2000],
        ['event', 'refund.completed', null, 2000],
        ['entry', 'refund', 2000, 2000],
      ],
    );
    const delivered = shown.timeline.find(({ kind }) => kind === 'delivery');
    assert.deepEqual([delivered?.facts['answer'], delivered?.facts['status']], ['Fatal error', 500]);
    const asked = shown.timeline.find(({ what }) => what === 'refund.processing');
    assert.deepEqual([asked?.by, asked?.facts['refund']], [refund.requested_by, refund.id]);
    const refunded = sayFact(shown.timeline.find(({ what }) => what === 'refund.completed')?.facts['refund']);
    assert.match(refunded, new RegExp(`^${refund.id}, .*type parcial, amount \\$2\\.000 CLP$`), 'no JSON');
    assert.ok(!JSON.stringify(shown.timeline).includes(paid.pay_secret), 'the timeline does not have the pay link');
  });

  test('lists acts of people on the payment and its parts, and none on other objects with the same number', async () => {
    const app = createTestApp(await openTestDatabase());
    const paid = await createPaidTransaction(app, await createTestEnvironment(app));
    const [callback] = await app.db.query<{ id: number }>('select id from callbacks');
    const id = callback?.id ?? 0;
    await resendCallback(app, id, { ...TESTER, name: 'sonia@example.cl' });
    await app.db.transaction((tx) =>
      recordAudit(tx, {
        at: app.now(),
        by: TESTER,
        action: 'endpoint.tested',
        subject: { kind: 'endpoint', id: String(id) },
      }),
    );
    const shown = await showPayment(app, String(paid.id), null);
    const acts = shown?.timeline.filter(({ kind }) => kind === 'act').map(({ what, by, facts }) => [what, by, facts]);
    assert.deepEqual(acts, [['callback.resent', 'sonia@example.cl', { callback: String(id) }]]);
  });

  test('says who requested a refund and why, beside the refund that nobody explained', async () => {
    const app = createTestApp(await openTestDatabase());
    const paid = await createPaidTransaction(app, await createTestEnvironment(app), { amount: 5000 });
    const wish = { amount: 2000, type: 'parcial', idempotencyKey: 'one' } as const;
    await createRefund(app, paid, { ...wish, by: { ...TESTER, name: 'sonia@example.cl' }, reason: 'llegó roto' });
    await createRefund(app, paid, { ...wish, idempotencyKey: 'two', by: TESTER });
    await carryOutRefunds(app, 10);
    const shown = await showPayment(app, String(paid.id), null);
    const told = shown?.timeline.filter(({ what }) => /^refund[.](processing|requested)/.test(what));
    assert.deepEqual(
      told?.map(({ kind, by, facts: { reason } }) => [kind, by, reason]),
      [
        ['event', 'sonia@example.cl', 'llegó roto'],
        ['event', TESTER.name, undefined],
      ],
    );
    assert.ok(shown !== null);
    assert.match(timelineOf('es', shown).text, /por sonia@example\.cl<br><span class="quiet">llegó roto<\/span>/);
  });

  test('names the requester and the approver of a refund above a limit, and the refund', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openRefundDesk(app);
    const { asker, approver } = desk.users;
    const first = await askForRefund(app, desk);
    app.now.advance(1000);
    const second = await askForRefund(app, desk, { amount: 120_000 });
    app.now.advance(1000);
    await rejectRefundRequest(app, first, { by: desk.approver, reason: 'solo una parte' });
    app.now.advance(1000);
    const approval = await approveRefundRequest(app, second, { by: desk.approver, reason: null });
    const made = 'refund' in approval ? approval.refund.id : '';
    await takeAttention(
      app,
      { id: (await askForRefund(app, desk, { amount: 30_000, by: await limited(app) })).id },
      desk.approver,
    );
    const shown = await showPayment(app, String(desk.paid.id), null);
    const told = (shown?.timeline ?? []).filter(({ what }) => /^refund|^attention/.test(what));
    assert.deepEqual(
      told.slice(0, 5).map(({ what, amount, by, facts: { reason, refund } }) => [what, amount, by, reason, refund]),
      [
        ['refund_request.made', 150_000, asker.email, 'llegó roto', undefined],
        ['refund_request.made', 120_000, asker.email, 'llegó roto', undefined],
        ['refund_request.rejected', 150_000, approver.email, 'solo una parte', undefined],
        ['refund_request.approved', 120_000, approver.email, undefined, made],
        ['refund_request.made', 30_000, 'limited@example.cl', 'llegó roto', undefined],
      ],
    );
    assert.deepEqual(
      told.slice(5).map(({ what, by }) => [what, by]),
      [
        ['refund.processing', asker.email],
        ['attention.taken', approver.email],
      ],
    );
  });

  for (const by of ['person', 'method'] as const) {
    test(`keeps the decline of an attempt that a ${by} says was paid after all, in order`, async () => {
      const app = createTestApp(await openTestDatabase());
      const transaction = await createTestTransaction(app, await createTestEnvironment(app), { amount: 5004 });
      await startPayment(app, transaction, 'simulated');
      const attempt = await selectLatestAttempt(app.db, transaction);
      assert.ok(attempt !== null);
      app.now.advance(1000);
      await settlePayment(app, attempt, { kind: 'declined', detail: { reason: 'risk' } });
      app.now.advance(1000);
      if (by === 'method') await settlePayment(app, attempt, { kind: 'approved', detail: {} });
      else {
        const evidence = describeEvidence('portal.txt', Buffer.from('paid'));
        const wish = { outcome: 'approved', taken: null, reason: 'seen in the portal', evidence, by: TESTER } as const;
        assert.equal(await decidePayment(app, attempt.id, wish), 'decided');
      }
      const shown = await showPayment(app, String(transaction.id), null);
      const attempts = (shown?.timeline ?? []).filter(({ kind }) => kind === 'attempt');
      assert.deepEqual(
        attempts.map(({ what, at, facts }) => [what, at - transaction.created_at, facts['reason']]),
        [
          ['started', 0, undefined],
          ['declined', 1000, 'risk'],
          ['approved', 2000, undefined],
        ],
      );
      assert.equal((await verifyStore(app)).ok, true);
    });
  }

  test('of another merchant’s payment is the same as of a payment that does not exist', async () => {
    const app = createTestApp(await openTestDatabase());
    const paid = await createPaidTransaction(app, await createTestEnvironment(app));
    for (const id of [String(paid.id), '1', 'x', '']) {
      assert.equal(await showPayment(app, id, new Set([paid.environment_id + 1])), null);
    }
    assert.equal(await showPayment(app, '1', null), null);
  });
});
