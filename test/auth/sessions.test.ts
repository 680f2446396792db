import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { SignJWT } from 'jose';
import { disableUser } from '../../src/auth/change-user.ts';
import { createUser } from '../../src/auth/create-user.ts';
import { resetFactors } from '../../src/auth/factors/remove-factor.ts';
import { resetApiToken, resetPassword } from '../../src/auth/reset-secrets.ts';
import { findConsoleSession } from '../../src/auth/sign-in/console-session.ts';
import { endOtherSessions, endSession, endSessionsOf } from '../../src/auth/sign-in/end-sessions.ts';
import { listSessions } from '../../src/auth/sign-in/list-sessions.ts';
import { logIn, proveByPassword } from '../../src/auth/sign-in/log-in.ts';
import { forgetSessions, renewSession, storeSessionUse } from '../../src/auth/sign-in/session.ts';
import type { SessionRow } from '../../src/auth/sign-in/session-queries.ts';
import { setPassword } from '../../src/auth/sign-in/set-password.ts';
import { issueAccessToken } from '../../src/auth/tokens/access-token.ts';
import { authenticateBearer } from '../../src/auth/tokens/authenticate-bearer.ts';
import { endApiToken } from '../../src/auth/tokens/end-api-token.ts';
import { keyApiTokens } from '../../src/auth/tokens/key-api-tokens.ts';
import { listApiTokens } from '../../src/auth/tokens/list-api-tokens.ts';
import { logInWithApiToken } from '../../src/auth/tokens/log-in-with-api-token.ts';
import { makeApiToken } from '../../src/auth/tokens/make-api-token.ts';
import { selectUserById } from '../../src/auth/user-queries.ts';
import { Problem } from '../../src/error-catalogue.ts';
import { deriveKey } from '../../src/lib/seal.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { listenToStatements } from '../support/heard-statements.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { beginTestSession } from '../support/test-user.ts';
import { untilQueued } from '../support/until-queued.ts';

const WITHIN_A_SECOND = 999;
const DAY = 24 * 60 * 60_000;
const YEAR_SECONDS = 365 * 24 * 60 * 60;
const address = '192.0.2.1';

forEachEngine('API tokens', (openTestDatabase) => {
  test('are listed by name without any secret, and no name is used twice', async () => {
    const { app, user } = await setUp(openTestDatabase);
    app.now.advance(1);
    const made = await make(app, user.id, 'till', app.now() + DAY);
    assert.match(made.api_token, /^api_[\w-]{43}$/);
    const listed = await listApiTokens(app, 'ANA@example.cl');
    assert.deepEqual(
      listed?.map(({ name, expires_at, last_used_at, ended_at }) => [name, expires_at, last_used_at, ended_at]),
      [
        ['first', null, null, null],
        ['till', app.now() + DAY, null, null],
      ],
    );
    const stored = JSON.stringify([listed, await app.db.query('select * from api_tokens, users')]);
    for (const token of [user.api_token, made.api_token]) {
      const digests = ['base64url', 'hex', 'base64'] as const;
      for (const secret of [token, ...digests.map((form) => createHash('sha256').update(token).digest(form))])
        assert.ok(!stored.includes(secret));
    }
    for (const name of ['till', '', 'a'.repeat(61), 'a\nb']) {
      await assert.rejects(make(app, user.id, name), { code: 'INVALID_PARAMETER' });
    }
    assert.equal(await makeApiToken(app, 'usr_x', { name: 'a', expiresAt: null }, TESTER), null);
  });

  test('update their rows in one order when they are used, reset or ended, so that concurrent acts do not deadlock', async () => {
    const { app, user } = await setUp(openTestDatabase);
    const listened = listenToStatements(app);
    const [first] = (await listApiTokens(app, user.id)) ?? [];
    const orderOf = async (act: () => Promise<unknown>) => {
      listened.all.length = 0;
      await act();
      const tables = listened.all.map(({ sql }) => /^update (users|api_tokens|sessions)\b/.exec(sql)?.[1]);
      return tables.filter((table) => table !== undefined);
    };
    await logInWithApiToken(listened.app, { apiToken: user.api_token, email: null, expiresAt: null, address });
    for (const [act, order] of [
      [() => storeSessionUse(listened.app), ['api_tokens', 'sessions']],
      [() => endSessionsOf(listened.app, user.id, TESTER), ['users', 'sessions']],
      [() => endApiToken(listened.app, first?.id ?? '', TESTER), ['users', 'api_tokens', 'sessions']],
      [() => endApiToken(listened.app, first?.id ?? '', TESTER), []],
      [() => resetApiToken(listened.app, user.id, TESTER), ['users', 'api_tokens', 'sessions']],
    ] as const)
      assert.deepEqual(await orderOf(act), order);
  });

  test('end one by one, each with the access tokens made with it and no others', async () => {
    const { app, user } = await setUp(openTestDatabase);
    const till = await make(app, user.id, 'till');
    const [first, other] = [await exchange(app, user.api_token), await exchange(app, till.api_token)];
    assert.equal(await endApiToken(app, till.id, TESTER), 'ended');
    assert.equal(await endApiToken(app, till.id, TESTER), 'already');
    assert.equal(await endApiToken(app, 'tok_x', TESTER), 'unknown');
    app.now.advance(WITHIN_A_SECOND);
    assert.deepEqual([await works(app, first), await works(app, other)], ['ok', 'TOKEN_INVALID']);
    assert.equal(await codeOf(exchange(app, till.api_token)), 'API_TOKEN_INVALID');
    const token = (await listApiTokens(app, user.id))?.find(({ name }) => name === 'first');
    await endApiToken(app, token?.id as string, TESTER);
    app.now.advance(WITHIN_A_SECOND);
    assert.equal(await works(app, first), 'TOKEN_INVALID');
  });

  test('and passwords that are revoked during a log-in let nobody in', async () => {
    const { app, user } = await setUp(openTestDatabase);
    const till = await make(app, user.id, 'till');
    const ending = meanwhile(app, 'from api_tokens where lookup', () => endApiToken(app, till.id, TESTER));
    const { email, password } = user;
    const resetting = meanwhile(app, 'from users where email', () => resetPassword(app, user.id, TESTER));
    assert.deepEqual(
      [await codeOf(exchange(ending, till.api_token)), await codeOf(logIn(resetting, { email, password, address }))],
      ['API_TOKEN_INVALID', 'LOGIN_FAILED'],
    );
    assert.deepEqual(await listSessions(app, user.id), []);
    const known = await app.db.query('select network from known_networks where user_id = $1', [user.id]);
    assert.deepEqual(known, [], 'the network of a failed log-in is not known');
  });

  test('begin no session of a user who is disabled during a log-in', async () => {
    const { app, user } = await setUp(openTestDatabase);
    const disabling = meanwhile(app, 'from users where id', () => disableUser(app, user.id, TESTER));
    assert.equal(await codeOf(exchange(disabling, user.api_token)), 'API_TOKEN_INVALID');
    assert.deepEqual(await listSessions(app, user.id), []);
  });

  test('expire, and no access token outlives them', async () => {
    const { app, user } = await setUp(openTestDatabase);
    const { api_token: token } = await make(app, user.id, 'week', app.now() + 7 * DAY);
    const login = { apiToken: token, email: null, expiresAt: null, address };
    assert.equal((await logInWithApiToken(app, login)).expiresIn, (7 * DAY) / 1000);
    app.now.advance(7 * DAY);
    assert.equal(await codeOf(exchange(app, token)), 'API_TOKEN_INVALID');
  });

  test('that are exchanged at every request give one access token for each day and requested expiry', async () => {
    const { app, user } = await setUp(openTestDatabase);
    const first = await exchange(app, user.api_token);
    app.now.advance(DAY - 1);
    assert.equal(await exchange(app, user.api_token), first);
    const inAnHour = Math.floor(app.now() / 1000) + 3600;
    const login = { apiToken: user.api_token, email: null, expiresAt: inAnHour, address };
    const short = await logInWithApiToken(app, login);
    assert.ok(short.expiresIn <= 3600 && short.expiresIn >= 3599);
    assert.equal((await logInWithApiToken(app, login)).text, short.text);
    assert.equal((await listSessions(app, user.id))?.length, 2);
    const longer = await logInWithApiToken(app, { ...login, expiresAt: inAnHour + 1 });
    assert.notEqual(longer.text, short.text, 'another requested expiry is kept to the second');
    app.now.advance(1);
    const login2 = { apiToken: user.api_token, email: null, expiresAt: null, address };
    const next = await logInWithApiToken(app, login2);
    assert.notEqual(next.text, first);
    assert.equal(next.expiresIn, YEAR_SECONDS);
  });

  test('are refused when somebody wrote their hash into the table', async () => {
    const { app, user } = await setUp(openTestDatabase);
    const planted = `api_${'p'.repeat(43)}`;
    const digest = createHash('sha256').update(planted).digest('base64url');
    await app.db.transaction(async (tx) => {
      await tx.query(`update users set api_token_hash = $1 where id = $2`, [digest, user.id]);
      await tx.query(
        `insert into api_tokens (id, user_id, name, lookup, proof, created_at) values ('tok_p', $1, 'p', $2, $2, 1)`,
        [user.id, digest],
      );
    });
    assert.equal(await codeOf(exchange(app, planted)), 'API_TOKEN_INVALID');
    await keyApiTokens(app);
    assert.equal(await codeOf(exchange(app, planted)), 'API_TOKEN_INVALID');
    await app.db.transaction((tx) => tx.query(`delete from kept_keys where name = 'api-token'`));
    await assert.rejects(keyApiTokens(app), /removed the key/);
  });

  test('are refused when their row was moved to another user', async () => {
    const { app, user } = await setUp(openTestDatabase);
    const victim = await createUser(app, { email: 'owner@example.cl', role: 'owner' }, TESTER);
    assert.equal(await codeOf(exchange(app, user.api_token)), 'ok');
    await app.db.transaction((tx) =>
      tx.query('update api_tokens set user_id = $1 where user_id = $2', [victim.id, user.id]),
    );
    assert.equal(await codeOf(exchange(app, user.api_token)), 'API_TOKEN_INVALID');
  });

  test('of an older store work as before after the upgrade, and their unkeyed hash is deleted', async () => {
    const app = createTestApp(await openTestDatabase());
    const token = `api_${'o'.repeat(43)}`;
    const digest = createHash('sha256').update(token).digest('base64url');
    await app.db.transaction((tx) =>
      tx.query(
        `insert into users (id, email, password_hash, api_token_hash, all_payment_services, token_version, created_at)
         values ('usr_1', 'old@example.cl', 'x', $1, 0, 1, 1)`,
        [digest],
      ),
    );
    await keyApiTokens(app);
    await keyApiTokens(app);
    assert.equal(await works(app, await exchange(app, token)), 'ok');
    assert.ok(!JSON.stringify(await app.db.query('select * from users, api_tokens')).includes(digest));
  });
});

forEachEngine('sessions', (openTestDatabase) => {
  test('are not renewed by a password that was replaced in the same session during the proof', async () => {
    const { app, user } = await setUp(openTestDatabase);
    const session = await beginTestSession(app, user.id, 'console');
    const wish = { userId: user.id, password: 'correct horse battery', keptSession: session.id };
    const replacing = meanwhile(app, 'from users where email', () => setPassword(app, wish, TESTER));
    const { email, password } = user;
    assert.equal(await codeOf(proveByPassword(replacing, session, { email, password, address })), 'LOGIN_FAILED');
    assert.deepEqual(
      (await listSessions(app, user.id))?.map(({ id }) => id),
      [session.id],
      'the session of the new password goes on',
    );
  });

  test('are listed with kind, origin and last use, and end one by one', async () => {
    const { app, user } = await setUp(openTestDatabase);
    const token = await exchange(app, user.api_token);
    app.now.advance(1);
    const { text } = await logIn(app, { email: user.email, password: user.password, address });
    app.now.advance(WITHIN_A_SECOND);
    assert.equal(await works(app, text), 'ok');
    await storeSessionUse(app);
    const listed = (await listSessions(app, user.email)) ?? [];
    assert.deepEqual(
      listed.map(({ kind, origin }) => [kind, origin]),
      [
        ['password', '192.0.2.1'],
        ['api_token', null],
      ],
    );
    assert.equal(listed[0]?.last_used_at, app.now());
    const [apiToken] = (await listApiTokens(app, user.id)) ?? [];
    assert.equal(apiToken?.last_used_at, app.now() - WITHIN_A_SECOND - 1);
    const [{ id }] = listed as [SessionRow];
    assert.equal(await endSession(app, id, TESTER), 'ended');
    assert.equal(await endSession(app, id, TESTER), 'already');
    assert.equal(await endSession(app, 'ses_x', TESTER), 'unknown');
    const made = await makeApiToken(app, user.id, { name: 'brief', expiresAt: app.now() + DAY }, TESTER);
    const endBrief = async () => {
      await exchange(app, made?.api_token ?? '');
      const sql = 'select id from sessions where api_token_id = $1 order by created_at';
      const [session] = await app.db.query<{ id: string }>(sql, [made?.id ?? '']);
      app.now.advance(1);
      return endSession(app, session?.id ?? '', TESTER);
    };
    assert.deepEqual([await endBrief(), await endBrief()], ['ended', 'already'], 'the second log-in goes on');
    await endApiToken(app, made?.id ?? '', TESTER);
    app.now.advance(WITHIN_A_SECOND);
    assert.deepEqual([await works(app, text), await works(app, token)], ['TOKEN_INVALID', 'ok']);
    assert.equal(await endSessionsOf(app, user.id, TESTER), 1);
    app.now.advance(WITHIN_A_SECOND);
    assert.equal(await works(app, token), 'TOKEN_INVALID');
    assert.equal(
      await works(app, await exchange(app, user.api_token)),
      'ok',
      'a new session works, the ended one does not',
    );
    assert.equal(await endSessionsOf(app, 'usr_x', TESTER), null);
  });

  test('reject their access token when their row was moved to another user or deleted', async () => {
    const { app, user } = await setUp(openTestDatabase);
    const token = await exchange(app, user.api_token);
    const victim = await createUser(app, { email: 'owner@example.cl', role: 'owner' }, TESTER);
    await app.db.transaction((tx) => tx.query('update sessions set user_id = $1', [victim.id]));
    assert.equal(await works(app, token), 'TOKEN_INVALID');
    await app.db.transaction((tx) => tx.query('delete from sessions'));
    assert.equal(await works(app, token), 'TOKEN_INVALID');
  });

  test('reject their console cookie when their row was changed or deleted, or their user is disabled', async () => {
    const { app, user } = await setUp(openTestDatabase);
    const victim = await createUser(app, { email: 'owner@example.cl', role: 'owner' }, TESTER);
    const { text } = await issueAccessToken(app, await beginTestSession(app, user.id, 'console'));
    const isIn = async () => (await findConsoleSession(app, text, { isClick: false })) !== null;
    const write = (sql: string, values: readonly string[] = []) => app.db.transaction((tx) => tx.query(sql, values));
    assert.equal(await isIn(), true);
    for (const [change, back, values] of [
      ['update sessions set user_id = $1', 'update sessions set user_id = $2', [victim.id, user.id]],
      ["update sessions set kind = 'password'", "update sessions set kind = 'console'", []],
      ['update users set disabled_at = 1', 'update users set disabled_at = null', []],
    ] as const) {
      await write(change, values.slice(0, 1));
      assert.equal(await isIn(), false, change);
      await write(back.replace('$2', '$1'), values.slice(1));
      assert.equal(await isIn(), true, back);
    }
    await write('delete from sessions');
    assert.equal(await isIn(), false);
  });

  test('are not needed for access tokens of earlier versions; what ends all sessions ends those tokens too', async () => {
    const { app, user } = await setUp(openTestDatabase);
    const oldToken = async () => {
      const row = await selectUserById(app.db, user.id);
      return new SignJWT({ version: row?.token_version })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setSubject(user.id)
        .setIssuer('rubrica')
        .setAudience('rubrica-api')
        .setJti('A'.repeat(22))
        .setExpirationTime(Math.floor(app.now() / 1000) + 3600)
        .sign(deriveKey(app.config.masterKey, 'access-token'));
    };
    for (const end of [endSessionsOf, resetFactors, resetPassword, resetApiToken]) {
      const old = await oldToken();
      assert.equal(await works(app, old), 'ok');
      await end(app, user.id, TESTER);
      app.now.advance(WITHIN_A_SECOND);
      assert.equal(await works(app, old), 'TOKEN_INVALID', end.name);
    }
  });

  test('are deleted a day after they expire', async () => {
    const { app, user } = await setUp(openTestDatabase);
    await logIn(app, { email: user.email, password: user.password, address });
    await exchange(app, user.api_token);
    app.now.advance(2 * DAY);
    assert.equal(await forgetSessions(app, 100), 0);
    app.now.advance(1);
    assert.equal(await forgetSessions(app, 100), 1);
  });

  test('are not renewed after their end', async () => {
    const { app, user } = await setUp(openTestDatabase);
    const session = await beginTestSession(app, user.id, 'console');
    const renew = () => app.db.transaction((tx) => renewSession(tx, session, 'password', app.now()));
    assert.ok(await renew());
    assert.equal(await renew(), null);
    assert.equal((await listSessions(app, user.id))?.length, 1);
  });

  test('that are being renewed also end when the password is reset, or one or all sessions are ended', async () => {
    const { app, user } = await setUp(openTestDatabase);
    const endOthers: typeof endSessionsOf = async (of, id, by) => (await endOtherSessions(of, id, 'ses_x', by), null);
    let session = await beginTestSession(app, user.id, 'console');
    const endOne: typeof endSessionsOf = async (of, _id, by) => (await endSession(of, session.id, by), null);
    for (const end of [resetPassword, endSessionsOf, endOthers, endOne]) {
      session = await beginTestSession(app, user.id, 'console');
      let ended: Promise<unknown> = Promise.resolve();
      await app.db.transaction(async (tx) => {
        assert.ok(await renewSession(tx, session, 'password', app.now()));
        ended = end(app, user.id, TESTER);
        await untilQueued(app.db);
      });
      await ended;
      assert.deepEqual(await listSessions(app, user.id), []);
    }
  });

  test('of an API token that are being renewed also end with the token', async () => {
    const { app, user } = await setUp(openTestDatabase);
    const made = await makeApiToken(app, user.id, { name: 'second', expiresAt: null }, TESTER);
    assert.ok(made);
    const login = { email: null, apiToken: made.api_token, expiresAt: null, address: '127.0.0.1' };
    await logInWithApiToken(app, login);
    const [session] = await app.db.query<SessionRow>('select * from sessions where api_token_id = $1', [made.id]);
    assert.ok(session);
    let ended: Promise<unknown> = Promise.resolve();
    await app.db.transaction(async (tx) => {
      assert.ok(await renewSession(tx, session, 'factor', app.now()));
      ended = endApiToken(app, made.id, TESTER);
      await untilQueued(app.db);
    });
    assert.equal(await ended, 'ended');
    assert.deepEqual(await listSessions(app, user.id), []);
  });
});

/** Returns the app with an `act` that runs after each query with the text `read`, before its rows are returned. */
function meanwhile(app: TestApp, read: string, act: () => Promise<unknown>): TestApp {
  const query: TestApp['db']['query'] = async (sql, parameters) => {
    const rows = await app.db.query(sql, parameters);
    if (sql.includes(read)) await act();
    return rows as never;
  };
  return { ...app, db: { ...app.db, query } };
}

async function setUp(openTestDatabase: OpenTestDatabase) {
  const app = createTestApp(await openTestDatabase());
  return { app, user: await createUser(app, { email: 'ana@example.cl' }, TESTER) };
}

async function make(app: TestApp, user: string, name: string, expiresAt: number | null = null) {
  const made = await makeApiToken(app, user, { name, expiresAt }, TESTER);
  assert.ok(made);
  return made;
}

async function exchange(app: TestApp, apiToken: string): Promise<string> {
  return (await logInWithApiToken(app, { apiToken, email: null, expiresAt: null, address })).text;
}

function works(app: TestApp, token: string): Promise<string> {
  return codeOf(authenticateBearer(app, `Bearer ${token}`, undefined));
}

async function codeOf(outcome: Promise<unknown>): Promise<string> {
  try {
    await outcome;
    return 'ok';
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}
