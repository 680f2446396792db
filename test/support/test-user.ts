import type { App } from '../../src/app.ts';
import { issueAccessToken } from '../../src/auth/access-token.ts';
import { createUser, type NewUser } from '../../src/auth/create-user.ts';

/** `headers` is what the user's client sends. */
export type TestUser = NewUser & { headers: { authorization: string } };

let count = 0;

/** A new user with an access token of one day; an operator without payouts unless `given` says otherwise. */
export async function createTestUser(
  app: App,
  given: { payouts?: boolean; paymentServiceIds?: readonly string[] } = {},
): Promise<TestUser> {
  const email = `user-${++count}@example.cl`;
  const user = await createUser(app, { email, payouts: false, paymentServiceIds: [], ...given });
  const { text } = await issueAccessToken(app, { userId: user.id, version: 1 }, 86_400);
  return { ...user, headers: { authorization: `Bearer ${text}` } };
}
