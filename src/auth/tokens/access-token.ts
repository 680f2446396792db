import type { JWTPayload } from 'jose';
import { JOSEError } from 'jose/errors';
import { SignJWT } from 'jose/jwt/sign';
import { jwtVerify } from 'jose/jwt/verify';
import type { App } from '../../app.ts';
import { perInstance } from '../../lib/per-instance.ts';
import { deriveKey } from '../../lib/seal.ts';
import { isSessionId } from '../sign-in/session.ts';
import type { SessionRow } from '../sign-in/session-queries.ts';

/** `expiresIn`: seconds, as clients read it. */
export type AccessToken = { text: string; expiresIn: number };

/**
 * The claims of a token: its user and its session, and when its session began with a proof of the second factor; null:
 * without one. A token from before sessions existed has no session; it is valid while the user's version equals
 * `version`.
 */
export type AccessTokenClaims = { userId: string; version: number; sessionId: string | null; provedAt: number | null };

const ALGORITHM = 'HS256';
const ISSUER = 'rubrica';
/**
 * The API rejects sessions of the console, and the console rejects log-ins to the API, which may have needed no second
 * factor.
 */
export type Audience = 'rubrica-api' | 'rubrica-console';
/** Our tokens have about 300 characters; much longer text is not hashed. */
const LONGEST = 1024;
const SHAPE = /^[\w-]+\.[\w-]+\.([\w-]+)$/;

const keyOf = perInstance((app: App) => deriveKey(app.config.masterKey, 'access-token'));

/** Signs the token of a session. The text is always the same for a session, so it can be returned again. */
export async function issueAccessToken(
  app: App,
  session: Pick<SessionRow, 'id' | 'user_id' | 'kind' | 'created_at' | 'expires_at' | 'proved_at'>,
): Promise<AccessToken> {
  const issuedAt = secondsOf(session.created_at);
  const expiresAt = secondsOf(session.expires_at);
  const text = await new SignJWT({ version: 0, ...(session.proved_at !== null && { proved: session.proved_at }) })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
    .setSubject(session.user_id)
    .setIssuer(ISSUER)
    .setAudience(session.kind === 'console' ? 'rubrica-console' : 'rubrica-api')
    .setJti(session.id)
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .sign(keyOf(app));
  return { text, expiresIn: expiresAt - secondsOf(app.now()) };
}

/**
 * Returns the claims of a token that this installation signed and that has not expired; else null. The caller checks
 * whether it was revoked. Ignores the algorithm and the key that the token's header names (RFC 8725, 3.1).
 */
export async function readAccessToken(
  app: App,
  text: string,
  audience: Audience = 'rubrica-api',
): Promise<AccessTokenClaims | null> {
  if (text.length > LONGEST || !isCanonical(text)) return null;
  try {
    const { payload } = await jwtVerify(text, keyOf(app), {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience,
      requiredClaims: ['sub', 'exp', 'version'],
      currentDate: new Date(app.now()),
    });
    return claimsOf(payload);
  } catch (error) {
    if (error instanceof JOSEError) return null;
    throw error;
  }
}

function secondsOf(utcMs: number): number {
  return Math.floor(utcMs / 1000);
}

/**
 * Returns whether the signature is canonical: base64url has unused bits in its last character, so four texts would
 * match each signature.
 */
function isCanonical(text: string): boolean {
  const signature = SHAPE.exec(text)?.[1];
  return signature !== undefined && Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

function claimsOf(payload: JWTPayload): AccessTokenClaims | null {
  const { sub, version, jti = '', proved } = payload;
  if (typeof sub !== 'string' || typeof version !== 'number') return null;
  const provedAt = typeof proved === 'number' ? proved : null;
  return { userId: sub, version, sessionId: isSessionId(jti) ? jti : null, provedAt };
}
