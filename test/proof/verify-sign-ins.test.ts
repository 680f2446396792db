import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Actor } from '../../src/audit/actor.ts';
import { disableUser } from '../../src/auth/change-user.ts';
import { addTotp } from '../../src/auth/factors/enrol-totp.ts';
import { type FactorRow, selectFactor } from '../../src/auth/factors/factor-queries.ts';
import { removeFactor, resetFactors } from '../../src/auth/factors/remove-factor.ts';
import { acceptInvitation, findInvitation } from '../../src/auth/invitations/accept-invitation.ts';
import { endInvitation, inviteUser, makePasswordLink } from '../../src/auth/invitations/invite-user.ts';
import { resetPassword } from '../../src/auth/reset-secrets.ts';
import { setRights } from '../../src/auth/set-rights.ts';
import { endOtherSessions, endSession } from '../../src/auth/sign-in/end-sessions.ts';
import { listSessions } from '../../src/auth/sign-in/list-sessions.ts';
import { beginSession } from '../../src/auth/sign-in/session.ts';
import { selectUserById } from '../../src/auth/user-queries.ts';
import { endWebhook, setWebhook } from '../../src/outbox/webhooks/set-webhook.ts';
import { endHandover, handOverTokens } from '../../src/payment-services/hand-over-tokens.ts';
import { openHandover } from '../../src/payment-services/open-handover.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertFound, foundIn, leaveOut } from '../support/found-by-hand.ts';
import type { Tamperings } from '../support/tampering.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { removeTriggers } from '../support/test-books.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

type World = Awaited<ReturnType<typeof fill>>;

const PUT_BACK = `insert into factors (id, user_id, kind, name, sealed, last_step, created_at)
  values ($1, $2, 'totp', 'phone', $3, 0, $4)`;

const TAMPERINGS: readonly Tamperings<World>[] = [
  {
    name: 'a user gets the address of another person',
    statements: ({ user }) => [[`update users set email = 'evil@example.cl' where id = $1`, user]],
    found: /^user usr_\w+: email was "user-\d+@example.cl", is "evil@example.cl"$/,
  },
  {
    name: 'an earlier password is put back with its proof',
    statements: ({ user, earlier }) => [
      ['update users set password_hash = $2, password_proof = $3 where id = $1', user, ...earlier],
    ],
    found: /^user usr_\w+: the password is not the one that was set last$/,
  },
  {
    name: 'the password from before an invitation was accepted is put back',
    statements: ({ invited, unknown }) => [
      ['update users set password_hash = $2, password_proof = $3 where id = $1', invited, ...unknown],
    ],
    found: /^user usr_\w+: the password is not the one that was set last$/,
  },
  {
    name: 'sessions that a new password ended are open again',
    statements: ({ user }) => [['update sessions set ended_at = null where user_id = $1', user]],
    found: /^(session ses_\w+: it was ended, and is open again(; )?){2}$/,
  },
  {
    name: 'a session that its person ended beside the own one is open again',
    statements: ({ acted }) => [['update sessions set ended_at = null where user_id = $1', acted]],
    found: /^(session ses_\w+: it was ended, and is open again(; )?){2}$/,
  },
  {
    name: 'the addresses of two users are swapped',
    statements: ({ user, changed }) => [
      [`update users set email = 'between' where id = $1`, user],
      [`update users set email = 'a@example.cl' where id = $1`, changed],
      [`update users set email = 'b@example.cl' where id = $1`, user],
    ],
    found:
      /email was "user-\d+@example.cl", is "[ab]@example.cl".*email was "user-\d+@example.cl", is "[ab]@example.cl"/,
  },
  {
    name: 'a second factor is deleted',
    statements: ({ factor }) => [['delete from factors where id = $1', factor]],
    found: /^second factor fac_\w+: it was deleted, of user usr_\w+$/,
  },
  {
    name: 'a second factor is given to another user',
    statements: ({ factor, changed }) => [['update factors set user_id = $2 where id = $1', factor, changed]],
    found: /^second factor fac_\w+: user was "usr_\w+", is "usr_\w+"$/,
  },
  {
    name: 'a second factor is invented',
    statements: ({ user }) => [
      [
        `insert into factors (id, user_id, kind, name, sealed, last_step, created_at)
         values ('fac_x', $1, 'totp', 'x', 'x', 0, 1)`,
        user,
      ],
    ],
    found: /^second factor fac_x: it was never added by this service$/,
  },
  {
    name: 'a second factor that its person removed is put back',
    statements: ({ removed }) => [[PUT_BACK, ...removed]],
    found: /^second factor fac_\w+: it was removed, and is there again$/,
  },
  {
    name: 'a second factor that was reset is put back',
    statements: ({ reset }) => [[PUT_BACK, ...reset]],
    found: /^second factor fac_\w+: it was removed, and is there again$/,
  },
  {
    name: 'an invitation that was used lets in again',
    statements: ({ used }) => [['update invitations set used_at = null where id = $1', used]],
    found: /^invitation inv_\w+: used_at was \d+, is null$/,
  },
  {
    name: 'an invitation that was revoked lets in again',
    statements: ({ revoked }) => [['update invitations set ended_at = null where id = $1', revoked]],
    found: /^invitation inv_\w+: ended_at was \d+, is null$/,
  },
  {
    name: 'an invitation that a newer one replaced lets in again',
    statements: ({ replaced }) => [['update invitations set ended_at = null where id = $1', replaced]],
    found: /^invitation inv_\w+: ended_at was \d+, is null$/,
  },
  {
    name: 'a link for a new password that a newer one replaced lets in again',
    statements: ({ link }) => [['update invitations set ended_at = null where id = $1', link]],
    found: /^invitation inv_\w+: ended_at was \d+, is null$/,
  },
  {
    name: 'the link of a disabled user lets in again',
    statements: ({ last }) => [['update invitations set ended_at = null where id = $1', last]],
    found: /^invitation inv_\w+: ended_at was \d+, is null$/,
  },
  {
    name: 'an invitation ends later',
    statements: ({ open }) => [['update invitations set expires_at = expires_at + 1 where id = $1', open]],
    found: /^invitation inv_\w+: expires_at was \d+, is \d+$/,
  },
  {
    name: 'an invitation is for another user, by another maker',
    statements: ({ open, user }) => [
      [`update invitations set user_id = $2, created_by = 'x' where id = $1`, open, user],
    ],
    found: /^invitation inv_\w+: user was "usr_\w+", is "usr_\w+"; created_by was .*, is "x"/,
  },
  {
    name: 'an invitation is invented',
    statements: ({ user }) => [
      [`insert into invitations values ('inv_x', $1, 'invitation', 'x', 1, 'x', 9000000000000, null, null)`, user],
    ],
    found: /^invitation inv_x: it was never made by this service$/,
  },
  {
    name: 'one-time links to tokens that were opened or revoked open again',
    statements: () => [['update token_handovers set opened_at = null, ended_at = null']],
    found: /^(link to tokens th_\w+: (opened|ended)_at was \d+, is null(; )?){2}$/,
  },
  {
    name: 'a webhook goes to a stranger',
    statements: () => [[`update webhook_subscriptions set url = 'https://evil.example/' where ended_at is null`]],
    found: /^webhook remittances of user usr_\w+: wh_\w+ to https:\/\/evil.example\/ was never set by this service$/,
  },
  {
    name: 'the query of a webhook is changed',
    statements: () => [[`update webhook_subscriptions set url = url || '?to=evil' where ended_at is null`]],
    found:
      /^webhook remittances of user usr_\w+: wh_\w+ to https:\/\/client.example\/\w+ was never set by this service$/,
  },
  {
    name: 'the URL of a webhook is none',
    statements: () => [[`update webhook_subscriptions set url = 'x' where ended_at is null`]],
    found: /^webhook remittances of user usr_\w+: wh_\w+ to x was never set by this service$/,
  },
  {
    name: 'a webhook that was ended goes on',
    statements: () => [[`update webhook_subscriptions set ended_at = null where webhook = 'refunds'`]],
    found: /^webhook refunds of user usr_\w+: ended_at was \d+, is null$/,
  },
  {
    name: 'an earlier webhook goes on in place of the new one',
    statements: () => [
      [`update webhook_subscriptions set ended_at = 5 where ended_at is null`],
      [`update webhook_subscriptions set ended_at = null where url = 'https://client.example/first'`],
    ],
    found:
      /^webhook remittances of user usr_\w+: ended_at was .*, is (5; ended_at was \d+, is null|null; ended_at was null, is 5)$/,
  },
  {
    name: 'a webhook is deleted',
    statements: () => [['delete from webhook_subscriptions where ended_at is null']],
    found: /^webhook remittances of user usr_\w+: times set was 2, is 1$/,
  },
  {
    name: 'a webhook is invented',
    statements: ({ changed }) => [
      [
        `insert into webhook_subscriptions (id, user_id, webhook, url, created_at, ended_at)
         values ('wh_x', $1, 'remittances', 'https://evil.example', 1, null)`,
        changed,
      ],
    ],
    found: /^webhook remittances of user usr_\w+: wh_x to https:\/\/evil.example\/ was never set by this service$/,
  },
];

forEachEngine('who may sign in, and what users are told', (openTestDatabase) => {
  test('is compared with the audit log: every change by hand is found, and nothing in a store that was left alone', async () => {
    const app = createTestApp(await openTestDatabase());
    await assertFound(app, await fill(app), TAMPERINGS);
  });

  test('is compared with acts of earlier versions, also the address of a user who has acted', async () => {
    const app = createTestApp(await openTestDatabase());
    const { open, acted, last } = await fill(app);
    await removeTriggers(app.db);
    assert.ok((await leaveOut(app, ['email', 'expires_at', 'password_proof_sha256'])) > 5);
    await app.db.transaction(async (tx) => {
      await tx.query('update invitations set expires_at = 9 where id = $1', [open]);
      await tx.query('update invitations set ended_at = null where id = $1', [last]);
      await tx.query(`update users set password_proof = 'x'`);
    });
    assert.equal(await foundIn(app), '');
    await app.db.transaction((tx) => tx.query(`update users set email = 'x' || email where id = $1`, [acted]));
    assert.match(await foundIn(app), /^user usr_\w+: email was "user-\d+@example.cl", is "xuser-\d+@example.cl"$/);
  });

  test('finds nothing in a link that replaced another one after the clock was set back', async () => {
    const app = createTestApp(await openTestDatabase());
    const invite = () => inviteUser(app, { email: 'ana@example.cl', role: 'support' }, DAY_MS, TESTER);
    await invite();
    app.now.advance(-3_600_000);
    await invite();
    assert.equal(await foundIn(app), '');
  });

  test('finds a session that is open again also if it was ended in its first minute', async () => {
    const app = createTestApp(await openTestDatabase());
    const user = await createTestUser(app, { role: 'support', may: [] });
    const [session] = (await listSessions(app, user.id)) ?? [];
    assert.ok(session !== undefined && (await endSession(app, session.id, TESTER)));
    assert.equal(await foundIn(app), '');
    await app.db.transaction((tx) => tx.query('update sessions set ended_at = null'));
    assert.equal(await foundIn(app), `session ${session.id}: it was ended, and is open again`);
  });

  test('finds nothing in a session that began after an act, on a clock that was set back, but the one of before', async () => {
    const app = createTestApp(await openTestDatabase());
    const user = await createTestUser(app, { role: 'support', may: [] });
    const before = ((await listSessions(app, user.id)) ?? []).map(({ id }) => id).sort();
    app.now.advance(3_600_000);
    await resetPassword(app, user.id, TESTER);
    app.now.advance(-600_000);
    const kind = 'console' as const;
    const begun = { user_id: user.id, kind, api_token_id: null, origin: null, expires_at: app.now() + DAY_MS };
    await app.db.transaction((tx) => beginSession(tx, begun, app.now()));
    assert.equal(await foundIn(app), '');
    await app.db.transaction((tx) => tx.query('update sessions set ended_at = null'));
    const says = before.map((id) => `session ${id}: it was ended, and is open again`);
    assert.equal(await foundIn(app), says.join('; '));
  });
});

const DAY_MS = 86_400_000;

function actorOf({ id, email }: { id: string; email: string }): Actor {
  return { kind: 'person', name: email, userId: id, origin: null };
}

/** Makes users with factors, invitations and webhooks that were removed, used, ended and replaced. */
async function fill(app: TestApp) {
  const user = await createTestUser(app, { role: 'support', may: [] });
  const changed = await createTestUser(app, { role: 'support', may: [] });
  await setRights(app, changed.id, { role: 'finance' }, TESTER);
  const passwordOf = async (id: string) => {
    const row = await selectUserById(app.db, id);
    return [row?.password_hash ?? '', row?.password_proof ?? ''] as const;
  };
  const earlier = await passwordOf(user.id);
  const someone = await createTestUser(app, { role: 'support', may: [] });
  app.now.advance(120_000);
  const [kept] = (await listSessions(app, someone.id)) ?? [];
  await endOtherSessions(app, someone.id, kept?.id ?? '', actorOf(someone));
  await resetPassword(app, user.id, TESTER);
  const factor = async () => (await addTotp(app, user, 'phone', TESTER))?.id ?? '';
  const rowOf = async (id: string) => {
    const { user_id, sealed, created_at } = (await selectFactor(app.db, id)) as FactorRow;
    return [id, user_id, sealed, created_at] as const;
  };
  const removed = await rowOf(await factor());
  await removeFactor(app, removed[0], null, TESTER);
  const reset = await rowOf(await factor());
  await resetFactors(app, user.id, TESTER);
  const left = await factor();
  app.now.advance(1000);
  const invite = (email: string) => inviteUser(app, { email, role: 'support' }, DAY_MS, TESTER);
  const accept = async (token: string) => {
    const found = await findInvitation(app, token);
    assert.ok(found !== null);
    await acceptInvitation(app, found, { password: 'correct horse battery', address: '192.0.2.1' });
    return found.user.id;
  };
  const used = await invite('used@example.cl');
  const unknown = await passwordOf(used.user);
  await accept(used.token);
  const revoked = await invite('revoked@example.cl');
  await endInvitation(app, revoked.id, TESTER);
  const replaced = await invite('open@example.cl');
  app.now.advance(1000);
  const open = await invite('open@example.cl');
  const newLink = async () => (await makePasswordLink(app, changed.id, DAY_MS, TESTER))?.id ?? '';
  const [link, last] = [await newLink(), await newLink()];
  app.now.advance(1000);
  await disableUser(app, changed.id, TESTER);
  const { paymentServiceId } = await createTestEnvironment(app);
  for (const open of [true, false]) {
    const target = { paymentServiceId, environment: 'development' } as const;
    const made = await handOverTokens(app, target, DAY_MS, TESTER);
    assert.ok(made !== null);
    if (open) assert.ok((await openHandover(app, made.link, '192.0.2.0/24')) !== null);
    else assert.ok(await endHandover(app, made, TESTER));
  }
  await handOverTokens(app, { paymentServiceId, environment: 'production' }, DAY_MS, TESTER);
  const by = actorOf(user);
  const told = (webhook: 'remittances' | 'refunds', url: string) =>
    setWebhook(app, { userId: user.id, webhook, url, method: 'POST' }, by);
  await told('remittances', 'https://client.example/first');
  await told('refunds', 'https://client.example/refunds');
  app.now.advance(1000);
  await told('remittances', 'https://client.example/second?key=1');
  await endWebhook(app, { userId: user.id, webhook: 'refunds' }, by);
  const invitations = { used: used.id, revoked: revoked.id, replaced: replaced.id, open: open.id, link, last };
  const passwords = { earlier, invited: used.user, unknown };
  return {
    user: user.id,
    acted: someone.id,
    changed: changed.id,
    factor: left,
    removed,
    reset,
    ...invitations,
    ...passwords,
  };
}
