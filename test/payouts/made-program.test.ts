import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAttention } from '../../src/attention/list-attention.ts';
import { authenticateBearer } from '../../src/auth/authenticate-bearer.ts';
import { disableUser } from '../../src/auth/change-user.ts';
import { createUser } from '../../src/auth/create-user.ts';
import { listApiTokens } from '../../src/auth/list-sessions.ts';
import { logIn } from '../../src/auth/log-in.ts';
import { endApiToken } from '../../src/auth/make-api-token.ts';
import { userActor } from '../../src/auth/user-actor.ts';
import { approvePayouts } from '../../src/payouts/decide-payouts.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { actor, openPayoutDesk, propose } from '../support/test-payouts.ts';
import { createTestUser } from '../support/test-user.ts';

const address = '192.0.2.9';

forEachEngine('a payout of a program', (openTestDatabase) => {
  test('was approved by who had made the program, ended its API token, and made the payout with its password', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const paymentServices = [desk.environment.paymentServiceId];
    const boss = actor(await createTestUser(app, { role: 'owner', may: [], paymentServices }), 'owner');
    const wish = { email: 'robot@example.cl', may: ['payouts:create', 'accounts:validate'], paymentServices } as const;
    const { id, email, password } = await createUser(app, wish, boss);
    for (const token of (await listApiTokens(app, id)) ?? []) await endApiToken(app, token.id, boss);
    app.now.advance(1000);
    const { text } = await logIn(app, { email, password, address });
    const program = userActor(await authenticateBearer(app, `Bearer ${text}`, undefined), address);
    const ids = (await propose(app, { ...desk, maker: program })).map((payout) => payout.id);
    const approve = (by: typeof boss) =>
      approvePayouts(app, { owner: desk.environment, named: { ids }, by, reason: null });
    await assert.rejects(approve(boss), { code: 'APPROVAL_REFUSED' });
    assert.deepEqual(await listAttention(app, 'approval', 10), []);
    await disableUser(app, desk.users.approver.id, TESTER);
    assert.match((await listAttention(app, 'approval', 10))[0]?.reason ?? '', /nobody/);
  });
});
