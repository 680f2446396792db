import '../support/cheap-hashes.ts';

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAudit } from '../../src/audit/list-audit.ts';
import { disableUser } from '../../src/auth/change-user.ts';
import { addTotp } from '../../src/auth/factors/enrol-totp.ts';
import { inviteUser, listInvitations } from '../../src/auth/invitations/invite-user.ts';
import { listUsers } from '../../src/auth/list-users.ts';
import type { Role } from '../../src/auth/permission.ts';
import { setRights } from '../../src/auth/set-rights.ts';
import { listSessions } from '../../src/auth/sign-in/list-sessions.ts';
import { listApiTokens } from '../../src/auth/tokens/list-api-tokens.ts';
import { endWebhook, setWebhook } from '../../src/outbox/webhooks/set-webhook.ts';
import { selectSubscriptions } from '../../src/outbox/webhooks/webhook-subscription-queries.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { ConsolePerson } from '../support/console-person.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertMarked } from '../support/field-at-fault.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestUser, type TestUser } from '../support/test-user.ts';

const DAY = 86_400_000;
const QUARTER_OF_AN_HOUR = 15 * 60_000;
const LINK = /<pre>https?:\/\/[^/]+(\/console\/invitation\/[\w-]{32})<\/pre>/;
const SUPPORT = { role: 'support', scope: 'all', services: '', limit: '' };

forEachEngine('the staff screens', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const server = await startTestServer(app);
    const as = (user: TestUser, headers: Record<string, string> = {}) => {
      const person = new ConsolePerson(server, headers);
      person.cookie = user.console.cookie;
      return person;
    };
    const one = (role: Role, email: string) => createTestUser(app, { role, email, may: [] });
    const pia = await one('owner', 'pia@example.cl');
    const userNow = async (id: string) => (await listUsers(app)).find((user) => user.id === id);
    return { app, server, as, one, pia, owner: as(pia), userNow };
  };

  test('list people and programs with role, second factor and last log-in, filtered and as a file', async () => {
    const { app, server, one, owner, as } = await open();
    await using _server = server;
    const ana = await one('support', 'ana@example.cl');
    await createTestUser(app, { email: 'till@example.cl' });
    await as(ana).signIn(ana);
    await addTotp(app, ana, 'Phone', TESTER);
    const { status, text } = await owner.get('/console/staff?role=support');
    assert.equal(status, 200);
    assert.match(text, new RegExp(`/console/staff/${ana.id}">ana@example\\.cl<`));
    assert.doesNotMatch(text, /till@example\.cl/);
    const { text: csv } = await owner.get('/console/staff?format=csv&sort=email');
    const [head, ...rows] = csv.trim().split('\r\n');
    assert.match(head ?? '', /E-mail,Role,May,Sees the payments of,Second factor,Last log-in/);
    assert.match(rows[0] ?? '', /^ana@example\.cl,support,.*,Yes,2026-01-15 09:00:00 -03:00,Enabled,/);
    assert.match(rows.at(-1) ?? '', /^till@example\.cl,integration,.*,No,,Enabled,/);
  });

  test('name the merchants that a person sees, in the list, its file, the page and a change of rights', async () => {
    const { app, server, owner } = await open();
    await using _server = server;
    const norte = await createPaymentService(app, 'Norte & Sur', TESTER);
    const oeste = await createPaymentService(app, 'Oeste', TESTER);
    const ana = await createTestUser(app, { role: 'support', may: [], paymentServices: [norte.id] });
    assert.match((await owner.get('/console/staff')).text, />Norte &amp; Sur<\/td>/);
    assert.match((await owner.get('/console/staff?format=csv')).text, /,Norte & Sur,/);
    assert.match((await owner.get(`/console/staff/${ana.id}`)).text, /<dd>Norte &amp; Sur<\/dd>/);
    const services = `${norte.id} ${oeste.id}`;
    const asked = await owner.post(`/console/staff/${ana.id}/rights`, { ...SUPPORT, scope: 'some', services });
    assert.match(asked.text, />Norte &amp; Sur<\/td><td[^>]*>Norte &amp; Sur, Oeste<\/td>/);
  });

  test('are not found by a person of some merchants, and name the permission that another person lacks', async () => {
    const { app, server, one, as, pia } = await open();
    await using _server = server;
    const { id } = await createPaymentService(app, 'Norte', TESTER);
    const some = as(await createTestUser(app, { role: 'owner', may: [], paymentServices: [id] }));
    const operator = as(await one('operator', 'olga@example.cl'));
    for (const path of ['', '/invite', `/${pia.id}`, `/${pia.id}/rights`, `/${pia.id}/confirm?act=disable`]) {
      assert.equal((await some.get(`/console/staff${path}`)).status, 404, path);
      const refused = await operator.get(`/console/staff${path}`);
      assert.deepEqual([refused.status, refused.text.includes('users:manage')], [403, true], path);
    }
    assert.doesNotMatch((await operator.get('/console/account')).text, /\/console\/staff"/);
  });

  test('invite a person by a link that is shown once, with the rights of the form', async () => {
    const { app, server, owner, userNow } = await open();
    await using _server = server;
    const norte = await createPaymentService(app, 'Norte', TESTER);
    const invite = (fields: Record<string, string>) =>
      owner.post('/console/staff/invite', { ...SUPPORT, email: 'ana@example.cl', valid: '1d', ...fields });
    for (const [wrong, status, said] of [
      [{ email: 'ana' }, 400, /cannot be used/],
      [{ email: 'pia@example.cl' }, 409, /has a user already/],
      [{ role: 'king' }, 400, /Choose a role/],
      [{ limit: '1.000' }, 400, /without points/],
      [{ limit: 'XXY:5' }, 400, /without points/],
      [{ services: 'ps_x', scope: 'some' }, 400, /no merchant ps_x/],
    ] as const) {
      const answer = await invite(wrong);
      const [field = ''] = Object.keys(wrong);
      // The group of merchants begins with the choice between all and some.
      assertMarked(answer.text, field === 'services' ? 'scope' : field);
      assert.match(answer.text, /<option value="1d" selected>/, 'the form keeps how long the link works');
      if ('limit' in wrong) assert.ok(answer.text.includes(`value="${wrong.limit}"`), 'the form keeps the typed limit');
      assert.deepEqual([answer.status, said.test(answer.text)], [status, true], JSON.stringify(wrong));
    }
    assert.equal((await listUsers(app)).length, 1);
    const made = await invite({ scope: 'some', services: norte.id, may: 'events:read', limit: '50000 USD:10.00' });
    const link = LINK.exec(made.text)?.[1] ?? '';
    assert.notEqual(link, '', made.text);
    const [invitation] = await listInvitations(app);
    assert.equal(invitation?.created_by, 'pia@example.cl');
    assert.equal(invitation?.expires_at, app.now() + DAY);
    const ana = await userNow(invitation?.user ?? '');
    assert.deepEqual(
      [ana?.role, ana?.payment_services, ana?.refund_limits, ana?.permissions.includes('events:read')],
      ['support', [norte.id], { CLP: 50_000, USD: 1000 }, true],
    );
    const shown = (await owner.get(`/console/staff/${ana?.id}`)).text;
    assert.ok(/Link that nobody used/.test(shown) && !shown.includes(link));
    const fresh = new ConsolePerson(server);
    assert.equal((await fresh.post(link, { password: 'cuatro perros verdes' })).status, 303);
    assert.equal((await fresh.get('/console/payments')).status, 200);
  });

  test('change a role and its extra permissions after a preview and a confirmation', async () => {
    const { app, server, owner, one, userNow } = await open();
    await using _server = server;
    const ana = await one('support', 'ana@example.cl');
    const at = `/console/staff/${ana.id}/rights`;
    const form = (await owner.get(at)).text;
    assert.match(form, /<option value="support" selected>/);
    const wish = { ...SUPPORT, role: 'auditor', may: 'refunds:create', limit: '70000' };
    assertMarked((await owner.post(at, { ...wish, limit: '1.000' })).text, 'limit');
    const question = await owner.post(at, wish);
    assert.match(question.text, /"What">Role<\/td><td data-label="Before">support<\/td><td data-label="After">auditor/);
    assert.equal((await userNow(ana.id))?.role, 'support', 'a preview changes nothing');
    const confirm = async ({ text }: { text: string }) => {
      const seen = /name="seen" value="([^"]+)"/.exec(text)?.[1] ?? '';
      return owner.post(at, { ...wish, seen, confirmed: 'yes' });
    };
    await setRights(app, ana.id, { grant: ['events:read'] }, TESTER);
    const again = await confirm(question);
    assert.deepEqual([again.status, (await userNow(ana.id))?.role], [409, 'support'], 'what was shown is no longer so');
    assert.match(again.text, /Somebody changed these rights meanwhile/);
    const done = await confirm(again);
    assert.equal(done.headers.get('location'), `/console/staff/${ana.id}?done=changed`);
    const changed = await userNow(ana.id);
    assert.deepEqual([changed?.role, changed?.refund_limits], ['auditor', { CLP: 70_000 }]);
    assert.equal((await owner.post(at, { ...wish, confirmed: 'yes' })).status, 400, 'a second click changes nothing');
    await owner.post(at, { ...SUPPORT, confirmed: 'yes' });
    const back = await userNow(ana.id);
    assert.deepEqual([back?.role, back?.permissions.length, back?.refund_limits], ['support', 3, { CLP: 100_000 }]);
    const { acts } = await listAudit(app, { action: 'user.role_set' }, 10);
    assert.deepEqual(
      acts.map(({ who, after }) => [who.name, (after as { role: string }).role]),
      [
        ['pia@example.cl', 'support'],
        ['pia@example.cl', 'auditor'],
        [TESTER.name, 'support'],
      ],
    );
    const shown = (/name="shown" value="([^"]+)"/.exec(form)?.[1] ?? '').replaceAll('&quot;', '"');
    await setRights(app, ana.id, { role: 'auditor' }, TESTER);
    await owner.post(at, { ...SUPPORT, may: 'events:read', shown, confirmed: 'yes' });
    const merged = await userNow(ana.id);
    assert.deepEqual([merged?.role, merged?.permissions.includes('events:read')], ['auditor', true], 'the role stays');
  });

  test('let nobody change themselves, people with more rights, or rights that they lack', async () => {
    const { app, server, as, pia, owner, userNow } = await open();
    await using _server = server;
    const omar = as(await createTestUser(app, { role: 'operator', email: 'omar@example.cl', may: ['users:manage'] }));
    const low = await createTestUser(app, { role: 'operator', email: 'low@example.cl', may: [] });
    const acts = ['disable', 'end-sessions', 'reset-factors', 'new-password'];
    for (const act of acts) {
      const body = { act, of: '' };
      assert.equal((await owner.post(`/console/staff/${pia.id}/confirm`, body)).status, 403, `oneself: ${act}`);
      assert.equal((await omar.post(`/console/staff/${pia.id}/confirm`, body)).status, 403, `an owner: ${act}`);
    }
    const rights = (id: string, role: string, may = '') =>
      omar.post(`/console/staff/${id}/rights`, { ...SUPPORT, role, may, confirmed: 'yes' });
    assert.equal((await rights(pia.id, 'support')).status, 403);
    assert.equal((await rights(low.id, 'owner')).status, 403);
    assert.equal((await rights(low.id, 'operator', 'refunds:create')).status, 403);
    const invited = await omar.post('/console/staff/invite', { ...SUPPORT, role: 'owner', email: 'x@example.cl' });
    assert.equal(invited.status, 403);
    assert.deepEqual(
      [(await userNow(pia.id))?.role, (await userNow(low.id))?.role, (await listUsers(app)).length],
      ['owner', 'operator', 3],
    );
    assert.equal((await rights(low.id, 'operator', 'users:manage')).status, 303, 'omar gives a right that he has');
  });

  test('let nobody give a higher refund limit than their own, or take over a person who has one', async () => {
    const { app, server, as, one, userNow } = await open();
    await using _server = server;
    const manages = { role: 'support', may: ['users:manage'], refundLimits: { CLP: 50_000, USD: 1000 } } as const;
    const mia = as(await createTestUser(app, { ...manages, email: 'mia@example.cl' }));
    const ana = await createTestUser(app, {
      role: 'support',
      may: [],
      refundLimits: { CLP: 40_000 },
      email: 'ana@example.cl',
    });
    const rich = await one('support', 'rich@example.cl');
    const rights = (id: string, fields: Record<string, string>) =>
      mia.post(`/console/staff/${id}/rights`, { ...SUPPORT, confirmed: 'yes', ...fields });
    for (const limit of ['', '50001', 'USD:10.01', '100 EUR:1.00'])
      assert.equal((await rights(ana.id, { limit })).status, 403, `a limit of ${limit}`);
    assert.deepEqual((await userNow(ana.id))?.refund_limits, { CLP: 40_000 });
    assert.equal((await rights(ana.id, { limit: '50000 USD:10.00' })).status, 303, 'a limit may be as high as her own');
    for (const [path, fields] of [
      [`/console/staff/${rich.id}/rights`, { limit: '1', confirmed: 'yes' }],
      [`/console/staff/${rich.id}/confirm`, { act: 'new-password', of: '' }],
      ['/console/staff/invite', { email: 'new@example.cl' }],
      ['/console/staff/invite', { email: 'new@example.cl', limit: '60000' }],
    ] as const)
      assert.equal((await mia.post(path, { ...SUPPORT, ...fields })).status, 403, path);
    const made = await mia.post('/console/staff/invite', { ...SUPPORT, email: 'new@example.cl', limit: '50000' });
    assert.equal(made.status, 200);
    assert.deepEqual((await listUsers(app)).find(({ email }) => email === 'new@example.cl')?.refund_limits, {
      CLP: 50_000,
    });
  });

  test('give no link of an invited owner to a person who may not make owners and invites the address again', async () => {
    const { app, server, as, owner } = await open();
    await using _server = server;
    const omar = as(await createTestUser(app, { role: 'operator', email: 'omar@example.cl', may: ['users:manage'] }));
    const wish = { ...SUPPORT, email: 'boss@example.cl' };
    assert.equal((await owner.post('/console/staff/invite', { ...wish, role: 'owner' })).status, 200);
    const [before] = await listInvitations(app);
    const again = await omar.post('/console/staff/invite', { ...wish, role: 'operator' });
    assert.deepEqual([again.status, LINK.test(again.text)], [403, false]);
    assert.deepEqual(await listInvitations(app), [before], 'the link of the owner is unchanged');
    const other = await owner.post('/console/staff/invite', { ...wish, role: 'operator' });
    assert.equal(other.status, 409);
    assert.match(other.text, /an invitation with another role or other rights.* page lets you change/);
    const renewed = await owner.post('/console/staff/invite', { ...wish, role: 'owner' });
    assert.deepEqual([renewed.status, renewed.text.includes('The earlier link no longer works.')], [200, true]);
  });

  test('list the webhooks of a user with who set each, and end one of this user only', async () => {
    const { app, server, owner, one } = await open();
    await using _server = server;
    const [till, other] = [await one('integration', 'till@example.cl'), await one('integration', 'other@example.cl')];
    const by = { ...TESTER, kind: 'program', name: 'till@example.cl (token till 4)', userId: till.id } as const;
    const wish = { webhook: 'refunds', url: 'https://thief.example/in?key=1', method: 'POST' } as const;
    await setWebhook(app, { userId: till.id, ...wish }, by);
    const at = `/console/staff/${till.id}`;
    const shown = (await owner.get(at)).text;
    assert.match(shown, /get events even after tokens and sessions end/);
    assert.match(shown, /refunds<.*https:\/\/thief\.example\/in\?key=1<.*till@example\.cl \(token till 4\)</s);
    await disableUser(app, till.id, TESTER);
    assert.match((await owner.get(at)).text, /get nothing while the user is disabled.*thief\.example/s);
    const end = (id: string, of: string) => owner.post(`/console/staff/${id}/confirm`, { act: 'end-webhook', of });
    assert.deepEqual([(await end(other.id, 'refunds')).status, (await end(till.id, 'nothing')).status], [404, 404]);
    assert.equal((await selectSubscriptions(app.db, till.id)).length, 1);
    const ana = await one('operator', 'ana@example.cl');
    const refused = endWebhook(app, { userId: till.id, webhook: 'refunds' }, by, ana.id);
    await assert.rejects(refused, { code: 'MORE_THAN_YOURS' }, 'the right went while the form waited');
    assert.match((await end(till.id, 'refunds')).headers.get('location') ?? '', /done=changed$/);
    assert.deepEqual(await selectSubscriptions(app.db, till.id), []);
    assert.doesNotMatch((await owner.get(at)).text, /thief\.example/);
    const { acts } = await listAudit(app, { action: 'webhook.ended' }, 9);
    assert.deepEqual(
      acts.map(({ who, subject }) => [who.name, subject.id]),
      [['pia@example.cl', till.id]],
    );
  });

  test('end sessions, tokens, links, factors and passwords of this person only, after a confirmation', async () => {
    const { app, server, owner, one, as } = await open();
    await using _server = server;
    const [ana, other] = [await one('support', 'ana@example.cl'), await one('support', 'bea@example.cl')];
    await addTotp(app, ana, 'Phone', TESTER);
    const idsOf = async (user: TestUser) => ({
      session: (await listSessions(app, user.id))?.find(({ kind }) => kind === 'password')?.id ?? '',
      token: (await listApiTokens(app, user.id))?.[0]?.id ?? '',
    });
    const act = async (name: string, of = '') => {
      const path = `/console/staff/${ana.id}/confirm`;
      const asked = await owner.get(`${path}?act=${name}&of=${of}`);
      assert.deepEqual([asked.status, asked.text.includes('ana@example.cl')], [200, true], name);
      return owner.post(path, { act: name, of });
    };
    const theirs = await idsOf(other);
    for (const [name, of] of [
      ['end-session', theirs.session],
      ['end-token', theirs.token],
      ['end-link', 'inv_x'],
    ] as const)
      assert.equal((await act(name, of)).status, 404, `of another: ${name}`);
    assert.equal((await owner.post(`/console/staff/${ana.id}/confirm`, { act: 'toString' })).status, 404);
    const own = await idsOf(ana);
    assert.match((await act('end-session', own.session)).headers.get('location') ?? '', /done=changed$/);
    assert.match((await act('end-token', own.token)).headers.get('location') ?? '', /done=changed$/);
    assert.match((await act('end-token', own.token)).headers.get('location') ?? '', /done=already$/);
    assert.match((await act('reset-factors')).headers.get('location') ?? '', /done=changed$/);
    const link = LINK.exec((await act('new-password')).text)?.[1] ?? '';
    assert.equal((await as(ana).signIn(ana)).status, 401, 'the old password no longer works');
    const [waiting] = await listInvitations(app);
    assert.equal((await act('end-link', waiting?.id)).status, 303);
    assert.equal((await new ConsolePerson(server).get(link)).status, 404);
    const second = LINK.exec((await act('new-password')).text)?.[1] ?? '';
    assert.equal((await new ConsolePerson(server).post(second, { password: 'cuatro perros verdes' })).status, 303);
    assert.equal((await act('end-sessions')).status, 303);
    assert.deepEqual(await listSessions(app, ana.id), []);
    assert.equal((await act('disable')).status, 303);
    assert.match((await act('disable')).headers.get('location') ?? '', /done=already$/);
    assert.equal((await act('new-password')).status, 404, 'a disabled person gets no link');
    assert.equal((await act('enable')).status, 303);
    const { acts } = await listAudit(app, { who: 'pia@example.cl' }, 20);
    assert.deepEqual(acts.map(({ action }) => action).toReversed(), [
      'user.session_ended',
      'api_token.ended',
      'user.factors_reset',
      'user.password_reset',
      'user.invited',
      'user.invitation_ended',
      'user.password_reset',
      'user.invited',
      'user.session_ended',
      'user.disabled',
      'user.enabled',
    ]);
    assert.deepEqual((await idsOf(other)).session, theirs.session);
  });

  test('add a program, and give it tokens that are shown once, listed with their creator, and ended one by one', async () => {
    const { app, server, owner } = await open();
    await using _server = server;
    const added = await owner.post('/console/staff/invite', {
      role: 'integration',
      scope: 'all',
      services: '',
      limit: '',
      may: 'payments:read',
      email: 'till@example.cl',
    });
    const [first, password] = [...added.text.matchAll(/<pre class="codes">([^<]+)<\/pre>/g)].map(([, text]) => text);
    const till = (await listUsers(app)).find(({ email }) => email === 'till@example.cl');
    assert.deepEqual([till?.role, till?.permissions], ['integration', ['payments:read']]);
    const logIn = (apiToken = '') =>
      server.post('/loginToken', { headers: { authorization: `Bearer ${apiToken}` }, json: {} });
    assert.equal((await logIn(first)).status, 200);
    assert.equal((await server.post('/login', { json: { username: 'till@example.cl', password } })).status, 200);
    app.now.advance(1);
    const at = `/console/staff/${till?.id}`;
    assert.match((await owner.get(`${at}/token`)).text, /<option value="90d" selected>/);
    for (const name of ['', 'first', 'caja “4”']) {
      const refused = await owner.post(`${at}/token`, { name, valid: '30d' });
      assert.equal(refused.status, 400, name);
      assertMarked(refused.text, 'name');
      assert.match(refused.text, /<option value="30d" selected>/);
      assert.equal(/did not see it, as after a double click, end it/.test(refused.text), name === 'first');
    }
    const made = await owner.post(`${at}/token`, { name: 'till 4', valid: '30d' });
    const token = /<pre class="codes">(api_[^<]+)<\/pre>/.exec(made.text)?.[1] ?? '';
    assert.equal((await logIn(token)).status, 200);
    const tokens = (await listApiTokens(app, till?.id ?? '')) ?? [];
    assert.deepEqual(
      tokens.map(({ name, created_by, expires_at }) => [name, created_by, expires_at]),
      [
        ['first', 'pia@example.cl', null],
        ['till 4', 'pia@example.cl', app.now() + 30 * DAY],
      ],
    );
    const shown = (await owner.get(at)).text;
    assert.ok(shown.includes('till 4') && shown.includes('pia@example.cl') && !shown.includes(token));
    assert.equal((await owner.post(`${at}/confirm`, { act: 'end-token', of: tokens[1]?.id ?? '' })).status, 303);
    assert.deepEqual([(await logIn(token)).status, (await logIn(first)).status], [403, 200]);
    const { acts } = await listAudit(app, { who: 'pia@example.cl', action: 'api_token' }, 9);
    assert.deepEqual(
      acts.map(({ action }) => action),
      ['api_token.ended', 'api_token.created'],
    );
  });

  test('ask for a fresh proof, and do nothing for another site', async () => {
    const { app, server, owner, pia, one, as } = await open();
    await using _server = server;
    const ana = await one('support', 'ana@example.cl');
    await inviteUser(app, { email: 'late@example.cl', role: 'support' }, DAY, TESTER);
    const before = JSON.stringify([await listUsers(app), await listInvitations(app)]);
    const at = `/console/staff/${ana.id}`;
    const forms: [path: string, fields: Record<string, string>][] = [
      ['/console/staff/invite', { ...SUPPORT, email: 'new@example.cl' }],
      [`${at}/rights`, { ...SUPPORT, role: 'auditor', confirmed: 'yes' }],
      [`${at}/confirm`, { act: 'disable', of: '' }],
      [`${at}/token`, { name: 'till 4', valid: '30d' }],
    ];
    const foreign = as(pia, { 'sec-fetch-site': 'cross-site' });
    for (const [path, fields] of forms) assert.equal((await foreign.post(path, fields)).status, 403, path);
    app.now.advance(QUARTER_OF_AN_HOUR);
    for (const [path, fields] of forms) {
      assert.match((await owner.post(path, fields)).headers.get('location') ?? '', /^\/console\/prove\?next=/, path);
      const page = await owner.get(path.endsWith('confirm') ? `${path}?act=disable&of=` : path);
      assert.match(page.headers.get('location') ?? '', /^\/console\/prove\?next=%2Fstaff%2F/, path);
    }
    assert.equal(JSON.stringify([await listUsers(app), await listInvitations(app)]), before);
    assert.equal((await owner.get(at)).status, 200, 'reading needs no second factor');
    const back = encodeURIComponent(`/staff/${ana.id}/confirm?act=disable&of=`);
    const proved = await owner.post('/console/prove', { password: pia.password, next: decodeURIComponent(back) });
    assert.equal(proved.headers.get('location'), `${at}/confirm?act=disable&of=`);
    assert.equal((await owner.get(`${at}/confirm?act=disable&of=`)).status, 200);
  });
});
