import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAttention } from '../../src/attention/list-attention.ts';
import { authenticateBearer } from '../../src/auth/authenticate-bearer.ts';
import { disableUser } from '../../src/auth/change-user.ts';
import { logInWithApiToken } from '../../src/auth/log-in-with-api-token.ts';
import { makeApiToken } from '../../src/auth/make-api-token.ts';
import { userActor } from '../../src/auth/user-actor.ts';
import { approvePayouts } from '../../src/payouts/decide-payouts.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { actor, openPayoutDesk, propose } from '../support/test-payouts.ts';
import { createTestUser } from '../support/test-user.ts';

const address = '192.0.2.9';

forEachEngine('a payout of a person', (openTestDatabase) => {
  test('was approved by who had made the API token with which it was made in their name', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const paymentServices = [desk.environment.paymentServiceId];
    const boss = actor(await createTestUser(app, { role: 'owner', may: [], paymentServices }), 'owner');
    const { id } = desk.users.maker;
    const token = await makeApiToken(app, id, { name: 'spare', expiresAt: null }, boss);
    app.now.advance(1000);
    const login = { apiToken: token?.api_token ?? '', email: null, expiresAt: null, address };
    const { text } = await logInWithApiToken(app, login);
    const person = userActor(await authenticateBearer(app, `Bearer ${text}`, undefined), address);
    const made = await propose(app, { ...desk, maker: person });
    const approve = (by: typeof boss, payouts: typeof made) =>
      approvePayouts(app, { owner: desk.environment, named: { ids: payouts.map((one) => one.id) }, by, reason: null });
    await assert.rejects(approve(boss, made), { code: 'APPROVAL_REFUSED' });
    assert.deepEqual(await listAttention(app, 'approval', 10), []);
    const own = await propose(app, desk);
    assert.equal((await approve(boss, own)).length, 1, 'the person made it themselves, without a token');
    await disableUser(app, desk.users.approver.id, TESTER);
    assert.match((await listAttention(app, 'approval', 10))[0]?.reason ?? '', /nobody/);
  });
});
