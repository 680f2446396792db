import '../support/cheap-hashes.ts';

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeCounts } from '../../src/audit/count-acts.ts';
import { listAudit } from '../../src/audit/list-audit.ts';
import { addTotp } from '../../src/auth/factors/enrol-totp.ts';
import { proveForRequest } from '../../src/auth/factors/prove-factor.ts';
import { removeFactor, resetFactors } from '../../src/auth/factors/remove-factor.ts';
import { totpCode } from '../../src/auth/factors/totp.ts';
import { findUser } from '../../src/auth/find-user.ts';
import type { Permission, Role } from '../../src/auth/permission.ts';
import { resetPassword } from '../../src/auth/reset-secrets.ts';
import type { User } from '../../src/auth/user.ts';
import { type Database, StorageError } from '../../src/db/database.ts';
import { ConsolePerson, valueOf } from '../support/console-person.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertMarked } from '../support/field-at-fault.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { jsonOf, startTestServer, type TestServer } from '../support/test-server.ts';
import { createTestUser } from '../support/test-user.ts';

const STEP = 30_000;
const MINUTE = 60_000;

forEachEngine('the second factor at the console', (openTestDatabase) => {
  const open = async (roles: readonly string[] = ['support']) => {
    const made = createTestApp(await openTestDatabase());
    const app: TestApp = { ...made, config: { ...made.config, secondFactorRoles: roles } };
    const server = await startTestServer(app);
    return { app, server };
  };
  const enrolled = async (app: TestApp, server: TestServer) => {
    const user = await createTestUser(app, { role: 'support', may: [] });
    const person = new ConsolePerson(server);
    await person.signIn(user);
    return { user, person, ...(await person.enrol(app)) };
  };
  const prove = (person: ConsolePerson, code: string) => person.post('/console/prove', { code, next: '/payments' });

  test('is added before a person who must have one sees anything; recovery codes are shown once', async () => {
    const { app, server } = await open();
    await using _server = server;
    const user = await createTestUser(app, { role: 'support', may: [] });
    const person = new ConsolePerson(server);
    assert.equal((await person.signIn(user)).status, 303);
    for (const path of ['/console', '/console/payments', '/console/account', '/console/prove']) {
      const answer = await person.get(path);
      assert.deepEqual(
        [answer.status, (answer.headers.get('location') ?? '').split('?')[0]],
        [303, '/console/account/factors/totp'],
      );
    }
    assert.equal((await person.post('/console/account/password', { now: user.password, wanted: 'x' })).status, 303);
    const before = person.cookie;
    const setup = valueOf((await person.get('/console/account/factors/totp')).text, 'setup');
    const wrong = await person.post('/console/account/factors/totp', { setup, name: 'Caja 2', code: 'x' });
    assert.match(wrong.text, /value="Caja 2"/, 'the form keeps the name of the device after a wrong code');
    const { codes } = await person.enrol(app);
    assert.equal(new Set(codes).size, 10);
    for (const code of codes) assert.match(code, /^[0-9a-z]{4}(-[0-9a-z]{4}){3}$/);
    assert.notEqual(person.cookie, before);
    assert.equal((await person.get('/console/payments')).status, 200);
    const thief = new ConsolePerson(server);
    thief.cookie = before;
    assert.equal((await thief.get('/console/payments')).headers.get('location'), '/console/sign-in?next=%2Fpayments');
    const stored = JSON.stringify([
      await app.db.query('select * from factors'),
      await app.db.query('select * from recovery_codes'),
      await app.db.query('select * from audit_log'),
    ]);
    for (const code of codes) for (const text of [code, code.replaceAll('-', '')]) assert.ok(!stored.includes(text));
  });

  test('is needed with a granted permission that otherwise only roles with one have, and then stays', async () => {
    const { app, server } = await open(['support', 'finance', 'approver', 'operator', 'owner']);
    await using _server = server;
    const cases: [Role, Permission[], boolean][] = [
      ['auditor', [], false],
      ['auditor', ['payouts:approve'], true],
      ['merchant', ['refunds:create'], true],
      ['merchant', ['events:read', 'payments:create'], false],
    ];
    for (const [role, may, needed] of cases) {
      const user = await createTestUser(app, { role, may });
      const { headers, status } = await server.get('/console/payments', user.console);
      const asked = headers.get('location')?.startsWith('/console/account/factors/totp') ?? false;
      assert.deepEqual([status, asked], needed ? [303, true] : [200, false], `${role} ${may.join()}`);
      const factor = await addTotp(app, user, 'Phone', TESTER);
      const removal = await removeFactor(app, factor?.id ?? '', user.id, TESTER);
      assert.equal(removal, needed ? 'last' : 'removed', `${role} ${may.join()}`);
    }
    const program = await createTestUser(app, { may: ['refunds:create', 'payments:read'] });
    assert.equal(
      (await server.get('/console/payments', program.console)).status,
      200,
      'a program has no second factor',
    );
  });

  test('asks a person who waited too long before adding it to sign in again', async () => {
    const { app, server } = await open();
    await using _server = server;
    const user = await createTestUser(app, { role: 'support', may: [] });
    const person = new ConsolePerson(server);
    await person.signIn(user);
    app.now.advance(15 * MINUTE);
    const answer = await person.get('/console/account/factors/totp');
    assert.equal(answer.headers.get('location'), '/console/sign-in?next=%2Faccount%2Ffactors%2Ftotp');
    assert.equal((await person.get('/console/sign-in?next=%2Faccount%2Ffactors%2Ftotp')).status, 200);
    await person.signIn(user);
    await person.enrol(app);
    assert.equal((await person.get('/console/payments')).status, 200);
  });

  test('is required beside the password for every screen, every form and the API', async () => {
    const { app, server } = await open([]);
    await using _server = server;
    const { user, secret } = await enrolled(app, server);
    const thief = new ConsolePerson(server);
    assert.equal((await thief.signIn(user)).status, 303);
    // Who can write into the database has no signed proof.
    await app.db.transaction((tx) => tx.query('update sessions set proved_at = created_at'));
    for (const path of ['/console', '/console/account', '/console/account/factors/totp']) {
      assert.equal((await thief.get(path)).headers.get('location')?.split('?')[0], '/console/prove', path);
    }
    for (const path of ['/console/account/recovery-codes', '/console/account/factors/remove'])
      assert.equal((await thief.post(path)).headers.get('location'), '/console/prove');
    const bearer = { authorization: `Bearer ${thief.cookie.split('=')[1]}` };
    assert.equal((await server.get('/transactions', bearer)).status, 401);
    const wire = await server.post('/users/login', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: user.email, password: user.password }),
    });
    assert.deepEqual([wire.status, jsonOf(wire)['code']], [403, 'SECOND_FACTOR_NEEDED']);
    await writeCounts(app, 'end');
    const { acts } = await listAudit(app, { who: user.email, action: 'user.factor_refused' }, 10);
    assert.deepEqual(
      acts.map(({ after }) => after),
      [{ factor: 'none' }],
    );
    app.now.advance(STEP);
    assert.equal((await prove(thief, await totpCode(secret, app.now()))).headers.get('location'), '/console/payments');
  });

  test('is not avoided with an access token of the API, which opens no screen', async () => {
    const { app, server } = await open([]);
    await using _server = server;
    const { headers } = await createTestUser(app, { role: 'support', may: [] });
    const cookie = `rubrica_console=${headers.authorization.slice(7)}`;
    assert.equal((await server.get('/console/payments', { cookie })).status, 303);
  });

  test('is not required from a program that logs in at the API', async () => {
    const { app, server } = await open([]);
    await using _server = server;
    const user = await createTestUser(app);
    const person = new ConsolePerson(server);
    await person.signIn(user);
    await person.enrol(app);
    const wire = await server.post('/users/login', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: user.email, password: user.password }),
    });
    assert.equal(wire.status, 200);
  });

  test('a code works once, within one step of the clock, also when two browsers send it at once', async () => {
    const { app, server } = await open();
    await using _server = server;
    const { user, secret } = await enrolled(app, server);
    const people = [new ConsolePerson(server), new ConsolePerson(server), new ConsolePerson(server)] as const;
    for (const person of people) await person.signIn(user);
    const used = await totpCode(secret, app.now());
    assert.equal((await prove(people[0], used)).status, 401, 'the code of the setup does not work again');
    app.now.advance(5 * STEP);
    const off = (steps: number) => totpCode(secret, app.now() + steps * STEP);
    for (const steps of [-2, 2]) assert.equal((await prove(people[0], await off(steps))).status, 401);
    const late = await off(-1);
    const outcomes = await Promise.all(people.map((person) => prove(person, late)));
    assert.deepEqual(
      outcomes.map(({ status }) => status).sort((a, b) => a - b),
      [303, 401, 401],
    );
    const left = people.filter((_, at) => outcomes[at]?.status === 401);
    assert.equal((await prove(left[0] as ConsolePerson, await off(1))).status, 303);
    assert.equal(
      (await prove(left[1] as ConsolePerson, await off(0))).status,
      401,
      'a code before the last used one is refused',
    );
  });

  test('a recovery code works once, also when two browsers send it at once', async () => {
    const { app, server } = await open();
    await using _server = server;
    const { user, codes } = await enrolled(app, server);
    const people = [new ConsolePerson(server), new ConsolePerson(server)] as const;
    for (const person of people) await person.signIn(user);
    const [code = '', other = ''] = codes;
    const outcomes = await Promise.all(people.map((person) => prove(person, code)));
    assert.deepEqual(
      outcomes.map(({ status }) => status).sort((a, b) => a - b),
      [303, 401],
    );
    const left = people[outcomes.findIndex(({ status }) => status === 401)] as ConsolePerson;
    assert.equal((await prove(left, code)).status, 401);
    assert.equal((await prove(left, other.toUpperCase().replaceAll('-', ' '))).status, 303);
    assert.match((await left.get('/console/account')).text, /8 are left/);
    const stranger = await enrolled(app, server);
    const thief = new ConsolePerson(server);
    await thief.signIn(stranger.user);
    assert.equal((await prove(thief, codes[2] as string)).status, 401, 'a recovery code of another person is refused');
    await writeCounts(app, 'end');
    const { acts } = await listAudit(app, { action: 'user.recovery_code_used' }, 10);
    assert.equal(acts.length, 2);
  });

  test('is not reached with a password after ten wrong ones, and the page says for how long', async () => {
    const { app, server } = await open();
    await using _server = server;
    const { user } = await enrolled(app, server);
    const person = new ConsolePerson(server);
    for (let guess = 0; guess < 10; guess++)
      assert.equal((await person.signIn({ ...user, password: `wrong-${guess}` })).status, 401);
    app.now.advance(MINUTE);
    const { status, text } = await person.signIn(user);
    assert.equal(status, 429);
    assert.match(text, /Too many attempts\. Try again in 29 min\./);
  });

  test('refuses every code for half an hour after ten wrong ones', async () => {
    const { app, server } = await open();
    await using _server = server;
    const { user, secret, codes } = await enrolled(app, server);
    const thief = new ConsolePerson(server);
    await thief.signIn(user);
    for (let guess = 0; guess < 10; guess++) assert.equal((await prove(thief, `00000${guess}`)).status, 401);
    app.now.advance(STEP);
    for (const code of [await totpCode(secret, app.now()), codes[0] as string]) {
      const { status, text } = await prove(thief, code);
      assert.equal(status, 429);
      assert.match(text, /Too many attempts\. Try again in 30 min\./);
    }
    app.now.advance(30 * MINUTE + 1);
    assert.equal((await prove(thief, await totpCode(secret, app.now()))).status, 303);
    await writeCounts(app, 'end');
    const { acts } = await listAudit(app, { action: 'user.factor_refused' }, 10);
    assert.deepEqual(
      acts.map(({ who, after }) => [who.name, who.from, (after as { count?: number }).count]),
      [
        [user.email, '127.0.0.1', 10],
        [user.email, '127.0.0.1', undefined],
      ],
    );
  });

  test('says that a recovery code works after fifty wrong codes from other networks, and it does', async () => {
    const { app, server } = await open();
    await using _server = server;
    const { user, secret, codes } = await enrolled(app, server);
    const known = (await findUser(app, user.id)) as User;
    const person = new ConsolePerson(server);
    await person.signIn(user);
    for (let guess = 0; guess < 50; guess++)
      await assert.rejects(proveForRequest(app, { user: known, address: `192.0.${guess}.1` }, '000000'));
    app.now.advance(STEP);
    const { status, text } = await prove(person, await totpCode(secret, app.now()));
    assert.equal(status, 429);
    assert.match(text, /A recovery code works now; codes of the app work in 30 min\./);
    assert.equal((await prove(person, codes[0] as string)).status, 303);
  });

  test('is asked for again before a protected act when the proof is old, and leads back', async () => {
    const { app, server } = await open();
    await using _server = server;
    const { person, secret } = await enrolled(app, server);
    assert.equal((await person.post('/console/account/recovery-codes')).status, 200);
    app.now.advance(15 * MINUTE);
    const asked = await person.post('/console/account/recovery-codes');
    assert.equal(asked.headers.get('location'), '/console/prove?next=%2Faccount');
    const page = await person.get('/console/prove?next=%2Faccount');
    assert.match(page.text, /Nothing was done yet/);
    const back = await person.post('/console/prove', { code: await totpCode(secret, app.now()), next: '/account' });
    assert.equal(back.headers.get('location'), '/console/account');
    assert.equal((await person.post('/console/account/recovery-codes')).status, 200);
  });

  test('is replaced by the password for a person without one, and the session is not extended', async () => {
    const { app, server } = await open([]);
    await using _server = server;
    const user = await createTestUser(app, { role: 'support', may: [] });
    const person = new ConsolePerson(server);
    await person.signIn(user);
    app.now.advance(15 * MINUTE);
    assert.equal((await person.get('/console/account/factors/totp')).status, 303);
    const wrong = await person.post('/console/prove', { password: 'wrong' });
    assert.deepEqual([wrong.status, /The password is wrong/.test(wrong.text)], [401, true]);
    assertMarked(wrong.text, 'password');
    assert.equal((await person.post('/console/prove', { password: user.password })).status, 303);
    assert.equal((await person.get('/console/account/factors/totp')).status, 200);
    const sessions = await app.db.query<{ length: number }>(
      "select expires_at - created_at as length from sessions where user_id = $1 and kind = 'console' order by created_at",
      [user.id],
    );
    assert.deepEqual(
      sessions.slice(1).map(({ length }) => length),
      [24 * 60 * MINUTE, (24 * 60 - 15) * MINUTE],
    );
  });

  test('is replaced by the password after its removal, in the session that had proved it', async () => {
    const { app, server } = await open([]);
    await using _server = server;
    const { person, user } = await enrolled(app, server);
    const [factor] = await app.db.query<{ id: string }>('select id from factors where user_id = $1', [user.id]);
    assert.match(
      (await person.get('/console/account')).text,
      new RegExp(
        `<details><summary>Remove…</summary><p>[^<]+</p><form[^>]+><button name="factor" value="${factor?.id}">`,
      ),
    );
    await person.post('/console/account/factors/remove', { factor: factor?.id ?? '' });
    app.now.advance(15 * MINUTE);
    assert.equal((await person.get('/console/account/factors/totp')).status, 303);
    assert.equal((await person.post('/console/prove', { password: user.password })).status, 303);
    assert.equal((await person.get('/console/account/factors/totp')).status, 200);
  });

  test('is required in sessions that began before it was added', async () => {
    const { app, server } = await open([]);
    await using _server = server;
    const user = await createTestUser(app, { role: 'support', may: [] });
    const [thief, person] = [new ConsolePerson(server), new ConsolePerson(server)];
    for (const one of [thief, person]) await one.signIn(user);
    app.now.advance(15 * MINUTE);
    for (const one of [thief, person]) await one.post('/console/prove', { password: user.password });
    assert.equal((await thief.get('/console/payments')).status, 200);
    await person.enrol(app);
    assert.equal((await thief.get('/console/payments')).headers.get('location'), '/console/prove?next=%2Fpayments');
  });

  test('is not removed by another person, nor as the only one when the role must have one', async () => {
    const { app, server } = await open();
    await using _server = server;
    const { person, user } = await enrolled(app, server);
    const other = await enrolled(app, server);
    const [first] = await app.db.query<{ id: string }>('select id from factors where user_id = $1', [user.id]);
    const remove = (one: ConsolePerson) => one.post('/console/account/factors/remove', { factor: first?.id ?? '' });
    assert.equal((await remove(other.person)).status, 404);
    assert.match((await remove(person)).text, /with your role and permissions you need one/);
    app.now.advance(STEP);
    await person.enrol(app);
    assert.equal((await remove(person)).headers.get('location'), '/console/account?done=removed');
    assert.equal((await app.db.query('select id from factors where user_id = $1', [user.id])).length, 1);
  });

  test('a setup works once, and only for its person', async () => {
    const { app, server } = await open();
    await using _server = server;
    const { person } = await enrolled(app, server);
    const other = await enrolled(app, server);
    const page = (await person.get('/console/account/factors/totp')).text;
    const setup = /name="setup" value="([^"]*)"/.exec(page)?.[1] ?? '';
    const secret = (/<code>([A-Z2-7 ]+)<\/code>/.exec(page)?.[1] ?? '').replaceAll(' ', '');
    const finish = async (one: ConsolePerson) =>
      one.post('/console/account/factors/totp', { setup, name: 'a', code: await totpCode(secret, app.now()) });
    assert.equal((await finish(other.person)).status, 400);
    const wrong = await person.post('/console/account/factors/totp', { setup, name: 'Second', code: '000 00' });
    assertMarked(wrong.text, 'code');
    assert.match(wrong.text, /name="name"[^>]* value="Second"/);
    assert.doesNotMatch(wrong.text, /000 00/);
    assertMarked((await person.post('/console/account/factors/totp', { setup, name: '<', code: '' })).text, 'name');
    assert.equal((await finish(person)).status, 303);
    assert.equal((await finish(person)).status, 400, 'a second click adds no second factor');
    assert.equal((await app.db.query('select id from factors')).length, 3);
  });

  test('a reset removes factors and codes, ends the sessions, and is in the audit log', async () => {
    const { app, server } = await open();
    await using _server = server;
    const { person, user } = await enrolled(app, server);
    assert.deepEqual(await resetFactors(app, user.email, TESTER), { id: user.id, removed: 1 });
    assert.equal((await person.get('/console/payments')).headers.get('location'), '/console/sign-in?next=%2Fpayments');
    await person.signIn(user);
    assert.match((await person.get('/console')).headers.get('location') ?? '', /^\/console\/account\/factors\/totp/);
    assert.equal((await app.db.query('select hash from recovery_codes')).length, 0);
    const { acts } = await listAudit(app, { action: 'user.factors_reset' }, 10);
    assert.deepEqual(
      acts.map(({ subject, before }) => [subject.id, before]),
      [[user.id, { factors: ['totp Phone'] }]],
    );
  });

  test('a new password ends the other sessions and keeps this one; a weak or wrong one changes nothing', async () => {
    const { app, server } = await open([]);
    await using _server = server;
    const user = await createTestUser(app, { role: 'support', may: [] });
    const [person, other] = [new ConsolePerson(server), new ConsolePerson(server)];
    for (const one of [person, other]) await one.signIn(user);
    const change = (now: string, wanted: string) => person.post('/console/account/password', { now, wanted });
    for (const weak of ['short', 'aaaaaaaaaaaaaaaa', '123456789012345', `${user.email.split('@')[0]}-and-more`])
      assertMarked((await change(user.password, weak)).text, 'wanted');
    assertMarked((await change('wrong', 'cuatro perros verdes')).text, 'now');
    assert.equal((await other.get('/console')).status, 200);
    assert.equal((await change(user.password, 'cuatro perros verdes')).status, 303);
    assert.deepEqual([(await person.get('/console')).status, (await other.get('/console')).status], [200, 303]);
    assert.equal((await other.signIn({ ...user, password: 'cuatro perros verdes' })).status, 303);
  });

  test('a new password that the database does not take leaves the person signed in with the old one', async () => {
    const app = createTestApp(await openTestDatabase());
    const user = await createTestUser(app, { role: 'support', may: [] });
    let proofs = 0;
    const transaction: Database['transaction'] = async (work, kind) => {
      if (proofs === 2) throw new StorageError('STORAGE_UNAVAILABLE', null);
      const done = await app.db.transaction(work, kind);
      // The first proof is the sign-in, the second is the proof before the change.
      if (done !== null && typeof done === 'object' && 'proved_at' in done) proofs++;
      return done;
    };
    await using server = await startTestServer({ ...app, db: { ...app.db, transaction } });
    const person = new ConsolePerson(server);
    await person.signIn(user);
    const changed = await person.post('/console/account/password', { now: user.password, wanted: 'perros verdes 4' });
    assert.deepEqual([changed.status, proofs], [503, 2]);
    proofs = 3;
    assert.equal((await person.get('/console')).status, 200);
    assert.equal((await new ConsolePerson(server).signIn(user)).status, 303);
  });

  test('a new password is refused when another person resets the password meanwhile', async () => {
    const app = createTestApp(await openTestDatabase());
    const user = await createTestUser(app, { role: 'support', may: [] });
    let proofs = 0;
    let reset: { password: string } | null = null;
    const transaction: Database['transaction'] = async (work, kind) => {
      const done = await app.db.transaction(work, kind);
      // The first proof is the sign-in, the second is the proof before the change.
      if (done !== null && typeof done === 'object' && 'proved_at' in done && ++proofs === 2)
        reset = await resetPassword(app, user.email, TESTER);
      return done;
    };
    await using slow = await startTestServer({ ...app, db: { ...app.db, transaction } });
    const thief = new ConsolePerson(slow);
    await thief.signIn(user);
    const wanted = 'cuatro perros verdes';
    const changed = await thief.post('/console/account/password', { now: user.password, wanted });
    assert.notEqual(reset, null);
    assert.equal(changed.status, 401);
    const person = new ConsolePerson(slow);
    const location = async (password: string) =>
      (await person.signIn({ ...user, password })).headers.get('location') ?? '';
    assert.equal(await location(wanted), '');
    assert.notEqual(await location((reset as { password: string } | null)?.password ?? ''), '');
  });
});
