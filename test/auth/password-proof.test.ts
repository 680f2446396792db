import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUser } from '../../src/auth/create-user.ts';
import { resetPassword } from '../../src/auth/reset-secrets.ts';
import { logIn } from '../../src/auth/sign-in/log-in.ts';
import { hashPassword } from '../../src/auth/sign-in/password.ts';
import { proveOldPasswords } from '../../src/auth/sign-in/password-proof.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';

forEachEngine('a password', (openTestDatabase) => {
  test('lets nobody in when its hash was written into the store or copied from another user', async () => {
    const app = createTestApp(await openTestDatabase());
    const [owner, thief] = [await userOf(app, 'owner'), await userOf(app, 'thief')];
    const hash = await hashPassword('mine');
    const written: [string, string, string][] = [
      ['written', 'mine', 'password_hash = $1'],
      ['written without a proof', 'mine', 'password_hash = $1, password_proof = null'],
      ['written without a proof', 'mine', "password_hash = $1, password_proof = ''"],
    ];
    const before = await app.db.query<{ password_hash: string; password_proof: string }>(
      'select password_hash, password_proof from users where id = $1',
      [owner.id],
    );
    for (const [what, password, set] of written) {
      await app.db.transaction((tx) => tx.query(`update users set ${set} where id = '${owner.id}'`, [hash]));
      assert.equal(await lets(app, owner.email, password), false, what);
    }
    await app.db.transaction((tx) =>
      tx.query(
        `update users set password_hash = (select password_hash from users where id = $2),
           password_proof = (select password_proof from users where id = $2) where id = $1`,
        [owner.id, thief.id],
      ),
    );
    assert.equal(await lets(app, owner.email, thief.password), false, 'a copied proof does not fit another user');
    assert.equal(await lets(app, thief.email, thief.password), true);
    const [kept] = before;
    await app.db.transaction((tx) =>
      tx.query('update users set password_hash = $2, password_proof = $3 where id = $1', [
        owner.id,
        kept?.password_hash as string,
        kept?.password_proof as string,
      ]),
    );
    assert.equal(await lets(app, owner.email, owner.password), true);
    const reset = await resetPassword(app, owner.email, TESTER);
    assert.equal(await lets(app, owner.email, reset?.password ?? ''), true);
  });

  test('from an earlier version gets its proof once, and a start after the proof key was removed is refused', async () => {
    const app = createTestApp(await openTestDatabase());
    const user = await userOf(app, 'early');
    await app.db.transaction(async (tx) => {
      await tx.query('update users set password_proof = null');
      await tx.query("delete from kept_keys where name = 'password-proof'");
    });
    const started = createTestApp(app.db);
    assert.equal(await lets(started, user.email, user.password), false);
    await proveOldPasswords(started);
    await proveOldPasswords(started);
    assert.equal(await lets(started, user.email, user.password), true);
    await app.db.transaction((tx) => tx.query("delete from kept_keys where name = 'password-proof'"));
    await assert.rejects(proveOldPasswords(createTestApp(app.db)), /removed the key/);
  });
});

const userOf = (app: TestApp, name: string) => createUser(app, { email: `${name}@example.cl` }, TESTER);

async function lets(app: TestApp, email: string, password: string): Promise<boolean> {
  return logIn(app, { email, password, address: '127.0.0.1' }).then(
    () => true,
    () => false,
  );
}
