import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAttention } from '../../src/attention/list-attention.ts';
import type { Actor } from '../../src/audit/actor.ts';
import { authenticateBearer } from '../../src/auth/authenticate-bearer.ts';
import { disableUser } from '../../src/auth/change-user.ts';
import { createUser } from '../../src/auth/create-user.ts';
import { listApiTokens } from '../../src/auth/list-sessions.ts';
import { logIn } from '../../src/auth/log-in.ts';
import { logInWithApiToken } from '../../src/auth/log-in-with-api-token.ts';
import { endApiToken, makeApiToken } from '../../src/auth/make-api-token.ts';
import { userActor } from '../../src/auth/user-actor.ts';
import { approvePayouts } from '../../src/payouts/decide-payouts.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { actor, openPayoutDesk, propose } from '../support/test-payouts.ts';
import { createTestUser } from '../support/test-user.ts';

const address = '192.0.2.9';

forEachEngine('a payout that was made with a token or password that somebody else knows', (openTestDatabase) => {
  /** A boss who may approve, and makes programs and API tokens of others. */
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
    /** Nobody needs to be told while the approver of the desk is left. */
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

  test('was approved by who had made the program, ended its API token, and made the payout with its password', async () => {
    const { app, desk, paymentServices, boss, come, assertBarred, assertNobodyLeft } = await open();
    const wish = { email: 'robot@example.cl', may: ['payouts:create', 'accounts:validate'], paymentServices } as const;
    const { id, email, password } = await createUser(app, wish, boss);
    for (const token of (await listApiTokens(app, id)) ?? []) await endApiToken(app, token.id, boss);
    app.now.advance(1000);
    const program = await come((await logIn(app, { email, password, address })).text);
    await assertBarred(await propose(app, { ...desk, maker: program }));
    await assertNobodyLeft();
  });

  test('was approved by who had made the API token with which it was made in the name of a person', async () => {
    const { app, desk, boss, come, approve, assertBarred, assertNobodyLeft } = await open();
    const token = await makeApiToken(app, desk.users.maker.id, { name: 'spare', expiresAt: null }, boss);
    app.now.advance(1000);
    const login = { apiToken: token?.api_token ?? '', email: null, expiresAt: null, address };
    const person = await come((await logInWithApiToken(app, login)).text);
    await assertBarred(await propose(app, { ...desk, maker: person }));
    const own = await propose(app, desk);
    assert.equal((await approve(own)).length, 1, 'the person made it themselves, without a token');
    await assertNobodyLeft();
  });
});
