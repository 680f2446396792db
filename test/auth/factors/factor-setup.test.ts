import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addTotp } from '../../../src/auth/factors/enrol-totp.ts';
import { hasFactor, insertFactor, updatePasskeyUsed } from '../../../src/auth/factors/factor-queries.ts';
import { beginSetup, readSetup } from '../../../src/auth/factors/factor-setup.ts';
import { proveForRequest } from '../../../src/auth/factors/prove-factor.ts';
import { renewRecoveryCodes } from '../../../src/auth/factors/recovery-codes.ts';
import { removeFactor, resetFactors } from '../../../src/auth/factors/remove-factor.ts';
import { storeFactor } from '../../../src/auth/factors/store-factor.ts';
import { totpCode } from '../../../src/auth/factors/totp.ts';
import { renewSession } from '../../../src/auth/sign-in/session.ts';
import { updateSessionsEnded } from '../../../src/auth/sign-in/session-queries.ts';
import { forEachEngine } from '../../support/engines.ts';
import { TESTER } from '../../support/test-actor.ts';
import { createTestApp, type TestApp } from '../../support/test-app.ts';
import { beginTestSession, createTestUser } from '../../support/test-user.ts';

const SETUP = { id: 'fac_1', secret: 'JBSWY3DPEHPK3PXP' };

test('the setup of a second factor is valid for fifteen minutes, for its owner only, and cannot be altered', () => {
  // An open setup is not in the store.
  const app = createTestApp({} as TestApp['db']);
  const text = beginSetup(app, 'us_1', SETUP);
  assert.ok(!text.includes(SETUP.secret));
  assert.deepEqual(readSetup(app, 'us_1', text), SETUP);
  assert.equal(readSetup(app, 'us_2', text), null);
  assert.equal(readSetup(app, 'us_1', `${text.slice(0, -2)}AA`), null);
  app.now.advance(15 * 60_000 - 1);
  assert.deepEqual(readSetup(app, 'us_1', text), SETUP);
  app.now.advance(1);
  assert.equal(readSetup(app, 'us_1', text), null);
});

forEachEngine('a second factor', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const { id, email } = await createTestUser(app, { role: 'support', may: [] });
    const user = { id, email, role: 'support' as const };
    const added = await addTotp(app, user, 'Phone', TESTER);
    assert.ok(added);
    const prove = (code: string, address = '192.0.2.1') =>
      proveForRequest(app, { user: user as Parameters<typeof proveForRequest>[1]['user'], address }, code).then(
        () => 'right',
        (error: { code?: string }) => error.code,
      );
    const right = () => {
      app.now.advance(30_000);
      return totpCode(added.secret, app.now());
    };
    return { app, user, prove, right, ...added };
  };
  const times = (count: number) => Array.from({ length: count }, (_, at) => at);

  test('accepts a right code after nine wrong ones, and the right code resets the count', async () => {
    const { prove, right } = await open();
    for (const round of times(2)) {
      for (const guess of times(9)) assert.equal(await prove(`${round}0000${guess}`), 'FACTOR_REFUSED');
      assert.equal(await prove(await right()), 'right');
    }
  });

  test('is blocked after fifty wrong codes from any number of networks, but a recovery code still works', async () => {
    const { prove, right, recoveryCodes } = await open();
    for (const guess of times(50)) assert.equal(await prove('000000', `192.0.${guess}.1`), 'FACTOR_REFUSED');
    assert.equal(await prove(await right(), '198.51.100.1'), 'RATE_LIMITED');
    assert.equal(await prove(recoveryCodes[0] ?? '', '198.51.100.1'), 'right');
  });

  test('deletes the recovery codes when it is removed as the last factor, not as one of several', async () => {
    const { app, user, id } = await open();
    const other = await addTotp(app, user, 'Tablet', TESTER);
    const codes = async () => (await app.db.query('select hash from recovery_codes')).length;
    assert.equal(await removeFactor(app, id, user.id, TESTER), 'removed');
    assert.equal(await codes(), 10);
    assert.equal(await removeFactor(app, other?.id ?? '', user.id, TESTER), 'removed');
    assert.equal(await codes(), 0);
  });

  test('of another user stays when all factors of a user are reset', async () => {
    const { app, user } = await open();
    const { id, email } = await createTestUser(app, { role: 'support', may: [] });
    await addTotp(app, { id, email }, 'Phone', TESTER);
    assert.equal((await resetFactors(app, user.id, TESTER))?.removed, 1);
    assert.deepEqual([await hasFactor(app.db, user.id), await hasFactor(app.db, id)], [false, true]);
  });

  test('replaces recovery codes from before the first one, and later ones stay', async () => {
    const { app, user, id, prove } = await open();
    assert.equal(await removeFactor(app, id, user.id, TESTER), 'removed');
    const [early = ''] = (await renewRecoveryCodes(app, user.id, null, TESTER)) ?? [];
    assert.equal((await addTotp(app, user, 'Phone', TESTER))?.recoveryCodes.length, 10);
    assert.equal(await prove(early), 'FACTOR_REFUSED');
    const renewed = await Promise.all([1, 2].map(() => renewRecoveryCodes(app, user.id, null, TESTER)));
    assert.deepEqual((await addTotp(app, user, 'Tablet', TESTER))?.recoveryCodes, []);
    const proofs = [await prove(renewed[0]?.[0] ?? ''), await prove(renewed[1]?.[0] ?? '')];
    const right = proofs.filter((proof) => proof === 'right');
    assert.equal(right.length, 1, 'of two renewals at once, the codes of one work');
  });

  test('that another session has just added must be proved before a session adds one or makes recovery codes', async () => {
    const { app, user } = await open();
    const key = { id: 'fac_key', user_id: user.id, kind: 'passkey', name: 'Key', sealed: 'x', site: null } as const;
    const session = await beginTestSession(app, user.id, 'console');
    const add = (one: typeof session) => storeFactor(app, { ...key, credential: 'own', last_step: 0 }, one, TESTER);
    const makeCodes = (one: typeof session) => renewRecoveryCodes(app, user.id, one, TESTER);
    assert.deepEqual([await add(session), await makeCodes(session)], [null, null]);
    const proved = await app.db.transaction((tx) => renewSession(tx, session, 'factor', app.now()));
    assert.ok(proved);
    assert.deepEqual([(await add(proved))?.id, (await makeCodes(proved))?.length], ['fac_key', 10]);
  });

  test('is neither added nor given recovery codes in a session that has ended meanwhile', async () => {
    const { app, user } = await open();
    const session = { ...(await beginTestSession(app, user.id, 'console')), proved_at: app.now() };
    await app.db.transaction((tx) => updateSessionsEnded(tx, user.id, null, app.now()));
    const row = { id: 'fac_new', user_id: user.id, kind: 'totp', name: 'Tablet', sealed: 'x', site: null } as const;
    assert.equal(await storeFactor(app, { ...row, credential: null, last_step: 0 }, session, TESTER), null);
    assert.equal(await renewRecoveryCodes(app, user.id, session, TESTER), null);
  });

  test('of kind passkey is refused when its counter does not grow, unless the counter is always zero', async () => {
    const { app, user } = await open();
    const row = { user_id: user.id, kind: 'passkey', name: 'Key', sealed: 'x', site: null, created_at: 1 } as const;
    for (const credential of ['counts', 'never'])
      await app.db.transaction((tx) =>
        insertFactor(tx, { ...row, id: `fac_${credential}`, credential, last_step: 0, last_used_at: null }),
      );
    const use = (id: string, counter: number) =>
      app.db.transaction((tx) => updatePasskeyUsed(tx, { id: `fac_${id}`, site: 'localhost' }, counter, 1));
    for (const [counter, isTaken] of [
      [5, true],
      [5, false],
      [4, false],
      [0, false],
      [6, true],
    ] as const)
      assert.equal(await use('counts', counter), isTaken, String(counter));
    assert.deepEqual([await use('never', 0), await use('never', 0)], [true, true]);
  });

  test('that was proved in a session stays proved when the password is entered again', async () => {
    const { app, user } = await open();
    const session = await beginTestSession(app, user.id, 'console');
    const renew = (one: typeof session, proof: 'factor' | 'password') =>
      app.db.transaction((tx) => renewSession(tx, one, proof, app.now()));
    const proved = await renew(session, 'factor');
    const provedAt = app.now();
    app.now.advance(60_000);
    assert.equal((await renew(proved as typeof session, 'password'))?.proved_at, provedAt);
  });
});
