import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAudit } from '../../src/audit/list-audit.ts';
import { createUser } from '../../src/auth/create-user.ts';
import { inviteUser } from '../../src/auth/invitations/invite-user.ts';
import { resetPassword } from '../../src/auth/reset-secrets.ts';
import { setRights } from '../../src/auth/set-rights.ts';
import { approvePayouts } from '../../src/payouts/approval/decide-payouts.ts';
import { makePayoutFiles } from '../../src/payouts/files/make-payout-files.ts';
import { approveRefundRequest } from '../../src/refunds/decide-refund-request.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { ANA, actor, approved, openPayoutDesk, propose, wish } from '../support/test-payouts.ts';
import { actorOf, askForRefund, openRefundDesk } from '../support/test-refund-requests.ts';
import { createTestUser } from '../support/test-user.ts';

const DAY = 86_400_000;

forEachEngine('an approval by a user whom the requester set up', (openTestDatabase) => {
  const noted = async (app: TestApp, action: string, member = 'approver_set_up_by') => {
    const { acts } = await listAudit(app, { action }, 10);
    return acts.map(({ after }) => (after as Record<string, unknown> | null)?.[member] ?? null);
  };

  test('names the requester in the audit log, unless the set-up was more than a week ago', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const owner = await createTestUser(app, { role: 'owner', may: [] });
    const boss = actor(owner, 'owner');
    const second = await createUser(
      app,
      { email: 'boss+2@example.cl', role: 'approver', paymentServices: 'all' },
      boss,
    );
    const by = actorOf({ ...owner, ...second }, 'approver');
    const approve = async (maker = boss) => {
      const ids = (await propose(app, { ...desk, maker })).map(({ id }) => id);
      await approvePayouts(app, { owner: desk.environment, named: { ids }, by, reason: null });
    };
    await approve();
    assert.deepEqual(await noted(app, 'payout.approved'), [owner.email]);
    await approve(desk.maker);
    app.now.advance(8 * DAY);
    await approve();
    assert.deepEqual(await noted(app, 'payout.approved'), [null, null, owner.email]);
  });

  test('names the requester who only made a new link for an approver invited by somebody else', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const owner = await createTestUser(app, { role: 'owner', may: [] });
    const boss = actor(owner, 'owner');
    const wish = { email: 'zoe@example.cl', role: 'approver', paymentServices: 'all' } as const;
    const { user: id } = await inviteUser(app, wish, DAY, TESTER);
    app.now.advance(8 * DAY);
    const { email } = await inviteUser(app, { email: wish.email }, DAY, boss);
    const ids = (await propose(app, { ...desk, maker: boss })).map((one) => one.id);
    const by = actorOf({ ...owner, id, email }, 'approver');
    await approvePayouts(app, { owner: desk.environment, named: { ids }, by, reason: null });
    assert.deepEqual(await noted(app, 'payout.approved'), [owner.email]);
  });

  test('names the maker whom the approver let in, by a new password or by other rights', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const boss = actor(await createTestUser(app, { role: 'owner', may: [] }), 'owner');
    const approve = async () => {
      const ids = (await propose(app, desk)).map(({ id }) => id);
      await approvePayouts(app, { owner: desk.environment, named: { ids }, by: boss, reason: null });
    };
    await approve();
    await resetPassword(app, desk.users.maker.id, boss);
    await approve();
    const setUps = await noted(app, 'payout.approved', 'set_up_by_approver');
    assert.deepEqual(setUps, [desk.users.maker.email, null]);
    const refunds = await openRefundDesk(app);
    await setRights(app, refunds.users.asker.id, { grant: ['payments:read'] }, boss);
    await approveRefundRequest(app, await askForRefund(app, refunds), { by: boss, reason: null });
    assert.deepEqual(await noted(app, 'refund_request.approved', 'set_up_by_approver'), [refunds.users.asker.email]);
  });

  test('names who changed the account of a payout and let its approver in', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    await approved(app, desk);
    const payer = { account: '123456789', rut: '', name: '', agreement: '' };
    await makePayoutFiles(app, { owner: desk.environment, by: desk.maker, format: 'santander', payer, batchId: null });
    app.now.advance(1000);
    const owner = await createTestUser(app, { role: 'owner', may: [] });
    const other = { ...ANA, bankCode: '037', account: '1234567890' };
    await propose(app, { ...desk, maker: actor(owner, 'owner') }, [wish({ payee: other })]);
    await setRights(app, desk.users.approver.id, { grant: ['refunds:create'] }, actor(owner, 'owner'));
    const [payout] = await approved(app, desk, [wish({ payee: other })]);
    assert.equal(payout?.account_changed_by, owner.id);
    assert.deepEqual(await noted(app, 'payout.approved'), [owner.email, null]);
  });

  test('names the requester of a refund above a limit who had changed the approver’s permissions', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openRefundDesk(app);
    const owner = await createTestUser(app, { role: 'owner', may: [], refundLimits: { CLP: 1000 } });
    const by = actorOf(owner, 'owner');
    app.now.advance(8 * DAY);
    await setRights(app, desk.users.approver.id, { grant: ['payouts:approve'] }, by);
    const request = await askForRefund(app, desk, { amount: 2000, by });
    const approval = await approveRefundRequest(app, request, { by: desk.approver, reason: null });
    assert.equal(approval.kind, 'approved');
    assert.deepEqual(await noted(app, 'refund_request.approved'), [owner.email]);
  });
});
