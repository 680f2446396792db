import type { App } from '../../app.ts';
import { mustHaveFactor } from '../factors/factor.ts';
import { hasFactor } from '../factors/factor-queries.ts';
import { userOf } from '../find-user.ts';
import { readAccessToken } from '../tokens/access-token.ts';
import type { User } from '../user.ts';
import { selectUserById } from '../user-queries.ts';
import { isIdle, noteSessionUse } from './session.ts';
import { type SessionRow, selectSession } from './session-queries.ts';

/** `in`: may see the console. `prove`: must prove the second factor. `enrol`: must add a second factor. */
export type Standing = 'in' | 'prove' | 'enrol';

/** A person with a session of the console. */
export type ConsoleSession = { user: User; session: SessionRow; standing: Standing };

/**
 * Finds the session of a cookie. Reads the store each time, so that an ended session fails at once. Returns null if
 * there is no valid session. `isClick`: a person's request, not a page's refresh; only clicks keep a session from
 * idling out.
 */
export async function findConsoleSession(
  app: App,
  token: string,
  { isClick }: { isClick: boolean },
): Promise<ConsoleSession | null> {
  const claims = token === '' ? null : await readAccessToken(app, token, 'rubrica-console');
  if (claims === null || claims.sessionId === null) return null;
  const stored = await selectSession(app.db, claims.sessionId);
  if (stored === null || stored.user_id !== claims.userId || stored.kind !== 'console') return null;
  // The signed time: a time that somebody writes into the database proves no second factor.
  const session = { ...stored, proved_at: claims.provedAt };
  if (session.ended_at !== null || session.expires_at <= app.now() || isIdle(app, session)) return null;
  const row = await selectUserById(app.db, session.user_id);
  if (row === null || row.disabled_at !== null) return null;
  if (isClick) noteSessionUse(app, session);
  const user = await userOf(app.db, row);
  return { user, session, standing: await standingOf(app, user, session) };
}

/**
 * Returns whether the person must prove their identity again before an act with money or people. A proof is valid for
 * PROOF_MINUTES. Without a second factor, the time counts from the sign-in with the password.
 */
export function isProofDue(app: App, { proved_at, created_at }: SessionRow): boolean {
  // A proof at a time that only a clock far ahead has reached is not valid until then.
  return Math.abs(app.now() - (proved_at ?? created_at)) >= app.config.proofMinutes * 60_000;
}

async function standingOf(app: App, user: User, { proved_at }: SessionRow): Promise<Standing> {
  if (proved_at !== null) return 'in';
  if (await hasFactor(app.db, user.id)) return 'prove';
  return mustHaveFactor(app, user) ? 'enrol' : 'in';
}
