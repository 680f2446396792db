import type { App } from '../app.ts';
import { strangerActor } from '../audit/actor.ts';
import { countAct } from '../audit/count-acts.ts';
import { Problem } from '../error-catalogue.ts';
import { clientNetwork } from '../lib/client-network.ts';
import { createFairQueue, QueueFullError } from '../lib/fair-queue.ts';
import { perInstance } from '../lib/per-instance.ts';
import { consumeLimit } from '../limits/consume-limit.ts';
import { type Limit, limitKey, limitProblem } from '../limits/limit.ts';
import { decrementCount, deleteCount } from '../limits/limit-queries.ts';
import { type AccessToken, issueAccessToken } from './access-token.ts';
import { findKnownNetwork, keepNetwork } from './known-network.ts';
import { verifyPassword } from './password.ts';
import { beginSession } from './session.ts';
import type { SessionRow } from './session-queries.ts';
import { normalizeEmail } from './user.ts';
import { userActor } from './user-actor.ts';
import { selectUserByEmail } from './user-queries.ts';

/** `address`: the client's, for the limits of wrong passwords. */
export type LoginAttempt = { email: string; password: string; address: string };

const LIFETIME_MS = 24 * 60 * 60_000;
const HALF_AN_HOUR_MS = 30 * 60_000;

/**
 * Of wrong passwords. `address` stops one who tries the accounts in turn. `account` is what one network has of an account,
 * so nobody's guesses refuse those who log in from elsewhere. `strangers` bounds the guesses of many networks together: it
 * counts and refuses only those from which the user has not logged in before.
 */
export const LOGIN_LIMITS = {
  address: { name: 'login-address', most: 100, windowMs: HALF_AN_HOUR_MS, counts: 'window' },
  account: { name: 'login-account', most: 10, windowMs: HALF_AN_HOUR_MS, counts: 'streak' },
  strangers: { name: 'login-strangers', most: 100, windowMs: HALF_AN_HOUR_MS, counts: 'streak' },
} as const satisfies Record<string, Limit>;

/**
 * An access token of 24 hours for an e-mail address and its password.
 *
 * Throws `Problem` `LOGIN_FAILED`, and `RATE_LIMITED` after too many wrong passwords from the same network. Whether the address has a user
 * makes no difference to the answer, its time or its limits.
 */
export async function logIn(app: App, attempt: LoginAttempt): Promise<AccessToken> {
  const session = await attempts(app)
    .submit(clientNetwork(attempt.address, 48), attempt)
    .catch((error: unknown) => {
      throw error instanceof QueueFullError ? tooManyAtOnce() : error;
    });
  return issueAccessToken(app, session);
}

// One at a time: a hash takes a whole processor for its time, and payments go on beside it. It also keeps one attempt
// from being judged before the one ahead of it is counted.
const attempts = perInstance((app: App) =>
  app.metrics.watchQueue(
    'logins',
    createFairQueue({ work: (attempt: LoginAttempt) => judge(app, attempt), maxQueued: 256, maxOfAnOwner: 64 }),
  ),
);

async function judge(app: App, attempt: LoginAttempt): Promise<SessionRow> {
  const email = normalizeEmail(attempt.email);
  const network = clientNetwork(attempt.address);
  const uses: { limit: Limit; subject: string }[] = [];
  const consume = async (limit: Limit, subject: string) => {
    const use = await consumeLimit(app, limit, subject);
    if (!use.allowed) {
      app.metrics.refused.inc({ reason: limit.name });
      throw limitProblem(limit, use);
    }
    uses.push({ limit, subject });
  };
  await consume(LOGIN_LIMITS.address, network);
  const user = await selectUserByEmail(app.db, email);
  // Guesses are counted against the password that they are guesses of: a new one begins at nothing.
  const account = `${email}\n${user?.password_hash ?? ''}`;
  await consume(LOGIN_LIMITS.account, `${account}\n${network}`);
  const from = await findKnownNetwork(app, user?.id ?? '', network);
  if (!from.known) await consume(LOGIN_LIMITS.strangers, account);
  const right = await verifyPassword(attempt.password, user?.password_hash ?? null);
  if (user === null || !right || user.disabled_at !== null) {
    const by = strangerActor(email, user, network);
    countAct(app, { by, action: 'user.sign_in_refused', subject: { kind: 'user', id: user?.id ?? 'unknown' } });
    throw new Problem('LOGIN_FAILED');
  }
  // Counted before the hash, or a burst on several replicas would all be tried; what was no guess is taken off again.
  const session = await app.db.transaction(async (tx) => {
    for (const { limit, subject } of uses) {
      const key = limitKey(app, limit, subject);
      await (limit === LOGIN_LIMITS.account ? deleteCount(tx, key) : decrementCount(tx, key));
    }
    await keepNetwork(app, tx, from);
    const now = app.now();
    const begun = { user_id: user.id, kind: 'password', api_token_id: null, origin: network } as const;
    return beginSession(tx, { ...begun, expires_at: now + LIFETIME_MS }, now);
  });
  countAct(app, { by: userActor(user, network), action: 'user.signed_in', subject: { kind: 'user', id: user.id } });
  return session;
}

function tooManyAtOnce(): Problem {
  return new Problem('RATE_LIMITED', { headers: { 'retry-after': '2' } });
}
