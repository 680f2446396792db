import type { JWTPayload } from 'jose';
import { JOSEError } from 'jose/errors';
import { SignJWT } from 'jose/jwt/sign';
import { jwtVerify } from 'jose/jwt/verify';
import type { App } from '../app.ts';
import { randomToken } from '../lib/ids.ts';
import { perInstance } from '../lib/per-instance.ts';
import { deriveKey } from '../lib/seal.ts';

/** `expiresIn` in seconds, as clients read it. */
export type AccessToken = { text: string; expiresIn: number };

/** What a token says: whose it is, and which of the user's versions it belongs to. */
export type AccessTokenClaims = { userId: string; version: number };

const ALGORITHM = 'HS256';
const ISSUER = 'rubrica';
const AUDIENCE = 'rubrica-api';
/** Ours have about 300 characters; nothing much longer is worth hashing. */
const LONGEST = 1024;
const SHAPE = /^[\w-]+\.[\w-]+\.([\w-]{43})$/;

const keyOf = perInstance((app: App) => deriveKey(app.config.masterKey, 'access-token'));

/** Signs a token that ends after `lifetimeSeconds`. */
export async function issueAccessToken(
  app: App,
  claims: AccessTokenClaims,
  lifetimeSeconds: number,
): Promise<AccessToken> {
  const issuedAt = Math.floor(app.now() / 1000);
  const text = await new SignJWT({ version: claims.version })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
    .setSubject(claims.userId)
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setJti(randomToken(16))
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetimeSeconds)
    .sign(keyOf(app));
  return { text, expiresIn: lifetimeSeconds };
}

/**
 * What a token says when this installation signed it and it has not ended, else null. Whether it was revoked is for
 * the caller to find out. Algorithm and key are ours, whatever the token's header asks for (RFC 8725, 3.1).
 */
export async function readAccessToken(app: App, text: string): Promise<AccessTokenClaims | null> {
  if (text.length > LONGEST || !isCanonical(text)) return null;
  try {
    const { payload } = await jwtVerify(text, keyOf(app), {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: AUDIENCE,
      requiredClaims: ['sub', 'exp', 'version'],
      currentDate: new Date(app.now()),
    });
    return claimsOf(payload);
  } catch (error) {
    if (error instanceof JOSEError) return null;
    throw error;
  }
}

/** Base64url has unused bits in its last character, so without this four texts would pass for each signature. */
function isCanonical(text: string): boolean {
  const signature = SHAPE.exec(text)?.[1];
  return signature !== undefined && Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

function claimsOf(payload: JWTPayload): AccessTokenClaims | null {
  const { sub, version } = payload;
  return typeof sub === 'string' && typeof version === 'number' ? { userId: sub, version } : null;
}
