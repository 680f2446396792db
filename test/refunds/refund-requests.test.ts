import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Actor } from '../../src/audit/actor.ts';
import { listAudit } from '../../src/audit/list-audit.ts';
import { disableUser } from '../../src/auth/change-user.ts';
import { setRights } from '../../src/auth/set-rights.ts';
import { makeApiToken } from '../../src/auth/tokens/make-api-token.ts';
import { userActor } from '../../src/auth/user-actor.ts';
import { updateUserDisabled } from '../../src/auth/user-queries.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import { approveRefundRequest, rejectRefundRequest } from '../../src/refunds/decide-refund-request.ts';
import { listRefundRequests, listWaitingRequests } from '../../src/refunds/find-refund-request.ts';
import type { RefundRequest } from '../../src/refunds/refund-request.ts';
import { selectRefundRequest } from '../../src/refunds/refund-request-queries.ts';
import { requestRefund } from '../../src/refunds/request-refund.ts';
import { lockTransaction } from '../../src/transactions/transaction-queries.ts';
import { forEachEngine } from '../support/engines.ts';
import { formHeaders } from '../support/form-headers.ts';
import { explain, type HeardStatement, listenToStatements } from '../support/heard-statements.ts';
import { afterQuery } from '../support/on-query.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { payOut } from '../support/test-movements.ts';
import { actorOf, askForRefund, openRefundDesk } from '../support/test-refund-requests.ts';
import { acceptedRefund, refund, refundsOf } from '../support/test-refunds.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestTransaction } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';
import { untilQueued } from '../support/until-queued.ts';

const code = (wanted: string) => (error: unknown) => (error as { code?: string }).code === wanted;
const approve = (app: TestApp, request: RefundRequest, by: Actor, reason: string | null = null) =>
  approveRefundRequest(app, request, { by, reason });
const stateOf = async (app: TestApp, request: RefundRequest) => (await selectRefundRequest(app.db, request))?.state;

forEachEngine('a refund above a person’s limit', (openTestDatabase, engine) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    return { app, desk: await openRefundDesk(app) };
  };

  test('is requested, approved by another person, made in the name of the requester, and carried out', async () => {
    const { app, desk } = await open();
    const { paid, users } = desk;
    const tried = refund(app, paid, paid.amount, { requestedBy: users.asker.id });
    await assert.rejects(tried, code('REFUND_LIMIT_REACHED'));
    const request = await askForRefund(app, desk);
    assert.deepEqual(await refundsOf(app, paid), [], 'no money is refunded before the approval');
    const done = await approve(app, request, desk.approver, 'vi la foto');
    assert.ok(done.kind === 'approved');
    assert.deepEqual(
      [done.refund.amount, done.refund.type, done.refund.requested_by, done.request.refund_id],
      [150_000, 'total', users.asker.email, done.refund.id],
    );
    await carryOutRefunds(app, 10);
    assert.deepEqual(await refundsOf(app, paid), [['completed', 150_000]]);
    const { acts } = await listAudit(app, { action: 'refund_request' }, 10);
    assert.deepEqual(
      acts.map(({ action, who, reason, subject }) => [action, who.name, reason, subject.id]),
      [
        ['refund_request.approved', users.approver.email, 'vi la foto', request.id],
        ['refund_request.made', users.asker.email, 'llegó roto', request.id],
      ],
    );
    assert.deepEqual(acts[0]?.after, {
      transaction: paid.id,
      amount: 150_000,
      currency: 'CLP',
      requested_by: users.asker.email,
      state: 'approved',
      refund: done.refund.id,
    });
    assert.ok((await verifyStore(app)).ok);
  });

  test('is never approved by its requester, whatever their permissions, and the database refuses it too', async () => {
    const { app, desk } = await open();
    const owner = await createTestUser(app, { role: 'owner', may: [], refundLimits: { CLP: 1000 } });
    const by = actorOf(owner, 'owner');
    const request = await askForRefund(app, desk, { by });
    await assert.rejects(approve(app, request, by), code('APPROVAL_REFUSED'));
    const past = (set: string) =>
      app.db.transaction((tx) => tx.query(`update refund_requests set ${set} where id = $1`, [request.id]));
    const approved = "state = 'approved', decided_at = 1, refund_id = 'x'";
    const twoPeople = /refund_requests_two_people|CHECK/;
    await assert.rejects(past(`${approved}, decided_by = 'x', decided_by_id = requested_by_id`), twoPeople);
    await assert.rejects(past(`${approved}, decided_by = requested_by, decided_by_id = 'x'`), twoPeople);
    await assert.rejects(
      past(approved),
      /refund_requests_decided|CHECK/,
      'the schema refuses an end without a decision',
    );
    await assert.rejects(
      past("state = 'rejected', decided_at = 1, decided_by = 'x', decided_by_id = 'x'"),
      /CHECK|_why/,
    );
    await assert.rejects(past("requested_by_id = 'us_other'"), /append-only/);
    await assert.rejects(past('amount = 1'), /append-only/);
    await assert.rejects(
      app.db.transaction((tx) => tx.query('delete from refund_requests')),
      /append-only/,
    );
    assert.equal(await stateOf(app, request), 'waiting');
    assert.deepEqual(await refundsOf(app, desk.paid), []);
  });

  test('is made once when two people approve it at once', async () => {
    const { app, desk } = await open();
    const owner = actorOf(await createTestUser(app, { role: 'owner', may: [] }), 'owner');
    const request = await askForRefund(app, desk, { amount: 100_001 });
    // Separate apps, because one process handles the refunds of a merchant one after the other.
    const both = () => [desk.approver, owner].map((by) => approve(createTestApp(app.db), request, by));
    let asked: ReturnType<typeof both> = [];
    await app.db.transaction(async (tx) => {
      await lockTransaction(tx, desk.paid);
      asked = both();
      await untilQueued(app.db, 2);
    });
    const kinds = (await Promise.all(asked)).map(({ kind }) => kind);
    assert.deepEqual(kinds.toSorted(), ['already', 'approved']);
    assert.deepEqual(await refundsOf(app, desk.paid), [['processing', 100_001]]);
    assert.equal((await listAudit(app, { action: 'refund_request.approved' }, 10)).acts.length, 1);
  });

  test('is decided again by an approver who did not see an equal refund that was made meanwhile', async () => {
    const { app, desk } = await open();
    const owner = actorOf(await createTestUser(app, { role: 'owner', may: [], refundLimits: { CLP: 1000 } }), 'owner');
    const paid = await createPaidTransaction(app, desk.environment, { reference: 'large', amount: 300_000 });
    const requests = [
      await askForRefund(app, { ...desk, paid }, { amount: 100_001 }),
      await askForRefund(app, { ...desk, paid }, { amount: 100_001, by: owner }),
    ];
    const confirm = (request: RefundRequest, equalSeen: string) =>
      approveRefundRequest(createTestApp(app.db), request, { by: desk.approver, reason: null, equalSeen });
    let asked: ReturnType<typeof confirm>[] = [];
    await app.db.transaction(async (tx) => {
      await lockTransaction(tx, paid);
      asked = requests.map((request) => confirm(request, ''));
      await untilQueued(app.db, 2);
    });
    const done = await Promise.all(asked);
    assert.deepEqual(done.map(({ kind }) => kind).toSorted(), ['approved', 'equal_made']);
    assert.deepEqual(await refundsOf(app, paid), [['processing', 100_001]]);
    const [made] = done.flatMap((one) => (one.kind === 'approved' ? [one.refund] : []));
    const [left] = done.flatMap((one) => (one.kind === 'equal_made' ? [one.request] : []));
    assert.equal(await stateOf(app, left as RefundRequest), 'waiting');
    assert.equal((await confirm(left as RefundRequest, made?.id ?? '')).kind, 'approved', 'who saw it decides');
  });

  test('stays waiting with the reason when it cannot be made at the approval', async () => {
    const { app, desk } = await open();
    const request = await askForRefund(app, desk, { amount: 120_000 });
    await acceptedRefund(app, desk.paid, 50_000);
    const first = await approve(app, request, desk.approver);
    assert.deepEqual([first.kind, 'refusal' in first && first.refusal.code], ['refused', 'REFUND_AMOUNT_TOO_HIGH']);
    await acceptedRefund(app, desk.paid, 100_000);
    const second = await approve(app, request, desk.approver);
    assert.equal('refusal' in second && second.refusal.code, 'ALREADY_REFUNDED');
    assert.equal(await stateOf(app, request), 'waiting');
    assert.equal((await listAudit(app, { action: 'refund_request.approved' }, 10)).acts.length, 0);
    assert.equal(
      (await rejectRefundRequest(app, request, { by: desk.approver, reason: 'ya volvió' })).kind,
      'rejected',
    );
  });

  test('reserves nothing while it waits: the balance is checked at the approval', async () => {
    const { app, desk } = await open();
    const request = await askForRefund(app, desk);
    await payOut(app, desk.environment, 150_000);
    const done = await approve(app, request, desk.approver);
    assert.equal('refusal' in done && done.refusal.code, 'INSUFFICIENT_BALANCE');
    assert.equal(await stateOf(app, request), 'waiting');
  });

  test('is approved or rejected only by a person with the permission for its payment service', async () => {
    const { app, desk } = await open();
    const request = await askForRefund(app, desk);
    const here = [desk.environment.paymentServiceId];
    const support = await createTestUser(app, { role: 'support', may: [], paymentServices: here });
    const stranger = await createTestUser(app, { role: 'approver', may: [], paymentServices: [] });
    const program = await createTestUser(app, { may: ['refunds:approve'], paymentServices: here });
    const gone = await createTestUser(app, { role: 'approver', may: [], paymentServices: here });
    await disableUser(app, gone.id, TESTER);
    for (const [by, wanted] of [
      [actorOf(support, 'support'), /^PERMISSION_MISSING .*: `bin\/rubrica user grant USER refunds:approve`\.$/],
      [actorOf(stranger, 'approver'), /^PERMISSION_MISSING .*`bin\/rubrica user payment-services USER --payment-/],
      [actorOf(program, 'integration'), /^PERSON_NEEDED/],
      [actorOf(gone, 'approver'), /^TOKEN_INVALID/],
      [TESTER, /^PERSON_NEEDED/],
    ] as const) {
      const isWanted = ({ code: refused, message }: Error & { code?: string }) => wanted.test(`${refused} ${message}`);
      await assert.rejects(approve(app, request, by), isWanted, by.name);
      await assert.rejects(rejectRefundRequest(app, request, { by, reason: 'no' }), isWanted, by.name);
    }
    assert.equal(await stateOf(app, request), 'waiting');
  });

  test('is not approved by a person who is disabled while the approval waits for the merchant’s money', async () => {
    const { app, desk } = await open();
    const request = await askForRefund(app, desk);
    const { id } = desk.users.approver;
    const disabling = afterQuery(app, /^update environments set events_url/, (tx) => updateUserDisabled(tx, id, 1));
    await assert.rejects(approve(disabling, request, desk.approver), code('TOKEN_INVALID'));
    assert.deepEqual([await stateOf(app, request), await refundsOf(app, desk.paid)], ['waiting', []]);
  });

  test('of a program is not approved by the maker of its API token, unless the token ended before the request', async () => {
    const { app, desk } = await open();
    const owner = await createTestUser(app, { role: 'owner', may: [] });
    const program = await createTestUser(app, { may: ['refunds:create'], refundLimits: { CLP: 1000 } });
    const expiresAt = app.now() + 60_000;
    await makeApiToken(app, program.id, { name: 'mine', expiresAt }, actorOf(owner, 'owner'));
    const by = actorOf(program, 'integration');
    const first = await askForRefund(app, desk, { by, amount: 2000 });
    await setRights(app, program.id, { role: 'support' }, TESTER);
    await assert.rejects(approve(app, first, actorOf(owner, 'owner')), /API token or the password of the user/);
    assert.equal((await approve(app, first, desk.approver)).kind, 'approved');
    await setRights(app, program.id, { role: 'integration' }, TESTER);
    app.now.advance(60_001);
    const second = await askForRefund(app, desk, { by, amount: 3000 });
    assert.equal((await approve(app, second, actorOf(owner, 'owner'))).kind, 'approved');
  });

  test('of a program is not approved by the maker of a token of another program that made its token', async () => {
    const { app, desk } = await open();
    const owner = await createTestUser(app, { role: 'owner', may: [] });
    const maker = await createTestUser(app, { may: ['users:manage', 'refunds:create'] });
    const program = await createTestUser(app, { may: ['refunds:create'], refundLimits: { CLP: 1000 } });
    await makeApiToken(app, maker.id, { name: 'deploy', expiresAt: null }, actorOf(owner, 'owner'));
    await makeApiToken(app, program.id, { name: 'till', expiresAt: null }, actorOf(maker, 'integration'));
    const request = await askForRefund(app, desk, { by: actorOf(program, 'integration'), amount: 2000 });
    await assert.rejects(approve(app, request, actorOf(owner, 'owner')), /API token or the password of the user/);
    assert.equal((await approve(app, request, desk.approver)).kind, 'approved');
  });

  test('of a person is not approved by the maker of the API token that requested it', async () => {
    const { app, desk } = await open();
    const owner = await createTestUser(app, { role: 'owner', may: [] });
    const { asker } = desk.users;
    await makeApiToken(app, asker.id, { name: 'spare', expiresAt: null }, actorOf(owner, 'owner'));
    const by = userActor({ ...asker, role: 'support', token: 'spare' }, '192.0.2.1');
    const request = await askForRefund(app, desk, { by });
    await assert.rejects(approve(app, request, actorOf(owner, 'owner')), code('APPROVAL_REFUSED'));
    assert.equal((await approve(app, request, desk.approver)).kind, 'approved');
  });

  test('is listed by the index of waiting requests, not from all payments of the merchant', async () => {
    const { app, desk } = await open();
    const request = await askForRefund(app, desk);
    const { app: heard, all } = listenToStatements(app);
    const [found, ...others] = await listWaitingRequests(heard, new Set([desk.environment.id]), 10);
    assert.deepEqual([found?.id, others], [request.id, []]);
    const plan = await explain(app, all.at(-1) as HeardStatement);
    // PostgreSQL uses another plan for so few rows.
    if (engine === 'sqlite') assert.match(plan[0] ?? '', /refund_requests_waiting/);
  });

  test('is withdrawn by its requester, and by no other person of support', async () => {
    const { app, desk } = await open();
    const request = await askForRefund(app, desk);
    const other = await createTestUser(app, { role: 'support', may: [] });
    const reason = 'me equivoqué';
    const byOther = rejectRefundRequest(app, request, { by: actorOf(other, 'support'), reason });
    await assert.rejects(byOther, code('PERMISSION_MISSING'));
    const { kind, request: ended } = await rejectRefundRequest(app, request, { by: desk.asker, reason });
    assert.deepEqual([kind, ended.state, ended.decided_by], ['rejected', 'rejected', desk.users.asker.email]);
    assert.equal((await rejectRefundRequest(app, request, { by: desk.asker, reason })).kind, 'already');
    assert.equal((await approve(app, request, desk.approver)).kind, 'already');
    assert.deepEqual(await refundsOf(app, desk.paid), []);
    const again = await askForRefund(app, desk);
    assert.notEqual(again.id, request.id, 'the refund can be requested again');
    const all = await listRefundRequests(app, true, 10);
    assert.deepEqual(
      all.map(({ id, state }) => `${id} ${state}`).toSorted(),
      [`${request.id} rejected`, `${again.id} waiting`].toSorted(),
    );
    assert.deepEqual(
      (await listRefundRequests(app, false, 10)).map(({ id }) => id),
      [again.id],
    );
  });

  test('waits once for each amount and requester, however often it is requested', async () => {
    const { app, desk } = await open();
    const asked = await Promise.all(
      Array.from({ length: 4 }, () =>
        requestRefund(app, desk.paid, { amount: null, type: 'total', reason: 'llegó roto', by: desk.asker }),
      ),
    );
    assert.deepEqual(asked.map(({ kind }) => kind).toSorted(), ['made', 'replayed', 'replayed', 'replayed']);
    const owner = await createTestUser(app, { role: 'owner', may: [], refundLimits: { CLP: 1000 } });
    await askForRefund(app, desk, { by: actorOf(owner, 'owner') });
    await askForRefund(app, desk, { amount: 100_001 });
    const waiting = await listRefundRequests(app, false, 10);
    assert.deepEqual(
      waiting.map(({ amount, requested_by }) => `${amount} ${requested_by}`).toSorted(),
      [`100001 ${desk.users.asker.email}`, `150000 ${desk.users.asker.email}`, `150000 ${owner.email}`].toSorted(),
    );
    assert.equal((await listAudit(app, { action: 'refund_request.made' }, 10)).acts.length, 3);
  });

  test('waits with at most five different amounts for each payment and requester', async () => {
    const { app, desk } = await open();
    const amounts = [0, 1, 2, 3, 4].map((more) => 100_001 + more);
    const [first] = await Promise.all(amounts.map((amount) => askForRefund(app, desk, { amount })));
    const more = { amount: 100_010, type: 'parcial', reason: 'llegó roto', by: desk.asker } as const;
    assert.equal((await requestRefund(app, desk.paid, more)).kind, 'too_many');
    const small = await requestRefund(app, desk.paid, { ...more, amount: 1000 });
    assert.equal(small.kind, 'within_limit', 'an amount within the limit of the person needs no withdrawal');
    await using server = await startTestServer(app);
    const { console: cookie } = desk.users.asker;
    const typed = new URLSearchParams({ amount: '100010', reason: 'llegó roto' });
    const page = await server.post(`/console/payments/${desk.paid.id}/requests`, {
      headers: { ...formHeaders({}), ...cookie },
      body: String(typed),
    });
    assert.equal(page.status, 409);
    assert.match(page.text, /Ya esperan 5 solicitudes tuyas/);
    assert.equal(
      (await askForRefund(app, desk, { amount: 100_001 })).id,
      first?.id,
      'an equal request is the waiting one',
    );
    const owner = await createTestUser(app, { role: 'owner', may: [], refundLimits: { CLP: 1000 } });
    await askForRefund(app, desk, { amount: 100_010, by: actorOf(owner, 'owner') });
    await rejectRefundRequest(app, first as RefundRequest, { by: desk.asker, reason: 'otro monto' });
    await askForRefund(app, desk, { amount: 100_010 });
  });

  test('is refused immediately when the refund would be, and needs no approval within the limit', async () => {
    const { app, desk } = await open();
    const ask = (paid: typeof desk.paid, amount: number, by: Actor = desk.asker) =>
      requestRefund(app, paid, { amount, type: 'parcial', reason: 'llegó roto', by });
    const open_ = await createTestTransaction(app, desk.environment);
    const high = await ask(desk.paid, 150_001);
    assert.equal(high.kind === 'refused' && high.refusal.code, 'REFUND_AMOUNT_TOO_HIGH');
    const unpaid = await ask(open_, 1000);
    assert.equal(unpaid.kind === 'refused' && unpaid.refusal.code, 'TRANSACTION_NOT_COMPLETED');
    assert.equal((await ask(desk.paid, 100_000)).kind, 'within_limit');
    await refund(app, desk.paid, 40_000, { requestedBy: desk.users.asker.id });
    assert.equal((await ask(desk.paid, 60_000)).kind, 'within_limit');
    assert.equal((await ask(desk.paid, 60_001)).kind, 'made', 'the limit applies to the whole day');
    const owner = await createTestUser(app, { role: 'owner', may: [] });
    assert.equal((await ask(desk.paid, 110_000, actorOf(owner, 'owner'))).kind, 'within_limit');
    await assert.rejects(ask(desk.paid, 110_000, desk.approver), code('PERMISSION_MISSING'));
    await assert.rejects(ask(desk.paid, 110_000, TESTER), code('PERSON_NEEDED'));
    assert.equal((await listRefundRequests(app, true, 10)).length, 1);
  });
});
