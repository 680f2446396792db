import '../support/cheap-hashes.ts';

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { disableUser, enableUser } from '../../src/auth/change-user.ts';
import { createUser, type UserWish } from '../../src/auth/create-user.ts';
import { hasFactor } from '../../src/auth/factors/factor-queries.ts';
import { renewRecoveryCodes } from '../../src/auth/factors/recovery-codes.ts';
import { removeFactor, resetFactors } from '../../src/auth/factors/remove-factor.ts';
import { storeFactor } from '../../src/auth/factors/store-factor.ts';
import {
  endInvitation,
  inviteUser,
  listInvitations,
  makePasswordLink,
} from '../../src/auth/invitations/invite-user.ts';
import { listUsers } from '../../src/auth/list-users.ts';
import { PERMISSIONS, type Permission, ROLES, rolesThatMay } from '../../src/auth/permission.ts';
import { resetApiToken, resetPassword } from '../../src/auth/reset-secrets.ts';
import { setRights } from '../../src/auth/set-rights.ts';
import { endSession, endSessionsOf } from '../../src/auth/sign-in/end-sessions.ts';
import { listSessions } from '../../src/auth/sign-in/list-sessions.ts';
import { logIn } from '../../src/auth/sign-in/log-in.ts';
import type { SessionRow } from '../../src/auth/sign-in/session-queries.ts';
import { authenticateBearer } from '../../src/auth/tokens/authenticate-bearer.ts';
import { endApiToken } from '../../src/auth/tokens/end-api-token.ts';
import { listApiTokens } from '../../src/auth/tokens/list-api-tokens.ts';
import { logInWithApiToken } from '../../src/auth/tokens/log-in-with-api-token.ts';
import { makeApiToken } from '../../src/auth/tokens/make-api-token.ts';
import { lockUser } from '../../src/auth/user-queries.ts';
import { updateRole } from '../../src/auth/user-right-queries.ts';
import { readConfig } from '../../src/config.ts';
import type { Database, Tx } from '../../src/db/database.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { forEachEngine } from '../support/engines.ts';
import { onQuery } from '../support/on-query.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { untilQueued } from '../support/until-queued.ts';

const input = { email: 'Ana@Example.CL' };
const address = '192.0.2.1';
const HOUR = 3_600_000;

test('a role that moves money or manages merchants, people or personal data needs a second factor in production', () => {
  // `tsc` requires a decision about a new permission.
  const isWeighty: Record<Permission, boolean> = {
    'payments:read': false,
    'payments:create': false,
    'refunds:create': true,
    'events:read': false,
    'books:read': false,
    'accounts:validate': false,
    'recipients:read': false,
    'callbacks:resend': false,
    'callbacks:listen': false,
    'movements:record': true,
    'payouts:create': true,
    'payouts:approve': true,
    'refunds:approve': true,
    'payment-services:manage': true,
    'tokens:manage': false,
    'users:manage': true,
    'privacy:manage': true,
    'audit:read': false,
  };
  const weighty = (Object.keys(isWeighty) as Permission[]).filter((permission) => isWeighty[permission]);
  const { secondFactorRoles } = readConfig({ RUBRICA_ENV: 'production', MASTER_KEY: '5a'.repeat(32) });
  const roles = weighty.flatMap((permission) => rolesThatMay(permission)[0]);
  assert.deepEqual(
    [...new Set(roles)].sort(),
    secondFactorRoles.toSorted(),
    'MONEY_AND_PEOPLE in src/config.ts names each role that has one of these permissions, and no other',
  );
});

forEachEngine('users', (openTestDatabase) => {
  test('get an id, a password and an API token, and the store keeps only hashes of the secrets', async () => {
    const app = createTestApp(await openTestDatabase());
    const user = await createUser(app, { ...input, may: ['accounts:validate'] }, TESTER);
    assert.match(user.id, /^usr_[0-9a-z]{20}$/);
    assert.equal(user.email, 'ana@example.cl');
    assert.equal(user.payouts, true);
    assert.match(user.api_token, /^api_[\w-]{43}$/);
    const stored = JSON.stringify(await app.db.query('select * from users'));
    assert.doesNotMatch(stored, new RegExp(`${user.password}|${user.api_token}`));
  });

  test('are refused with an invalid e-mail address or one that another user has', async () => {
    const app = createTestApp(await openTestDatabase());
    for (const email of [
      '',
      'ana',
      'ana@',
      '@example.cl',
      'ana@example',
      'a na@example.cl',
      'ana@b@c.cl',
      `${'a'.repeat(250)}@b.cl`,
    ]) {
      await assert.rejects(createUser(app, { ...input, email }, TESTER), { code: 'INVALID_EMAIL' }, email);
    }
    await createUser(app, input, TESTER);
    await assert.rejects(createUser(app, { ...input, email: ' ana@example.cl' }, TESTER), { code: 'USER_EXISTS' });
    assert.equal((await listUsers(app)).length, 1);
  });

  test('get no new invitation once they log in, also with a password that was reset before they accepted one', async () => {
    const app = createTestApp(await openTestDatabase());
    const invite = () => inviteUser(app, { email: 'ana@example.cl' }, 60_000, TESTER);
    await invite();
    const reset = await resetPassword(app, 'ana@example.cl', TESTER);
    assert.equal((await invite()).email, 'ana@example.cl');
    const password = reset?.password ?? '';
    await logIn(app, { email: 'ana@example.cl', password, address: '192.0.2.1' });
    await assert.rejects(invite(), { code: 'USER_EXISTS' });
  });

  test('have no permission and no payment service by default', async () => {
    const app = createTestApp(await openTestDatabase());
    const { role, permissions, payouts, payment_services: services } = await createUser(app, input, TESTER);
    assert.deepEqual(
      { role, permissions, payouts, services },
      { role: 'integration', permissions: [], payouts: false, services: [] },
    );
  });

  test('have the permissions of their role and those granted in addition', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id, permissions } = await createUser(app, { ...input, role: 'auditor', may: ['callbacks:resend'] }, TESTER);
    assert.deepEqual(permissions, [...ROLES.auditor.may, 'callbacks:resend'].sort());
    const named = async (wish: Parameters<typeof setRights>[2]) =>
      (await setRights(app, id, wish, TESTER))?.permissions;
    assert.deepEqual(await named({ revoke: ['callbacks:resend'] }), [...ROLES.auditor.may].sort());
    assert.deepEqual(await named({ grant: ['payouts:create'], role: 'integration' }), ['payouts:create']);
    assert.deepEqual(await named({ role: 'owner' }), Object.keys(PERMISSIONS).sort());
    await assert.rejects(setRights(app, id, { revoke: ['users:manage'] }, TESTER), { code: 'INVALID_PARAMETER' });
    assert.deepEqual((await listUsers(app))[0]?.permissions, Object.keys(PERMISSIONS).sort());
  });

  test('see the payment services named for them, or all', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id } = await createPaymentService(app, 'Shop', TESTER);
    await createUser(app, { ...input, paymentServices: 'all' }, TESTER);
    app.now.advance(1);
    const shop = await createUser(app, { email: 'shop@example.cl', paymentServices: [id, id] }, TESTER);
    assert.deepEqual(
      (await listUsers(app)).map((user) => [user.email, user.payment_services]),
      [
        ['ana@example.cl', null],
        ['shop@example.cl', [id]],
      ],
    );
    assert.deepEqual((await setRights(app, 'ana@example.cl', { paymentServices: [id] }, TESTER))?.payment_services, [
      id,
    ]);
    assert.deepEqual((await setRights(app, shop.id, { paymentServices: [] }, TESTER))?.payment_services, []);
    await assert.rejects(setRights(app, shop.id, { paymentServices: ['ps_x'] }, TESTER), { code: 'NOT_FOUND' });
    assert.equal((await setRights(app, shop.id, { paymentServices: 'all' }, TESTER))?.payment_services, null);
  });

  test('are not created for a payment service that does not exist', async () => {
    const app = createTestApp(await openTestDatabase());
    await assert.rejects(createUser(app, { ...input, paymentServices: ['ps_x'] }, TESTER), { code: 'NOT_FOUND' });
    assert.deepEqual(await listUsers(app), []);
  });

  test('are found by id or by e-mail in any case', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id } = await createUser(app, input, TESTER);
    const payouts: Permission[] = ['accounts:validate'];
    assert.equal((await setRights(app, id, { grant: payouts }, TESTER))?.payouts, true);
    assert.equal((await listUsers(app))[0]?.payouts, true);
    assert.equal((await setRights(app, 'ANA@example.cl', { revoke: payouts }, TESTER))?.payouts, false);
    assert.equal((await listUsers(app))[0]?.payouts, false);
    for (const unknown of ['bea@example.cl', 'usr_x', '']) {
      assert.equal(await setRights(app, unknown, { grant: payouts }, TESTER), null);
      assert.equal(await disableUser(app, unknown, TESTER), 'unknown');
      assert.equal(await enableUser(app, unknown, TESTER), 'unknown');
      assert.equal(await resetPassword(app, unknown, TESTER), null);
      assert.equal(await resetApiToken(app, unknown, TESTER), null);
    }
  });

  test('have the refund limits of one writer when several set them at once, never a mixture', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id } = await createUser(app, input, TESTER);
    for (let most = 1; most <= 5; most++) {
      const limits = [{ CLP: most }, { CLP: 2 * most, USD: most }, { EUR: 3 * most }];
      const set = await Promise.all(limits.map((refundLimits) => setRights(app, id, { refundLimits }, TESTER)));
      assert.deepEqual(
        set.map((rights) => rights?.refund_limits),
        limits,
      );
      const [user] = await listUsers(app);
      assert.ok(
        limits.some((one) => isDeepStrictEqual(one, user?.refund_limits)),
        'the limits are those of one writer',
      );
    }
  });

  test('get only one API token of a name when several are made at once', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id } = await createUser(app, input, TESTER);
    for (const name of ['one', 'two', 'three']) {
      const made = [1, 2, 3].map(() =>
        makeApiToken(app, id, { name, expiresAt: null }, TESTER).then(() => 1, refusedName),
      );
      const count = (await Promise.all(made)).reduce<number>((sum, one) => sum + one, 0);
      assert.equal(count, 1);
    }
  });

  test('keep their last second factor where their role needs one, also when two are removed at once', async () => {
    const config = readConfig({ MASTER_KEY: '5a'.repeat(32), LOG_LEVEL: 'silent', SECOND_FACTOR_ROLES: 'owner' });
    const app = createTestApp(await openTestDatabase(), { config });
    const { id } = await createUser(app, { ...input, role: 'owner' }, TESTER);
    for (let round = 1; round <= 3; round++) {
      const names = ['phone', 'key'].map((name) => `fac_${round}${name}`);
      for (const name of names) await addFactor(app, id, name);
      const outcomes = await Promise.all(names.map((name) => removeFactor(app, name, id, TESTER)));
      assert.deepEqual(outcomes.sort(), ['last', 'removed']);
      await resetFactors(app, id, TESTER);
    }
  });

  test('cannot demote or disable each other at once, so that one owner remains', async () => {
    const app = createTestApp(await openTestDatabase());
    const make = async (email: string) =>
      (await createUser(app, { email, role: 'owner', paymentServices: 'all' }, TESTER)).id;
    const demote = (id: string, by: string) => setRights(app, id, { role: 'support' }, TESTER, by);
    const disable = (id: string, by: string) => disableUser(app, id, TESTER, by);
    for (const [n, act] of [demote, disable, demote, disable].entries()) {
      const [one, two] = [await make(`one${n}@example.cl`), await make(`two${n}@example.cl`)];
      const ends = await Promise.allSettled([act(one, two), act(two, one)]);
      const failed = ends.flatMap((end) => (end.status === 'rejected' ? [(end.reason as { code?: string }).code] : []));
      assert.deepEqual(failed, ['MORE_THAN_YOURS']);
    }
    const [manager, person] = [await make('boss@example.cl'), await make('ana@example.cl')];
    await setRights(app, manager, { role: 'support', grant: ['users:manage'] }, TESTER);
    await setRights(app, person, { role: 'support' }, TESTER);
    await assert.rejects(setRights(app, person, { role: 'owner' }, TESTER, manager), { code: 'MORE_THAN_YOURS' });
    assert.equal((await listUsers(app)).find(({ id }) => id === person)?.role, 'support');
    await setRights(app, manager, { revoke: ['users:manage'] }, TESTER);
    await assert.rejects(disable(person, manager), { code: 'MORE_THAN_YOURS' });
  });

  test('get no token, link or new user from a manager who lacks their rights at that moment', async () => {
    const app = createTestApp(await openTestDatabase());
    const make = async (name: string, wish: Partial<UserWish>) =>
      (await createUser(app, { email: `${name}@example.cl`, role: 'support', paymentServices: 'all', ...wish }, TESTER))
        .id;
    const manager = await make('boss', { may: ['users:manage'] });
    const [person, owner] = [await make('ana', {}), await make('pia', { role: 'owner' })];
    const invited = (
      await inviteUser(app, { email: 'inv@example.cl', role: 'owner', paymentServices: 'all' }, HOUR, TESTER)
    ).email;
    let n = 0;
    const token = (id: string) => makeApiToken(app, id, { name: `t ${++n}`, expiresAt: null }, TESTER, manager);
    const acts: Record<string, (id: string) => Promise<unknown>> = {
      token,
      link: (id) => makePasswordLink(app, id, HOUR, TESTER, manager),
      reset: (id) => resetFactors(app, id, TESTER, manager),
      enable: (id) => enableUser(app, id, TESTER, manager),
      demote: (id) => setRights(app, id, { role: 'support' }, TESTER, manager),
    };
    const wishOf = (role: 'support' | 'owner') => ({
      email: `new${++n}@example.cl`,
      role,
      paymentServices: 'all' as const,
    });
    const create = (role: 'support' | 'owner') => createUser(app, wishOf(role), TESTER, { managerId: manager });
    const invite = (role: 'support' | 'owner') => inviteUser(app, wishOf(role), HOUR, TESTER, manager);
    const refused = { code: 'MORE_THAN_YOURS' };
    for (const [name, act] of Object.entries(acts)) {
      assert.notEqual(await act(person), null, name);
      for (const id of [owner, manager]) await assert.rejects(act(id), refused, name);
    }
    for (const make of [create, invite]) {
      await make('support');
      await assert.rejects(make('owner'), refused);
    }
    await assert.rejects(
      inviteUser(app, { email: invited }, HOUR, TESTER, manager),
      refused,
      'only owners may replace the invitation of an owner',
    );
    const users = (await listUsers(app)).length;
    let asked: Promise<unknown> = Promise.resolve();
    await app.db.transaction(async (tx) => {
      await lockUser(tx, person);
      asked = assert.rejects(token(person), refused, 'the role after the wait counts');
      await untilQueued(app.db, 1);
      await updateRole(tx, person, 'owner');
    });
    await asked;
    await setRights(app, person, { role: 'support' }, TESTER);
    await disableUser(app, manager, TESTER);
    for (const [name, act] of Object.entries(acts)) await assert.rejects(act(person), refused, name);
    for (const make of [create, invite]) await assert.rejects(make('support'), refused);
    assert.equal((await listUsers(app)).length, users, 'no user was created');
  });

  test('lose no session, token or link to a manager who has lost the right to end it', async () => {
    const app = createTestApp(await openTestDatabase());
    const make = async (name: string, wish: Partial<UserWish>) =>
      createUser(app, { email: `${name}@example.cl`, role: 'support', paymentServices: 'all', ...wish }, TESTER);
    const { id: manager } = await make('boss', { may: ['users:manage'] });
    const owned = async (role: 'support' | 'owner') => {
      const { id, email, password } = await make(`ana-${role}`, { role });
      await logIn(app, { email, password, address });
      const { email: invited } = await inviteUser(
        app,
        { email: `inv-${role}@example.cl`, role, paymentServices: 'all' },
        HOUR,
        TESTER,
      );
      const link = (await listInvitations(app)).find((one) => one.email === invited);
      const [token] =
        (await listApiTokens(
          app,
          (await makeApiToken(app, id, { name: 't', expiresAt: null }, TESTER))?.email ?? '',
        )) ?? [];
      const [session] = (await listSessions(app, id)) ?? [];
      return { id, session: session?.id ?? '', token: token?.id ?? '', link: link?.id ?? '' };
    };
    const refused = { code: 'MORE_THAN_YOURS' };
    const [ofOwner, own] = [await owned('owner'), await owned('support')];
    const acts = ({ id, session, token, link }: typeof own) => [
      () => endSession(app, session, TESTER, manager),
      () => endApiToken(app, token, TESTER, manager),
      () => endInvitation(app, link, TESTER, manager),
      () => endSessionsOf(app, id, TESTER, manager),
    ];
    for (const act of acts(ofOwner)) await assert.rejects(act(), refused);
    await disableUser(app, manager, TESTER);
    for (const act of acts(own)) await assert.rejects(act(), refused);
    await enableUser(app, manager, TESTER);
    const ends: unknown[] = [];
    for (const act of acts(own)) ends.push(await act());
    assert.deepEqual(ends, ['ended', 'ended', true, 0]);
    assert.equal(await endApiToken(app, ofOwner.token, TESTER, ofOwner.id), 'ended', 'users may end their own tokens');
  });

  test('lose a second factor that is added while their factors are reset', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id, email, password } = await createUser(app, input, TESTER);
    await logIn(app, { email, password, address });
    const [session = null] = (await listSessions(app, id)) ?? [];
    const asked = Promise.withResolvers<void>();
    const resetting = onQuery(app, async () => asked.resolve());
    let reset: Promise<unknown> = Promise.resolve();
    const adding = onQuery(app, async (sql) => {
      if (!sql.startsWith('insert into factors')) return;
      reset = resetFactors(resetting, id, TESTER);
      // On SQLite the reset waits until the factor is stored.
      if (app.db.engine === 'postgres') await asked.promise;
    });
    const added = await addFactor(adding, id, 'fac_during', session);
    await reset;
    assert.equal(added?.id, 'fac_during');
    assert.equal(await hasFactor(app.db, id), false, 'the reset also removes the new factor');
    assert.equal(await addFactor(app, id, 'fac_after', session), null);
    assert.equal(await renewRecoveryCodes(app, id, session, TESTER), null);
    assert.equal(await hasFactor(app.db, id), false);
  });

  test('cannot log in with password or API token while they are disabled', async () => {
    const app = createTestApp(await openTestDatabase());
    const { email, password, api_token: apiToken } = await createUser(app, input, TESTER);
    assert.equal(await disableUser(app, email, TESTER), 'changed');
    assert.equal(await disableUser(app, email, TESTER), 'already');
    await assert.rejects(logIn(app, { email, password, address }), { code: 'LOGIN_FAILED' });
    await assert.rejects(logInWithApiToken(app, { apiToken, email: null, expiresAt: null, address: '192.0.2.1' }), {
      code: 'API_TOKEN_INVALID',
    });
  });

  test('can log in again when they are enabled, but their earlier access tokens stay revoked', async () => {
    const app = createTestApp(await openTestDatabase());
    const { email, password } = await createUser(app, input, TESTER);
    const { text: before } = await logIn(app, { email, password, address });
    assert.equal(await enableUser(app, email, TESTER), 'already');
    await disableUser(app, email, TESTER);
    assert.equal(await enableUser(app, email, TESTER), 'changed');
    const { text: fresh } = await logIn(app, { email, password, address });
    await assert.rejects(authenticateBearer(app, `Bearer ${before}`, undefined), { code: 'TOKEN_INVALID' });
    assert.equal((await authenticateBearer(app, `Bearer ${fresh}`, undefined)).email, email);
  });

  test('have only the new password after a reset, which also ends the block after wrong guesses', async () => {
    const app = createTestApp(await openTestDatabase());
    const { email, password: old } = await createUser(app, input, TESTER);
    for (let i = 0; i < 10; i++) await assert.rejects(logIn(app, { email, password: 'wrong', address }));
    await assert.rejects(logIn(app, { email, password: old, address }), { code: 'RATE_LIMITED' });
    const reset = await resetPassword(app, email, TESTER);
    assert.ok(reset);
    await assert.rejects(logIn(app, { email, password: old, address }), { code: 'LOGIN_FAILED' });
    assert.ok(await logIn(app, { email, password: reset.password, address }));
  });

  test('have only the new API token after a reset', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id, api_token: old } = await createUser(app, input, TESTER);
    const reset = await resetApiToken(app, id, TESTER);
    assert.ok(reset);
    assert.equal(reset.email, 'ana@example.cl');
    const logInWith = (apiToken: string) =>
      logInWithApiToken(app, { apiToken, email: null, expiresAt: null, address: '192.0.2.1' });
    await assert.rejects(logInWith(old), { code: 'API_TOKEN_INVALID' });
    assert.ok(await logInWith(reset.api_token));
  });

  test('have one open API token after several resets at once', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id } = await createUser(app, input, TESTER);
    const resets = Array.from({ length: 4 }, () => resetApiToken(app, id, TESTER));
    assert.ok((await Promise.all(resets)).every((reset) => reset !== null));
    const open = (await listApiTokens(app, id))?.filter(({ ended_at }) => ended_at === null);
    assert.equal(open?.length, 1);
  });

  test('can log in with an API token while it is reset, without a deadlock', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id, api_token: apiToken } = await createUser(app, input, TESTER);
    const asked = Promise.withResolvers<void>();
    const transaction: Database['transaction'] = (work, kind) =>
      app.db.transaction((tx) => {
        const query: Tx['query'] = (sql, parameters) => {
          if (sql.startsWith('update users')) asked.resolve();
          return tx.query(sql, parameters);
        };
        return work({ ...tx, query });
      }, kind);
    let inserts = 0;
    let reset: Promise<unknown> = Promise.resolve();
    const logIn: Database['transaction'] = (work, kind) =>
      app.db.transaction((tx) => {
        const query: Tx['query'] = async (sql, parameters) => {
          if (sql.startsWith('insert into sessions') && ++inserts === 1) {
            reset = resetApiToken({ ...app, db: { ...app.db, transaction } }, id, TESTER);
            // On SQLite the reset waits until the log-in has ended.
            if (app.db.engine === 'postgres') await asked.promise;
          }
          return tx.query(sql, parameters);
        };
        return work({ ...tx, query });
      }, kind);
    const slow = { ...app, db: { ...app.db, transaction: logIn } };
    assert.ok(await logInWithApiToken(slow, { apiToken, email: null, expiresAt: null, address }));
    assert.notEqual(await reset, null);
    assert.equal(inserts, 1, 'no deadlock made the log-in run again');
  });
});

function refusedName(failure: { code?: string }): 0 {
  assert.equal(failure.code, 'INVALID_PARAMETER');
  return 0;
}

function addFactor(app: TestApp, userId: string, id: string, session: SessionRow | null = null) {
  const bare = { kind: 'totp', name: id, sealed: '', credential: null, site: null, last_step: 0 } as const;
  return storeFactor(app, { id, user_id: userId, ...bare }, session, TESTER);
}
