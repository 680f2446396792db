import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAttention } from '../../src/attention/list-attention.ts';
import { decidePayment, rehearseDecision } from '../../src/checkout/decide-payment.ts';
import type { PaymentAttempt } from '../../src/checkout/payment-attempt.ts';
import { claimAttemptOf, noteCommitSent } from '../../src/checkout/payment-attempt-queries.ts';
import type { DecidedOutcome } from '../../src/checkout/payment-decision.ts';
import { selectDecisions } from '../../src/checkout/payment-decision-queries.ts';
import { settlePayment } from '../../src/checkout/settle-payment.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import { describeEvidence } from '../../src/lib/evidence-file.ts';
import { addUp } from '../../src/lib/exact-sum.ts';
import { resolveSuspense } from '../../src/movements/resolve-suspense.ts';
import { GIVEN_BACK_ELSEWHERE, type PaymentOutcome } from '../../src/payment-methods/payment-method.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { expireTransactions } from '../../src/transactions/expire-transactions.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { onQuery } from '../support/on-query.ts';
import { TESTER } from '../support/test-actor.ts';
import { readingThrough, removeTriggers, undone } from '../support/test-books.ts';
import { untilQueued } from '../support/until-queued.ts';
import {
  approved,
  type CheckoutCase,
  openCheckout,
  openOtherProcess,
  readAttempt,
  readCounter,
  readStates,
  scriptMethod,
} from './checkout-case.ts';

const AMOUNT = 12_990;
const evidence = describeEvidence('/somewhere/portal.csv', Buffer.from('order;amount\n1;12990\n'));

async function openWaiting(
  openTestDatabase: OpenTestDatabase,
  said: PaymentOutcome = { kind: 'unknown' },
): Promise<CheckoutCase & { id: string; attempt: PaymentAttempt }> {
  const opened = await openCheckout(openTestDatabase, {
    method: scriptMethod({ start: async () => said }),
    payerAttempts: 1,
  });
  await startPayment(opened.app, opened.transaction, 'scripted');
  const attempt = await readAttempt(opened.app);
  return { ...opened, id: attempt.id, attempt };
}

function decide(
  { app, id }: Pick<CheckoutCase, 'app'> & { id: string },
  outcome: DecidedOutcome,
  taken: number | null = null,
) {
  return decidePayment(app, id, { outcome, taken, reason: 'seen in the portal', evidence, by: TESTER });
}

/** Returns the balances of the method's debt, of the merchant, and of suspense. */
async function balancesOf({
  app,
}: Pick<CheckoutCase, 'app'>): Promise<[taken: number, merchant: number, suspense: number]> {
  const rows = await app.db.query<{ account: string; sum: number }>(
    'select account, abs(debits - credits) as sum from account_balances',
  );
  const of = (account: string) => rows.find((row) => row.account === account)?.sum ?? 0;
  return [of('method:scripted:receivable'), of('merchant:payable'), of('suspense')];
}

async function assertVerified({ app }: Pick<CheckoutCase, 'app'>): Promise<void> {
  const { problems, records, balances, findings } = await verifyStore(app);
  assert.deepEqual([problems, records, balances, findings], [[], [], [], []]);
}

forEachEngine('a payment that a person decides', (openTestDatabase) => {
  test('is verified with its decision: changed evidence, a changed reason and a deleted decision are detected', async () => {
    const waiting = await openWaiting(openTestDatabase);
    await decide(waiting, 'approved');
    await assertVerified(waiting);
    const { app } = waiting;
    await removeTriggers(app.db);
    for (const [change, found] of [
      ["update payment_decisions set evidence_sha256 = 'another'", /evidence_sha256 was "\w{64}", is "another"/],
      ["update payment_decisions set reason = 'never said'", /reason was "seen in the portal", is "never said"/],
      ['delete from payment_decisions', /pd_\w+ was deleted/],
    ] as const) {
      await undone(app, async (tx) => {
        await tx.query(change);
        const { findings } = await verifyStore(readingThrough(app, tx));
        assert.match(findings.map(({ says }) => says).join(), found);
      });
    }
  });

  const rows: [
    outcome: DecidedOutcome,
    taken: number | null,
    transaction: string,
    attempt: string,
    events: string[],
    callbacks: number,
    balances: [number, number, number],
  ][] = [
    ['approved', null, 'completed', 'approved', ['completed'], 1, [AMOUNT, AMOUNT, 0]],
    ['approved', AMOUNT + 10, 'completed', 'approved', ['conflict', 'completed'], 1, [AMOUNT + 10, AMOUNT, 10]],
    ['approved', 1, 'failed', 'declined', ['failed', 'conflict'], 1, [1, 0, 1]],
    ['declined', null, 'failed', 'declined', ['failed'], 1, [0, 0, 0]],
    ['aborted', null, 'pending', 'aborted', [], 0, [0, 0, 0]],
  ];
  for (const [outcome, taken, state, attempt, events, callbacks, balances] of rows) {
    test(`${outcome}${taken === null ? '' : `, of ${taken}`} leaves the order ${state} and books what was taken`, async () => {
      const waiting = await openWaiting(openTestDatabase);
      const wish = { outcome, taken, reason: 'seen in the portal', evidence, by: TESTER };
      const rehearsed = await rehearseDecision(waiting.app, waiting.id, wish);
      assert.deepEqual([rehearsed?.transaction, rehearsed?.attempt], [state, attempt]);
      assert.equal(addUp((rehearsed?.entries ?? []).map((entry) => entry.amount)), balances[0]);
      assert.deepEqual(await balancesOf(waiting), [0, 0, 0], 'a preview changes nothing');
      assert.equal(await decide(waiting, outcome, taken), 'decided');
      assert.deepEqual(await readStates(waiting.app), {
        transaction: state,
        attempts: [attempt],
        events: ['created', ...events],
        callbacks,
      });
      assert.deepEqual(await balancesOf(waiting), balances);
      assert.equal(await readCounter(waiting.app.metrics.conflicts), events.includes('conflict') ? 1 : 0);
      await assertVerified(waiting);
      assert.equal(await decide(waiting, outcome, taken), 'already');
      const [decision, ...others] = await selectDecisions(waiting.app.db, 10);
      assert.deepEqual(others, []);
      assert.equal(decision?.evidence_name, 'portal.csv');
      assert.equal(decision?.evidence_sha256, evidence.sha256);
      assert.equal(Buffer.from(decision?.evidence_excerpt ?? '', 'base64').toString(), 'order;amount\n1;12990\n');
      waiting.app.now.advance(60 * 60_000);
      const left = await listAttention(waiting.app, null, 10);
      assert.deepEqual(
        left.map(({ kind, amount }) => [kind, amount]),
        balances[2] === 0 ? [] : [['suspense', balances[2]]],
      );
    });
  }

  test('can have its excess in suspense resolved like any other money in suspense', async () => {
    const waiting = await openWaiting(openTestDatabase);
    await decide(waiting, 'approved', AMOUNT + 10);
    await resolveSuspense(waiting.app, waiting.transaction.id, {
      decision: 'returned',
      reason: 'seen',
      by: TESTER,
    });
    assert.deepEqual(await balancesOf(waiting), [AMOUNT, AMOUNT, 0]);
    await assertVerified(waiting);
  });

  for (const [taken, attempt] of [
    [5000, 'declined'],
    [AMOUNT + 10, 'approved'],
  ] as const) {
    test(`goes to suspense with all of its ${taken} when its order has expired, and the order stays expired`, async () => {
      const waiting = await openWaiting(openTestDatabase, { kind: 'aborted', detail: {} });
      waiting.app.now.advance(waiting.transaction.expires_at);
      await expireTransactions(waiting.app, 10);
      assert.equal(await decide(waiting, 'approved', taken), 'decided');
      const { transaction, attempts, events } = await readStates(waiting.app);
      assert.deepEqual([transaction, events], ['expired', ['created', 'expired', 'conflict']]);
      assert.deepEqual(attempts, [attempt]);
      assert.deepEqual(await balancesOf(waiting), [taken, 0, taken]);
      await assertVerified(waiting);
      assert.equal(await decide(waiting, 'approved'), 'already');
    });
  }

  test('is not decided by a preview from before its order expired; a new preview puts the money in suspense', async () => {
    const waiting = await openWaiting(openTestDatabase, { kind: 'aborted', detail: {} });
    const { app, id } = waiting;
    const wish = { outcome: 'approved', taken: null, reason: 'seen in the portal', evidence, by: TESTER } as const;
    const seen = await rehearseDecision(app, id, wish);
    assert.equal(seen?.transaction, 'completed');
    app.now.advance(waiting.transaction.expires_at);
    await expireTransactions(app, 10);
    assert.equal(await decidePayment(app, id, { ...wish, effect: seen?.effect ?? '' }), 'already');
    assert.deepEqual([await balancesOf(waiting), await selectDecisions(app.db, 10)], [[0, 0, 0], []]);
    const now = await rehearseDecision(app, id, wish);
    assert.equal(await decidePayment(app, id, { ...wish, effect: now?.effect ?? '' }), 'decided');
    assert.deepEqual(await balancesOf(waiting), [AMOUNT, 0, AMOUNT]);
  });

  for (const given of [4000, AMOUNT]) {
    test(`puts ${given} in suspense that the portal had returned before the decision`, async () => {
      const detail = { reason: GIVEN_BACK_ELSEWHERE, given_back: given };
      const waiting = await openWaiting(openTestDatabase, { kind: 'contradiction', detail });
      assert.equal(await decide(waiting, 'approved'), 'decided');
      assert.deepEqual(await balancesOf(waiting), [AMOUNT - given, AMOUNT, given]);
      await assertVerified(waiting);
      const listed = await listAttention(waiting.app, null, 10);
      assert.deepEqual(
        listed.map(({ kind, amount }) => [kind, amount]),
        [['suspense', given]],
      );
      await resolveSuspense(waiting.app, waiting.transaction.id, { decision: 'kept', reason: 'seen', by: TESTER });
      assert.deepEqual(await balancesOf(waiting), [AMOUNT - given, AMOUNT - given, 0]);
      await assertVerified(waiting);
    });
  }

  test('is in suspense once when the portal returned it after the order had expired, and can be marked as returned', async () => {
    const waiting = await openWaiting(openTestDatabase, { kind: 'aborted', detail: {} });
    waiting.app.now.advance(waiting.transaction.expires_at);
    await expireTransactions(waiting.app, 10);
    const detail = { reason: GIVEN_BACK_ELSEWHERE, given_back: AMOUNT };
    await settlePayment(waiting.app, waiting.attempt, { kind: 'contradiction', detail });
    const asked = await readAttempt(waiting.app);
    assert.equal(await decide(waiting, 'approved'), 'decided');
    // The method was being asked when the person decided.
    assert.equal((await settlePayment(waiting.app, asked, { kind: 'contradiction', detail })).kind, 'already');
    assert.equal((await readAttempt(waiting.app)).contradicted_at, null);
    assert.deepEqual(await balancesOf(waiting), [AMOUNT, 0, AMOUNT]);
    await resolveSuspense(waiting.app, waiting.transaction.id, {
      decision: 'returned',
      reason: 'seen',
      by: TESTER,
    });
    assert.deepEqual(await balancesOf(waiting), [0, 0, 0]);
    await assertVerified(waiting);
  });

  test('goes to suspense while another attempt is open, and that attempt continues', async () => {
    const opened = await openCheckout(openTestDatabase, {
      method: scriptMethod({ start: async () => ({ kind: 'pending' }) }),
    });
    const { app, transaction } = opened;
    await startPayment(app, transaction, 'scripted');
    const attempt = await readAttempt(app);
    await settlePayment(app, attempt, { kind: 'aborted', detail: {} });
    app.now.advance(1000);
    await startPayment(app, transaction, 'scripted');
    assert.equal(await decide({ app, id: attempt.id }, 'approved'), 'decided');
    assert.deepEqual((await readStates(app)).attempts, ['aborted', 'pending']);
    assert.deepEqual(await balancesOf(opened), [AMOUNT, 0, AMOUNT]);
    await assertVerified(opened);
  });

  test('is booked once when the method answers after the decision, and another answer is listed as a conflict', async () => {
    const waiting = await openWaiting(openTestDatabase);
    const { app, id, attempt } = waiting;
    await decide(waiting, 'approved');
    assert.equal((await settlePayment(app, attempt, approved)).kind, 'already');
    assert.equal((await settlePayment(app, attempt, { kind: 'declined', detail: {} })).kind, 'conflict');
    assert.deepEqual(
      (await listAttention(app, null, 10)).map((row) => [row.kind, row.id]),
      [['payment', id]],
    );
    assert.equal(await decide(waiting, 'declined'), 'approved_stays');
    assert.equal(await decide(waiting, 'approved'), 'decided');
    assert.deepEqual(await listAttention(app, null, 10), []);
    assert.deepEqual(await balancesOf(waiting), [AMOUNT, AMOUNT, 0]);
    await assertVerified(waiting);
  });

  test('still pays the order when the method approves it after a person decided "aborted"', async () => {
    const waiting = await openWaiting(openTestDatabase);
    await decide(waiting, 'aborted');
    assert.equal((await settlePayment(waiting.app, waiting.attempt, approved)).kind, 'moved');
    assert.deepEqual(await balancesOf(waiting), [AMOUNT, AMOUNT, 0]);
    await assertVerified(waiting);
  });

  test('ends once when two people and the method decide at the same time', async () => {
    const waiting = await openWaiting(openTestDatabase);
    const other = await openOtherProcess(openTestDatabase, waiting);
    const results = await Promise.all([
      decide(waiting, 'approved'),
      decide({ app: other, id: waiting.id }, 'approved'),
      settlePayment(other, waiting.attempt, approved).then(({ kind }) => kind),
    ]);
    assert.ok(results.filter((result) => result === 'decided' || result === 'moved').length === 1, String(results));
    assert.deepEqual(await balancesOf(waiting), [AMOUNT, AMOUNT, 0]);
    await assertVerified(waiting);
  });

  test('takes no money when a person ends it at the moment at which its commit is about to be sent', async () => {
    const { app, id, attempt, transaction } = await openWaiting(openTestDatabase);
    const claimedUntil = app.now() + 60_000;
    await app.db.transaction((tx) => claimAttemptOf(tx, transaction, { now: app.now(), until: claimedUntil }));
    let sent: Promise<boolean> | undefined;
    const hearing = onQuery(app, async (sql) => {
      if (sent !== undefined || !sql.includes('book_fact_heads')) return;
      sent = app.db.transaction((tx) => noteCommitSent(tx, attempt, { claimedUntil, at: app.now() }));
      await untilQueued(app.db);
    });
    assert.equal(await decide({ app: hearing, id }, 'aborted'), 'decided');
    assert.equal(await sent, false, 'the process that was about to send the commit is told not to');
  });

  test('is unknown without an attempt, and its decision cannot be changed or deleted', async () => {
    const waiting = await openWaiting(openTestDatabase);
    assert.equal(await decide({ ...waiting, id: 'pa_none' }, 'approved'), 'unknown');
    await decide(waiting, 'aborted');
    for (const change of [`update payment_decisions set reason = 'x'`, 'delete from payment_decisions']) {
      await assert.rejects(undone(waiting.app, (tx) => tx.query(change)));
    }
  });
});
