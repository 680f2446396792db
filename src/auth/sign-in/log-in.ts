import type { App } from '../../app.ts';
import { strangerActor } from '../../audit/actor.ts';
import { type CountedAct, countAct } from '../../audit/count-acts.ts';
import type { Tx } from '../../db/database.ts';
import { Problem } from '../../error-catalogue.ts';
import { createFairQueue, QueueFullError } from '../../lib/fair-queue.ts';
import { clientNetwork } from '../../lib/network/client-network.ts';
import { perInstance } from '../../lib/per-instance.ts';
import { type Limit, limitKey } from '../../limits/limit.ts';
import { decrementCount, deleteCount } from '../../limits/limit-queries.ts';
import { needsFactor } from '../factors/needs-factor.ts';
import { userOf } from '../find-user.ts';
import { type AccessToken, issueAccessToken } from '../tokens/access-token.ts';
import { normalizeEmail } from '../user.ts';
import { userActor } from '../user-actor.ts';
import { lockUser, selectUserByEmail, type UserRow, updateSignedIn } from '../user-queries.ts';
import { countGuess, type Guess } from './guess.ts';
import { findKnownNetwork, isNetworkOfUsers, keepNetwork } from './known-network.ts';
import { verifyPassword } from './password.ts';
import { isPasswordProved } from './password-proof.ts';
import { beginSession, renewSession } from './session.ts';
import type { SessionRow } from './session-queries.ts';

/** `address`: the client's address, for the limits of wrong passwords. */
export type LoginAttempt = { email: string; password: string; address: string };

const LIFETIME_MS = 24 * 60 * 60_000;
const HALF_AN_HOUR_MS = 30 * 60_000;

/**
 * The limits of wrong passwords. `address`: per network, against trying many accounts. `account`: per account and
 * network, so that nobody's guesses block log-ins from elsewhere. `strangers`: per account, for all networks together;
 * it counts and refuses only networks from which the user has not logged in before.
 */
export const LOGIN_LIMITS = {
  address: { name: 'login-address', most: 100, windowMs: HALF_AN_HOUR_MS, counts: 'window' },
  account: { name: 'login-account', most: 10, windowMs: HALF_AN_HOUR_MS, counts: 'streak' },
  strangers: { name: 'login-strangers', most: 100, windowMs: HALF_AN_HOUR_MS, counts: 'streak' },
} as const satisfies Record<string, Limit>;

/**
 * Returns an access token of 24 hours for an e-mail address and its password.
 *
 * Throws `Problem` `LOGIN_FAILED`, and `RATE_LIMITED` after too many wrong passwords from the same network. The
 * response, its time and the limits do not reveal whether the address has a user. Throws `SECOND_FACTOR_NEEDED` after
 * the right password of a person who has a second factor or must have one, which would otherwise protect nothing.
 */
export async function logIn(app: App, attempt: LoginAttempt): Promise<AccessToken> {
  return issueAccessToken(app, await queue(app, { ...attempt, kind: 'password' }));
}

/**
 * Logs a person in at the console. The token is only for the console's cookie, and shows nothing before the second
 * factor if the person has one or needs one. Throws `Problem` `LOGIN_FAILED` or `RATE_LIMITED`.
 */
export async function logInAtConsole(app: App, attempt: LoginAttempt): Promise<AccessToken> {
  return issueAccessToken(app, await queue(app, { ...attempt, kind: 'console' }));
}

/**
 * Checks the password of a signed-in person again; the new session replaces `session`. Throws `Problem` `RATE_LIMITED`,
 * or `LOGIN_FAILED`, also if the session has ended.
 */
export function proveByPassword(app: App, session: SessionRow, attempt: LoginAttempt): Promise<SessionRow> {
  return queue(app, { ...attempt, kind: 'console', session });
}

type QueuedAttempt = LoginAttempt & { kind: 'password' | 'console'; session?: SessionRow };

/**
 * Strangers from hundreds of networks fill only their own queue. The other one is for networks of any user: one for the
 * networks of the named user would reveal that there is such a user.
 */
async function queue(app: App, attempt: QueuedAttempt): Promise<SessionRow> {
  const known = await isNetworkOfUsers(app, clientNetwork(attempt.address));
  const turns = attempts(app)[known ? 'known' : 'strangers'];
  return turns.submit(clientNetwork(attempt.address, 48), attempt).catch((error: unknown) => {
    throw error instanceof QueueFullError ? tooManyAtOnce() : error;
  });
}

// One at a time in each: a hash uses a whole core, and payments must go on. So each attempt is counted before the next
// one is checked.
const attempts = perInstance((app: App) => ({
  known: app.metrics.watchQueue('known-logins', createAttempts(app)),
  strangers: app.metrics.watchQueue('logins', createAttempts(app)),
}));

function createAttempts(app: App) {
  const work = (attempt: QueuedAttempt) => judge(app, attempt);
  return createFairQueue({ work, maxQueued: 256, maxOfAnOwner: 64 });
}

async function judge(app: App, attempt: QueuedAttempt): Promise<SessionRow> {
  const email = normalizeEmail(attempt.email);
  const network = clientNetwork(attempt.address);
  const user = await selectUserByEmail(app.db, email);
  const uses: Guess[] = [];
  const consume = async (limit: Limit, subject: string) => {
    await countGuess(app, { limit, subject }).catch((error: unknown) => {
      // A database that does not respond has refused nobody.
      if (error instanceof Problem) countAct(app, refusedAct(email, user, network));
      throw error;
    });
    uses.push({ limit, subject });
  };
  await consume(LOGIN_LIMITS.address, network);
  // The count belongs to a password, so a new password starts at zero.
  const account = `${email}\n${user?.password_hash ?? ''}`;
  await consume(LOGIN_LIMITS.account, `${account}\n${network}`);
  const from = await findKnownNetwork(app, user?.id ?? '', network);
  if (!from.known) await consume(LOGIN_LIMITS.strangers, account);
  const right = await verifyPassword(attempt.password, user?.password_hash ?? null);
  if (user === null || !right || !(await isPasswordProved(app, user)) || user.disabled_at !== null) {
    countAct(app, refusedAct(email, user, network));
    throw new Problem('LOGIN_FAILED');
  }
  if (attempt.kind === 'password' && (await needsFactor(app, await userOf(app.db, user)))) {
    // Who sent it knows the password: a script that goes on without the code must not block its person at the console.
    await app.db.transaction((tx) => forgive(app, tx, uses));
    const subject = { kind: 'user', id: user.id };
    countAct(app, { by: userActor(user, network), action: 'user.factor_refused', subject, after: { factor: 'none' } });
    throw new Problem('SECOND_FACTOR_NEEDED');
  }
  const session = await app.db.transaction(async (tx) => {
    const begun = await begin(tx, attempt, { user, network, now: app.now() });
    // Nothing is forgiven if the password, or the session, has ended meanwhile.
    if (begun === null) return null;
    await forgive(app, tx, uses);
    await keepNetwork(app, tx, from);
    return begun;
  });
  if (session === null) throw new Problem('LOGIN_FAILED');
  countAct(app, { by: userActor(user, network), action: 'user.signed_in', subject: { kind: 'user', id: user.id } });
  return session;
}

/**
 * Subtracts a right password from the limits. It was counted before the hash, so that a burst on several replicas cannot
 * exceed them.
 */
async function forgive(app: App, tx: Tx, uses: readonly Guess[]): Promise<void> {
  for (const { limit, subject } of uses) {
    const key = limitKey(app, limit, subject);
    await (limit === LOGIN_LIMITS.account ? deleteCount(tx, key) : decrementCount(tx, key));
  }
}

type Place = { user: UserRow; network: string; now: number };

/**
 * Begins the session of a right password, or renews the one of the attempt. Returns null if that one has ended, or if
 * the user was disabled or has another password by now.
 */
async function begin(
  tx: Tx,
  { kind, session }: QueuedAttempt,
  { user, network, now }: Place,
): Promise<SessionRow | null> {
  if (session !== undefined) {
    // The session in which a person sets a new password goes on, so its end does not tell of it.
    const isSame = (await lockUser(tx, user.id))?.password_hash === user.password_hash;
    return isSame ? renewSession(tx, session, 'password', now) : null;
  }
  if (!(await updateSignedIn(tx, user, now))) return null;
  const begun = { user_id: user.id, kind, api_token_id: null, origin: network, expires_at: now + LIFETIME_MS };
  return beginSession(tx, begun, now);
}

/** Returns the audit entry of a refusal (also after too many guesses), with the account and the network. */
function refusedAct(email: string, user: UserRow | null, network: string): CountedAct {
  const by = strangerActor(email, user, network);
  return { by, action: 'user.sign_in_refused', subject: { kind: 'user', id: user?.id ?? 'unknown' } };
}

function tooManyAtOnce(): Problem {
  return new Problem('RATE_LIMITED', { waitMs: 2_000 });
}
