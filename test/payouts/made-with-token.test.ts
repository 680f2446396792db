import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAttention } from '../../src/attention/list-attention.ts';
import type { Actor } from '../../src/audit/actor.ts';
import { disableUser } from '../../src/auth/change-user.ts';
import { createUser } from '../../src/auth/create-user.ts';
import { acceptInvitation, findInvitation, type OpenInvitation } from '../../src/auth/invitations/accept-invitation.ts';
import { makePasswordLink, type NewInvitation } from '../../src/auth/invitations/invite-user.ts';
import { resetPassword } from '../../src/auth/reset-secrets.ts';
import { setRights } from '../../src/auth/set-rights.ts';
import { logIn } from '../../src/auth/sign-in/log-in.ts';
import { authenticateBearer } from '../../src/auth/tokens/authenticate-bearer.ts';
import { endApiToken } from '../../src/auth/tokens/end-api-token.ts';
import { listApiTokens } from '../../src/auth/tokens/list-api-tokens.ts';
import { logInWithApiToken } from '../../src/auth/tokens/log-in-with-api-token.ts';
import { makeApiToken } from '../../src/auth/tokens/make-api-token.ts';
import { userActor } from '../../src/auth/user-actor.ts';
import { approvePayouts, cancelPayouts } from '../../src/payouts/approval/decide-payouts.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import { transitionPayouts } from '../../src/payouts/transition-payouts.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { ANA, actor, approved, openPayoutDesk, propose, wish } from '../support/test-payouts.ts';
import { createTestUser } from '../support/test-user.ts';

const address = '192.0.2.9';

forEachEngine('a payout made with a token or password that somebody else knows', (openTestDatabase) => {
  /** Opens a desk with a boss who may approve, and who makes programs and API tokens of others. */
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const paymentServices = [desk.environment.paymentServiceId];
    const boss = actor(await createTestUser(app, { role: 'owner', may: [], paymentServices }), 'owner');
    const come = async (accessToken: string): Promise<Actor> =>
      userActor(await authenticateBearer(app, `Bearer ${accessToken}`, undefined), address);
    const approve = (payouts: readonly Payout[]) => {
      const named = { ids: payouts.map(({ id }) => id) };
      return approvePayouts(app, { owner: desk.environment, named, by: boss, reason: null });
    };
    /** Asserts that the boss may not approve. No attention is needed while the approver of the desk may. */
    const assertBarred = async (payouts: readonly Payout[]) => {
      await assert.rejects(approve(payouts), { code: 'APPROVAL_REFUSED' });
      assert.deepEqual(await listAttention(app, 'approval', 10), []);
    };
    const assertNobodyLeft = async () => {
      await disableUser(app, desk.users.approver.id, TESTER);
      assert.match((await listAttention(app, 'approval', 10))[0]?.reason ?? '', /nobody/);
    };
    return { app, desk, paymentServices, boss, come, approve, assertBarred, assertNobodyLeft };
  };

  test('cannot be approved by the creator of the program who used its password, even after its API token ended', async () => {
    const { app, desk, paymentServices, boss, come, assertBarred, assertNobodyLeft } = await open();
    const wish = { email: 'robot@example.cl', may: ['payouts:create', 'accounts:validate'], paymentServices } as const;
    const { id, email, password } = await createUser(app, wish, boss);
    for (const token of (await listApiTokens(app, id)) ?? []) await endApiToken(app, token.id, boss);
    app.now.advance(1000);
    const program = await come((await logIn(app, { email, password, address })).text);
    const made = await propose(app, { ...desk, maker: program });
    await assertBarred(made);
    await setRights(app, id, { role: 'support' }, boss);
    await assertBarred(made);
    await assertNobodyLeft();
  });

  test('cannot be approved by the creator of the API token with which it was made in a person’s name', async () => {
    const { app, desk, boss, come, approve, assertBarred, assertNobodyLeft } = await open();
    const token = await makeApiToken(app, desk.users.maker.id, { name: 'spare', expiresAt: null }, boss);
    app.now.advance(1000);
    const login = { apiToken: token?.api_token ?? '', email: null, expiresAt: null, address };
    const person = await come((await logInWithApiToken(app, login)).text);
    await assertBarred(await propose(app, { ...desk, maker: person }));
    const own = await propose(app, desk);
    assert.equal((await approve(own)).length, 1, 'the person made the payout without a token');
    await assertNobodyLeft();
  });

  test('cannot be approved by the person who set the program’s password, by a link or by a reset', async () => {
    const { app, desk, boss, come, approve, assertBarred, assertNobodyLeft } = await open();
    const { id, email } = desk.users.program;
    const made = (await makePasswordLink(app, id, 3_600_000, boss)) as NewInvitation;
    const byProgram = await propose(app, { ...desk, maker: desk.program });
    assert.equal((await approve(byProgram)).length, 1, 'an unused link bars nobody');
    const link = (await findInvitation(app, made.token)) as OpenInvitation;
    const password = 'hunter-of-2-moons';
    await acceptInvitation(app, link, { password, address });
    const program = await come((await logIn(app, { email, password, address })).text);
    await assertBarred(await propose(app, { ...desk, maker: program }));
    const other = await createTestUser(app, { may: ['payouts:create', 'accounts:validate'] });
    const reset = await resetPassword(app, other.id, boss);
    const second = await come(
      (await logIn(app, { email: other.email, password: reset?.password ?? '', address })).text,
    );
    await assertBarred(await propose(app, { ...desk, maker: second }));
    await assertNobodyLeft();
  });

  test('cannot be approved by the creator of the API token that changed its account in a person’s name', async () => {
    const { app, desk, boss, come, approve, assertBarred, assertNobodyLeft } = await open();
    const finance = await createTestUser(app, { role: 'finance', may: [] });
    const token = await makeApiToken(app, finance.id, { name: 'spare', expiresAt: null }, boss);
    const [paid] = (await approved(app, desk)) as [Payout];
    const sent = { ids: [paid.id], to: 'sent', at: app.now() } as const;
    await app.db.transaction((tx) => transitionPayouts(tx, desk.environment, sent));
    app.now.advance(1000);
    const proposeTo = async (maker: Actor, account: string) =>
      (await propose(app, { ...desk, maker }, [wish({ payee: { ...ANA, bankCode: '001', account } })])) as [Payout];
    const change = async (maker: Actor, account: string) => {
      const [{ id }] = await proposeTo(maker, account);
      await cancelPayouts(app, { owner: desk.environment, named: { ids: [id] }, by: desk.maker, reason: 'no' });
      const [payout] = await proposeTo(desk.maker, account);
      assert.equal(payout.account_changed_by, finance.id);
      return payout;
    };
    const own = await change(actor(finance, 'finance'), '990011223');
    assert.equal((await approve([own])).length, 1, 'an unused token bars nobody');
    const login = { apiToken: token?.api_token ?? '', email: null, expiresAt: null, address };
    const person = await come((await logInWithApiToken(app, login)).text);
    await assertBarred([await change(person, '880011223')]);
    await assertNobodyLeft();
  });

  test('can be approved by the creator of an API token that was made after the payout', async () => {
    const { app, desk, boss, come, approve, assertNobodyLeft } = await open();
    const finance = await createTestUser(app, { role: 'finance', may: [] });
    const [paid] = (await approved(app, desk)) as [Payout];
    const sent = { ids: [paid.id], to: 'sent', at: app.now() } as const;
    await app.db.transaction((tx) => transitionPayouts(tx, desk.environment, sent));
    app.now.advance(1000);
    const proposeTo = (maker: Actor) =>
      propose(app, { ...desk, maker }, [wish({ payee: { ...ANA, bankCode: '001', account: '990011223' } })]);
    await proposeTo(actor(finance, 'finance'));
    const [changed] = (await proposeTo(desk.maker)) as [Payout];
    assert.equal(changed.account_changed_by, finance.id);
    const made = await propose(app, { ...desk, maker: desk.program });
    app.now.advance(3_600_000);
    const token = await makeApiToken(app, finance.id, { name: 'spare', expiresAt: null }, boss);
    await makeApiToken(app, desk.users.program.id, { name: 'spare', expiresAt: null }, boss);
    const login = { apiToken: token?.api_token ?? '', email: null, expiresAt: null, address };
    await come((await logInWithApiToken(app, login)).text);
    await disableUser(app, desk.users.approver.id, TESTER);
    assert.deepEqual(await listAttention(app, 'approval', 10), [], 'the boss may approve');
    assert.equal((await approve([changed])).length, 1);
    assert.equal((await approve(made)).length, 1);
    await propose(app, { ...desk, maker: desk.program });
    await assertNobodyLeft();
  });

  test('can be approved by the creator of a program that had become a person when it changed the account', async () => {
    const { app, desk, boss, approve, assertBarred } = await open();
    const { id, email } = await createUser(app, { email: 'ana@example.cl', paymentServices: 'all' }, boss);
    const [paid] = (await approved(app, desk)) as [Payout];
    const sent = { ids: [paid.id], to: 'sent', at: app.now() } as const;
    await app.db.transaction((tx) => transitionPayouts(tx, desk.environment, sent));
    const changed = async (account: string) => {
      app.now.advance(1000);
      const proposeTo = (maker: Actor) =>
        propose(app, { ...desk, maker }, [wish({ payee: { ...ANA, bankCode: '001', account } })]);
      await proposeTo(userActor({ id, email, role: 'finance' }, address));
      const [payout] = (await proposeTo(desk.maker)) as [Payout];
      assert.equal(payout.account_changed_by, id);
      return payout;
    };
    await setRights(app, id, { grant: ['payouts:create', 'accounts:validate'] }, boss);
    const byProgram = await changed('990011223');
    app.now.advance(1000);
    await setRights(app, id, { role: 'finance' }, boss);
    await assertBarred([byProgram]);
    const byPerson = await changed('880011223');
    assert.equal((await approve([byPerson])).length, 1);
    await assertBarred([byProgram]);
  });
});
