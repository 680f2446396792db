import '../support/cheap-hashes.ts';

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAudit } from '../../src/audit/list-audit.ts';
import { disableUser, enableUser } from '../../src/auth/change-user.ts';
import { acceptInvitation, findInvitation } from '../../src/auth/invitations/accept-invitation.ts';
import {
  endInvitation,
  inviteUser,
  listInvitations,
  makePasswordLink,
  makeSignInLink,
} from '../../src/auth/invitations/invite-user.ts';
import { resetPassword } from '../../src/auth/reset-secrets.ts';
import { listSessions } from '../../src/auth/sign-in/list-sessions.ts';
import { beginEpoch } from '../../src/epochs/begin-epoch.ts';
import { ConsolePerson } from '../support/console-person.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertMarked } from '../support/field-at-fault.ts';
import { onQuery } from '../support/on-query.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { startTestServer } from '../support/test-server.ts';
import { beginTestSession, createTestUser } from '../support/test-user.ts';
import { untilQueued } from '../support/until-queued.ts';

const DAY = 86_400_000;
const PASSWORD = 'cuatro perros verdes';

forEachEngine('an invitation', (openTestDatabase) => {
  const open = async () => {
    const made = createTestApp(await openTestDatabase());
    const app: TestApp = { ...made, config: { ...made.config, secondFactorRoles: ['support'] } };
    const server = await startTestServer(app);
    const invite = (email: string) => inviteUser(app, { email, role: 'support', paymentServices: 'all' }, DAY, TESTER);
    const accept = (token: string, password = PASSWORD, person = new ConsolePerson(server)) =>
      person.post(`/console/invitation/${token}`, { password });
    return { app, server, invite, accept };
  };

  test('lets the person set a password and a second factor, once, and shows the link nowhere again', async () => {
    const { app, server, invite, accept } = await open();
    await using _server = server;
    const { token, email } = await invite('Ana@example.cl');
    const person = new ConsolePerson(server);
    assert.match((await person.get(`/console/invitation/${token}`)).text, /ana@example\.cl, with the role support/);
    assertMarked((await accept(token, 'short', person)).text, 'password');
    assert.equal((await accept(token, PASSWORD, person)).status, 303);
    assert.match((await person.get('/console')).headers.get('location') ?? '', /factors\/totp/);
    await person.enrol(app);
    assert.equal((await person.get('/console')).status, 200);
    const again = await accept(token);
    assert.equal(again.status, 404);
    assert.match(again.text, /If you have set your password with it, sign in.*href="\/console\/sign-in"/s);
    assert.equal((await new ConsolePerson(server).get(`/console/invitation/${token}`)).status, 404);
    assert.equal((await new ConsolePerson(server).signIn({ email, password: PASSWORD })).status, 303);
    const stored = JSON.stringify([
      await app.db.query('select * from invitations'),
      await app.db.query('select * from audit_log'),
    ]);
    assert.ok(!stored.includes(token));
    const { acts } = await listAudit(app, { who: email, action: 'user.invitation_accepted' }, 10);
    assert.deepEqual(
      acts.map(({ who }) => [who.kind, who.from]),
      [['person', '127.0.0.1']],
    );
    await assert.rejects(invite(email), { code: 'USER_EXISTS' });
    assert.deepEqual(await listInvitations(app), []);
  });

  test('lets one of two concurrent browsers in', async () => {
    const { app, server, invite, accept } = await open();
    await using _server = server;
    const { token } = await invite('ana@example.cl');
    const outcomes = await Promise.all([accept(token, `${PASSWORD} uno`), accept(token, `${PASSWORD} dos`)]);
    assert.deepEqual(
      outcomes.map(({ status }) => status).sort((a, b) => a - b),
      [303, 404],
    );
    assert.equal((await app.db.query("select id from sessions where kind = 'console'")).length, 1);
  });

  test('ends by expiry, by a person, by a newer one and by a restore, and never changes its role', async () => {
    const { app, server, invite, accept } = await open();
    await using _server = server;
    const first = await invite('ana@example.cl');
    const email = 'ana@example.cl';
    for (const other of [
      { role: 'auditor' as const },
      { may: ['users:manage' as const] },
      { paymentServices: [] },
      { paymentServices: ['ps_unknown'] },
      { refundLimits: { CLP: 1000 } },
    ])
      await assert.rejects(
        inviteUser(app, { email, ...other }, DAY, TESTER),
        { code: 'USER_EXISTS' },
        'an existing user gets no new rights by an invitation',
      );
    const second = await inviteUser(app, { email }, DAY, TESTER);
    assert.equal((await accept(first.token)).status, 404);
    const [listed] = await listInvitations(app);
    assert.deepEqual([listed?.id, listed?.role, listed?.created_by], [second.id, 'support', TESTER.name]);
    assert.deepEqual(
      [await endInvitation(app, second.id, TESTER), await endInvitation(app, second.id, TESTER)],
      [true, false],
    );
    assert.equal((await accept(second.token)).status, 404);
    const third = await invite('ana@example.cl');
    app.now.advance(DAY);
    assert.equal((await accept(third.token)).status, 404);
    const fourth = await invite('ana@example.cl');
    await beginEpoch(app, [], 0, TESTER);
    assert.equal((await accept(fourth.token)).status, 404);
    await assert.rejects(invite((await createTestUser(app)).email), { code: 'USER_EXISTS' });
    for (const token of ['', 'x', 'a'.repeat(32)]) assert.equal((await accept(token)).status, 404);
  });

  test('does not work again after its person is disabled and enabled, or the password is reset', async () => {
    const { app, server, invite, accept } = await open();
    await using _server = server;
    const { token, user } = await invite('ana@example.cl');
    await disableUser(app, user, TESTER);
    await enableUser(app, user, TESTER);
    assert.equal((await accept(token)).status, 404);
    const { token: another } = await invite('ana@example.cl');
    assert.equal((await accept(another)).status, 303);
    const link = await makePasswordLink(app, user, DAY, TESTER);
    await resetPassword(app, user, TESTER);
    assert.equal((await accept(link?.token ?? '')).status, 404);
  });

  test('to a new password ends every session and every earlier link when it is made, and works until it expires', async () => {
    const { app, server, invite, accept } = await open();
    await using _server = server;
    const { token, user } = await invite('ana@example.cl');
    assert.equal((await accept(token)).status, 303);
    const earlier = await makePasswordLink(app, user, DAY, TESTER);
    await beginTestSession(app, user, 'console');
    const link = (await makePasswordLink(app, user, DAY, TESTER))?.token ?? '';
    assert.deepEqual(await listSessions(app, user), []);
    assert.equal((await accept(earlier?.token ?? '')).status, 404);
    assert.ok(await findInvitation(app, link));
    app.now.advance(DAY);
    assert.equal(await findInvitation(app, link), null);
  });

  test('lets nobody in when it ends during its use, and a chosen password ends every other session', async () => {
    const { app, server, invite, accept } = await open();
    await using _server = server;
    const { id, token, user } = await invite('ana@example.cl');
    const found = await findInvitation(app, token);
    assert.ok(found);
    assert.equal(await endInvitation(app, id, TESTER), true);
    assert.equal(await acceptInvitation(app, found, { password: PASSWORD, address: '192.0.2.1' }), null);
    const again = await invite('ana@example.cl');
    const { id: session } = await beginTestSession(app, user, 'console');
    assert.equal((await accept(again.token)).status, 303);
    const left = (await listSessions(app, user))?.map((one) => one.id) ?? [];
    assert.deepEqual([left.length, left.includes(session)], [1, false]);
  });

  test('works once when it is made twice at the same time', async () => {
    const { app, server, invite, accept } = await open();
    await using _server = server;
    // The second click on the button of the form: a browser shows only its answer.
    let again: ReturnType<typeof invite> | undefined;
    const clicking = onQuery(app, async (sql) => {
      if (again !== undefined || !sql.startsWith('update audit_head set hash')) return;
      again = invite('ana@example.cl');
      await untilQueued(app.db);
    });
    const wish = { email: 'ana@example.cl', role: 'support', paymentServices: 'all' } as const;
    const made = [await inviteUser(clicking, wish, DAY, TESTER), await again];
    const more = await Promise.all([invite('ana@example.cl'), invite('ana@example.cl')]);
    const answers = [];
    for (const link of [...made, ...more]) answers.push((await accept(link?.token ?? '')).status);
    assert.equal(answers.filter((status) => status === 303).length, 1);
  });

  test('is accepted only from its own page, and starts a new session', async () => {
    const { app, server, invite } = await open();
    await using _server = server;
    const { token } = await invite('ana@example.cl');
    const foreign = new ConsolePerson(server, { 'sec-fetch-site': 'cross-site' });
    assert.equal((await foreign.post(`/console/invitation/${token}`, { password: PASSWORD })).status, 403);
    const planted = new ConsolePerson(server);
    planted.cookie = (await createTestUser(app)).console.cookie;
    const before = planted.cookie;
    await planted.post(`/console/invitation/${token}`, { password: PASSWORD });
    assert.notEqual(planted.cookie, before);
  });

  test('to a demo lets in once without a password, and never in production', async () => {
    const { app, server } = await open();
    await using _server = server;
    const user = await createTestUser(app, { role: 'auditor', may: [] });
    const { token } = await makeSignInLink(app, user, TESTER);
    const person = new ConsolePerson(server);
    assert.equal((await person.get(`/console/invitation/${token}`)).status, 200);
    assert.equal((await person.post(`/console/invitation/${token}`)).status, 303);
    assert.equal((await person.get('/console')).status, 200);
    assert.equal((await person.post(`/console/invitation/${token}`)).status, 404);
    const other = await makeSignInLink(app, user, TESTER);
    const production: TestApp = { ...app, config: { ...app.config, mode: 'production' } };
    await using strict = await startTestServer(production);
    assert.equal((await new ConsolePerson(strict).post(`/console/invitation/${other.token}`)).status, 404);
    await assert.rejects(async () => makeSignInLink(production, user, TESTER), /for development/);
  });
});
