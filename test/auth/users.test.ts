import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authenticateBearer } from '../../src/auth/authenticate-bearer.ts';
import { disableUser, enableUser } from '../../src/auth/change-user.ts';
import { createUser } from '../../src/auth/create-user.ts';
import { listUsers } from '../../src/auth/list-users.ts';
import { logIn } from '../../src/auth/log-in.ts';
import { logInWithApiToken } from '../../src/auth/log-in-with-api-token.ts';
import { PERMISSIONS, type Permission, ROLES } from '../../src/auth/permission.ts';
import { resetApiToken, resetPassword } from '../../src/auth/reset-secrets.ts';
import { setRights } from '../../src/auth/set-rights.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';

const input = { email: 'Ana@Example.CL' };
const address = '192.0.2.1';

forEachEngine('users', (openTestDatabase) => {
  test('get an id, a password and an API token, of which the database keeps only hashes', async () => {
    const app = createTestApp(await openTestDatabase());
    const user = await createUser(app, { ...input, may: ['accounts:validate'] });
    assert.match(user.id, /^usr_[0-9a-z]{20}$/);
    assert.equal(user.email, 'ana@example.cl');
    assert.equal(user.payouts, true);
    assert.match(user.api_token, /^api_[\w-]{43}$/);
    const stored = JSON.stringify(await app.db.query('select * from users'));
    assert.doesNotMatch(stored, new RegExp(`${user.password}|${user.api_token}`));
  });

  test('are refused with an address that is none, or that has a user already', async () => {
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
      await assert.rejects(createUser(app, { ...input, email }), { code: 'INVALID_EMAIL' }, email);
    }
    await createUser(app, input);
    await assert.rejects(createUser(app, { ...input, email: ' ana@example.cl' }), { code: 'USER_EXISTS' });
    assert.equal((await listUsers(app)).length, 1);
  });

  test('may do nothing and see no payment unless it was said', async () => {
    const app = createTestApp(await openTestDatabase());
    const { role, permissions, payouts, payment_services: services } = await createUser(app, input);
    assert.deepEqual(
      { role, permissions, payouts, services },
      { role: 'integration', permissions: [], payouts: false, services: [] },
    );
  });

  test('of a role may do what it says and what was granted beside it', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id, permissions } = await createUser(app, { ...input, role: 'auditor', may: ['callbacks:resend'] });
    assert.deepEqual(permissions, [...ROLES.auditor.may, 'callbacks:resend'].sort());
    const named = async (wish: Parameters<typeof setRights>[2]) => (await setRights(app, id, wish))?.permissions;
    assert.deepEqual(await named({ revoke: ['callbacks:resend'] }), [...ROLES.auditor.may].sort());
    assert.deepEqual(await named({ grant: ['payouts:create'], role: 'integration' }), ['payouts:create']);
    assert.deepEqual(await named({ role: 'owner' }), Object.keys(PERMISSIONS).sort());
    await assert.rejects(setRights(app, id, { revoke: ['users:manage'] }), { code: 'INVALID_PARAMETER' });
    assert.deepEqual((await listUsers(app))[0]?.permissions, Object.keys(PERMISSIONS).sort());
  });

  test('see the payment services named, and all of them when that is said', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id } = await createPaymentService(app, 'Shop', TESTER);
    await createUser(app, { ...input, paymentServices: 'all' });
    app.now.advance(1);
    const shop = await createUser(app, { email: 'shop@example.cl', paymentServices: [id, id] });
    assert.deepEqual(
      (await listUsers(app)).map((user) => [user.email, user.payment_services]),
      [
        ['ana@example.cl', null],
        ['shop@example.cl', [id]],
      ],
    );
    assert.deepEqual((await setRights(app, 'ana@example.cl', { paymentServices: [id] }))?.payment_services, [id]);
    assert.deepEqual((await setRights(app, shop.id, { paymentServices: [] }))?.payment_services, []);
    await assert.rejects(setRights(app, shop.id, { paymentServices: ['ps_x'] }), { code: 'NOT_FOUND' });
    assert.equal((await setRights(app, shop.id, { paymentServices: 'all' }))?.payment_services, null);
  });

  test('are not made at all for a payment service that does not exist', async () => {
    const app = createTestApp(await openTestDatabase());
    await assert.rejects(createUser(app, { ...input, paymentServices: ['ps_x'] }), { code: 'NOT_FOUND' });
    assert.deepEqual(await listUsers(app), []);
  });

  test('are named by id or by e-mail, however it is written', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id } = await createUser(app, input);
    const payouts: Permission[] = ['accounts:validate'];
    assert.equal((await setRights(app, id, { grant: payouts }))?.payouts, true);
    assert.equal((await listUsers(app))[0]?.payouts, true);
    assert.equal((await setRights(app, 'ANA@example.cl', { revoke: payouts }))?.payouts, false);
    assert.equal((await listUsers(app))[0]?.payouts, false);
    for (const unknown of ['bea@example.cl', 'usr_x', '']) {
      assert.equal(await setRights(app, unknown, { grant: payouts }), null);
      assert.equal(await disableUser(app, unknown), 'unknown');
      assert.equal(await enableUser(app, unknown), 'unknown');
      assert.equal(await resetPassword(app, unknown), null);
      assert.equal(await resetApiToken(app, unknown), null);
    }
  });

  test('cannot log in once they are disabled, neither with the password nor with the API token', async () => {
    const app = createTestApp(await openTestDatabase());
    const { email, password, api_token: apiToken } = await createUser(app, input);
    assert.equal(await disableUser(app, email), 'changed');
    assert.equal(await disableUser(app, email), 'already');
    await assert.rejects(logIn(app, { email, password, address }), { code: 'LOGIN_FAILED' });
    await assert.rejects(logInWithApiToken(app, { apiToken, email: null, expiresAt: null }), {
      code: 'API_TOKEN_INVALID',
    });
  });

  test('can log in again once they are enabled, and access tokens of before stay revoked', async () => {
    const app = createTestApp(await openTestDatabase());
    const { email, password } = await createUser(app, input);
    const { text: before } = await logIn(app, { email, password, address });
    assert.equal(await enableUser(app, email), 'already');
    await disableUser(app, email);
    assert.equal(await enableUser(app, email), 'changed');
    const { text: fresh } = await logIn(app, { email, password, address });
    await assert.rejects(authenticateBearer(app, `Bearer ${before}`, undefined), { code: 'TOKEN_INVALID' });
    assert.equal((await authenticateBearer(app, `Bearer ${fresh}`, undefined)).email, email);
  });

  test('have only the new password after a reset, which also ends a refusal after too many wrong ones', async () => {
    const app = createTestApp(await openTestDatabase());
    const { email, password: old } = await createUser(app, input);
    for (let i = 0; i < 10; i++) await assert.rejects(logIn(app, { email, password: 'wrong', address }));
    await assert.rejects(logIn(app, { email, password: old, address }), { code: 'RATE_LIMITED' });
    const reset = await resetPassword(app, email);
    assert.ok(reset);
    await assert.rejects(logIn(app, { email, password: old, address }), { code: 'LOGIN_FAILED' });
    assert.ok(await logIn(app, { email, password: reset.password, address }));
  });

  test('have only the new API token after a reset', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id, api_token: old } = await createUser(app, input);
    const reset = await resetApiToken(app, id);
    assert.ok(reset);
    assert.equal(reset.email, 'ana@example.cl');
    const logInWith = (apiToken: string) => logInWithApiToken(app, { apiToken, email: null, expiresAt: null });
    await assert.rejects(logInWith(old), { code: 'API_TOKEN_INVALID' });
    assert.ok(await logInWith(reset.api_token));
  });
});
