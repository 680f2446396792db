import '../support/cheap-hashes.ts';

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeCounts } from '../../src/audit/count-acts.ts';
import { listAudit } from '../../src/audit/list-audit.ts';
import { disableUser } from '../../src/auth/change-user.ts';
import { createUser } from '../../src/auth/create-user.ts';
import { addTotp } from '../../src/auth/factors/enrol-totp.ts';
import { resetPassword } from '../../src/auth/reset-secrets.ts';
import { listSessions } from '../../src/auth/sign-in/list-sessions.ts';
import { logIn, logInAtConsole } from '../../src/auth/sign-in/log-in.ts';
import { authenticateBearer } from '../../src/auth/tokens/authenticate-bearer.ts';
import { logInWithApiToken } from '../../src/auth/tokens/log-in-with-api-token.ts';
import { updateUserDisabled } from '../../src/auth/user-queries.ts';
import { type Database, StorageError } from '../../src/db/database.ts';
import { Problem } from '../../src/error-catalogue.ts';
import { countHashes } from '../support/count-hashes.ts';
import { forEachEngine } from '../support/engines.ts';
import { failingStore } from '../support/failing-store.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createTestUser } from '../support/test-user.ts';

const input = { email: 'ana@example.cl' };
const address = '192.0.2.1';

/** Returns `ok` or the code of the refusal. */
async function outcomeOf(login: Promise<unknown>): Promise<string> {
  try {
    await login;
    return 'ok';
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}

/** Tries wrong passwords, one after the other. `from` returns the address of an attempt. */
async function guess(app: TestApp, email: string, times: number, from: (attempt: number) => string = () => address) {
  const outcomes: string[] = [];
  for (let i = 0; i < times; i++) {
    outcomes.push(await outcomeOf(logIn(app, { email, password: 'wrong', address: from(i) })));
  }
  return outcomes;
}

/**
 * Guesses from many networks until every network without a log-in of the user is refused. Most guesses are only
 * counted.
 */
async function useUpStrangers(app: TestApp, email: string): Promise<void> {
  await guess(app, email, 2, (attempt) => `198.51.100.${attempt}`);
  await app.db.transaction((tx) => tx.query('update limit_counts set used = 99 where used = 2'));
  assert.deepEqual(await guess(app, email, 2, () => '198.51.100.9'), ['LOGIN_FAILED', 'RATE_LIMITED']);
}

forEachEngine('logging in', (openTestDatabase) => {
  test('with the password gives an access token for a day', async () => {
    const app = createTestApp(await openTestDatabase());
    const user = await createUser(app, input, TESTER);
    const token = await logIn(app, { email: ' ANA@example.cl', password: user.password, address });
    assert.equal(token.expiresIn, 86_400);
    assert.equal((await authenticateBearer(app, `Bearer ${token.text}`, undefined)).id, user.id);
  });

  test('fails for a user who is disabled while the password is checked', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id, password } = await createUser(app, input, TESTER);
    const transaction: Database['transaction'] = async (work, kind) => {
      await app.db.transaction((tx) => updateUserDisabled(tx, id, 1));
      return app.db.transaction(work, kind);
    };
    const disabling = { ...app, db: { ...app.db, transaction } };
    assert.equal(await outcomeOf(logIn(disabling, { ...input, password, address })), 'LOGIN_FAILED');
    assert.deepEqual(await listSessions(app, id), []);
  });

  test('with the API token gives an access token for a year, or until an earlier time that was requested', async () => {
    const app = createTestApp(await openTestDatabase());
    const { email, api_token: apiToken } = await createUser(app, input, TESTER);
    const now = app.now() / 1000;
    const expiries: [number | null, number][] = [
      [null, 31_536_000],
      [now + 60, 60],
      [now + 100_000_000, 31_536_000],
    ];
    for (const [expiresAt, lifetime] of expiries) {
      const token = await logInWithApiToken(app, { apiToken, email: null, expiresAt, address: '192.0.2.1' });
      assert.equal(token.expiresIn, lifetime);
    }
    assert.ok(
      await logInWithApiToken(app, { apiToken, email: email.toUpperCase(), expiresAt: null, address: '192.0.2.1' }),
    );
  });

  test('with the API token of another user, or with a part of an API token, is refused', async () => {
    const app = createTestApp(await openTestDatabase());
    const { api_token: apiToken } = await createUser(app, input, TESTER);
    const attempts = [
      { apiToken, email: 'bea@example.cl' },
      { apiToken: apiToken.slice(0, -1), email: null },
      { apiToken: apiToken.toUpperCase(), email: null },
      { apiToken: '', email: null },
    ];
    for (const attempt of attempts) {
      assert.equal(
        await outcomeOf(logInWithApiToken(app, { ...attempt, expiresAt: null, address: '192.0.2.1' })),
        'API_TOKEN_INVALID',
      );
    }
  });

  test('is blocked for half an hour after ten wrong passwords from one address, for that account only', async () => {
    const app = createTestApp(await openTestDatabase());
    const { email, password } = await createUser(app, input, TESTER);
    const other = await createUser(app, { ...input, email: 'bea@example.cl' }, TESTER);
    const outcomes = await guess(app, email, 12);
    assert.deepEqual(outcomes, [...Array(10).fill('LOGIN_FAILED'), ...Array(2).fill('RATE_LIMITED')]);
    assert.equal(await outcomeOf(logIn(app, { email, password, address })), 'RATE_LIMITED');
    assert.equal(await outcomeOf(logIn(app, { email: other.email, password: other.password, address })), 'ok');
    app.now.advance(30 * 60_000);
    assert.equal(await outcomeOf(logIn(app, { email, password, address })), 'ok');
  });

  // Otherwise a stranger could lock the user out with ten wrong passwords.
  test('is not blocked by wrong passwords from another network', async () => {
    const app = createTestApp(await openTestDatabase());
    const { email, password } = await createUser(app, input, TESTER);
    assert.equal((await guess(app, email, 12, () => '198.51.100.7')).at(-1), 'RATE_LIMITED');
    assert.equal(await outcomeOf(logIn(app, { email, password, address })), 'ok');
  });

  test('from a network of a user has room when strangers of hundreds of others wait, also for an unknown address', async () => {
    const app = createTestApp(await openTestDatabase());
    const { email, password } = await createUser(app, input, TESTER);
    assert.equal(await outcomeOf(logIn(app, { email, password, address })), 'ok');
    const strangers = Array.from({ length: 600 }, (_, at) =>
      outcomeOf(logIn(app, { email: `${at}@example.cl`, password: 'wrong', address: `10.${at >> 8}.${at & 255}.1` })),
    );
    assert.equal(await outcomeOf(logIn(app, { email: 'nobody@example.cl', password, address })), 'LOGIN_FAILED');
    assert.equal(await outcomeOf(logIn(app, { email, password, address })), 'ok');
    assert.ok((await Promise.all(strangers)).includes('RATE_LIMITED'), 'more came than may wait');
  });

  test('from a network that the user has used before is not blocked by guesses from any number of others', async () => {
    const app = createTestApp(await openTestDatabase());
    const { email, password } = await createUser(app, input, TESTER);
    assert.equal(await outcomeOf(logIn(app, { email, password, address })), 'ok');
    await useUpStrangers(app, email);
    assert.equal(await outcomeOf(logIn(app, { email, password, address: '203.0.113.1' })), 'RATE_LIMITED');
    assert.equal(await outcomeOf(logIn(app, { email, password, address })), 'ok');
    assert.deepEqual(await guess(app, email, 11), [...Array(10).fill('LOGIN_FAILED'), 'RATE_LIMITED']);
  });

  test('remembers the last 20 networks of a user for 90 days, and none in plain text', async () => {
    const app = createTestApp(await openTestDatabase());
    const { email, password } = await createUser(app, input, TESTER);
    for (let at = 0; at < 22; at++) {
      assert.equal(await outcomeOf(logIn(app, { email, password, address: `192.0.2.${at}` })), 'ok');
      app.now.advance(1);
    }
    const kept = await app.db.query('select * from known_networks');
    assert.equal(kept.length, 20);
    assert.doesNotMatch(JSON.stringify(kept), /192\.0\.2/);
    await useUpStrangers(app, email);
    const from = (at: number) => outcomeOf(logIn(app, { email, password, address: `192.0.2.${at}` }));
    assert.deepEqual([await from(1), await from(21)], ['RATE_LIMITED', 'ok']);
    app.now.advance(91 * 24 * 60 * 60_000);
    await useUpStrangers(app, email);
    assert.equal(await from(20), 'RATE_LIMITED');
  });

  test('with a new password is not blocked by guesses at the old one', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id, email } = await createUser(app, input, TESTER);
    assert.equal((await guess(app, email, 11)).at(-1), 'RATE_LIMITED');
    const password = (await resetPassword(app, id, TESTER))?.password as string;
    assert.equal(await outcomeOf(logIn(app, { email, password, address })), 'ok');
  });

  test('lets at most ten guesses of one network through in any half hour, however they are spread', async () => {
    const app = createTestApp(await openTestDatabase());
    const { email } = await createUser(app, input, TESTER);
    const tried: number[] = [];
    for (let i = 0; i < 30; i++) {
      const [outcome] = await guess(app, email, 1, () => `2001:db8::${i}`);
      if (outcome === 'LOGIN_FAILED') tried.push(app.now());
      app.now.advance(2.5 * 60_000);
    }
    for (const [at, time] of tried.entries()) {
      assert.ok((tried[at + 10] ?? Infinity) - time >= 30 * 60_000);
    }
  });

  test('limits guesses at an e-mail address without a user in the same way', async () => {
    const app = createTestApp(await openTestDatabase());
    const outcomes = await guess(app, 'nobody@example.cl', 11);
    assert.deepEqual(outcomes, [...Array(10).fill('LOGIN_FAILED'), 'RATE_LIMITED']);
  });

  test('does not count right passwords against the account or the address', async () => {
    const app = createTestApp(await openTestDatabase());
    const { email, password } = await createUser(app, input, TESTER);
    await guess(app, email, 9);
    for (let i = 0; i < 12; i++) assert.equal(await outcomeOf(logIn(app, { email, password, address })), 'ok');
    assert.deepEqual(await guess(app, email, 2), ['LOGIN_FAILED', 'LOGIN_FAILED']);
    const rows = await app.db.query<{ used: number }>('select used from limit_counts order by used');
    assert.deepEqual(
      rows.map((row) => row.used),
      [2, 9, 11],
    );
  });

  test('does not count the right password of a person whose second factor the API asks for', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id, email, password } = await createUser(app, { ...input, role: 'support' }, TESTER);
    await addTotp(app, { id, email }, 'Phone', TESTER);
    assert.ok((await guess(app, email, 9)).every((code) => code === 'LOGIN_FAILED'));
    for (let i = 0; i < 11; i++)
      assert.equal(await outcomeOf(logIn(app, { email, password, address })), 'SECOND_FACTOR_NEEDED');
    assert.equal(await outcomeOf(logInAtConsole(app, { email, password, address })), 'ok');
  });

  test('asks a person who must have a second factor for it, also before there is one, but never a program', async () => {
    const db = await openTestDatabase();
    const { config } = createTestApp(db);
    const app = createTestApp(db, {
      config: { ...config, secondFactorRoles: ['support', 'finance', 'approver', 'operator', 'owner'] },
    });
    const logInAs = async (wish: Parameters<typeof createTestUser>[1]) => {
      const { email, password } = await createTestUser(app, wish);
      return outcomeOf(logIn(app, { email, password, address }));
    };
    assert.equal(await logInAs({ role: 'support', may: [] }), 'SECOND_FACTOR_NEEDED');
    assert.equal(await logInAs({ role: 'developer', may: [] }), 'ok');
    assert.equal(await logInAs({ role: 'developer', may: ['refunds:create'] }), 'SECOND_FACTOR_NEEDED');
    assert.equal(await logInAs({ may: ['refunds:create'] }), 'ok');
  });

  test('blocks a network that tries many accounts, before it counts guesses for each account', async () => {
    const app = createTestApp(await openTestDatabase());
    const { email, password } = await createUser(app, input, TESTER);
    for (const one of ['a@example.cl', 'b@example.cl']) await guess(app, one, 1, () => '2001:db8:0:1::1');
    await app.db.transaction((tx) => tx.query('update limit_counts set used = 99 where used = 2'));
    assert.deepEqual(await guess(app, 'c@example.cl', 2, () => '2001:db8:0:1::1'), ['LOGIN_FAILED', 'RATE_LIMITED']);
    assert.equal(await outcomeOf(logIn(app, { email, password, address: '2001:db8:0:1::2' })), 'RATE_LIMITED');
    assert.equal(await outcomeOf(logIn(app, { email, password, address: '2001:db8:0:2::1' })), 'ok');
  });

  test('computes one password hash whether the user exists, is disabled, or does not exist', async () => {
    const app = createTestApp(await openTestDatabase());
    const { email } = await createUser(app, input, TESTER);
    const disabled = await createUser(app, { ...input, email: 'bea@example.cl' }, TESTER);
    await disableUser(app, disabled.id, TESTER);
    for (const tried of [email, disabled.email, 'nobody@example.cl']) {
      assert.deepEqual(await countHashes(() => guess(app, tried, 1)), { total: 1, atOnce: 1 });
    }
  });

  test('in a burst hashes ten passwords, one at a time, and refuses the rest without a hash', async () => {
    const app = createTestApp(await openTestDatabase());
    const { email } = await createUser(app, input, TESTER);
    const outcomes: string[] = [];
    const attempt = async () => outcomes.push(await outcomeOf(logIn(app, { email, password: 'wrong', address })));
    const hashes = await countHashes(() => Promise.all(Array.from({ length: 200 }, attempt)));
    assert.equal(outcomes.filter((outcome) => outcome === 'LOGIN_FAILED').length, 10);
    assert.equal(outcomes.filter((outcome) => outcome === 'RATE_LIMITED').length, 190);
    assert.deepEqual(hashes, { total: 10, atOnce: 1 });
  });

  test('is no refusal in the audit log while the database does not respond', async () => {
    const { failing, faults } = failingStore(await openTestDatabase());
    const app = createTestApp(failing);
    const { email, password } = await createUser(app, input, TESTER);
    const raise = () => new StorageError('STORAGE_UNAVAILABLE', null);
    for (const at of [1, 2, 3, 4, 5]) {
      Object.assign(faults, { at, points: 0, raise });
      await assert.rejects(logIn(app, { email, password, address }), { code: 'STORAGE_UNAVAILABLE' });
    }
    await writeCounts(app, 'end');
    const { acts } = await listAudit(app, { action: 'user.sign_in_refused' }, 10);
    assert.deepEqual(acts, []);
  });

  // Otherwise one stranger's burst could fill the queue of password checks for everybody.
  test('does not wait for the end of a burst from another network', async () => {
    const app = createTestApp(await openTestDatabase());
    const { email, password } = await createUser(app, input, TESTER);
    const ended: string[] = [];
    const burst = Array.from({ length: 60 }, async (_, at) => {
      await outcomeOf(logIn(app, { email: `${at}@example.cl`, password: 'x', address: '198.51.100.7' }));
      ended.push('stranger');
    });
    await Promise.all([
      ...burst,
      outcomeOf(logIn(app, { email, password, address })).then((outcome) => ended.push(outcome)),
    ]);
    // Some of the 60 are refused while the session of the user begins.
    assert.ok(ended.indexOf('ok') <= 20, `after ${ended.indexOf('ok')} others`);
  });

  test('counts wrong passwords of all replicas together', async () => {
    const db = await openTestDatabase();
    const apps = [createTestApp(db), createTestApp(await openTestDatabase({ url: db.url }))];
    const { email } = await createUser(apps[0] as TestApp, input, TESTER);
    const outcomes = await Promise.all(apps.map((app) => guess(app, email, 8)));
    assert.equal(outcomes.flat().filter((outcome) => outcome === 'LOGIN_FAILED').length, 10);
  });
});
