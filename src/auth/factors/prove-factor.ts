import type { App } from '../../app.ts';
import { countAct } from '../../audit/count-acts.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import type { Tx } from '../../db/database.ts';
import { Problem } from '../../error-catalogue.ts';
import { clientNetwork } from '../../lib/client-network.ts';
import { worldTime } from '../../lib/clock.ts';
import type { Limit } from '../../limits/limit.ts';
import { type AccessToken, issueAccessToken } from '../access-token.ts';
import { countGuess, forgetGuesses, type Guess } from '../guess.ts';
import { renewSession } from '../session.ts';
import type { SessionRow } from '../session-queries.ts';
import type { User } from '../user.ts';
import { userActor } from '../user-actor.ts';
import { type FactorRow, hasFactor, selectFactorsOf, updateFactorUsed } from './factor-queries.ts';
import { updateRecoveryCodeUsed } from './recovery-code-queries.ts';
import { hashOf, isRecoveryCode } from './recovery-codes.ts';
import { openFactor } from './seal-factor.ts';
import { stepOfCode } from './totp.ts';

const HALF_AN_HOUR_MS = 30 * 60_000;

/**
 * Of wrong codes, by those who know the password. `network` is what one network has of a person. `account` bounds the guesses of many
 * networks together, of codes with six digits alone: a recovery code cannot be guessed, and goes on working.
 */
export const FACTOR_LIMITS = {
  network: { name: 'factor-network', most: 10, windowMs: HALF_AN_HOUR_MS, counts: 'streak' },
  account: { name: 'factor-account', most: 50, windowMs: HALF_AN_HOUR_MS, counts: 'streak' },
} as const satisfies Record<string, Limit>;

/** The person who proves, and the address. */
type Claimant = { user: User; address: string };

/** The same at the console, in a session. */
export type Prover = Claimant & { session: SessionRow };

/**
 * Takes a code of the person's app, or a recovery code, and answers the access token of a new session in the place of the one that
 * asked. A code works once. Throws `Problem` `FACTOR_REFUSED`, and `RATE_LIMITED` after too many.
 */
export async function proveByCode(app: App, prover: Prover, text: string): Promise<AccessToken> {
  return takeProof(app, prover, await readCode(app, prover, text));
}

/**
 * The same for one request of a user who has an access token of the API: it begins no session. Throws `Problem`
 * `SECOND_FACTOR_NEEDED` where `code` is null, `FACTOR_REFUSED`, and `RATE_LIMITED` after too many.
 */
export async function proveForRequest(app: App, who: Claimant, code: string | null): Promise<void> {
  if (code === null)
    throw new Problem('SECOND_FACTOR_NEEDED', {
      detail: { en: 'Send code: what your app shows.', es: 'Envía code: lo que muestra tu app.' },
    });
  await judgeProof(app, who, await readCode(app, who, code), async () => true);
}

/** The same where the user has a second factor; a program has none. */
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

/** Counts one more guess of the person's network, and what `more` counts. Throws `Problem` `RATE_LIMITED` after too many. */
export async function countGuesses(app: App, { user, address }: Claimant, more: readonly Guess[]): Promise<Guess[]> {
  const guesses = [{ limit: FACTOR_LIMITS.network, subject: `${user.id}\n${clientNetwork(address)}` }, ...more];
  for (const guess of guesses) await countGuess(app, guess);
  return guesses;
}

/** Uses a proof up in the commit that lets in; false: it was used before. */
export type Taker = (tx: Tx, at: number) => Promise<boolean>;

const RECOVERY = 'recovery code';

/** `take` null: it proves nothing. `factor` is what the audit log says of it. */
type Proof = { take: Taker | null; guesses: readonly Guess[]; factor: string };

/** Takes what proves the person, if anything does, and lets in or refuses. */
export async function takeProof(app: App, prover: Prover, proof: Proof): Promise<AccessToken> {
  const { session } = prover;
  return issueAccessToken(
    app,
    await judgeProof(app, prover, proof, (tx) => renewSession(tx, session, 'factor', app.now())),
  );
}

/** Does what a proof is for in the commit that uses it up. Throws `Problem` `FACTOR_REFUSED`, also where `then` answers null. */
async function judgeProof<Done>(
  app: App,
  { user, address }: Claimant,
  { take, guesses, factor }: Proof,
  then: (tx: Tx) => Promise<Done | null>,
): Promise<Done> {
  const by = userActor(user, clientNetwork(address));
  const subject = { kind: 'user', id: user.id };
  const done = await app.db.transaction(async (tx) => {
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

/** A new session in the place of the one in which a factor was added, which has proved it. Null: it had ended meanwhile. */
export async function proveAtEnrolment(app: App, session: SessionRow): Promise<AccessToken | null> {
  const renewed = await app.db.transaction((tx) => renewSession(tx, session, 'factor', app.now()));
  return renewed && issueAccessToken(app, renewed);
}
