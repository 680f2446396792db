import type { App } from '../../app.ts';
import { countAct } from '../../audit/count-acts.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import type { Tx } from '../../db/database.ts';
import { Problem } from '../../error-catalogue.ts';
import { worldTime } from '../../lib/clock.ts';
import { clientNetwork } from '../../lib/network/client-network.ts';
import type { Limit } from '../../limits/limit.ts';
import { countGuess, forgetGuesses, type Guess } from '../sign-in/guess.ts';
import { renewSession } from '../sign-in/session.ts';
import type { SessionRow } from '../sign-in/session-queries.ts';
import { type AccessToken, issueAccessToken } from '../tokens/access-token.ts';
import type { User } from '../user.ts';
import { userActor } from '../user-actor.ts';
import { lockUser } from '../user-queries.ts';
import { type FactorRow, hasFactor, selectFactorsOf, updateFactorUsed } from './factor-queries.ts';
import { updateRecoveryCodeUsed } from './recovery-code-queries.ts';
import { hashOf, isRecoveryCode } from './recovery-codes.ts';
import { openFactor } from './seal-factor.ts';
import { stepOfCode } from './totp.ts';

const HALF_AN_HOUR_MS = 30 * 60_000;

/**
 * The limits of wrong codes, by somebody who knows the password. `network`: per person and network. `account`: the
 * guesses of all networks together, for codes of six digits only: a recovery code cannot be guessed and still works.
 */
export const FACTOR_LIMITS = {
  network: { name: 'factor-network', most: 10, windowMs: HALF_AN_HOUR_MS, counts: 'streak' },
  account: { name: 'factor-account', most: 50, windowMs: HALF_AN_HOUR_MS, counts: 'streak' },
} as const satisfies Record<string, Limit>;

/** The person who proves, and the client's address. */
type Claimant = { user: User; address: string };

/** The same, with a session of the console. */
export type Prover = Claimant & { session: SessionRow };

/**
 * Checks a code of the person's app, or a recovery code. Returns the access token of a new session that replaces the
 * old one. A code works once. Throws `Problem` `FACTOR_REFUSED`, or `RATE_LIMITED` after too many codes.
 */
export async function proveByCode(app: App, prover: Prover, text: string): Promise<AccessToken> {
  return takeProof(app, prover, await readCode(app, prover, text));
}

/**
 * Checks a code for one request with an access token of the API; begins no session. Throws `Problem`
 * `SECOND_FACTOR_NEEDED` if `code` is null, `FACTOR_REFUSED`, or `RATE_LIMITED` after too many codes.
 */
export async function proveForRequest(app: App, who: Claimant, code: string | null): Promise<void> {
  if (code === null)
    throw new Problem('SECOND_FACTOR_NEEDED', {
      detail: { en: 'Send code: what your app shows.', es: 'Envía code: lo que muestra tu app.' },
    });
  await judgeProof(app, who, await readCode(app, who, code), async () => true);
}

/** The same if the user has a second factor; programs have none. */
export async function proveWhereEnrolled(app: App, who: Claimant, code: string | null): Promise<void> {
  if (await hasFactor(app.db, who.user.id)) await proveForRequest(app, who, code);
}

async function readCode(app: App, who: Claimant, text: string): Promise<Proof> {
  const { user } = who;
  const isRecovery = isRecoveryCode(text);
  const guesses = await countGuesses(app, who, isRecovery ? [] : [{ limit: FACTOR_LIMITS.account, subject: user.id }]);
  if (isRecovery) return { take: await recoveryTaker(app, user, text), guesses, factor: RECOVERY };
  return { take: await totpTaker(app, user, text.replace(/\s/g, '')), guesses, factor: 'totp' };
}

/** Counts a guess for the person's network and for `more`. Throws `Problem` `RATE_LIMITED` after too many. */
export async function countGuesses(app: App, { user, address }: Claimant, more: readonly Guess[]): Promise<Guess[]> {
  const guesses = [{ limit: FACTOR_LIMITS.network, subject: `${user.id}\n${clientNetwork(address)}` }, ...more];
  for (const guess of guesses) await countGuess(app, guess);
  return guesses;
}

/** Uses up a proof in the caller's transaction; returns false if it was used before. */
export type Taker = (tx: Tx, at: number) => Promise<boolean>;

const RECOVERY = 'recovery code';

/** `take` null: the proof is wrong. `factor`: its name in the audit log. */
type Proof = { take: Taker | null; guesses: readonly Guess[]; factor: string };

/** Uses up a proof and returns the access token of a new session. Throws `Problem` `FACTOR_REFUSED`. */
export async function takeProof(app: App, prover: Prover, proof: Proof): Promise<AccessToken> {
  const { session } = prover;
  return issueAccessToken(
    app,
    await judgeProof(app, prover, proof, (tx) => renewSession(tx, session, 'factor', app.now())),
  );
}

/**
 * Runs `then` in the transaction that uses up the proof. Throws `Problem` `FACTOR_REFUSED` if the proof is wrong or
 * `then` returns null.
 */
async function judgeProof<Done>(
  app: App,
  { user, address }: Claimant,
  { take, guesses, factor }: Proof,
  then: (tx: Tx) => Promise<Done | null>,
): Promise<Done> {
  const by = userActor(user, clientNetwork(address));
  const subject = { kind: 'user', id: user.id };
  const done = await app.db.transaction(async (tx) => {
    // Like a reset, this locks the user before the factor and the session.
    await lockUser(tx, user.id);
    if (take === null || !(await take(tx, app.now()))) return null;
    const result = await then(tx);
    await forgetGuesses(app, tx, guesses);
    if (factor === RECOVERY) await recordAudit(tx, { at: app.now(), by, action: 'user.recovery_code_used', subject });
    return result;
  });
  countAct(app, {
    by,
    action: done === null ? 'user.factor_refused' : 'user.factor_proved',
    subject,
    after: { factor },
  });
  if (done === null) throw new Problem('FACTOR_REFUSED');
  return done;
}

async function recoveryTaker(app: App, user: User, text: string): Promise<Taker> {
  const hash = await hashOf(app, user.id, text);
  return (tx, at) => updateRecoveryCodeUsed(tx, user.id, hash, at);
}

async function totpTaker(app: App, user: User, code: string): Promise<Taker | null> {
  const factors = await selectFactorsOf(app.db, user.id);
  for (const factor of factors.filter(({ kind }) => kind === 'totp')) {
    const step = await stepOf(app, factor, code);
    if (step !== null) return (tx, at) => updateFactorUsed(tx, factor.id, step, at);
  }
  return null;
}

function stepOf(app: App, factor: FactorRow, code: string): Promise<number | null> {
  return stepOfCode(openFactor(app, factor), code, worldTime(app.now));
}

/**
 * Returns the access token of a new session that replaces the one in which a factor was added; adding it counts as a
 * proof. Null: the old session has ended meanwhile.
 */
export async function proveAtEnrolment(app: App, session: SessionRow): Promise<AccessToken | null> {
  const renewed = await app.db.transaction((tx) => renewSession(tx, session, 'factor', app.now()));
  return renewed && issueAccessToken(app, renewed);
}
