import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PaymentAttempt } from '../../src/checkout/payment-attempt.ts';
import {
  claimAttemptOf,
  claimAttempts,
  endContradiction,
  noteCommitAnswered,
  noteCommitSent,
  scheduleAskAgain,
  selectLatestAttempt,
} from '../../src/checkout/payment-attempt-queries.ts';
import { settlePayment } from '../../src/checkout/settle-payment.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import type { Tx } from '../../src/db/database.ts';
import { GIVEN_BACK_ELSEWHERE, type PaymentOutcome, type Refunds } from '../../src/payment-methods/payment-method.ts';
import { settleRefund } from '../../src/refunds/settle-refund.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { selectTransaction } from '../../src/transactions/transaction-queries.ts';
import { transitionTransaction } from '../../src/transactions/transition-transaction.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { acceptedRefund, refundingMethod } from '../support/test-refunds.ts';
import { createTestTransaction } from '../support/test-shop.ts';
import {
  approved,
  type CheckoutCase,
  declined,
  openCheckout,
  openOtherProcess,
  readAttempt,
  readCounter,
  readStates,
  scriptMethod,
} from './checkout-case.ts';

const pending: PaymentOutcome = { kind: 'pending' };
const unknown: PaymentOutcome = { kind: 'unknown' };

/** Opens a payment that the method has begun and not ended. A decline would end it. */
async function openPayment(
  openTestDatabase: OpenTestDatabase,
  refunds?: Refunds,
): Promise<CheckoutCase & { attempt: PaymentAttempt }> {
  const opened = await openCheckout(openTestDatabase, {
    method: { ...scriptMethod({ start: async () => pending }), ...(refunds && { refunds }) },
    payerAttempts: 1,
  });
  await startPayment(opened.app, opened.transaction, 'scripted');
  return { ...opened, attempt: await readAttempt(opened.app) };
}

forEachEngine('settling a payment', (openTestDatabase) => {
  for (const [outcome, state] of [
    [approved, 'completed'],
    [declined, 'failed'],
  ] as const) {
    test(`as ${outcome.kind} three times moves the transaction once`, async () => {
      const { app, attempt } = await openPayment(openTestDatabase);
      const kinds = [];
      for (let time = 0; time < 3; time++) kinds.push((await settlePayment(app, attempt, outcome)).kind);
      assert.deepEqual(kinds, ['moved', 'already', 'already']);
      const expected = { transaction: state, attempts: [outcome.kind], events: ['created', state], callbacks: 1 };
      assert.deepEqual(await readStates(app), expected);
      assert.equal(await readCounter(app.metrics.transactions, state), 1);
      assert.equal(await readCounter(app.metrics.conflicts), 0);
    });
  }

  test('from 16 workers in two processes at once moves the transaction once', async () => {
    const opened = await openPayment(openTestDatabase);
    const other = await openOtherProcess(openTestDatabase, opened);
    const { app, attempt } = opened;
    const settlements = await Promise.all(
      Array.from({ length: 16 }, (_, worker) => settlePayment(worker % 2 === 0 ? app : other, attempt, approved)),
    );
    assert.equal(settlements.filter(({ kind }) => kind === 'moved').length, 1);
    assert.equal(settlements.filter(({ kind }) => kind === 'already').length, 15);
    const { events, callbacks } = await readStates(app);
    assert.deepEqual([events, callbacks], [['created', 'completed'], 1]);
  });

  test('without an outcome leaves the transaction pending and schedules the next look-up', async () => {
    const { app, attempt } = await openPayment(openTestDatabase);
    for (const outcome of [unknown, pending, unknown]) {
      assert.equal((await settlePayment(app, attempt, outcome)).kind, 'waiting');
      const waiting = await readAttempt(app);
      assert.equal(waiting.state, outcome.kind);
      assert.equal(waiting.next_lookup_at, app.now() + 2000);
    }
    assert.deepEqual((await readStates(app)).events, ['created']);
  });

  test('lets only the process with the claim send a commit and record its answer', async () => {
    const { app, attempt, transaction } = await openPayment(openTestDatabase);
    const within = <Done>(work: (tx: Tx) => Promise<Done>) => app.db.transaction(work);
    const claim = () => within((tx) => claimAttemptOf(tx, transaction, { now: app.now(), until: app.now() + 60_000 }));
    const first = await claim();
    assert.equal(await claim(), null, 'a second process gets no claim');
    app.now.advance(60_000);
    const second = await claim();
    const [lost, held] = [first?.asked_until ?? 0, second?.asked_until ?? 0];
    const send = (claimedUntil: number, at: number) =>
      within((tx) => noteCommitSent(tx, attempt, { claimedUntil, at }));
    assert.deepEqual([await send(lost, 1), await send(held, 2)], [false, true]);
    const answered = async (sentAt: number) => {
      await within((tx) => noteCommitAnswered(tx, attempt, sentAt, 3));
      return (await readAttempt(app)).commit_answered_at;
    };
    assert.deepEqual([await answered(1), await answered(2)], [null, 3]);
    for (const [claimant, left] of [
      [first, [held, held]],
      [attempt, [held, held]],
      [second, [app.now() + 2000, null]],
    ] as const) {
      for (const outcome of [pending, { kind: 'contradiction' as const, detail: {} }]) {
        await settlePayment(app, claimant as PaymentAttempt, outcome);
        const { next_lookup_at, asked_until } = await readAttempt(app);
        assert.deepEqual([next_lookup_at, asked_until], left, 'only the process with the claim postpones it');
      }
    }
  });

  test('ignores an abort reported before the commit, and looks up again after a later one', async () => {
    const { app, attempt, transaction } = await openPayment(openTestDatabase);
    const until = app.now() + 60_000;
    const at = app.now();
    await app.db.transaction(async (tx) => {
      await claimAttemptOf(tx, transaction, { now: at, until });
      await noteCommitSent(tx, attempt, { claimedUntil: until, at });
    });
    const abort = (sentAt: number | null) => settlePayment(app, attempt, { kind: 'aborted', detail: {} }, sentAt);
    assert.equal((await abort(null)).kind, 'ignored');
    assert.equal((await abort(at)).kind, 'aborted');
    const { state, next_lookup_at } = await readAttempt(app);
    assert.deepEqual([state, (next_lookup_at ?? 0) > at], ['aborted', true]);
    const claims: number[] = [];
    for (let time = 0; time < 2; time++) {
      app.now.advance(60_000);
      const claim = { now: app.now(), until: app.now() + 60_000, limit: 1, slow: [] };
      claims.push((await app.db.transaction((tx) => claimAttempts(tx, claim)))[0]?.asked_until ?? 0);
    }
    const [lost, held] = claims as [number, number];
    const schedule = async (claimedUntil: number) => {
      await app.db.transaction((tx) => scheduleAskAgain(tx, attempt, { claimedUntil, nextLookupAt: null }));
      return (await readAttempt(app)).next_lookup_at;
    };
    assert.deepEqual([await schedule(lost), await schedule(held)], [held, null]);
  });

  test('as approved ends the questions, also those of a process that asks meanwhile', async () => {
    const { app, attempt, transaction } = await openPayment(openTestDatabase);
    const claimedUntil = app.now() + 60_000;
    await app.db.transaction((tx) => claimAttemptOf(tx, transaction, { now: app.now(), until: claimedUntil }));
    await settlePayment(app, attempt, approved);
    await app.db.transaction((tx) => scheduleAskAgain(tx, attempt, { claimedUntil, nextLookupAt: claimedUntil }));
    assert.equal((await readAttempt(app)).next_lookup_at, null);
  });

  test('leaves a commit unanswered until its method says that nothing was taken', async () => {
    const { app, attempt, transaction } = await openPayment(openTestDatabase);
    const at = app.now();
    await app.db.transaction(async (tx) => {
      await claimAttemptOf(tx, transaction, { now: at, until: at + 60_000 });
      await noteCommitSent(tx, attempt, { claimedUntil: at + 60_000, at });
    });
    for (const [outcome, answeredAt] of [
      [pending, null],
      [{ ...pending, nothingTaken: true as const }, at],
    ] as const) {
      await settlePayment(app, attempt, outcome, at);
      assert.equal((await readAttempt(app)).commit_answered_at, answeredAt);
    }
  });

  test('records a contradiction once in the feed, and leaves it for a person to decide', async () => {
    const { app, attempt } = await openPayment(openTestDatabase);
    const kinds = [];
    for (const detail of [{ reason: 'amount' }, { reason: 'again' }])
      kinds.push((await settlePayment(app, attempt, { kind: 'contradiction', detail })).kind);
    const { state, contradiction } = await readAttempt(app);
    assert.deepEqual([kinds, state, contradiction], [['conflict', 'conflict'], 'unknown', '{"reason":"amount"}']);
    assert.deepEqual((await readStates(app)).events, ['created', 'conflict']);
  });

  test('does not record again a contradiction that began and ended while the method was asked', async () => {
    const { app, attempt } = await openPayment(openTestDatabase);
    const said = { kind: 'contradiction' as const, detail: { reason: 'amount' } };
    const settle = async (read: PaymentAttempt) => (await settlePayment(app, read, said)).kind;
    assert.equal(await settle(attempt), 'conflict');
    await app.db.transaction((tx) => endContradiction(tx, attempt));
    assert.equal(await settle(attempt), 'already');
    assert.deepEqual((await readStates(app)).events, ['created', 'conflict']);
    assert.equal(await readCounter(app.metrics.conflicts), 1);
    // The method says the same again when it is asked after the decision.
    assert.equal(await settle(await readAttempt(app)), 'conflict');
  });

  for (const [what, said] of [
    ['given back', { kind: 'contradiction', detail: { reason: GIVEN_BACK_ELSEWHERE, given_back: 5000 } }],
    ['given back, without an amount', { kind: 'contradiction', detail: { reason: GIVEN_BACK_ELSEWHERE } }],
    ['reversed', { kind: 'aborted', detail: {} }],
  ] as const) {
    test(`raises no alarm for an approved payment that is ${what}, if Rúbrica refunded it`, async () => {
      const { app, attempt, transaction } = await openPayment(openTestDatabase, refundingMethod().refunds);
      const settle = async () => (await settlePayment(app, attempt, said)).kind;
      await settlePayment(app, attempt, approved);
      const paid = (await selectTransaction(app.db, transaction)) as Transaction;
      await acceptedRefund(app, paid, said.kind === 'aborted' ? paid.amount : 5000);
      assert.equal(await settle(), 'ignored');
      assert.equal((await readAttempt(app)).contradicted_at, null);
      assert.equal(await readCounter(app.metrics.conflicts), 0);
    });

    test(`raises the alarm for an approved payment that is ${what}, if Rúbrica refunded less or nothing`, async () => {
      const { app, attempt, transaction } = await openPayment(openTestDatabase, refundingMethod().refunds);
      await settlePayment(app, attempt, approved);
      const paid = (await selectTransaction(app.db, transaction)) as Transaction;
      if (what !== 'given back, without an amount') await acceptedRefund(app, paid, 4999);
      assert.equal((await settlePayment(app, attempt, said)).kind, 'conflict');
      assert.notEqual((await readAttempt(app)).contradicted_at, null);
      assert.equal(await readCounter(app.metrics.conflicts), 1);
    });
  }

  test('raises the alarm for a payment given back if its refund failed and only another payment was refunded', async () => {
    const { app, environment, attempt, transaction } = await openPayment(openTestDatabase, refundingMethod().refunds);
    const other = await createTestTransaction(app, environment, { reference: 'OTHER' });
    await startPayment(app, other, 'scripted');
    const ofOther = await selectLatestAttempt(app.db, other);
    for (const one of [attempt, ofOther]) await settlePayment(app, one as PaymentAttempt, approved);
    const paid = async (one: Transaction) => (await selectTransaction(app.db, one)) as Transaction;
    const failed = await acceptedRefund(app, await paid(transaction), 5000);
    await settleRefund(app, failed, { kind: 'declined', detail: {} });
    await acceptedRefund(app, await paid(other), 5000);
    const detail = { reason: GIVEN_BACK_ELSEWHERE, given_back: 5000 };
    assert.equal((await settlePayment(app, attempt, { kind: 'contradiction', detail })).kind, 'conflict');
    assert.equal(await readCounter(app.metrics.conflicts), 1);
  });

  test('raises the alarm for an aborted attempt given back, although the payment of another attempt was refunded', async () => {
    const { app, attempt, transaction } = await openPayment(openTestDatabase, refundingMethod().refunds);
    await settlePayment(app, attempt, { kind: 'aborted', detail: {} });
    app.now.advance(1000);
    await startPayment(app, transaction, 'scripted');
    await settlePayment(app, (await selectLatestAttempt(app.db, transaction)) as PaymentAttempt, approved);
    await acceptedRefund(app, (await selectTransaction(app.db, transaction)) as Transaction, 5000);
    const detail = { reason: GIVEN_BACK_ELSEWHERE, given_back: 5000 };
    assert.equal((await settlePayment(app, attempt, { kind: 'contradiction', detail })).kind, 'conflict');
  });

  for (const kind of ['aborted', 'declined'] as const) {
    test(`records once that an approved payment was ${kind}, and alarms until a person decides`, async () => {
      const { app, attempt } = await openPayment(openTestDatabase);
      const settle = async (read: PaymentAttempt) =>
        (await settlePayment(app, read, { kind, detail: { reason: 'reversed' } })).kind;
      await settlePayment(app, attempt, approved);
      assert.deepEqual([await settle(attempt), await settle(attempt)], ['conflict', 'conflict']);
      assert.deepEqual((await readStates(app)).events, ['created', 'completed', 'conflict']);
      assert.equal(await readCounter(app.metrics.conflicts), 2);
      await app.db.transaction((tx) => endContradiction(tx, attempt));
      // The method was being asked when the person decided.
      assert.equal(await settle(attempt), 'already');
      assert.equal(await readCounter(app.metrics.conflicts), 2);
      assert.equal(await settle(await readAttempt(app)), 'conflict');
      assert.deepEqual((await readStates(app)).events, ['created', 'completed', 'conflict', 'conflict']);
    });
  }

  test('ignores an answer that arrives after the end', async () => {
    const { app, attempt } = await openPayment(openTestDatabase);
    await settlePayment(app, attempt, approved);
    for (const outcome of [pending, unknown]) {
      assert.equal((await settlePayment(app, attempt, outcome)).kind, 'ignored');
    }
    assert.deepEqual((await readStates(app)).attempts, ['approved']);
  });

  test('records an approval after a decline as one conflict, and does not notify the shop again', async () => {
    const { app, attempt } = await openPayment(openTestDatabase);
    await settlePayment(app, attempt, declined);
    assert.equal((await settlePayment(app, attempt, approved)).kind, 'conflict');
    assert.equal((await settlePayment(app, attempt, approved)).kind, 'already');
    assert.deepEqual(await readStates(app), {
      transaction: 'failed',
      attempts: ['approved'],
      events: ['created', 'failed', 'conflict'],
      callbacks: 1,
    });
    assert.equal(await readCounter(app.metrics.conflicts), 1);
  });

  test('records an approval beside another open attempt as one conflict, however often it comes', async () => {
    const { app, transaction } = await openCheckout(openTestDatabase, {
      method: scriptMethod({ start: async () => pending }),
    });
    await startPayment(app, transaction, 'scripted');
    const attempt = await readAttempt(app);
    await settlePayment(app, attempt, { kind: 'aborted', detail: {} });
    app.now.advance(1000);
    await startPayment(app, transaction, 'scripted');
    const kinds = [];
    for (let time = 0; time < 3; time++) kinds.push((await settlePayment(app, attempt, approved)).kind);
    assert.deepEqual(kinds, ['conflict', 'already', 'already']);
    const { attempts, events } = await readStates(app);
    assert.deepEqual(
      [attempts, events],
      [
        ['aborted', 'pending'],
        ['created', 'conflict'],
      ],
    );
    assert.equal(await readCounter(app.metrics.conflicts), 1);
  });

  test('records a decline after an approval as a conflict, and takes nothing back', async () => {
    const { app, attempt } = await openPayment(openTestDatabase);
    await settlePayment(app, attempt, approved);
    assert.equal((await settlePayment(app, attempt, declined)).kind, 'conflict');
    assert.deepEqual(await readStates(app), {
      transaction: 'completed',
      attempts: ['approved'],
      events: ['created', 'completed', 'conflict'],
      callbacks: 1,
    });
    assert.deepEqual(JSON.parse((await readAttempt(app)).detail as string), { authorization_code: '001234' });
  });

  for (const event of ['cancel', 'expire'] as const) {
    test(`with a late approval after ${event} gives a conflict and records the money`, async () => {
      const { app, environment, transaction, attempt } = await openPayment(openTestDatabase);
      // Nothing in the service does this while an attempt is open; a person with a database console can.
      await app.db.transaction(async (tx) => {
        const cause = { event, at: app.now(), paymentMethod: null, attemptId: null, data: null };
        await transitionTransaction(tx, environment, transaction, cause);
      });
      assert.equal((await settlePayment(app, attempt, approved)).kind, 'conflict');
      const { transaction: state, attempts, events } = await readStates(app);
      assert.match(state as string, /^(cancelled|expired)$/);
      assert.deepEqual([attempts, events.at(-1)], [['approved'], 'conflict']);
      assert.equal(await readCounter(app.metrics.conflicts), 1);
    });
  }

  test('with two contradicting answers at once gives one end and one conflict', async () => {
    const { app, attempt, transaction } = await openPayment(openTestDatabase);
    const kinds = await Promise.all(
      [approved, declined].map(async (outcome) => (await settlePayment(app, attempt, outcome)).kind),
    );
    assert.deepEqual(kinds.sort(), ['conflict', 'moved']);
    const { events, callbacks } = await readStates(app);
    assert.deepEqual([events.length, events.at(-1), callbacks], [3, 'conflict', 1]);
    assert.equal((await selectTransaction(app.db, transaction))?.last_sequence, 3);
  });
});
