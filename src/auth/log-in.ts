import type { App } from '../app.ts';
import { Problem } from '../error-catalogue.ts';
import { BatcherFullError, createBatcher } from '../lib/batcher.ts';
import { clientNetwork } from '../lib/client-network.ts';
import { perInstance } from '../lib/per-instance.ts';
import { consumeLimit } from '../limits/consume-limit.ts';
import { type Limit, limitKey, limitProblem } from '../limits/limit.ts';
import { decrementCount, deleteCount } from '../limits/limit-queries.ts';
import { type AccessToken, issueAccessToken } from './access-token.ts';
import { verifyPassword } from './password.ts';
import { normalizeEmail } from './user.ts';
import { selectUserByEmail, type UserRow } from './user-queries.ts';

/** `address` is that of the client, as the limit of wrong passwords counts it. */
export type LoginAttempt = { email: string; password: string; address: string };

const LIFETIME_SECONDS = 24 * 60 * 60;
const HALF_AN_HOUR_MS = 30 * 60_000;

/** Of wrong passwords. Many users may share one address; a stranger who tries the accounts in turn is stopped there. */
export const LOGIN_LIMITS = {
  address: { name: 'login-address', most: 100, windowMs: HALF_AN_HOUR_MS, counts: 'window' },
  account: { name: 'login-account', most: 10, windowMs: HALF_AN_HOUR_MS, counts: 'streak' },
} as const satisfies Record<string, Limit>;

/**
 * An access token of 24 hours for an e-mail address and its password.
 *
 * Throws `Problem` `LOGIN_FAILED`, and `RATE_LIMITED` after too many wrong passwords. Whether the address has a user
 * makes no difference to the answer, its time or its limits.
 */
export async function logIn(app: App, attempt: LoginAttempt): Promise<AccessToken> {
  const user = await attempts(app)
    .submit(attempt)
    .catch((error: unknown) => {
      throw error instanceof BatcherFullError ? tooManyAtOnce() : error;
    });
  return issueAccessToken(app, { userId: user.id, version: user.token_version }, LIFETIME_SECONDS);
}

/** Where the wrong passwords of an account are counted. */
export function accountLimitKey(app: App, email: string): string {
  return limitKey(app, LOGIN_LIMITS.account, email);
}

// One at a time: a hash takes a whole processor for its time, and payments go on beside it. It also keeps one attempt
// from being judged before the one ahead of it is counted.
const attempts = perInstance((app: App) => {
  const batcher = createBatcher<LoginAttempt, UserRow>({
    maxBatch: 1,
    maxQueued: 64,
    concurrency: 1,
    flush: async ([attempt]) => [await judge(app, attempt as LoginAttempt)],
  });
  return app.metrics.watchQueue('logins', batcher);
});

async function judge(app: App, attempt: LoginAttempt): Promise<UserRow> {
  const email = normalizeEmail(attempt.email);
  const network = clientNetwork(attempt.address);
  await consume(app, LOGIN_LIMITS.address, network);
  await consume(app, LOGIN_LIMITS.account, email);
  const user = await selectUserByEmail(app.db, email);
  const right = await verifyPassword(attempt.password, user?.password_hash ?? null);
  if (user === null || !right || user.disabled_at !== null) throw new Problem('LOGIN_FAILED');
  // Counted before the hash, or a burst on several replicas would all be tried; what was no guess is given back.
  await app.db.transaction(async (tx) => {
    await decrementCount(tx, limitKey(app, LOGIN_LIMITS.address, network));
    await deleteCount(tx, accountLimitKey(app, email));
  });
  return user;
}

async function consume(app: App, limit: Limit, subject: string): Promise<void> {
  const use = await consumeLimit(app, limit, subject);
  if (!use.allowed) throw limitProblem(limit, use);
}

function tooManyAtOnce(): Problem {
  return new Problem('RATE_LIMITED', { headers: { 'retry-after': '2' } });
}
