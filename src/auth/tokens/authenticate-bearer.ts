import type { App } from '../../app.ts';
import { type ErrorCode, Problem } from '../../error-catalogue.ts';
import { createExpiringCache } from '../../lib/expiring-cache.ts';
import { perInstance } from '../../lib/per-instance.ts';
import { needsFactor } from '../factors/needs-factor.ts';
import { userOf } from '../find-user.ts';
import { noteSessionUse } from '../sign-in/session.ts';
import { selectSessionWithToken } from '../sign-in/session-queries.ts';
import type { User } from '../user.ts';
import { selectUserById } from '../user-queries.ts';
import { readAccessToken } from './access-token.ts';
import { describeToken } from './token-shape.ts';

/** The errors of a request without a valid access token. */
export const TOKEN_CODES = [
  'TOKEN_MISSING',
  'TOKEN_INVALID',
  'PRIVATE_TOKEN_RETIRED',
] as const satisfies readonly ErrorCode[];

/**
 * A revoked token must stop working within a second on every replica. The lifetime is shorter, because it starts only
 * after the user was read.
 */
const LIFETIME_MS = 800;

const caches = perInstance((app: App) =>
  createExpiringCache<User>({ lifetimeMs: LIFETIME_MS, capacity: 10_000, now: app.now }),
);

/**
 * Returns the user of an access token in the `Authorization` header: `Bearer` and the token, or only the token, as some
 * clients send it. `apiKey` is the header `x-api-key`.
 *
 * Throws `Problem` with one of `TOKEN_CODES`: `TOKEN_MISSING`; `PRIVATE_TOKEN_RETIRED` for private tokens of the beta
 * (a bare UUID, or any `x-api-key` without a bearer); `TOKEN_INVALID` otherwise.
 */
export async function authenticateBearer(
  app: App,
  authorization: string | undefined,
  apiKey: string | undefined,
): Promise<User> {
  const cache = caches(app);
  const known = cache.peek(authorization ?? '');
  if (known !== null) return known;
  const token = tokenOf(app, authorization, apiKey);
  const user = await cache.get(authorization ?? '', () => findTokenUser(app, token));
  if (user === null) throw notValid(app, authorization);
  return user;
}

const BEARER = /^bearer +(\S+)$/i;
const BARE_JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const UUID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;

function tokenOf(app: App, authorization: string | undefined, apiKey: string | undefined): string {
  const given = authorization ?? '';
  const bearer = BEARER.exec(given)?.[1];
  if (bearer !== undefined) return bearer;
  if (BARE_JWT.test(given)) return given;
  if (UUID.test(given) || (apiKey ?? '') !== '') throw new Problem('PRIVATE_TOKEN_RETIRED');
  throw authorization === undefined ? new Problem('TOKEN_MISSING') : notValid(app, authorization);
}

/** Returns TOKEN_INVALID with a description of what was sent, as far as its form shows. */
function notValid(app: App, authorization = ''): Problem {
  return new Problem('TOKEN_INVALID', { detail: describeToken(authorization, app.now()) });
}

async function findTokenUser(app: App, token: string): Promise<User | null> {
  const claims = await readAccessToken(app, token);
  if (claims === null) return null;
  const row = await selectUserById(app.db, claims.userId);
  if (row === null || row.disabled_at !== null) return null;
  if (claims.sessionId === null) return row.token_version === claims.version ? userOf(app.db, row) : null;
  const session = await selectSessionWithToken(app.db, claims.sessionId);
  if (session === null || session.user_id !== row.id || session.ended_at !== null) return null;
  if (session.expires_at <= app.now()) return null;
  const user = await userOf(app.db, row, { token: session.token, sessionId: session.id });
  // As at the log-in: the person may have added a second factor, or been granted what needs one, since the password.
  if (session.kind === 'password' && (await needsFactor(app, user))) return null;
  noteSessionUse(app, session);
  return user;
}
