import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listSessions } from '../../src/auth/sign-in/list-sessions.ts';
import { storeSessionUse } from '../../src/auth/sign-in/session.ts';
import { ConsolePerson } from '../support/console-person.ts';
import { forEachEngine } from '../support/engines.ts';
import { failingStore } from '../support/failing-store.ts';
import { createTestApp } from '../support/test-app.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestUser } from '../support/test-user.ts';

const MINUTE = 60_000;

forEachEngine('an idle session of the console', (openTestDatabase) => {
  const open = async () => {
    const { failing, faults } = failingStore(await openTestDatabase());
    const app = createTestApp(failing);
    const server = await startTestServer(app);
    const user = await createTestUser(app, { role: 'support', may: [] });
    const person = new ConsolePerson(server);
    await person.signIn(user);
    const isIn = async (one: ConsolePerson) => (await one.get('/console/payments')).status === 200;
    const consoleSessions = async () =>
      (await listSessions(app, user.id))?.filter(({ kind }) => kind === 'console').length ?? 0;
    return { app, faults, server, user, person, isIn, consoleSessions };
  };

  test('ends an hour after the last click, and is not listed any more', async () => {
    const { app, server, person, isIn, consoleSessions } = await open();
    await using _server = server;
    for (let click = 0; click < 3; click++) {
      app.now.advance(60 * MINUTE - 1);
      assert.ok(await isIn(person), `click ${click}`);
    }
    assert.equal(await consoleSessions(), 1, 'the unused session has ended');
    app.now.advance(60 * MINUTE);
    assert.equal(await consoleSessions(), 0);
    const late = await person.get('/console/payments?state=failed');
    assert.equal(late.headers.get('location'), '/console/sign-in?next=%2Fpayments%3Fstate%3Dfailed');
    // A form after the end leads to a page that says so, and from there back to its screen.
    for (const [path, next] of [
      ['/console/account/recovery-codes', '&next=%2Faccount'],
      ['/console/staff/invite', '&next=%2Fstaff%2Finvite'],
      ['/console/payments/1/requests/rr_x/withdraw', '&next=%2Fpayments%2F1'],
      ['/console/merchants/ps_x/fee', '&next=%2Fmerchants%2Fps_x'],
    ] as const) {
      const lost = (await person.post(path)).headers.get('location');
      assert.equal(lost, `/console/sign-in?ended=form${next}`);
    }
    assert.match((await person.get('/console/sign-in?ended=form')).text, /nothing that you sent was done/);
    assert.deepEqual(await app.db.query('select user_id from recovery_codes'), []);
  });

  test('of the API works and is listed until it expires, however long nobody uses it', async () => {
    const { app, server, user } = await open();
    await using _server = server;
    const login = await server.post('/users/login', { json: { username: user.email, password: user.password } });
    const { data } = JSON.parse(login.text) as { data: { access_token_jwt: string } };
    const headers = { authorization: `Bearer ${data.access_token_jwt}` };
    app.now.advance(90 * MINUTE);
    assert.equal((await server.get('/transactions', headers)).status, 200);
    app.now.advance(90 * MINUTE);
    const kinds = (await listSessions(app, user.id))?.map(({ kind }) => kind) ?? [];
    assert.ok(kinds.includes('password') && !kinds.includes('console'), String(kinds));
  });

  test('is not kept alive by the automatic updates of an open page', async () => {
    const { app, server, person, isIn } = await open();
    await using _server = server;
    const page = new ConsolePerson(server, { 'sec-fetch-dest': 'empty' });
    page.cookie = person.cookie;
    for (let look = 0; look < 3; look++) {
      app.now.advance(20 * MINUTE - 1);
      assert.ok(await isIn(page));
    }
    app.now.advance(3);
    assert.equal(await isIn(page), false);
    assert.equal(await isIn(person), false);
  });

  test('continues in every process after a click in one of them, also if its time is stored only at the second try', async () => {
    const { app, faults, server, person, isIn } = await open();
    await using _server = server;
    const other = createTestApp(app.db, { now: app.now });
    await using replica = await startTestServer(other);
    app.now.advance(59 * MINUTE);
    assert.ok(await isIn(person));
    Object.assign(faults, { at: 1, points: 0 });
    await assert.rejects(storeSessionUse(app));
    await storeSessionUse(app);
    app.now.advance(59 * MINUTE);
    const there = new ConsolePerson(replica);
    there.cookie = person.cookie;
    assert.ok(await isIn(there));
  });
});
