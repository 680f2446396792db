import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAttention } from '../../src/attention/list-attention.ts';
import { verifyBooks } from '../../src/books/verify-books.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import { describeEvidence } from '../../src/lib/evidence-file.ts';
import { overtaking } from '../../src/lib/overtaking.ts';
import { resolveSuspense } from '../../src/movements/resolve-suspense.ts';
import { readFeed } from '../../src/outbox/feed/read-feed.ts';
import { setEventsUrl } from '../../src/outbox/webhooks/set-events-url.ts';
import type { RefundAnswer, RefundOrder, RefundOutcome } from '../../src/payment-methods/payment-method.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import { decideRefund } from '../../src/refunds/decide-refund.ts';
import { findRefund } from '../../src/refunds/find-refund.ts';
import type { Refund } from '../../src/refunds/refund.ts';
import { claimRefunds, forgetAsked, noteAsked, postponeRefund } from '../../src/refunds/refund-queries.ts';
import { settleRefund } from '../../src/refunds/settle-refund.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { selectTransaction } from '../../src/transactions/transaction-queries.ts';
import { comesTrue } from '../support/comes-true.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { acceptedRefund, type RefundingMethod, refund, refundingMethod, refundsOf } from '../support/test-refunds.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';
import { untilQueued } from '../support/until-queued.ts';
import { untilVisible } from '../support/until-visible.ts';

forEachEngine('carrying out a refund', (openTestDatabase) => {
  test('accepts in one commit, and records state, event and entries together in another', async () => {
    const { app, paid } = await open(openTestDatabase);
    const accepted = await acceptedRefund(app, paid, 4000);
    assert.equal(accepted.state, 'processing');
    assert.deepEqual(await refundEntries(app), []);
    assert.equal(await carryOutRefunds(app, 10), 1);
    assert.deepEqual(await refundsOf(app, paid), [['completed', 4000]]);
    assert.deepEqual(await refundEntries(app), [
      [accepted.id, 'merchant:payable', 'method:simulated:receivable', 4000, 'CLP'],
    ]);
    assert.equal(await carryOutRefunds(app, 10), 0);
    assert.deepEqual((await verifyBooks(app)).problems, []);
  });

  test('refunds by other methods overtake those by a method that does not answer, which is asked again later', async () => {
    const isBack = Promise.withResolvers<void>();
    const dead = refundingMethod({
      lookup: async () => {
        await isBack.promise;
        return { kind: 'absent' };
      },
    });
    const alive = { ...refundingMethod(), code: 'alive' };
    const app = createTestApp(await openTestDatabase(), { paymentMethods: [dead, alive] });
    const environment = await createTestEnvironment(app);
    for (let order = 0; order < 20; order++)
      await acceptedRefund(app, await createPaidTransaction(app, environment), 1000);
    app.now.advance(1);
    const order = await createTestTransaction(app, environment);
    await startPayment(app, order, 'alive');
    const paid = (await selectTransaction(app.db, order)) as Transaction;
    await acceptedRefund(app, paid, 1000);
    const work = overtaking(() => carryOutRefunds(app, 2));
    const isRefunded = async () => (await refundsOf(app, paid))[0]?.[0] === 'completed';
    assert.ok(await comesTrue(async () => (await work.step()) >= 0 && isRefunded()));
    assert.ok(dead.lookedUp.length < 20, 'not all refunds of the other method came first');
    isBack.resolve();
    await work.settled();
    assert.ok(await comesTrue(async () => (await work.step()) >= 0 && dead.requested.length === 20));
    await work.settled();
    assert.deepEqual((await verifyBooks(app)).problems, []);
  });

  test('records every step in the feed with gapless sequence numbers of the transaction', async () => {
    const { app, paid } = await open(openTestDatabase);
    const { id } = await acceptedRefund(app, paid, 5001);
    await carryOutRefunds(app, 10);
    await acceptedRefund(app, paid, paid.amount);
    await carryOutRefunds(app, 10);
    await untilVisible(app);
    const { events } = await readFeed(app, { id: 'operator', environmentIds: null }, null, 100);
    assert.deepEqual(
      events.map(({ type, sequence, transaction }) => [sequence, type, transaction?.state]),
      [
        [1, 'transaction.created', 'pending'],
        [2, 'transaction.completed', 'completed'],
        [3, 'refund.processing', 'completed'],
        [4, 'refund.failed', 'completed'],
        [5, 'refund.processing', 'completed'],
        [6, 'refund.completed', 'completed'],
      ],
    );
    assert.deepEqual(events[3]?.data, {
      refund: { id, type: 'parcial', amount: '5001.00', currency: 'CLP', reason: 'simulated' },
    });
  });

  test('lets a failed refund be requested again', async () => {
    const { app, paid } = await open(openTestDatabase, { amount: 5001 });
    const first = await acceptedRefund(app, paid, paid.amount);
    assert.equal((await refund(app, paid, paid.amount, { idempotencyKey: 'another' })).kind, 'refused');
    await settleRefund(app, first, { kind: 'declined', detail: {} });
    await acceptedRefund(app, paid, paid.amount);
    assert.deepEqual(await refundsOf(app, paid), [
      ['failed', 5001],
      ['processing', 5001],
    ]);
  });

  test('looks up a refund that an earlier version requested without a record of it', async () => {
    const method = refundingMethod({ lookup: async () => ({ kind: 'unknown' }) });
    const { app, paid } = await open(openTestDatabase, { method });
    const accepted = await acceptedRefund(app, paid, 4000);
    await app.db.transaction((tx) => tx.query('update refunds set lookups = lookups + 1 where id = $1', [accepted.id]));
    await carryOutRefunds(app, 10);
    assert.deepEqual(
      method.lookedUp.map(({ askedAt }) => askedAt),
      [accepted.created_at],
    );
    assert.deepEqual(method.requested, []);
  });

  // The magic amounts of docs/sandbox.md: the state after each run of the worker.
  const MAGIC: [amount: number, ...states: string[]][] = [
    [5000, 'completed'],
    [5001, 'failed'],
    [5002, 'processing', 'completed'],
    [5003, 'processing', 'processing', 'completed'],
    [5004, 'processing', 'processing', 'failed'],
    [5005, 'processing', 'failed'],
  ];
  for (const [amount, ...states] of MAGIC) {
    test(`gives ${states.join(', then ')} for a simulated refund of ${amount}`, async () => {
      const { app, paid } = await open(openTestDatabase, { simulated: true });
      await acceptedRefund(app, paid, amount);
      for (const state of states) {
        assert.equal(await carryOutRefunds(app, 10), 1);
        assert.deepEqual(await refundsOf(app, paid), [[state, amount]]);
        app.now.advance(5000);
      }
      assert.equal(await carryOutRefunds(app, 10), 0);
    });
  }

  test('gives the method what identifies this refund among others', async () => {
    const { app, paid, method } = await open(openTestDatabase);
    await acceptedRefund(app, paid, 1000);
    await carryOutRefunds(app, 10);
    const second = await acceptedRefund(app, paid, 2000);
    await carryOutRefunds(app, 10);
    const [attempt] = await app.db.query<{ id: string }>('select id from payment_attempts');
    const detail = { authorization_code: String(paid.id).padStart(6, '0'), card_last_digits: '6623' };
    assert.deepEqual(method.requested[1], {
      refundId: second.id,
      transactionId: paid.id,
      environment: 'development',
      environmentId: paid.environment_id,
      amount: 2000,
      currency: 'CLP',
      paid: paid.amount,
      refundedBefore: 1000,
      payment: { attemptId: attempt?.id, externalId: null, account: null, detail },
      lookups: 0,
      askedAt: null,
    });
  });

  test('waits for the end of an earlier refund of the same payment', async () => {
    let first = 'pending' as 'pending' | 'approved';
    const request = async () => ({ kind: first, detail: {} });
    const lookup = async ({ lookups }: { lookups: number }) =>
      lookups === 0 ? { kind: 'absent' as const } : { kind: first, detail: {} };
    const { app, paid, method } = await open(openTestDatabase, { method: refundingMethod({ request, lookup }) });
    await acceptedRefund(app, paid, 1000);
    await acceptedRefund(app, paid, 2000);
    assert.equal(await carryOutRefunds(app, 10), 1);
    assert.equal(await carryOutRefunds(app, 10), 0);
    first = 'approved';
    app.now.advance(5000);
    assert.equal(await carryOutRefunds(app, 10), 1);
    assert.equal(await carryOutRefunds(app, 10), 1);
    assert.deepEqual(
      method.requested.map(({ amount, refundedBefore }) => [amount, refundedBefore]),
      [
        [1000, 0],
        [2000, 1000],
      ],
    );
  });

  test('never requests twice: a refund whose answer was lost is looked up', async () => {
    const request = () => Promise.reject(new Error('connection reset'));
    let said: 'unknown' | 'approved' = 'unknown';
    const lookup = async ({ lookups }: { lookups: number }) =>
      lookups === 0 ? { kind: 'absent' as const } : { kind: said, detail: {} };
    const { app, paid, method } = await open(openTestDatabase, { method: refundingMethod({ request, lookup }) });
    await acceptedRefund(app, paid, 1000);
    for (let day = 0; day < 3; day++) {
      await carryOutRefunds(app, 10);
      assert.deepEqual(await refundsOf(app, paid), [['processing', 1000]]);
      app.now.advance(86_400_000);
    }
    said = 'approved';
    await carryOutRefunds(app, 10);
    assert.deepEqual(await refundsOf(app, paid), [['completed', 1000]]);
    assert.equal(method.requested.length, 1);
    const alarms = await app.metrics.unansweredRefunds.get();
    assert.equal(alarms.values[0]?.value, 1);
  });

  for (const ending of ['the answer is lost', 'the worker dies'] as const) {
    test(`requests a refund once when it began late, ${ending} and the balance is late`, async () => {
      let asked: number | null = null;
      const request = async () => {
        asked = app.now();
        throw new Error('connection reset');
      };
      // Like Webpay: a refund is in the balance after at most two minutes.
      const lookup = async ({ askedAt }: RefundOrder): Promise<RefundOutcome | { kind: 'absent' }> => {
        if (asked !== null && app.now() > asked + 119_000) return { kind: 'approved', detail: {} };
        return { kind: askedAt !== null && app.now() < askedAt + 120_000 ? 'unknown' : 'absent' };
      };
      const method = refundingMethod({ request, lookup });
      const opened = await open(openTestDatabase, { method });
      const app = ending === 'the worker dies' ? dyingWith(opened.app, () => asked !== null) : opened.app;
      await acceptedRefund(app, opened.paid, 1000);
      app.now.advance(600_000);
      for (let second = 0; second < 500; second++) {
        await carryOutRefunds(second === 0 ? app : opened.app, 10);
        app.now.advance(1000);
      }
      assert.equal(method.requested.length, 1);
      assert.deepEqual(await refundsOf(opened.app, opened.paid), [['completed', 1000]]);
    });
  }

  test('does not let data of the method replace the fields of the event', async () => {
    const detail = { type: 'NULLIFIED', amount: 1, balance: 8990 };
    const method = refundingMethod({ request: async () => ({ kind: 'approved', detail }) });
    const { app, paid } = await open(openTestDatabase, { method });
    const { id } = await acceptedRefund(app, paid, 4000);
    await carryOutRefunds(app, 10);
    await untilVisible(app);
    const { events } = await readFeed(app, { id: 'operator', environmentIds: null }, null, 100);
    assert.deepEqual(events.at(-1)?.data, {
      refund: { id, type: 'parcial', amount: '4000.00', currency: 'CLP', balance: 8990 },
    });
  });

  test('is continued by another worker when one died before the request', async () => {
    const { app, paid, method } = await open(openTestDatabase);
    await acceptedRefund(app, paid, 1000);
    await app.db.transaction((tx) =>
      tx.query('update refunds set next_lookup_at = $1, lookups = 1', [app.now() + 60_000]),
    );
    assert.equal(await carryOutRefunds(app, 10), 0);
    app.now.advance(60_000);
    assert.equal(await carryOutRefunds(app, 10), 1);
    assert.equal(method.requested.length, 1);
    assert.deepEqual(await refundsOf(app, paid), [['completed', 1000]]);
  });

  test('does not request when the worker was delayed for too long after the look-up', async () => {
    const lookup = async () => {
      app.now.advance(30_001);
      return { kind: 'absent' as const };
    };
    const { app, paid, method } = await open(openTestDatabase, { method: refundingMethod({ lookup }) });
    await acceptedRefund(app, paid, 1000);
    await carryOutRefunds(app, 10);
    assert.equal(method.requested.length, 0);
    assert.deepEqual(await refundsOf(app, paid), [['processing', 1000]]);
  });

  test('does not request when the worker was delayed after its record, which is withdrawn', async () => {
    const { app, paid, method } = await open(openTestDatabase);
    const { id } = await acceptedRefund(app, paid, 1000);
    const transaction: typeof app.db.transaction = async (work) => {
      const done = await app.db.transaction(work);
      if ((await asked())[0] !== null) app.now.advance(30_001);
      return done;
    };
    const asked = async () => {
      const { asked_at, asking } = (await findRefund(app, paid, id)) as Refund;
      return [asked_at, asking];
    };
    await carryOutRefunds({ ...app, db: { ...app.db, transaction } }, 10);
    assert.deepEqual([method.requested.length, await asked()], [0, [null, 'due']]);
    app.now.advance(60_000);
    await carryOutRefunds(app, 10);
    assert.equal(method.requested.length, 1);
  });

  test('keeps the order that a person gave while the request did not arrive', async () => {
    const evidence = describeEvidence('portal.pdf', Buffer.from('the portal shows it'));
    const wish = { outcome: 'retry', reason: 'seen', evidence, by: TESTER } as const;
    const request = async ({ refundId }: RefundOrder) => {
      assert.equal(await decideRefund(app, refundId, wish), 'decided');
      return { kind: 'absent' as const };
    };
    const { app, paid } = await open(openTestDatabase, { method: refundingMethod({ request }) });
    const { id } = await acceptedRefund(app, paid, 1000);
    await carryOutRefunds(app, 10);
    assert.equal((await findRefund(app, paid, id))?.asking, 'ordered');
  });

  test('waits for the order of a person after the method refunded something else, also when that is explained', async () => {
    const method = refundingMethod({ lookup: async () => ({ kind: 'absent', refunded: 500 }) });
    const { app, paid } = await open(openTestDatabase, { method });
    const { id } = await acceptedRefund(app, paid, 1000);
    const requests = async () => {
      await carryOutRefunds(app, 10);
      app.now.advance(3_600_000);
      return method.requested.length;
    };
    assert.equal(await requests(), 0);
    await resolveSuspense(app, paid.id, { decision: 'kept', reason: 'the shop did it', by: TESTER });
    assert.equal(await requests(), 0);
    const wish = { outcome: 'retry', reason: 'it is missing', evidence: null, by: TESTER } as const;
    assert.equal(await decideRefund(app, id, wish), 'decided');
    assert.equal(await requests(), 1);
  });

  test('is not requested when more than was paid would go back, and waits for a person until it is settled', async () => {
    const { app, paid, method } = await open(openTestDatabase);
    const first = await acceptedRefund(app, paid, 8000);
    await settleRefund(app, first, { kind: 'declined', detail: {} });
    const second = await acceptedRefund(app, paid, 6000);
    const decide = async (id: string, outcome: 'completed' | 'failed' | 'retry') => {
      const evidence = describeEvidence('portal.pdf', Buffer.from('the portal shows it'));
      assert.equal(await decideRefund(app, id, { outcome, reason: 'seen', evidence, by: TESTER }), 'decided');
    };
    const waiting = async () => {
      await carryOutRefunds(app, 10);
      app.now.advance(3_600_000);
      const rows = (await listAttention(app, null, 10)).filter(({ kind }) => kind === 'refund');
      return rows.map(({ id, reason }) => [id, /more than was paid would go back/.test(reason)]);
    };
    await decide(first.id, 'completed');
    assert.deepEqual(await waiting(), [[second.id, true]]);
    await decide(second.id, 'retry');
    assert.deepEqual(await waiting(), [[second.id, true]]);
    await decide(second.id, 'failed');
    assert.deepEqual([await waiting(), method.requested], [[], []]);
    await acceptedRefund(app, paid, 4990);
    await waiting();
    assert.equal(method.requested.length, 1);
  });

  test('is looked up every day for a week when the method does not answer the last look', async () => {
    let answer: RefundAnswer = { kind: 'declined', detail: {} };
    const method = refundingMethod({ lookup: async () => answer });
    const { app, paid } = await open(openTestDatabase, { method });
    await acceptedRefund(app, paid, 1000);
    await carryOutRefunds(app, 10);
    answer = { kind: 'unknown' };
    const looks = async (days: number) => {
      const before = method.lookedUp.length;
      for (let hour = 0; hour < 24 * days; hour++) {
        app.now.advance(3_600_000);
        await carryOutRefunds(app, 10);
      }
      return method.lookedUp.length - before;
    };
    assert.equal(await looks(3), 4);
    answer = { kind: 'approved', detail: {} };
    assert.equal(await looks(1), 1);
    assert.deepEqual(await refundsOf(app, paid), [['completed', 1000]]);
    assert.equal(await looks(10), 2, 'it has ended again');
    answer = { kind: 'declined', detail: {} };
    await acceptedRefund(app, paid, 1000);
    await carryOutRefunds(app, 10);
    answer = { kind: 'unknown' };
    assert.equal(await looks(20), 8);
  });

  test('is not looked up again after its end while another refund of its payment is in process', async () => {
    const { app, paid, method } = await open(openTestDatabase);
    const first = await acceptedRefund(app, paid, 1000);
    await settleRefund(app, first, { kind: 'approved', detail: {} });
    app.now.advance(3_600_000);
    const second = await acceptedRefund(app, paid, 2000);
    const lookedUp = async () => {
      await carryOutRefunds(app, 10);
      return method.lookedUp.map(({ refundId }) => refundId);
    };
    assert.deepEqual([await lookedUp(), await lookedUp()], [[second.id], [second.id, first.id]]);
  });

  test('ignores an answer from a worker whose claim has passed to another', async () => {
    const { app, paid } = await open(openTestDatabase);
    const stale = await acceptedRefund(app, paid, 1000);
    await app.db.transaction((tx) =>
      tx.query('update refunds set next_lookup_at = $1, lookups = 2', [app.now() + 60_000]),
    );
    assert.equal((await settleRefund(app, stale, { kind: 'unknown' })).kind, 'ignored');
    const found = (await findRefund(app, paid, stale.id)) as Refund;
    assert.equal(found.next_lookup_at, app.now() + 60_000);
  });

  test('lets only the latest claim record a request, withdraw its record and set the next look-up', async () => {
    const { app, paid } = await open(openTestDatabase);
    const accepted = await acceptedRefund(app, paid, 4000);
    const claim = (meanwhile = async () => {}) =>
      app.db.transaction(async (tx) => {
        const claimed = await claimRefunds(tx, { now: app.now(), until: app.now() + 60_000, limit: 10, slow: [] });
        await meanwhile();
        return claimed;
      });
    let other: ReturnType<typeof claim> | undefined;
    const [first] = (await claim(async () => {
      other = claim();
      await untilQueued(app.db);
    })) as [Refund];
    assert.deepEqual([first.id, await other], [accepted.id, []]);
    const began = app.now();
    app.now.advance(60_000);
    const [second] = (await claim()) as [Refund];
    const note = (claimed: Refund) => app.db.transaction((tx) => noteAsked(tx, claimed, null, app.now()));
    assert.deepEqual([await note(first), await note(second)], [false, true]);
    await app.db.transaction(async (tx) => {
      await forgetAsked(tx, first, began);
      await postponeRefund(tx, first, began);
    });
    const { asked_at, next_lookup_at } = (await findRefund(app, paid, accepted.id)) as Refund;
    assert.deepEqual([asked_at, next_lookup_at], [app.now(), app.now() + 60_000]);
    await settleRefund(app, second, { kind: 'declined', detail: {} });
    assert.equal(await note(second), false, 'an ended refund takes no further answer');
  });

  test('stays as a person decided it while its method was asked, and is requested once', async () => {
    let refunded = 1500;
    let during: Partial<Record<'lookup' | 'request', () => Promise<void>>> = {};
    const lookup = async () => {
      await during.lookup?.();
      return { kind: 'absent' as const, refunded };
    };
    const request = async () => {
      await during.request?.();
      throw new Error('connection reset');
    };
    const method = refundingMethod({ lookup, request });
    const { app, paid } = await open(openTestDatabase, { method });
    const first = await acceptedRefund(app, paid, 1000);
    await settleRefund(app, first, { kind: 'approved', detail: {} });
    const second = await acceptedRefund(app, paid, 2000);
    refunded = 1000;
    const requests = async (meanwhile: typeof during = {}) => {
      during = meanwhile;
      await carryOutRefunds(app, 1);
      return method.requested.length;
    };
    assert.equal(await requests(), 1);
    refunded = 1500;
    await settleRefund(app, second, { kind: 'unknown', refunded });
    const evidence = describeEvidence('portal.pdf', Buffer.from('the portal shows it'));
    const decide = (outcome: 'retry' | 'failed') => async () =>
      assert.equal(await decideRefund(app, second.id, { outcome, reason: 'seen', evidence, by: TESTER }), 'decided');
    const left = async () => {
      const { state, asking, contradicted_at } = (await findRefund(app, paid, second.id)) as Refund;
      return [state, asking, contradicted_at];
    };

    app.now.advance(120_000);
    assert.equal(await requests({ lookup: decide('retry') }), 1, 'another claim carries out the order');
    assert.deepEqual(await left(), ['processing', 'ordered', null]);
    assert.equal(await requests({ request: decide('retry') }), 2, 'the order is due at once');
    assert.deepEqual(await left(), ['processing', 'ordered', null], 'an order during the request counts');
    app.now.advance(59_999);
    assert.equal(await requests(), 2, 'the request may still arrive');
    app.now.advance(1);
    assert.equal(await requests(), 3);

    app.now.advance(900_000);
    assert.equal(await requests({ lookup: decide('failed') }), 3);
    assert.deepEqual(await left(), ['failed', 'held', null]);
  });

  test('is not contradicted by a balance that is late or that another refund changes', async () => {
    const { app, paid } = await open(openTestDatabase);
    const first = await acceptedRefund(app, paid, 4000);
    await carryOutRefunds(app, 10);
    const say = (refunded: number) => settleRefund(app, first, { kind: 'approved', detail: {}, refunded });
    const told = async (refunded: number) => {
      const { kind, contradiction } = await say(refunded);
      return [kind, contradiction];
    };
    assert.deepEqual(await told(0), ['already', false], 'the balance may be late');
    await acceptedRefund(app, paid, 1000);
    assert.deepEqual(await told(5000), ['ignored', false], 'the other refund may be in the balance');
    await carryOutRefunds(app, 10);
    assert.deepEqual(await told(5000), ['already', false]);
    app.now.advance(24 * 60 * 60 * 1000);
    assert.deepEqual(await told(4000), ['already', true], 'after a day the missing refund counts');
  });

  test('ignores the same answer again', async () => {
    const { app, paid } = await open(openTestDatabase);
    const accepted = await acceptedRefund(app, paid, 1000);
    const kinds = [];
    for (let time = 0; time < 3; time++) {
      kinds.push((await settleRefund(app, accepted, { kind: 'approved', detail: {} })).kind);
    }
    assert.deepEqual(kinds, ['ended', 'already', 'already']);
    assert.equal((await refundEntries(app)).length, 1);
  });

  test('accepts an approval after a decline, books it and reports a conflict', async () => {
    const { app, paid } = await open(openTestDatabase);
    const accepted = await acceptedRefund(app, paid, 1000);
    await settleRefund(app, accepted, { kind: 'declined', detail: {} });
    const late = await settleRefund(app, accepted, { kind: 'approved', detail: {} });
    assert.deepEqual([late.kind, late.contradiction], ['ended', true]);
    assert.deepEqual(await refundsOf(app, paid), [['completed', 1000]]);
    assert.equal((await refundEntries(app)).length, 1);
    assert.equal((await app.metrics.conflicts.get()).values[0]?.value, 1);
  });

  test('reports a decline after an approval as a conflict in the feed, and changes nothing', async () => {
    const { app, paid } = await open(openTestDatabase);
    const accepted = await acceptedRefund(app, paid, 1000);
    await settleRefund(app, accepted, { kind: 'approved', detail: {} });
    assert.equal((await settleRefund(app, accepted, { kind: 'declined', detail: {} })).kind, 'conflict');
    assert.deepEqual(await refundsOf(app, paid), [['completed', 1000]]);
    await untilVisible(app);
    const { events } = await readFeed(app, { id: 'operator', environmentIds: null }, null, 100);
    assert.deepEqual(events.at(-1)?.data, { state: 'completed', event: 'refund_declined', refund: accepted.id });
    assert.equal((await app.metrics.conflicts.get()).values[0]?.value, 1);
  });

  test('lists a refund that was completed and then declined until a person decides, and reports it once', async () => {
    const { app, paid } = await open(openTestDatabase);
    const accepted = await acceptedRefund(app, paid, 1000);
    await settleRefund(app, accepted, { kind: 'approved', detail: {} });
    for (const expected of [true, false]) {
      const { kind, contradiction } = await settleRefund(app, accepted, { kind: 'declined', detail: {} });
      assert.deepEqual([kind, contradiction], ['conflict', expected]);
    }
    const [waiting, ...others] = await listAttention(app, null, 10);
    assert.deepEqual([waiting?.kind, waiting?.id, others.length], ['refund', accepted.id, 0]);
    assert.match(waiting?.reason ?? '', /had completed it, and says now that it was declined/);
    const evidence = describeEvidence('portal.pdf', Buffer.from('the portal shows it'));
    const wish = { outcome: 'completed', reason: 'the portal shows it', evidence, by: TESTER } as const;
    const asked = (await findRefund(app, paid, accepted.id)) as Refund;
    assert.equal(await decideRefund(app, accepted.id, wish), 'decided');
    // The method was being asked when the person decided.
    assert.equal((await settleRefund(app, asked, { kind: 'declined', detail: {} })).contradiction, false);
    assert.deepEqual(await listAttention(app, null, 10), []);
    assert.equal((await refundEntries(app)).length, 1);
  });

  test('does not list again a contradiction that began and ended while the method was asked', async () => {
    const { app, paid } = await open(openTestDatabase);
    const accepted = await acceptedRefund(app, paid, 1000);
    await settleRefund(app, accepted, { kind: 'approved', detail: {} });
    const read = async () => (await findRefund(app, paid, accepted.id)) as Refund;
    const say = async (asked: Refund) =>
      (await settleRefund(app, asked, { kind: 'declined', detail: {} })).contradiction;
    const asked = await read();
    assert.equal(await say(asked), true);
    const evidence = describeEvidence('portal.pdf', Buffer.from('the portal shows it'));
    const wish = { outcome: 'completed', reason: 'the portal shows it', evidence, by: TESTER } as const;
    assert.equal(await decideRefund(app, accepted.id, wish), 'decided');
    assert.equal(await say(asked), false);
    assert.deepEqual(await listAttention(app, null, 10), []);
    // The method says the same again when it is asked after the decision.
    assert.equal(await say(await read()), true);
  });

  test('notifies the events URL as JSON with Standard Webhooks, and leaves the callback unchanged', async () => {
    const { app, paid, paymentServiceId } = await open(openTestDatabase);
    await setEventsUrl(
      app,
      { paymentServiceId: paymentServiceId, environment: 'development' },
      'https://shop.example.cl/events?key=1',
      TESTER,
    );
    app.now.advance(1000);
    const { id } = await acceptedRefund(app, paid, 4000);
    await carryOutRefunds(app, 10);
    const callbacks = await app.db.query<{ content_type: string; url: string; body: string; sequence: number }>(
      'select content_type, url, body, sequence from callbacks order by id',
    );
    assert.deepEqual(
      callbacks.map(({ content_type, url, sequence }) => [sequence, content_type, url]),
      [
        [2, 'application/x-www-form-urlencoded', 'https://shop.example.cl/callback?order=1'],
        [3, 'application/json', 'https://shop.example.cl/events?key=1'],
        [4, 'application/json', 'https://shop.example.cl/events?key=1'],
      ],
    );
    assert.deepEqual(JSON.parse(callbacks[2]?.body as string), {
      type: 'refund.completed',
      timestamp: new Date(app.now()).toISOString(),
      data: {
        transaction: { id: paid.id, reference: paid.reference, amount: '12990.00', currency: 'CLP' },
        payment_service: paymentServiceId,
        environment: 'development',
        refund: { id, type: 'parcial', amount: '4000.00', currency: 'CLP' },
      },
    });
  });
});

type Opened = { app: TestApp; paid: Transaction; method: RefundingMethod; paymentServiceId: string };

async function open(
  openTestDatabase: OpenTestDatabase,
  options: { amount?: number; simulated?: true; method?: RefundingMethod } = {},
): Promise<Opened> {
  const decline5001 = refundingMethod({
    request: async ({ amount }) =>
      amount === 5001 ? { kind: 'declined', detail: { reason: 'simulated' } } : { kind: 'approved', detail: {} },
  });
  const method = options.method ?? decline5001;
  const collecting = { ...method, start: async () => ({ kind: 'approved' as const, detail: {} }) };
  const db = await openTestDatabase();
  const parts = options.simulated ? {} : { paymentMethods: [options.amount === 5001 ? collecting : method] };
  const app = createTestApp(db, parts);
  const environment = await createTestEnvironment(app);
  const paid = await createPaidTransaction(app, environment, { amount: options.amount ?? 12_990 });
  return { app, paid, method, paymentServiceId: environment.paymentServiceId };
}

/** Returns an app that writes nothing more once `dead` returns true, like an ended process. */
function dyingWith(app: TestApp, dead: () => boolean): TestApp {
  const transaction: typeof app.db.transaction = (work) =>
    dead() ? Promise.reject(new Error('the process has ended')) : app.db.transaction(work);
  return { ...app, db: { ...app.db, transaction } };
}

async function refundEntries(app: TestApp) {
  const rows = await app.db.query(
    `select refund_id, debit_account, credit_account, amount, currency from journal_entries where kind = 'refund'`,
  );
  return rows.map((row) => Object.values(row));
}
