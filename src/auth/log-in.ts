import type { App } from '../app.ts';
import { strangerActor } from '../audit/actor.ts';
import { type CountedAct, countAct } from '../audit/count-acts.ts';
import { Problem } from '../error-catalogue.ts';
import { clientNetwork } from '../lib/client-network.ts';
import { createFairQueue, QueueFullError } from '../lib/fair-queue.ts';
import { perInstance } from '../lib/per-instance.ts';
import { type Limit, limitKey } from '../limits/limit.ts';
import { decrementCount, deleteCount } from '../limits/limit-queries.ts';
import { type AccessToken, issueAccessToken } from './access-token.ts';
import { hasFactor } from './factors/factor-queries.ts';
import { countGuess, type Guess } from './guess.ts';
import { findKnownNetwork, keepNetwork } from './known-network.ts';
import { verifyPassword } from './password.ts';
import { isPasswordProved } from './password-proof.ts';
import { beginSession, renewSession } from './session.ts';
import type { SessionRow } from './session-queries.ts';
import { normalizeEmail } from './user.ts';
import { userActor } from './user-actor.ts';
import { selectUserByEmail, type UserRow, updateSignedIn } from './user-queries.ts';

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
 * makes no difference to the answer, its time or its limits. `SECOND_FACTOR_NEEDED` after the right password of a person who has a
 * second factor: with the password alone it would protect nothing.
 */
export async function logIn(app: App, attempt: LoginAttempt): Promise<AccessToken> {
  return issueAccessToken(app, await queue(app, { ...attempt, kind: 'password' }));
}

/**
 * The same for a person at the console: what it answers is for the cookie of the console alone, and shows nothing before the second
 * factor of those who have one or must have one.
 */
export async function logInAtConsole(app: App, attempt: LoginAttempt): Promise<AccessToken> {
  return issueAccessToken(app, await queue(app, { ...attempt, kind: 'console' }));
}

/**
 * The same for a person who has signed in and must prove who they are once more: the new session takes the place of `session`. Throws
 * what `logIn` throws, also where the session has ended.
 */
export function proveByPassword(app: App, session: SessionRow, attempt: LoginAttempt): Promise<SessionRow> {
  return queue(app, { ...attempt, kind: 'console', session });
}

type KindOfAttempt = LoginAttempt & { kind: 'password' | 'console'; session?: SessionRow };

function queue(app: App, attempt: KindOfAttempt): Promise<SessionRow> {
  return attempts(app)
    .submit(clientNetwork(attempt.address, 48), attempt)
    .catch((error: unknown) => {
      throw error instanceof QueueFullError ? tooManyAtOnce() : error;
    });
}

// One at a time: a hash takes a whole processor for its time, and payments go on beside it. It also keeps one attempt
// from being judged before the one ahead of it is counted.
const attempts = perInstance((app: App) =>
  app.metrics.watchQueue(
    'logins',
    createFairQueue({ work: (attempt: KindOfAttempt) => judge(app, attempt), maxQueued: 256, maxOfAnOwner: 64 }),
  ),
);

async function judge(app: App, attempt: KindOfAttempt): Promise<SessionRow> {
  const email = normalizeEmail(attempt.email);
  const network = clientNetwork(attempt.address);
  const uses: Guess[] = [];
  const consume = async (limit: Limit, subject: string) => {
    await countGuess(app, { limit, subject }).catch((refusal: unknown) => {
      countAct(app, refusedAct(email, user, network));
      throw refusal;
    });
    uses.push({ limit, subject });
  };
  const user = await selectUserByEmail(app.db, email);
  await consume(LOGIN_LIMITS.address, network);
  // Guesses are counted against the password that they are guesses of: a new one begins at nothing.
  const account = `${email}\n${user?.password_hash ?? ''}`;
  await consume(LOGIN_LIMITS.account, `${account}\n${network}`);
  const from = await findKnownNetwork(app, user?.id ?? '', network);
  if (!from.known) await consume(LOGIN_LIMITS.strangers, account);
  const right = await verifyPassword(attempt.password, user?.password_hash ?? null);
  if (user === null || !right || !(await isPasswordProved(app, user)) || user.disabled_at !== null) {
    countAct(app, refusedAct(email, user, network));
    throw new Problem('LOGIN_FAILED');
  }
  if (attempt.kind === 'password' && user.role !== 'integration' && (await hasFactor(app.db, user.id)))
    throw new Problem('SECOND_FACTOR_NEEDED');
  // Counted before the hash, or a burst on several replicas would all be tried; what was no guess is taken off again.
  const session = await app.db.transaction(async (tx) => {
    for (const { limit, subject } of uses) {
      const key = limitKey(app, limit, subject);
      await (limit === LOGIN_LIMITS.account ? deleteCount(tx, key) : decrementCount(tx, key));
    }
    await keepNetwork(app, tx, from);
    const now = app.now();
    if (attempt.session !== undefined) return renewSession(tx, attempt.session, 'password', now);
    const begun = { user_id: user.id, kind: attempt.kind, api_token_id: null, origin: network };
    if (!(await updateSignedIn(tx, user, now))) return null;
    return beginSession(tx, { ...begun, expires_at: now + LIFETIME_MS }, now);
  });
  if (session === null) throw new Problem('LOGIN_FAILED');
  countAct(app, { by: userActor(user, network), action: 'user.signed_in', subject: { kind: 'user', id: user.id } });
  return session;
}

/** A refusal, also one after too many guesses, with the account and the network. */
function refusedAct(email: string, user: UserRow | null, network: string): CountedAct {
  const by = strangerActor(email, user, network);
  return { by, action: 'user.sign_in_refused', subject: { kind: 'user', id: user?.id ?? 'unknown' } };
}

function tooManyAtOnce(): Problem {
  return new Problem('RATE_LIMITED', { waitMs: 2_000 });
}
