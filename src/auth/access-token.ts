import type { JWTPayload } from 'jose';
import { JOSEError } from 'jose/errors';
import { SignJWT } from 'jose/jwt/sign';
import { jwtVerify } from 'jose/jwt/verify';
import type { App } from '../app.ts';
import { perInstance } from '../lib/per-instance.ts';
import { deriveKey } from '../lib/seal.ts';
import { isSessionId } from './session.ts';
import type { SessionRow } from './session-queries.ts';

/** `expiresIn` in seconds, as clients read it. */
export type AccessToken = { text: string; expiresIn: number };

/**
 * The claims of a token: its user and its session. A token that was made before there were sessions has none, and ends when
 * the user's version is no longer `version`.
 */
export type AccessTokenClaims = { userId: string; version: number; sessionId: string | null };

const ALGORITHM = 'HS256';
const ISSUER = 'rubrica';
/** A session of the console lets nobody into the API, and no log-in to the API shows the console: it may have asked for no factor. */
export type Audience = 'rubrica-api' | 'rubrica-console';
/** Ours have about 300 characters; nothing much longer is worth hashing. */
const LONGEST = 1024;
const SHAPE = /^[\w-]+\.[\w-]+\.([\w-]{43})$/;

const keyOf = perInstance((app: App) => deriveKey(app.config.masterKey, 'access-token'));

/** Signs the token of a session. The same session always has the same text, so that it can be given out again. */
export async function issueAccessToken(
  app: App,
  session: Pick<SessionRow, 'id' | 'user_id' | 'kind' | 'created_at' | 'expires_at'>,
): Promise<AccessToken> {
  const issuedAt = secondsOf(session.created_at);
  const expiresAt = secondsOf(session.expires_at);
  const text = await new SignJWT({ version: 0 })
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
 * Reads the claims of a token that this installation signed and that has not ended, else null. Whether it was revoked is for
 * the caller to find out. Algorithm and key are ours, whatever the token's header asks for (RFC 8725, 3.1).
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

/** Base64url has unused bits in its last character, so without this four texts would pass for each signature. */
function isCanonical(text: string): boolean {
  const signature = SHAPE.exec(text)?.[1];
  return signature !== undefined && Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

function claimsOf(payload: JWTPayload): AccessTokenClaims | null {
  const { sub, version, jti = '' } = payload;
  if (typeof sub !== 'string' || typeof version !== 'number') return null;
  return { userId: sub, version, sessionId: isSessionId(jti) ? jti : null };
}
