import type { App } from '../../src/app.ts';
import { createUser, type NewUser, type UserWish } from '../../src/auth/create-user.ts';
import type { Permission } from '../../src/auth/permission.ts';
import { type HashedPassword, makePassword } from '../../src/auth/sign-in/password.ts';
import { beginSession } from '../../src/auth/sign-in/session.ts';
import type { SessionRow } from '../../src/auth/sign-in/session-queries.ts';
import { issueAccessToken } from '../../src/auth/tokens/access-token.ts';
import { logInWithApiToken } from '../../src/auth/tokens/log-in-with-api-token.ts';
import { sessionCookie } from '../../src/console/console-visit.ts';
import { TESTER } from './test-actor.ts';

/** `headers`: those of the user's client. `console`: those of a browser in which the user has just signed in. */
export type TestUser = NewUser & { headers: { authorization: string }; console: { cookie: string } };

let count = 0;
let password: Promise<HashedPassword> | undefined;

/** The permissions of all users before there were permissions. */
export const READ_AND_REFUND: readonly Permission[] = ['payments:read', 'refunds:create', 'events:read', 'books:read'];

/**
 * Creates a user with an access token of one day. By default it is a program that reads and refunds the payments of all
 * payment services; with `payouts` it also validates accounts. All users share one password, because each hash takes 35
 * ms.
 */
export async function createTestUser(
  app: App,
  { payouts = false, ...given }: Partial<UserWish> & { payouts?: boolean } = {},
): Promise<TestUser> {
  password ??= makePassword();
  const user = await createUser(
    app,
    {
      email: `user-${++count}@example.cl`,
      may: payouts ? [...READ_AND_REFUND, 'accounts:validate'] : READ_AND_REFUND,
      paymentServices: 'all',
      ...given,
    },
    TESTER,
    { password: await password },
  );
  const session = await beginTestSession(app, user.id);
  const { text } = await issueAccessToken(app, session);
  return { ...user, headers: { authorization: `Bearer ${text}` }, console: await beginTestConsole(app, user.id) };
}

/** Returns the user with an access token of their API token: no password opens the API for who has a second factor. */
export async function withApiToken(app: App, user: TestUser): Promise<TestUser> {
  const login = { apiToken: user.api_token, email: null, expiresAt: null, address: '192.0.2.1' };
  const { text } = await logInWithApiToken(app, login);
  return { ...user, headers: { authorization: `Bearer ${text}` } };
}

/** Returns the cookie of a new console session, as after the password. */
async function beginTestConsole(app: App, userId: string): Promise<{ cookie: string }> {
  const { text } = await issueAccessToken(app, await beginTestSession(app, userId, 'console'));
  return { cookie: sessionCookie(app, text).split(';')[0] as string };
}

/** Begins a session of one day, as after a log-in with a password. */
export function beginTestSession(
  app: App,
  userId: string,
  kind: 'password' | 'console' = 'password',
): Promise<SessionRow> {
  const now = app.now();
  const session = { user_id: userId, kind, api_token_id: null, origin: '192.0.2.1' };
  return app.db.transaction((tx) => beginSession(tx, { ...session, expires_at: now + 86_400_000 }, now));
}
