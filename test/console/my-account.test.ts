import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listSessions } from '../../src/auth/sign-in/list-sessions.ts';
import { renewSession } from '../../src/auth/sign-in/session.ts';
import { ConsolePerson } from '../support/console-person.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestUser } from '../support/test-user.ts';

forEachEngine('the own account in the console', (openTestDatabase) => {
  test('people see where they are signed in and end those sessions, and nobody else’s', async () => {
    const app = createTestApp(await openTestDatabase());
    await using server = await startTestServer(app);
    const [ana, eva] = [
      await createTestUser(app, { role: 'support', may: [] }),
      await createTestUser(app, { role: 'support', may: [] }),
    ];
    const [desk, phone, other] = [new ConsolePerson(server), new ConsolePerson(server), new ConsolePerson(server)];
    for (const person of [desk, phone]) await person.signIn(ana);
    await other.signIn(eva);
    const sessionsOf = async ({ id }: { id: string }) =>
      ((await listSessions(app, id)) ?? []).filter(({ ended_at }) => ended_at === null).map((session) => session.id);
    const page = (await desk.get('/console/account')).text;
    const shown = [...page.matchAll(/name="session" value="([^"]+)"/g)].map(([, id]) => id);
    const own = await sessionsOf(ana);
    assert.ok(shown.length > 0 && shown.every((id) => own.includes(id ?? '')), 'the current session has no button');
    const asks = /<details><summary>End…<\/summary><p>[^<]+<\/p><form[^>]+sessions\/end"><button name="session"/g;
    assert.equal([...page.matchAll(asks)].length, shown.length, 'a session asks before it ends');
    assert.match(page, /<summary>End all others…<\/summary>/);
    const [theirs = ''] = await sessionsOf(eva);
    assert.equal((await desk.post('/console/account/sessions/end', { session: theirs })).status, 404);
    assert.equal((await other.get('/console/payments')).status, 200);
    const onPhone = (await listSessions(app, ana.id))?.find(({ id, kind }) => kind === 'console' && shown.includes(id));
    assert.ok(onPhone);
    app.now.advance(1000);
    assert.ok(await app.db.transaction((tx) => renewSession(tx, onPhone, 'password', app.now())));
    assert.equal((await desk.post('/console/account/sessions/end', { session: onPhone.id })).status, 303);
    assert.equal(
      (await sessionsOf(ana)).length,
      own.length - 1,
      'the session that a proof put in the place of the shown one ends',
    );
    assert.equal((await desk.post('/console/account/sessions/end')).status, 303);
    assert.equal((await phone.get('/console/payments')).status, 303);
    assert.equal((await desk.get('/console/payments')).status, 200);
    assert.equal((await other.get('/console/payments')).status, 200);
  });
});
